"""The picture of the layers, drawn from the import contract that CI checks."""

import tomllib
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[2]
MARK = "<!-- layers -->"
# Who sees private values, in whole or in part, and who only as they are handed through: some
# apply a public rule to rows of either side, fingerprint them, or add noise to exact sums.
ROOMS = {
    "private": {"measure", "table", "perturb", "graph", "stream", "retrieval", "facts"},
    "owner": {"inspection"},
    "passage": {"cli", "estimator", "party", "publishing", "methods", "synopsis", "privacy"},
}
_SEEN = {
    "private": "yes",
    "owner": "yes, beside the release",
    "passage": "as it is handed them",
    "public": "never",
}
_WIDTH, _HEIGHT, _GAP = 760, 44, 10
_COLOURS = {"private": "#c2410c", "owner": "#a16207", "passage": "#0369a1", "public": "#57534e"}


def layers() -> list[list[str]]:
    """The packages, from the topmost layer down."""
    contracts = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    [found] = [one for one in contracts["contracts"] if one["type"] == "layers"]
    return [[name.strip(" ()") for name in layer.split("|")] for layer in found["layers"]]


def room(package: str) -> str:
    """Which room a package belongs to."""
    return next((name for name, packages in ROOMS.items() if package in packages), "public")


def picture() -> str:
    """One row for each layer; imports go down only."""
    rows, y = [], _GAP
    for layer in layers():
        width = (_WIDTH - _GAP * (len(layer) + 1)) / len(layer)
        for k, package in enumerate(layer):
            x = _GAP + k * (width + _GAP)
            rows.append(
                f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{_HEIGHT}" rx="6" '
                f'fill="none" stroke="{_COLOURS[room(package)]}" stroke-width="2"/>'
                f'<text x="{x + width / 2:.0f}" y="{y + _HEIGHT / 2 + 5:.0f}" '
                f'text-anchor="middle" font-size="15" fill="currentColor">{escape(package)}</text>'
            )
        y += _HEIGHT + _GAP
    title = "Packages by layer; each imports only from layers below its own"
    return (
        f'<svg viewBox="0 0 {_WIDTH} {y}" role="img" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{title}</title>{''.join(rows)}</svg>"
    )


def meanings() -> str:
    """What each package is for: the first line of its docstring."""
    lines = ["| package | sees records | what it is |", "|---|---|---|"]
    for package in (package for layer in layers() for package in layer):
        if package == "__main__":
            continue
        explained = (import_module(f"sfumato.{package}").__doc__ or "").strip()
        said = explained.split("\n\n")[0].replace("\n", " ")
        lines.append(f"| `{package}` | {_SEEN[room(package)]} | {' '.join(said.split())} |")
    return "\n".join(lines)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The picture and the table, where a page asks for them."""
    return markdown.replace(MARK, f"<div>{picture()}</div>\n\n{meanings()}")
