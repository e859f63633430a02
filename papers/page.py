"""Markdown for `results.md`: tables, claims with their verdicts, and figures with their words."""

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite

from papers.claim import Claim
from papers.figures import Drawing
from papers.outcome import Outcomes

__all__ = ["claim_table", "figure_section", "mean_and_spread", "quick_look", "table"]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines of a table.

    >>> print("\\n".join(table(["a", "b"], [["1", "2"]])))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    yield "| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def quick_look(rows: int | None) -> str:
    """What a page says first where only a part of the data was asked for.

    >>> quick_look(None), quick_look(2000)[:48]
    ('', ' A quick look: of each data set at most 2,000 re')
    """
    if rows is None:
        return ""
    return (
        f" A quick look: of each data set at most {rows:,} records, drawn at random, took part, "
        "so figures and verdicts are not those of a whole run."
    )


def claim_table(judged: Iterable[Claim]) -> Iterator[str]:
    """Every claim beside what came out; what falls short is printed loudly."""
    yield from table(
        ["figure", "claim", "the paper", "here", "verdict"],
        ([c.figure, c.text, c.paper, c.ours, _loud(c.verdict)] for c in judged),
    )


def figure_section(drawing: Drawing) -> Iterator[str]:
    """A heading, the picture, and the same in words."""
    yield ""
    yield f"## {drawing.name.replace('-', ' ').capitalize()}: {drawing.title}"
    yield ""
    yield f"![{drawing.title}]({drawing.name}.png)"
    yield ""
    yield drawing.text
    yield ""


def mean_and_spread(
    found: Outcomes, figure: str, name: str, epsilon: float | None, measure: str, form: str
) -> str:
    """One cell as mean ± standard deviation, in the format `form`; a dash if it was not run."""
    mean, spread = found.summary(figure, name, epsilon, measure)
    if not isfinite(mean):
        return "–"
    return f"{mean:{form}}" + (f" ± {spread:{form}}" if isfinite(spread) else "")


def _loud(verdict: str) -> str:
    """What falls short must not be overlooked."""
    return verdict if verdict in ("reached", "not run") else f"**{verdict}**"
