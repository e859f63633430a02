"""NOT PRIVATE: what an owner sees of an inspection or a comparison in a notebook.

A notebook keeps what it shows, so the first line says that this must not be passed on.
"""

from typing import TYPE_CHECKING

from sfumato.untrusted.fact_table import fact_table

if TYPE_CHECKING:
    from sfumato.inspection.compare.comparison import Comparison
    from sfumato.inspection.overview import Overview

__all__ = ["comparison_html", "overview_html"]

_WARNING = (
    "INTERNAL: computed from the records without noise. Clear this output before the notebook "
    "leaves your hands."
)


def overview_html(found: "Overview") -> str:
    """Every section as a table; without pictures."""
    title = f"{found.dataset} · {found.rows:,} rows by {found.method} · {found.promise}"
    parts = [fact_table(_WARNING, [], note=title)]
    for section in found.sections:
        rows = [(line.what, line.value, line.meaning) for line in section.lines]
        headings = section.headings if rows else ()
        parts.append(fact_table(section.title, rows, headings=headings, note=section.remark))
    return "".join(parts)


def comparison_html(found: "Comparison") -> str:
    """A ranking by each measure, what was left out, and the recommendation."""
    from sfumato.inspection.compare.table import shown  # which reads comparisons itself

    page = shown(found, pictures=False)
    parts = [fact_table(_WARNING, [], note=page.cost)]
    for ranking in page.rankings:
        headings = ("method", "promise", *(f"ε = {e}" for e in found.epsilons), "seconds")
        rows = [
            (row.method, row.promise, *(cell.text for cell in row.cells), row.seconds)
            for row in ranking.rows
        ]
        parts.append(fact_table(f"{ranking.title}: {ranking.unit}", rows, headings=headings))
    if page.left_out:
        parts.append(fact_table("Left out", page.left_out.items()))
    if page.advice is not None:
        advised = [(page.advice.method, page.advice.reason)]
        parts.append(fact_table("Recommended", advised, note=page.by_budget))
    return "".join(parts)
