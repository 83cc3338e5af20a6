"""Papers, one module each; `airfair.reproduction.paper` has the classes with which they are declared."""
