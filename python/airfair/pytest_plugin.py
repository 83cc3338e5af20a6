"""Plugin for pytest: the fixture `wifi_cell` runs tests of programs in emulated cells.

A test whose emulation the machine has affected runs once more. If that emulation is invalid too, or if the
machine permits no emulation, the test is skipped with the reason; with `--require-wifi` it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Self

import pytest

from airfair.emulation.cell import Emulation, EmulationError, InvalidEmulationError

FIXTURE = "wifi_cell"
OPTION = "--require-wifi"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of the command line."""
    parser.getgroup("airfair").addoption(
        OPTION,
        action="store_true",
        help="fail, instead of skipping, tests of wifi_cell that this machine cannot emulate",
    )


@pytest.fixture
def wifi_cell(request: pytest.FixtureRequest) -> Callable[..., Emulation]:
    """Function that makes an `airfair.Emulation`, with the same arguments, for a `with` block."""
    is_required = bool(request.config.getoption(OPTION))

    class Cell(Emulation):
        def __enter__(self) -> Self:
            try:
                return super().__enter__()
            except EmulationError as error:
                if is_required:
                    raise
                pytest.skip(str(error))

    def make(*arguments: Any, **options: Any) -> Emulation:  # noqa: ANN401 - those of Emulation
        return Cell(*arguments, **{"check": True, **options})

    return make


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Run a test once more if its emulation was invalid."""
    try:
        return (yield)
    except InvalidEmulationError:
        if FIXTURE not in pyfuncitem.fixturenames:
            raise
    names = pyfuncitem._fixtureinfo.argnames  # noqa: SLF001 - as pytest's own call
    try:
        pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    except InvalidEmulationError as error:
        if pyfuncitem.config.getoption(OPTION):
            raise
        pytest.skip(f"two emulations in a row: {error}")
    return True
