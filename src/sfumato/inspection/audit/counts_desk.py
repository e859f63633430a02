"""Answers from the desk under audit: what its ledger was charged must cover what was drawn."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.inspection.audit.counts import RELATIONS, counted
from sfumato.inspection.audit.coupled import Checked, Family, checked
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.sensitivity import Neighbours
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.desk import Answered, Desk
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.protocol import Question
from sfumato.retrieval.store import AnswerStore

__all__ = ["check_desk"]

_ASKED = 3  # questions, two of them asked again
_FAMILIES = ("one record each", "one count beyond the range")  # each run waits for the disk
_NEIGHBOURS = 3


def check_desk(budget: PureDP) -> Iterator[Checked]:
    """Frozen checks of the desk: answers to a few questions, priced by what its ledger charged."""
    for relation in RELATIONS:
        answering = Answering(4, relation, budget.epsilon / _ASKED)
        charged: list[int] = []
        case = checked(
            f"answers of the desk, {relation}",
            budget,
            _answered(answering, charged),
            _few(relation),
        )
        if max(charged, default=0) > budget.epsilon * 10**6 + _ASKED:
            case.violated("the ledger was charged more than the questions cost")
        if min(charged, default=0) < budget.epsilon * 10**6:
            case.violated("the ledger was charged less than the answers cost")
        yield case


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


def _few(relation: Neighbours) -> Iterator[Family]:
    for family in counted(4, relation):
        if family.text in _FAMILIES:
            yield Family(family.text, family.base, family.neighbours[:_NEIGHBOURS])
