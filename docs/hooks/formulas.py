"""Formulas of the proof pages as MathML, which browsers show without scripts or network.

Inline formulas stand between \\( and \\), displayed ones between double dollar signs.
"""

import re

from latex2mathml.converter import convert

_FORMULA = re.compile(r"\$\$(?P<display>.+?)\$\$|\\\((?P<inline>.+?)\\\)", re.DOTALL)
_PLACE = "formula-{}-stands-here"
_formulas: list[str] = []


def on_page_markdown(markdown: str, **_: object) -> str:
    """Set formulas aside, so that Markdown does not read them."""
    _formulas.clear()

    def aside(match: re.Match[str]) -> str:
        display = match["display"] is not None
        text = match["display"] or match["inline"]
        _formulas.append(convert(text.strip(), display="block" if display else "inline"))
        return _PLACE.format(len(_formulas) - 1)

    return _FORMULA.sub(aside, markdown)


def on_page_content(html: str, **_: object) -> str:
    """Put them back as MathML."""
    for number, formula in reversed(list(enumerate(_formulas))):
        html = html.replace(_PLACE.format(number), formula)
    return html
