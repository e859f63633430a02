"""NOT PRIVATE: every method that fits a schema, at several budgets, beside the records.

Part of the records is held out; each contender publishes from the rest, several times, with
seeded noise and without a charge, and each release is scored.  Scores depend on the records
without noise and are for the owner alone; `sfumato.inspection` says why.  Publishing by the
best of them gives something away that no budget paid for: decide on public or made-up
records of the same kind, or let `choose_method` decide.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from sfumato.errors import DataError, MissingExtra, ParameterError, Refused
from sfumato.inspection.compare.contender import Contender, contenders, methods_named
from sfumato.inspection.compare.trial import MEASURES, Parts, Trial
from sfumato.inspection.compare.worker import Stopped, Worker
from sfumato.inspection.counting import by_name, count_comparison
from sfumato.inspection.display import comparison_html
from sfumato.inspection.utility import AnySchema, domain_of, has_rows, opened
from sfumato.ledger import Ledger
from sfumato.privacy.budget import budget
from sfumato.privacy.guarantee import exact
from sfumato.progress import Wish, done_of
from sfumato.table.source import held

__all__ = ["Cell", "Comparison", "compare"]

TRIALS, SECONDS = 5, 30.0
_FEWEST = 20  # records
_MOST_WORKERS = 4

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Cell:
    """The trials of a method at a budget: mean, and standard error where there were two."""

    mean: float
    error: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> "Cell":
        """Of at least one trial."""
        spread = float(np.std(values, ddof=1)) / sqrt(len(values)) if len(values) > 1 else None
        return cls(float(np.mean(values)), spread)


@dataclass(frozen=True)
class Comparison:
    """NOT PRIVATE: what was run, what it scored, and what was not run for which reason."""

    dataset: str
    records: int
    held_out: int
    columns: int
    epsilons: tuple[str, ...]
    delta: str | None
    wanted: int  # trials at each budget
    trials: tuple[Trial, ...]
    refused: Mapping[str, str]
    stopped: Mapping[str, str]
    framed: Mapping[str, tuple[float, float | None]]
    counted: bool
    unmeasured: Mapping[str, str] = field(default_factory=dict)  # measures, and what they lack

    def _repr_html_(self) -> str:
        return comparison_html(self)

    @property
    def methods(self) -> tuple[str, ...]:
        """Those that were run, in the order of the registry."""
        return tuple(dict.fromkeys(trial.contender.method for trial in self.trials))

    @property
    def measures(self) -> tuple[str, ...]:
        """Those that some release was scored by."""
        scored = {name for trial in self.trials for name in trial.scores}
        return tuple(name for name in MEASURES if name in scored)

    def cell(self, method: str, measure: str, epsilon: str) -> Cell | None:
        """A method at a budget; one without a budget is the same at all of them."""
        values = [
            trial.scores[measure]
            for trial in self.trials
            if trial.contender.method == method
            and trial.contender.epsilon in (epsilon, None)
            and np.isfinite(trial.scores.get(measure, np.nan))
        ]
        return Cell.of(values) if values else None

    def seconds(self, method: str) -> float:
        """The processor's time for one release, the median over all of them."""
        taken = [t.seconds for t in self.trials if t.contender.method == method]
        return float(np.median(taken))

    def contender(self, method: str) -> Contender:
        """The method at its largest budget."""
        return [t.contender for t in self.trials if t.contender.method == method][-1]


