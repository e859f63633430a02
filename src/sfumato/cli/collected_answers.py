"""How `sfumato accuracy` prints what answers of records by themselves say."""

import json
from typing import TYPE_CHECKING, NamedTuple

from sfumato.cli.screen import Grid, document, say

if TYPE_CHECKING:
    from sfumato.accuracy.collected import Collected
    from sfumato.accuracy.statement import Answer

__all__ = ["Asked", "show_answers"]

Grouped = list[tuple[str, list[list[str]]]]


class Asked(NamedTuple):
    """The options of the command, read."""

    sums: Grouped
    means: list[str]
    greater: Grouped
    largest: list[str]
    smallest: list[str]
    columns: list[str]
    pair: tuple[str, str] | None


def show_answers(
    found: "Collected", asked: Asked, confidence: str, *, thesis: bool, as_json: bool
) -> None:
    """What was asked for or, without options, all of it."""
    from sfumato.accuracy import collected_statement as statement
    from sfumato.accuracy.as_read import briefly
    from sfumato.cli.accuracy_tables import show_column
    from sfumato.errors import ParameterError

    if asked.pair:
        raise ParameterError("answers are read a column at a time: leave out --pair")
    said = [
        *(statement.about_count(found, c, a, confidence, thesis=thesis) for c, (a,) in asked.sums),
        *(statement.about_mean(found, c, confidence) for c in asked.means),
        *(
            statement.about_difference(found, c, a, b, confidence, thesis=thesis)
            for c, (a, b) in asked.greater
        ),
        *(statement.about_extreme(found, c, confidence) for c in asked.largest),
        *(statement.about_extreme(found, c, confidence, largest=False) for c in asked.smallest),
    ]
    whole = [statement.about_column(found, c, confidence) for c in asked.columns]
    every = said + whole or statement.overview(found, confidence, thesis=thesis)
    if as_json:
        told = {
            "dataset": found.certificate.dataset,
            "method": found.certificate.method,
            "as read": briefly(found.certificate, None),
        }
        document(json.dumps({**told, "answers": [one.to_json() for one in every]}, indent=2))
    elif said or whole:
        for place, answer in enumerate(said):
            for sentence in ([""] if place else []) + list(answer.sentences):
                say(sentence)
        for answer in whole:
            show_column(answer)
    else:
        _show_all(every, confidence)
    if not as_json:
        say(briefly(found.certificate, None))


def _show_all(answers: "list[Answer]", confidence: str) -> None:
    from sfumato.accuracy.spelling import at_least, at_most, spelt
    from sfumato.cli.accuracy_tables import show_list

    def cells(answer: "Answer") -> list[str]:
        shown = answer.figures
        value = round(shown["value"]) if "share" in shown else shown["value"]
        return [spelt(float(value)), at_least(shown["low"]), at_most(shown["high"])]

    table = Grid("what", "estimate", "at least", "at most")
    show_list(table, answers, cells, confidence, len(answers))
    say("Counts are right on average, means are cut back to their range.")
