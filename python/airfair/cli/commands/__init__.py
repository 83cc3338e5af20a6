"""The commands, a module each: `add` adds one to the grammar, and its action imports what does the work.

A new command is a module here and a name in `COMMANDS`.
"""

from __future__ import annotations

from . import (
    agent,
    cache,
    check,
    compare,
    completion,
    emulate,
    init,
    limits,
    reproduce,
    run,
    schema,
    shell,
    sweep,
    tfrc,
    timeline,
    validate,
)

COMMANDS = (
    run.add,
    timeline.add,
    check.add,
    init.add,
    sweep.add,
    compare.add,
    cache.add,
    reproduce.add,
    limits.add,
    validate.add,
    emulate.add,
    shell.add,
    agent.add,
    tfrc.add,
    schema.add,
    completion.add,
)
"""In the order of `airfair --help`."""
