"""Function `airfair.reproduce`: runs papers one after the other, and writes their reports."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from airfair import RunError
from airfair import store as files
from airfair.archive import Archive
from airfair.engine import Interrupted
from airfair.errors import OptionError, describe
from airfair.experiment.errors import StudyError
from airfair.experiment.work import Means, begun, opened
from airfair.replacing import note_input

from . import catalogue, directory
from .catalogue import UnknownPaperError, load, select
from .document import wrapped
from .paper import Experiment, Paper
from .paper_result import PaperResult
from .results import Outcome, names
from .runs import Choice, measure
from .summary import INDEX, PAGE, TEXT, Reproduction


@dataclass(frozen=True)
class Selection:
    """Paper, and those of its experiments that run."""

    paper: Paper[Any]
    experiments: tuple[Experiment[Any], ...]

    @classmethod
    def of(cls, named: Reproducible) -> Selection:
        """Selection of a paper by its id or its directory, or of one of its experiments: `PAPER/EXPERIMENT`.

        Raises `UnknownPaperError`, and the errors of `directory.load`.
        """
        if isinstance(named, Selection):
            return named
        paper, experiment_id = _found(os.fspath(named))
        return cls(paper, tuple(select(paper, experiment_id)))


Reproducible: TypeAlias = "str | os.PathLike[str] | Selection"
"""Id of a paper, `PAPER/EXPERIMENT`, or the directory of a paper."""


def _found(named: str) -> tuple[Paper[Any], str | None]:
    """Paper for an id or a directory, and the id of its experiment if one is named."""
    paper_id, _, experiment_id = named.partition("/")
    if paper_id in catalogue.papers():
        return load(paper_id), experiment_id or None
    path = Path(named)
    if directory.is_paper(path):
        return directory.load(path), None
    if directory.is_paper(path.parent) and path.name:
        return directory.load(path.parent), path.name
    if path.is_dir():
        raise StudyError(
            f"{named}: this directory has no {directory.PAPER}; write an example with: airfair init paper"
        )
    try:
        return load(named if paper_id in {"", ".", ".."} else paper_id), experiment_id or None
    except UnknownPaperError as error:
        raise UnknownPaperError(f"{error}, or a directory with a {directory.PAPER}") from error


class ReproductionError(Exception):
    """Raised if runs of a paper fail, or if files or runs cannot be saved.

    `result` is the `Reproduction` with everything else, and `reason` the first error.
    """

    def __init__(self, result: Reproduction, reason: RunError | OSError) -> None:
        super().__init__(str(reason))
        self.result = result
        self.reason = reason

    def __reduce__(self) -> tuple[type[ReproductionError], tuple[Reproduction, RunError | OSError]]:
        return ReproductionError, (self.result, self.reason)


def reproduce(  # noqa: PLR0913 - options, each with a default
    papers: Reproducible | Sequence[Reproducible] | None = None,
    *,
    quick: bool = False,
    replications: int | None = None,
    out: Path | str | None = None,
    force: bool = False,
    store: Archive | str | Path | None = "default",
    fresh: bool = False,
    threads: int | None = None,
    progress: Callable[[float], object] | bool = True,
    finished: Callable[[Reproduction, PaperResult], object] | None = None,
) -> Reproduction:
    """Run papers, and decide whether their claims hold.

    - `papers`: a paper by its id, such as "arf-window", or by its directory; one experiment of it, such as
      "arf-window/fig4"; a list of these; or `None` for all of airfair's papers.
    - `quick`: true for a first look with fewer and shorter runs, without experiments beyond the papers' own.
    - `replications`: number of runs of each variant, by default that of the paper's studies.
    - `out`: directory for the report and the figures of a single paper. For a list, each paper has its own
      directory in it, and the pages on all papers are beside these. Nothing is written without `out`.
    - `force`: true to replace files in `out` that airfair has not written.
    - `store`: archive of finished runs, as in `Experiment.run`; `fresh` discards its runs first, if it is a
      path.
    - `threads`: number of threads, by default one per core.
    - `progress`: true to show a bar on standard error, or a function called with the fraction done.
    - `finished`: function called with the results so far and that of the paper that is finished.

    Raises `OptionError` for wrong arguments, `StudyError` or `ScenarioError` for mistakes in the directory of
    a paper, and `OSError` if the store cannot be read, all before the first run. Raises `Interrupted` on
    Ctrl-C and, after all other papers have run, `ReproductionError` if one of them fails. The `result` of
    both has everything that is finished.
    """
    chosen, alone = _selected(papers)
    top = None if out is None else Path(out)
    choices = [
        _choice(
            one, replications, None if top is None else top if alone else top / one.paper.id, quick
        )
        for one in chosen
    ]
    _check_outputs(choices, None if alone else top, force=force)
    with opened(store, fresh=fresh) as archive, begun(None, threads) as engine:
        means = Means(archive, engine, progress)
        work = _Work(choices, None if alone else top, means, force)
        result = work.finish(finished or (lambda *_: None))
    if result.interrupted:
        done = [paper.document["replications"] for paper in result.papers if paper.document]
        raise Interrupted(result, min(done))
    if result.failure is not None:
        raise ReproductionError(result, result.failure) from result.failure
    return result


def _selected(papers: Reproducible | Sequence[Reproducible] | None) -> tuple[list[Selection], bool]:
    """Selections of the argument `papers`; the second value is true if it is a single one."""
    if papers is None:
        return [Selection.of(id_) for id_ in catalogue.papers()], False
    if isinstance(papers, str | os.PathLike | Selection):
        return [Selection.of(papers)], True
    chosen = [Selection.of(one) for one in papers]
    if not chosen:
        raise OptionError("papers []: allowed is at least one paper")
    counts = Counter(one.paper.id for one in chosen)
    if twice := [id_ for id_, count in counts.items() if count > 1]:
        raise OptionError(f"papers: {twice[0]} is named twice; allowed is once")
    return chosen, False


def _choice(one: Selection, replications: int | None, out: Path | None, quick: bool) -> Choice:  # noqa: FBT001 - as the field
    if replications is not None and replications < 1:
        raise OptionError(f"replications {replications}: allowed is a whole number, 1 or more")
    return Choice(one.paper, one.experiments, replications, out, quick)


def _check_outputs(choices: Sequence[Choice], top: Path | None, *, force: bool) -> None:
    """Create the output directories; raises `OptionError` if one cannot be written."""
    for choice in choices:
        for path in choice.paths:
            note_input(path)
    outputs = {choice.out: names(choice) for choice in choices if choice.out is not None}
    if top is not None:
        outputs[top] = [INDEX, PAGE, TEXT, files.MANIFEST]
    files.begin(outputs, outputs, force=force)


@dataclass
class _Work:
    """Papers that run one after the other.

    A paper that fails does not stop the others; Ctrl-C and a full disk do. The pages on all papers are
    written after each one, so that they exist however the program ends.
    """

    choices: Sequence[Choice]
    top: Path | None
    """Directory of the pages on all papers; `None` for none."""
    means: Means
    force: bool
    texts: list[str] = field(default_factory=list)
    """Texts of the finished papers."""

    def finish(self, finished: Callable[[Reproduction, PaperResult], object]) -> Reproduction:
        """Run all papers; `finished` is called after each one."""
        result = self._save_pages(
            Reproduction([PaperResult(choice) for choice in self.choices], self.top), running=True
        )
        try:
            for place, choice in enumerate(self.choices):
                one = self._paper(place, choice)
                papers = [*result.papers[:place], one, *result.papers[place + 1 :]]
                result = replace(result, papers=papers)
                finished(result, one)
                over = one.ends_all or place + 1 == len(self.choices)
                result = self._save_pages(result, running=not over)
                if over or result.page_failure:
                    break
        except BaseException:
            # However the program ends, the page stops reloading itself.
            self._save_pages(result, running=False)
            raise
        return result

    def _paper(self, place: int, choice: Choice) -> PaperResult:
        """Run one paper and write its files."""
        count, paper = len(self.choices), choice.paper
        means = self.means.part(place / count, (place + 1) / count)
        if count > 1:
            means = replace(means, label=f"{place + 1}/{count} {paper.id}")
        try:
            outcome = Outcome(choice, measure(choice, means))
        except RunError as error:
            if count == 1:
                return self._failed(choice, error)
            return self._failed(choice, RunError(f"{paper.id}: {error}"))
        except OSError as error:
            return self._failed(choice, error)
        failure = None
        if choice.out is not None and outcome.experiments:
            failure = self._saved(choice.out, outcome.files())
        result = PaperResult.of(outcome, failure, pictured=self.top is not None)
        self._add_text(result)
        return result

    def _failed(self, choice: Choice, error: RunError | OSError) -> PaperResult:
        result = PaperResult(choice, failure=error)
        self._add_text(result)
        return result

    def _add_text(self, result: PaperResult) -> None:
        if self.top is not None:
            title = "\n".join(wrapped(f"{result.id}: {result.paper.title}"))
            self.texts.append(f"{title}\n\n{result.text()}")

    def _save_pages(self, result: Reproduction, *, running: bool) -> Reproduction:
        if self.top is None:
            return result
        pages = result.files(running=running)
        if self.texts:
            # Tables and claims of the finished papers, and a summary.
            pages[TEXT] = ("\n\n\n".join([*self.texts, result.text()]) + "\n").encode()
        return replace(result, page_failure=self._saved(self.top, pages))

    def _saved(self, out: Path, contents: Mapping[str, bytes]) -> OSError | None:
        """Write files; the error is returned, because the results are worth more than the files."""
        try:
            files.write_all(out, contents, force=self.force)
        except OSError as error:
            return OSError(error.errno, f"out {out}: {describe(error)}")
        return None
