"""Actions of commands that are longer than their declaration, or import many modules.

A module of `commands` declares the command, and imports its action when the command runs.
"""
