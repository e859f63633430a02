"""`sfumato schema suggest`: constraints that look exact in a release, for its owner to confirm."""

from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.screen import document

if TYPE_CHECKING:
    from sfumato.accuracy.relations import Suggestion, Suggestions

__all__ = ["suggest"]


def suggest(
    release: Annotated[Path, typer.Argument(help="The folder of a release by mosaic.")],
    share: Annotated[
        str,
        typer.Option(help="Of all records, that may break what is suggested; between 0 and 1."),
    ] = "0.1",
    chance: Annotated[
        str, typer.Option(help="Chance that any of the stated bounds is wrong.")
    ] = "0.001",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Suggest constraints that look exact, from a release alone; no record is read.

    What is printed is YAML for the schema of the next release. Keep only what you know to be true:
    noise hides whether a few records break it, and bins hide what happens within them.
    """
    import json

    from sfumato.accuracy.relations import suggest_constraints
    from sfumato.release import Release

    found = suggest_constraints(Release.load(release), share=share, chance=chance)
    if as_json:
        document(json.dumps(found.to_json(), indent=2))
        return
    document("\n".join(_lines(found)))


def _lines(found: "Suggestions") -> list[str]:
    lines = []
    if found.found:
        lines += [
            "# These look exact, and may not be: keep what you know to be true of every record.",
            "constraints:",
        ]
        for one in found.found:
            lines += [f"  # {line}" for line in _evidence(one)]
            lines.append(f"  - {_yaml(one)}")
    else:
        lines += ["# No constraint looks exact.", "constraints: []"]
    if found.unsaid:
        lines.append("# Seen as well, but no constraint can say it:")
        lines += [f"#   {line}" for one in found.unsaid for line in _evidence(one)]
    lines.append(
        f"# {found.tried:,} relations were tried; all bounds hold together, but for a chance "
        f"of {float(found.chance):g}."
    )
    return lines


def _evidence(one: "Suggestion") -> list[str]:
    from sfumato.accuracy.spelling import roughly
    from sfumato.untrusted.visible import visible

    percent = ceil(1000 * one.share) / 10
    lines = [
        visible(one.hypothesis.words),
        f"  at most {one.at_most:,} records ({percent:g} %) break it, {one.expected:,} or more "
        f"would by chance; counted {round(one.noisy.value):,} under noise of deviation "
        f"{roughly(one.noisy.law.deviation)}",
    ]
    if one.untold is not None:
        about = max(round(one.untold.value), 0)
        lines.append(f"  and of about {about:,} in bins that overlap nothing is told")
    return lines


def _yaml(one: "Suggestion") -> str:
    import yaml

    words = str(one.written)
    # In a list, because a text alone would end with the mark of a document.
    text = yaml.safe_dump(
        [one.written],
        default_flow_style=True,
        sort_keys=False,
        allow_unicode=words.isprintable(),
        width=10**9,
    )
    return text.strip()[1:-1]
