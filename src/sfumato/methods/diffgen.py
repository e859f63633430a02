"""diffgen: a table specialised top-down by private choices, and the noisy counts of its leaves."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError, ReleaseError, SchemaError
from sfumato.measure.hierarchy import Hierarchy, Node, walk
from sfumato.measure.specialise import SCORES, Leaves, Specialisation
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import LABELLED, MIXED, PLAIN, THREE, counted
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Event
from sfumato.render.decode import Decoder
from sfumato.render.drawing import Drawing
from sfumato.render.generalise import generalised_batch, generalised_columns, node_labels
from sfumato.render.leaves import Parts, apportion, sample
from sfumato.schema.domain import Domain

__all__ = ["METHOD"]

_MOST_STEPS = 100
_MOST_COUNTS = 2**26  # of codes by class, over all columns: half a gigabyte


def plan(
    domain: Domain,
    budget: Budget,
    *,
    score: str = "max",
    steps: int | str = 10,
    values: str = "drawn",
) -> Plan:
    """Half of the budget on split points and choices, half on the counts of the leaves."""
    if not isinstance(budget, PureDP):
        raise ParameterError("diffgen promises pure epsilon-DP only: leave out delta and rho")
    if score not in SCORES:
        raise ParameterError(f"score must be one of {', '.join(SCORES)}, got {score!r}")
    if values not in ("drawn", "generalised"):
        raise ParameterError(f"values must be drawn or generalised, got {values!r}")
    what = _specialisation(domain, budget, score, _whole(steps))
    generalised = values == "generalised"
    if generalised:
        _check_labels(domain, what)
    public_rows = domain.schema.neighbours == "replace-one"

    def render(leaves: Leaves, rows: int | None, rng: np.random.Generator) -> Drawing:
        counts = leaves.counts.astype(np.float64)
        noisy = max(round(float(counts.sum())), 0) if leaves.rows is None else leaves.rows
        whole = apportion(counts, noisy if rows is None else rows, rng)
        if generalised:
            return _labelled(domain, what, leaves, whole, rng)
        columns = [
            Parts(axis, column.order, runs)
            for axis, column, runs in zip(what.axes, what.columns, leaves.cut.nodes, strict=True)
        ]
        labels = np.arange(what.classes, dtype=np.int32)
        columns.append(Parts(what.label, labels, _each(what.classes)))
        return sample(columns, whole, Decoder(domain).encoded, rng)

    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=what.events,
        measure=what.perturb,
        first=(what.statistic,),
        render=render,
        recount=lambda synopsis: _recount(what, synopsis),
        # Left out where it says nothing new: releases made before it was there still verify.
        options={"score": score, "steps": what.steps} | ({"values": values} if generalised else {}),
        columns=generalised_columns(domain) if generalised else None,
        invariants=("the number of records",) if public_rows else (),
        limits=(
            "Only what tells the classes apart is kept: "
            + (
                "values are the intervals and sets of values that were told apart, and columns "
                "that were never specialised say nothing."
                if generalised
                else "inside a leaf every value of the region is equally likely, and columns that "
                "were never specialised are uniform."
            ),
        ),
    )


def _labelled(
    domain: Domain,
    what: Specialisation,
    leaves: Leaves,
    counts: NDArray[np.int64],
    rng: np.random.Generator,
) -> Drawing:
    """For each record of a leaf the texts of the leaf's nodes, and its class."""
    texts = {
        axis: node_labels(column.axis, column.order, runs, column.names)
        for axis, column, runs in zip(what.axes, what.columns, leaves.cut.nodes, strict=True)
    }
    texts[what.label] = _class_texts(domain, what)
    nodes = [
        Parts(axis, np.arange(len(found), dtype=np.int32), _each(len(found)))
        for axis, found in texts.items()
    ]
    return sample(nodes, counts, partial(generalised_batch, domain, texts), rng)


def _class_texts(domain: Domain, what: Specialisation) -> list[str]:
    classes = np.arange(what.classes, dtype=np.int32)
    return node_labels(domain.axes[what.label], classes, _each(what.classes), {})


def _each(size: int) -> list[tuple[int, int]]:
    return [(k, k + 1) for k in range(size)]


def _check_labels(domain: Domain, what: Specialisation) -> None:
    """Refuse values, or nodes of a taxonomy, of which two would be written alike."""
    label = domain.axes[what.label]
    written = {label.name: _class_texts(domain, what)}
    for column in what.columns:
        if not column.number:
            runs = sorted({*_each(len(column.order)), *column.branches})
            written[column.axis.name] = node_labels(column.axis, column.order, runs, column.names)
    for name, texts in written.items():
        if twice := [text for text, times in Counter(texts).items() if times > 1]:
            raise SchemaError(
                f"column {name}: {twice[0]!r} would stand for two sets of values: rename that "
                "value, or that branch of its taxonomy, or leave out values=generalised"
            )


