"""Facts as a small HTML table, for notebooks: what a value shows of itself there.

Names come from files that others made: every text is escaped, and characters that a page would
obey are written out, and what is very long is cut.  There is no script and no colour of its own,
so that a table reads on light and dark pages.
"""

from collections.abc import Iterable, Sequence
from html import escape

from sfumato.untrusted.visible import visible

__all__ = ["fact_table"]

_TABLE = "border-collapse:collapse;margin:.3em 0"
_MOST_ROWS, _LONGEST = 100, 1_000  # what a stranger wrote may be long: rows, characters of a text
_CELL = "text-align:left;vertical-align:top;padding:.15em .8em .15em 0"


def fact_table(
    title: str, rows: Iterable[Sequence[object]], *, headings: Sequence[str] = (), note: str = ""
) -> str:
    """A table of texts: with headings, or with names in its first column.

    >>> fact_table("clinic", [("rows", 300)]).count("<td"), "<b>" in fact_table("<b>", [])
    (1, False)
    """
    lines = ["".join(_cell("th", text) for text in headings)] if headings else []
    first = "td" if headings else "th"
    rows = list(rows)
    more = [(f"… {len(rows) - _MOST_ROWS:,} more",)] if len(rows) > _MOST_ROWS else []
    lines += [
        "".join(_cell("td" if place else first, text) for place, text in enumerate(row))
        for row in [*rows[:_MOST_ROWS], *more]
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    below = f'<div style="opacity:.75">{_text(note)}</div>' if note else ""
    return (
        f'<div><strong>{_text(title)}</strong><table style="{_TABLE}">{body}</table>{below}</div>'
    )


def _cell(kind: str, text: object) -> str:
    return f'<{kind} style="{_CELL}">{_text(text)}</{kind}>'


def _text(text: object) -> str:
    shown = str(text)
    return escape(visible(shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"))
