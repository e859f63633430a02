"""Ask a release how near its numbers are to the truth: what `release.accuracy(…)` answers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from sfumato.accuracy import collected_statement, statement, table_statement
from sfumato.accuracy.as_read import briefly
from sfumato.accuracy.collected import collected, is_collected
from sfumato.accuracy.covariance_statement import variances
from sfumato.accuracy.published import Published, Readable, published
from sfumato.accuracy.statement import Answer
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import Number
from sfumato.untrusted.fact_table import fact_table
from sfumato.untrusted.misspelt import did_you_mean
from sfumato.untrusted.visible import visible

__all__ = ["Answers", "Questions", "ask"]

_KNOWN = ("count", "mean", "column", "largest")


class Answers(tuple[Answer, ...]):
    """What was asked of a release: sentences to read, `figures` to compute with.

    `as_read` says what all of them are about, and what the fit of the file says or hides.
    """

    as_read: str

    def __new__(cls, answers: Iterable[Answer] = (), as_read: str = "") -> "Answers":
        """Answers, and what holds for every one of them."""
        made = super().__new__(cls, answers)
        made.as_read = as_read
        return made

    def __repr__(self) -> str:
        said = [" ".join(answer.sentences) for answer in self]
        return "\n".join(visible(line) for line in (*said, self.as_read) if line)

    def _repr_html_(self) -> str:
        rows = [(answer.question, " ".join(answer.sentences)) for answer in self]
        return fact_table("Accuracy, from the release alone", rows, note=self.as_read)


class Questions(TypedDict, total=False):
    """What can be asked of a release, of one column or several."""

    count: Mapping[str, str | Sequence[str]]
    mean: str | Sequence[str]
    column: str | Sequence[str]
    largest: str | Sequence[str]


def ask(release: Readable, *, confidence: Number = 0.95, **asked: Unpack[Questions]) -> Answers:
    """How far the numbers of a release may be off; without a question, all of its columns.

    `count` asks for the records that have one of these values, `mean` for the mean of a number,
    `column` for all counts of a column, `largest` for its most frequent value: each of them for one
    column or several.  Answers come in the order in which they were asked for; every one of them
    holds with this `confidence` by itself.

    >>> import sfumato as sf
    >>> schema = sf.Schema.parse(sf.example.CLINIC)
    >>> release = sf.publish(sf.example.clinic(5_000), schema=schema, epsilon=1, seed=3)
    >>> [answer.question for answer in ask(release, mean="age", count={"ward": "surgery"})]
    ['mean of age', 'ward is surgery']
    """
    wanted = {name: _checked(name, value) for name, value in asked.items() if value is not None}
    from_answers = is_collected(release.certificate)
    found: Any = collected(release) if from_answers else published(release)
    said: Any = collected_statement if from_answers else statement
    whole = collected_statement.about_column if from_answers else table_statement.about_column
    answers: dict[str, Callable[[Any], Answer]] = {
        "count": lambda of: said.about_count(found, of[0], of[1], confidence),
        "mean": lambda name: said.about_mean(found, name, confidence),
        "column": lambda name: whole(found, name, confidence),
        "largest": lambda name: said.about_extreme(found, name, confidence),
    }
    told = [answers[name](one) for name, several in wanted.items() for one in several]
    fit = None if from_answers else found.fit
    return Answers(told or _all(found, said, confidence), briefly(release.certificate, fit))


def _all(found: Any, said: Any, confidence: Number) -> Iterable[Answer]:
    if isinstance(found, Published) and found.tables is not None:
        return table_statement.columns(found, confidence)
    if isinstance(found, Published) and not found.counts and found.second is not None:
        return variances(found, confidence)
    every: Iterable[Answer] = said.overview(found, confidence)
    return every


def _checked(question: str, value: Any) -> list[Any]:
    """Columns, or columns with values; refused where it is neither."""
    if question not in _KNOWN:
        raise ParameterError(
            f"accuracy knows no question {question}{did_you_mean(question, _KNOWN)}: "
            f"ask for {', '.join(_KNOWN)}"
        )
    if question != "count":
        return _names(value, f'{question} names columns, as in {question}="age"')
    rule = 'count names columns with their values, as in count={"ward": "surgery"}'
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise ParameterError(f"{rule}; all values of a column are asked for by column=")
    return [(name, _names(_as_texts(values), rule)) for name, values in value.items()]


def _as_texts(values: Any) -> Any:
    """Values that are whole numbers as texts, as a schema lists them."""
    if isinstance(values, int) and not isinstance(values, bool):
        return str(values)
    return [_as_texts(one) for one in values] if isinstance(values, list | tuple) else values


def _names(value: Any, rule: str) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping | bytes) or not isinstance(value, Iterable):
        raise ParameterError(rule)
    found = list(value)
    if not all(isinstance(one, str) for one in found):
        raise ParameterError(rule)
    return found
