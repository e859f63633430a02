"""Tables of methods in README.md and the guide, written from the registries.

`python docs/hooks/method_tables.py` (or `make tables`) writes them anew between the comments
`<!-- methods: KIND -->` and `<!-- /methods -->`; a test fails while they are stale.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sfumato.plan import Family, Recipe
from sfumato.plan.registry import registered

HOME = Path(__file__).parents[2]
PAGES = [HOME / "README.md", *sorted((HOME / "docs" / "guide").glob("*.md"))]
BLOCK = re.compile(r"(<!-- methods: (?P<what>[\w, ]+) -->\n).*?(<!-- /methods -->)", re.DOTALL)

Methods = Iterable[Recipe[Any, Any]]


def greek(text: str) -> str:
    """Letters for their names.

    >>> greek("epsilon-DP, or (epsilon, delta)-DP and rho-zCDP")
    'ε-DP, or (ε, δ)-DP and ρ-zCDP'
    """
    for name, letter in (("epsilon", "ε"), ("delta", "δ"), ("rho", "ρ")):
        text = re.sub(rf"\b{name}\b", letter, text)
    return text


def overview(methods: Methods) -> list[str]:
    """Methods by family, with the strongest words that hold for all of one."""
    lines = ["| keeps | methods | promises |", "|---|---|---|"]
    families: dict[tuple[str, Family], list[Recipe[Any, Any]]] = {}
    for item in methods:
        families.setdefault((item.kind, item.family), []).append(item)
    for (kind, family), members in families.items():
        names = ", ".join(f"`{item.name}`" for item in members)
        promises = {greek(item.promise).partition(";")[0] for item in members}
        said = "**nothing**" if family == Family.UNPROVED else "; ".join(sorted(promises))
        about = family if kind == "tables" else f"{kind}, {family}"
        lines.append(f"| {about} | {names} | {said} |")
    return lines


def in_full(methods: Methods) -> list[str]:
    """The same with what each does, one line for each."""
    lines = ["| method | does | promises | use it for |", "|---|---|---|---|"]
    for item in methods:
        promise = "**nothing**" if item.family == Family.UNPROVED else greek(item.promise)
        lines.append(f"| `{item.name}` | {item.summary} | {promise} | {item.use} |")
    return lines


def audited(methods: Methods) -> list[str]:
    """What is claimed of each, and how often it is run by default."""
    lines = ["| method | claimed | columns of the small table | runs |"]
    lines.append("|---|---|---|---|")
    for item in methods:
        case = getattr(item, "audit", None)
        if case is None:
            continue
        claim = greek(", ".join(f"{name} {figure}" for name, figure in case.budget.items()))
        columns = ", ".join(case.schema["columns"])
        lines.append(f"| {item.name} | {claim} | {columns} | {case.runs:,} |")
    return lines


def table(what: str, page: Path) -> list[str]:
    """The table that a comment asks for: kinds of data, or `audited`."""
    if what == "audited":
        return audited(registered("tables").values())
    methods = [item for kind in what.split(", ") for item in registered(kind).values()]
    return overview(methods) if page.name == "README.md" else in_full(methods)


def written(page: Path) -> str:
    """The page with its tables as the registries have them now."""

    def anew(found: re.Match[str]) -> str:
        lines = "\n".join(table(found["what"], page))
        return f"{found[1]}\n{lines}\n\n{found[3]}"

    return BLOCK.sub(anew, page.read_text("utf-8"))


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(written(path), "utf-8")
