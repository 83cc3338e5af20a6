"""Experiments: points, measures, claims, and what decides them."""
