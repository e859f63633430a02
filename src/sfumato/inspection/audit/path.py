"""One frozen path through a method: its outputs, given out again on every other table."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from sfumato.errors import Refused
from sfumato.inspection.audit.neighbours import Neighbour
from sfumato.inspection.audit.persons import batches_of
from sfumato.inspection.audit.step import Step, steps_of
from sfumato.inspection.audit.tape import Diverged, Fault, TapePurse
from sfumato.numeric.arrays import Whole
from sfumato.plan import Plan

__all__ = ["Path", "Run"]

_MOST_BATCHES = 4  # of a release that is only looked at
DEPENDS = "the statistics, their shape or their noise depend on a record"
LEAKS = "the release depends on a record although all noise is frozen"


@dataclass(frozen=True, eq=False)
class Run:
    """What one table gave along a path; None where it could not be followed, and why."""

    steps: tuple[Step, ...] | None
    fault: str = ""
    released: str = ""
    complete: bool = True  # whether all was bought as noise or as draws
    outputs: tuple[Whole, ...] = field(default=(), repr=False)


class Path:
    """Outputs drawn on one table; `run` says what another one would have given to the noise.

    To be used while a tape runs (`taped`).
    """

    def __init__(self, plan: Plan, start: Neighbour, seed: int, *, rendered: bool = False) -> None:
        self.plan, self.seed, self.rendered = plan, seed, rendered
        self._script: Sequence[Whole] | None = None
        self._known: dict[tuple[bytes, bytes], Run] = {}
        self._parts: dict[bytes, tuple[str, int, bytes]] = {}  # of records, by the key of noise
        self.worst: dict[str, tuple[float, tuple[Neighbour, Neighbour]]] = {}  # by measurement
        self.first = self._run(start)
        self._script = self.first.outputs
        self._law = None if self.first.steps is None else [step.law for step in self.first.steps]

    def run(self, table: Neighbour) -> Run:
        """The measurements of a table, which must have the law of the first."""
        key = (table.base.tobytes(), table.last.tobytes())
        if key not in self._known:
            self._known[key] = self._run(table)
        return self._known[key]

    @property
    def runs(self) -> int:
        """How many tables were measured."""
        return len(self._known)

    def _run(self, table: Neighbour) -> Run:
        purse = TapePurse(self.plan.guarantee, seed=self.seed, script=self._script)
        try:
            with np.errstate(all="ignore"):
                released = self._released(table, purse)
        except Diverged:
            return Run(None, DEPENDS)
        except Fault as fault:
            return Run(None, str(fault))
        except Refused as error:
            return Run(None, f"the method refuses what it planned: {error}")
        except Exception as error:  # whatever it is, a record made it happen
            return Run(None, f"the method fails on a table: {type(error).__name__}")
        if purse.bits.loose:
            return Run(None, "random bits were used that no known mechanism asked for")
        if any(self._parts.setdefault(key, part) != part for key, part in purse.bits.parts.items()):
            return Run(None, "the same noise meets other records")
        steps = tuple(steps_of(purse.tape, purse.events))
        if self._script is not None and [step.law for step in steps] != self._law:
            return Run(None, DEPENDS)
        return Run(steps, "", released, purse.complete, tuple(purse.outputs))

    def _released(self, table: Neighbour, purse: TapePurse) -> str:
        """NOT PRIVATE: what a recipient would hold, as text."""
        synopsis, rows = self.plan.measure(table.records, purse), list[Any]()
        if self.rendered:  # takes longer than measuring
            rendered = self.plan.render(synopsis, None, np.random.default_rng(0))
            batches = batches_of(rendered, self.plan.domain)
            rows = [batch.to_pydict() for batch in islice(batches, _MOST_BATCHES)]
        record = synopsis.to_json() if hasattr(synopsis, "to_json") else None
        return json.dumps([rows, record], default=str, sort_keys=True)
