"""Commands, one module each. `add` declares a command; its action imports the modules that do the work.

To add a command, write a module in this package and add it to `COMMANDS`.
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
"""Functions that add the commands, in the order of `airfair --help`."""
