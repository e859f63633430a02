"""count-query under audit: published counts, and answers from the desk.

Counts that differ by one record: one more or one less under a key, or one that moves from one
key to another.  What is no count at all stands among them: halves, gaps, texts, numbers beyond
the range.  The desk is audited against its ledger: what was charged must cover what was drawn.
"""

from collections.abc import Callable, Iterator
from math import inf, nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.inspection.audit.coupled import Checked, Family, checked, public, stated
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.sensitivity import Neighbours
from sfumato.query_publishing import publish_counts
from sfumato.retrieval.counts import LARGEST_COUNT, Counts
from sfumato.retrieval.desk import Answered, Desk
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.protocol import Question
from sfumato.retrieval.store import AnswerStore

__all__ = ["check_counts", "check_desk"]

_WAYS = ("histogram", "wavelet", "both")
_RELATIONS: tuple[Neighbours, ...] = ("add-remove", "replace-one")
_KEYS = (2, 5, 4)
_ABSURD = (nan, inf, -inf, -3.0, 0.5, 2.5, 1e300, None)
_ASKED = 3  # questions to the desk, one of them twice


def check_counts(budget: Budget) -> list[Checked]:
    """Frozen checks of `publish_counts`, in every way and under both relations."""
    found = []
    for relation in _RELATIONS:
        for way in _WAYS:
            case = Checked(f"{way}, {relation}", budget)
            for keys in _KEYS:
                publish = _published(budget, relation, way)
                case.join(checked(case.case, budget, publish, _families(keys, relation)))
            found.append(case)
    return found


def _published(budget: Budget, relation: Neighbours, way: str) -> Callable[[Any], Any]:
    def publish(values: list[Any]) -> Any:
        table = pa.table({"key": [f"k{place}" for place in range(len(values))], "count": values})
        given = {"ways": way, "neighbours": relation} | ({"share": "1/3"} if way == "both" else {})
        release = publish_counts(table, seed=0, release="audit", **given, **stated(budget))
        return public(release)

    return publish


def _families(keys: int, relation: Neighbours) -> Iterator[Family]:
    rng = np.random.default_rng(keys)
    bases = {
        "no records": [0] * keys,
        "one record each": [1] * keys,
        "mixed counts": rng.integers(1, 99, keys).tolist(),
        "halves": (rng.integers(1, 9, keys) + 0.5).tolist(),
        "counts beyond the range": [float(LARGEST_COUNT + 1 + k) for k in range(keys)],
        "one count beyond the range": [*([3.0] * (keys - 1)), float(LARGEST_COUNT + 5)],
        "one count at the end of the range": [float(LARGEST_COUNT - 2), *([0.0] * (keys - 1))],
        "texts": [str(7 + k) for k in range(keys)],
        "what is no count": [*_ABSURD, *_ABSURD][:keys],
    }
    for text, values in bases.items():
        moved = _added if relation == "add-remove" else _replaced
        if found := list(moved(values)):
            yield Family(text, values, found)


def _more(value: Any, step: int) -> Any:
    """The same count with a record more or less; None where there is none to take away."""
    if isinstance(value, str):
        return str(int(value) + step)
    number = 0.0 if value is None or not value >= 0 else value
    return None if number + step < 0 else type(number)(number + step)


def _added(values: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    for place, value in enumerate(values):
        for step in (1, -1):
            other = _more(value, step)
            if other is not None:
                yield f"{step:+d} under key {place + 1}", [*values[:place], other, *values[place + 1 :]]


def _replaced(values: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    for old in range(len(values)):
        less = _more(values[old], -1)
        for new in range(len(values)):
            if new != old and less is not None:
                other = list(values)
                other[old], other[new] = less, _more(values[new], 1)
                yield f"one from key {old + 1} to key {new + 1}", other


def check_desk(budget: PureDP) -> list[Checked]:
    """Frozen checks of the desk: answers to a few questions, priced by what its ledger charged."""
    found = []
    for relation in _RELATIONS:
        answering = Answering(4, relation, budget.epsilon / _ASKED)
        charged: list[int] = []
        case = checked(
            f"answers of the desk, {relation}",
            budget,
            _answered(answering, charged),
            _families(4, relation),
        )
        if max(charged, default=0) > budget.epsilon * 10**6 + _ASKED:
            case.violated("the ledger was charged more than the questions cost")
        if min(charged, default=0) < budget.epsilon * 10**6:
            case.violated("the ledger was charged less than the answers cost")
        found.append(case)
    return found


def _answered(answering: Answering, charged: list[int]) -> Callable[[Any], Any]:
    """All that leaves a new desk that is asked a few questions, and what its ledger holds."""
    names = [f"question-{k}" for k in range(_ASKED)]
    asked = [Question(name, "query", np.arange(4.0) + k) for k, name in enumerate(names)]

    def publish(values: list[Any]) -> Any:
        counts = Counts.read(pa.table({"key": ["a", "b", "c", "d"], "count": values}))
        with TemporaryDirectory() as folder, Ledger.create(Path(folder) / "budget.db") as ledger:
            ledger.grant("words", PureDP(2 * _ASKED * answering.epsilon), reason="an audit")
            with AnswerStore(Path(folder) / "answers.db") as store:
                desk = Desk(counts, answering, ledger, store, "words")
                replies = [*desk.answer(asked[:2]), *desk.answer(asked)]
                facts = desk.facts()
                desk.close()
            charged.append(ledger.balance("words").spent.micro_epsilon)
        return facts, [reply.value for reply in replies if isinstance(reply, Answered)]

    return publish
