"""The papers, a module each: what they declare is in `airfair.reproduce.paper`."""
