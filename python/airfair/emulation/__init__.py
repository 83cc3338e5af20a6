"""`airfair emulate`: a simulated cell under a wall clock, with a network namespace per station and host."""
