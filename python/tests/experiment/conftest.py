"""Fixture: the result of an experiment."""

from __future__ import annotations

import pytest
from hypothesis import settings

import airfair
import small_experiments as small

# The first example of a test imports what it needs, and the machine may be loaded.
settings.register_profile("airfair", deadline=None)
settings.load_profile("airfair")


@pytest.fixture
def grid() -> airfair.ExperimentResult:
    """Experiment with two rates and two schemes, four replications each; no table is computed yet."""
    return small.grid()