def compare(
    data: Any,
    schema: AnySchema,
    *,
    epsilons: Sequence[Any],
    delta: Any = None,
    methods: Sequence[str] | None = None,
    trials: int = TRIALS,
    seconds: float = SECONDS,
    accept_no_guarantee: bool = False,
    ledger: Ledger | str | Path | None = None,
    seed: int = 0,
    progress: Wish = None,
) -> Comparison:
    """NOT PRIVATE: methods side by side at each of `epsilons`, on held-out records.

    Each method gets at most `seconds` of the clock: what is then left of its `trials` is not
    run, and said.  A `ledger` counts the look before a record is read.  Terminals and notebooks
    show how far it is, unless `progress=False`; a function is told instead, done and total.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> found = compare(clinic(300), Schema.parse(CLINIC), epsilons=[1],
    ...     methods=["dp-lda", "lop"], trials=1)
    >>> found.methods, sorted(found.refused), found.measures
    (('dp-lda',), ['lop'], ('auc', 'accuracy', 'two-way', 'one-way'))
    """
    if isinstance(trials, bool) or not isinstance(trials, int) or trials < 1:
        raise ParameterError(f"trials must be a whole number of at least 1, got {trials!r}")
    if not seconds > 0:
        raise ParameterError(f"seconds must be above 0, got {seconds!r}")
    told = done_of("trying methods", progress)
    domain = domain_of(schema)
    wanted = _ascending(epsilons)
    names = methods_named(methods)
    stated = None if delta is None else str(delta)
    for epsilon in wanted:
        budget(epsilon=epsilon, delta=delta)  # refused here: methods without a use for it ignore it
    entered, refused = contenders(
        domain, names, wanted, stated, accept_no_guarantee=accept_no_guarantee
    )
    if not entered:
        why = next(iter(refused.values()))
        raise ParameterError(f"no method fits this schema and budget; the first says: {why}")
    data = held(data)
    if not has_rows(opened(data, domain), _FEWEST):  # what cannot be compared is not counted
        raise DataError(f"a comparison needs at least {_FEWEST} records")
    with by_name(ledger) as counting:
        if counting is not None:
            count_comparison(domain.schema.name, counting)
    parts = Parts.of(data, domain, seed)
    with told as step:
        run = _Run(parts, entered, trials, seconds, seed, step)
        run.all()
    if not run.done:
        if not run.stopped:
            method, why = next(iter(run.refused.items()))
            raise ParameterError(f"no method could publish; the first, {method}, says: {why}")
        raise ParameterError("no method finished a release in its time: raise seconds")
    return Comparison(
        dataset=domain.schema.name,
        records=parts.known.num_rows,
        held_out=parts.held_out.num_rows,
        columns=len(domain.axes),
        epsilons=wanted,
        delta=stated,
        wanted=trials,
        trials=tuple(sorted(run.done, key=run.place)),
        refused=refused | run.refused,
        stopped=run.stopped,
        framed=parts.framed,
        counted=ledger is not None,
        unmeasured=parts.unmeasured,
    )


def _ascending(epsilons: Sequence[Any]) -> tuple[str, ...]:
    if isinstance(epsilons, str) or not len(epsilons):
        raise ParameterError("epsilons must be a list of at least one budget")
    sizes = {str(epsilon): exact("epsilon", epsilon) for epsilon in epsilons}
    return tuple(sorted(sizes, key=lambda text: sizes[text]))


class _Run:
    """All trials, in as many workers as there are cores."""

    def __init__(
        self,
        parts: Parts,
        entered: tuple[Contender, ...],
        trials: int,
        seconds: float,
        seed: int,
        progress: Progress,
    ) -> None:
        self._parts, self._limit, self._seed, self._progress = parts, seconds, seed, progress
        self._order = {contender: k for k, contender in enumerate(entered)}
        # Every contender once, then every one again: what is stopped has been seen at least.
        self._left = [(contender, number) for number in range(trials) for contender in entered]
        self._total, self._spent, self._lock = len(self._left), dict[str, float](), Lock()
        self.done: list[Trial] = []
        self.refused: dict[str, str] = {}
        self.stopped: dict[str, str] = {}

    def place(self, trial: Trial) -> tuple[int, int]:
        return self._order[trial.contender], trial.number

    def all(self) -> None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        count = min(_MOST_WORKERS, cores, self._total)
        workers = [Worker(self._parts) for _ in range(count)]
        pool = ThreadPoolExecutor(count)
        try:
            for ended in [pool.submit(self._drive, worker) for worker in workers]:
                ended.result()
        finally:
            with self._lock:
                self._left.clear()
            for worker in workers:
                worker.close()
            pool.shutdown()

    def _drive(self, worker: Worker) -> None:
        while (job := self._next()) is not None:
            contender, number = job
            worker.start()
            begun = perf_counter()
            left = self._limit - self._spent.get(contender.method, 0.0)
            try:
                found = worker.run(contender, number, seed=self._seed_of(job), seconds=left)
                with self._lock:
                    self.done.append(found)
            except Stopped:
                self._stop(contender.method)
            except (Refused, MissingExtra) as error:
                with self._lock:
                    self.refused[contender.method] = str(error)
                self._drop(contender.method)
            with self._lock:
                taken = self._spent.get(contender.method, 0.0) + perf_counter() - begun
                self._spent[contender.method] = taken
                self._progress(self._total - len(self._left), self._total)

    def _next(self) -> tuple[Contender, int] | None:
        with self._lock:
            if not self._left:
                return None
            contender, number = self._left.pop(0)
        if self._spent.get(contender.method, 0.0) < self._limit:
            return contender, number
        self._stop(contender.method)
        return self._next()

    def _stop(self, method: str) -> None:
        self.stopped[method] = f"stopped at {self._limit:g} s: not all of its trials were run"
        self._drop(method)

    def _drop(self, method: str) -> None:
        with self._lock:
            self._left[:] = [job for job in self._left if job[0].method != method]

    def _seed_of(self, job: tuple[Contender, int]) -> int:
        """Another seed for every trial, the same whichever worker runs it."""
        contender, number = job
        return self._seed + 1000 * self._order[contender] + number
