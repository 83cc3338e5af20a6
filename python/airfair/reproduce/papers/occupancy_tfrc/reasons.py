"""Why claims of `occupancy-tfrc` do not hold; `docs/occupancy-tfrc.md` has what found it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airfair.experiment.claims import Reason

REASONS: Mapping[str, Sequence[Reason]] = {}
"""None: under the paper's eq. 1 all claims hold."""