def _specialisation(domain: Domain, budget: PureDP, score: str, steps: int) -> Specialisation:
    if domain.label is None:
        raise SchemaError(
            "diffgen specialises by the label: give one category or boolean role: label"
        )
    axes = tuple(i for i, axis in enumerate(domain.axes) if i != domain.label)
    columns = tuple(Hierarchy.of(domain.axes[i]) for i in axes)
    classes = domain.axes[domain.label].codes
    if all(len(column.order) == 1 for column in columns):
        raise SchemaError("every column but the label has a single value: nothing to specialise")
    if sum(len(column.order) for column in columns) * classes > _MOST_COUNTS:
        raise SchemaError(
            "the label has too many values for columns this fine: use fewer grid_bits, "
            "larger steps, or a coarser label"
        )
    neighbours = domain.schema.neighbours
    return Specialisation(
        axes, columns, domain.label, classes, neighbours, SCORES[score], steps, budget
    )


def _whole(steps: int | str) -> int:
    """Steps as a whole number; the command line hands over text."""
    text = str(steps)
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST_STEPS):
        raise ParameterError(f"steps must be a whole number from 1 to {_MOST_STEPS}, got {steps!r}")
    return int(text)


def _recount(what: Specialisation, synopsis: Mapping[str, Any]) -> tuple[Event, ...]:
    """The events, which no outcome changes; refused if the walk or the counts cannot be."""
    cut, reader = what.cut(), _Reader(what, synopsis.get("walk"))
    walk(cut, what.steps, reader)
    counts, rows = synopsis.get("counts"), synopsis.get("rows")
    whole = isinstance(counts, list) and all(type(count) is int for count in counts)
    if reader.rest or not whole or len(counts or ()) != cut.cells:
        raise ReleaseError("the synopsis does not have the steps and counts that it should")
    public = what.neighbours == "replace-one"
    if (type(rows) is not int or rows < 0) if public else rows is not None:
        raise ReleaseError("the synopsis must state rows under replace-one, and only there")
    return what.events


class _Reader:
    """The guide that follows a published walk."""

    def __init__(self, what: Specialisation, walked: Any) -> None:
        self._what, self.rest = what, list(walked) if isinstance(walked, list) else []

    def split(self, _: int, nodes: Sequence[Node]) -> list[int]:
        return [self._point(node) for node in nodes]

    def choose(self, _: int, candidates: Sequence[Node]) -> Node:
        stated = self._next()
        for node in candidates:
            if stated == self._what.spelt(node):
                return node
        raise ReleaseError("the synopsis specialises a node that was not there")

    def _point(self, node: Node) -> int:
        stated, order = self._next(), self._what.columns[node.column].order
        point = stated.get("split")
        inside = type(point) is int and order[node.start] < point <= order[node.stop - 1]
        if not inside or stated != self._what.spelt(node) | {"split": point}:
            raise ReleaseError("the synopsis splits an interval where it cannot be split")
        return int(point - order[0])

    def _next(self) -> dict[str, Any]:
        stated = self.rest.pop(0) if self.rest else None
        if not isinstance(stated, dict):
            raise ReleaseError("the synopsis ends before its last step")
        return stated


METHOD = Method(
    name="diffgen",
    summary="Specialises a table top-down where it tells the classes apart, then counts leaves.",
    promise="epsilon-DP",
    source="Mohammed, Chen, Fung and Yu 2011, differentially private data release for data mining",
    proof="proofs/diffgen.md",
    plan=plan,
    options={
        "score": "what a specialisation is worth: max (default) or infogain",
        "steps": "how many specialisations are made, 10 by default",
        "values": "drawn (default): a value inside each leaf; generalised: the leaf as text",
    },
    family=Family.BASELINE,
    use="to compare with, on tables with a label",
    contract=(
        ContractCase({"epsilon": "1"}, frozen=False),
        ContractCase(
            {"epsilon": "1"},
            neighbours="add-remove",
            options={"score": "infogain", "steps": 3},
            frozen=False,
        ),
        ContractCase({"epsilon": "1"}, options={"values": "generalised"}, frozen=False),
    ),
    audit=AuditCase(
        counted(LABELLED),
        {"steps": 1},
        runs=3_000,
        settings=(
            Setting("mixed", MIXED, {"steps": 2}),
            Setting("plain", PLAIN, {"steps": 4, "score": "infogain"}),
            Setting("three classes", THREE, {"steps": 2, "score": "infogain"}),
        ),
    ),
)
