"""Limits: a search for conditions under which a scheme is worse than no scheme."""
