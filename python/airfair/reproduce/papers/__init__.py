"""Papers, one module each; `airfair.reproduce.paper` has the classes with which they are declared."""
