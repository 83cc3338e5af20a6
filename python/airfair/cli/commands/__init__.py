"""Commands, one module each: its function `main` runs the command, which `grammar.toml` declares."""
