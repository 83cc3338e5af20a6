"""Experiments: a scenario under the levels of some factors, measures, comparisons, and claims.

`Experiment` declares the runs and `ExperimentResult` holds them when they are finished. `load_study` reads
a study, that is an experiment with its figures and claims, from a TOML file. The other names declare parts
of an experiment: designs, measures, claims and rules for the number of replications.

Modules of results need numpy and polars. They are imported on first use, so that a study is checked quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airfair import lazy

from .decisions import Claim, claim
from .designs import latin_hypercube, random, sobol
from .draws import choice
from .errors import DefaultsWarning, StudyError
from .experiment import Experiment
from .measures import Measure, measure
from .stopping import until, until_decided
from .study import Study
from .study_file import load_study
from .values import between

if TYPE_CHECKING:
    from .loading import load_experiment
    from .results import ExperimentResult

__all__ = [
    "Claim",
    "DefaultsWarning",
    "Experiment",
    "ExperimentResult",
    "Measure",
    "Study",
    "StudyError",
    "between",
    "choice",
    "claim",
    "latin_hypercube",
    "load_experiment",
    "load_study",
    "measure",
    "random",
    "sobol",
    "until",
    "until_decided",
]

__getattr__ = lazy.names(__name__, {"loading": "load_experiment", "results": "ExperimentResult"})


def __dir__() -> list[str]:
    return sorted(__all__)
