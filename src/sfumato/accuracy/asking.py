"""Ask a release how near its numbers are to the truth: what `release.accuracy(…)` answers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sfumato.accuracy import collected_statement, statement, table_statement
from sfumato.accuracy.collected import collected, is_collected
from sfumato.accuracy.covariance_statement import variances
from sfumato.accuracy.published import Published, Readable, published
from sfumato.accuracy.statement import Answer
from sfumato.privacy.guarantee import Number
from sfumato.untrusted.fact_table import fact_table
from sfumato.untrusted.visible import visible

__all__ = ["Answers", "ask"]


class Answers(tuple[Answer, ...]):
    """What was asked of a release: sentences to read, `figures` to compute with."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(visible(" ".join(answer.sentences)) for answer in self)

    def _repr_html_(self) -> str:
        rows = [(answer.question, " ".join(answer.sentences)) for answer in self]
        return fact_table("Accuracy, from the release alone", rows)


def ask(
    release: Readable,
    *,
    count: Mapping[str, str | Sequence[str]] | None = None,
    mean: str | Sequence[str] = (),
    column: str | Sequence[str] = (),
    largest: str | Sequence[str] = (),
    confidence: Number = 0.95,
) -> Answers:
    """How far the numbers of a release may be off; without a question, all of its columns.

    `count` asks for the records that have one of these values, `mean` for the mean of a number,
    `column` for all counts of a column, `largest` for its most frequent value: each of them for one
    column or several.  Every answer holds with this `confidence` by itself.

    >>> import sfumato as sf
    >>> schema = sf.Schema.parse(sf.example.CLINIC)
    >>> release = sf.publish(sf.example.clinic(5_000), schema=schema, epsilon=1, seed=3)
    >>> [answer.question for answer in ask(release, mean="age", count={"ward": "surgery"})]
    ['ward is surgery', 'mean of age']
    """
    from_answers = is_collected(release.certificate)
    found: Any = collected(release) if from_answers else published(release)
    said: Any = collected_statement if from_answers else statement
    whole = collected_statement.about_column if from_answers else table_statement.about_column
    asked = [
        *(said.about_count(found, n, _several(v), confidence) for n, v in (count or {}).items()),
        *(said.about_mean(found, name, confidence) for name in _several(mean)),
        *(whole(found, name, confidence) for name in _several(column)),
        *(said.about_extreme(found, name, confidence) for name in _several(largest)),
    ]
    return Answers(asked or _all(found, said, confidence))


def _all(found: Any, said: Any, confidence: Number) -> Iterable[Answer]:
    if isinstance(found, Published) and found.tables is not None:
        return table_statement.columns(found, confidence)
    if isinstance(found, Published) and not found.counts and found.second is not None:
        return variances(found, confidence)
    every: Iterable[Answer] = said.overview(found, confidence)
    return every


def _several(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
