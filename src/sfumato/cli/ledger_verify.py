"""`sfumato ledger verify`: a ledger, or what was exported of one, from its first line on."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.ledger_options import LEDGER
from sfumato.cli.ledger_sign import Keys, SignedHeadFile, held_heads
from sfumato.cli.screen import say

if TYPE_CHECKING:
    from sfumato.signature.head import Chained

__all__ = ["verify"]


def verify(
    ledger: Annotated[str | None, LEDGER] = None,
    head: Annotated[
        list[str] | None,
        typer.Option(help="A head you kept earlier: it must be in the history; repeatable."),
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Check a file that sfumato ledger export wrote instead.")
    ] = None,
    signed_head: SignedHeadFile = None,
    key: Keys = None,
) -> None:
    """Check every page, hash, balance and step, and print the head to keep elsewhere."""
    from sfumato.errors import ParameterError
    from sfumato.ledger import Ledger
    from sfumato.ledger.export import check_export

    heads = [_head(text) for text in head or []]
    kept, more = (heads[0] if heads else None), heads[1:]
    if export is not None and ledger is not None and os.environ.get("SFUMATO_LEDGER") != ledger:
        raise ParameterError("choose either --ledger or --export: one is checked at a time")
    if export is not None:
        checked = check_export(export, head=kept)
        name, found = f"{export} (ledger {checked.ledger_id})", checked.head
        told = _Exported(checked.ledger_id, export)
        _check_kept(told, more)
        held = held_heads(told, signed_head, key)
    elif ledger is None:
        raise ParameterError("say what to check: --ledger FILE, or --export FILE")
    else:
        with Ledger(ledger) as opened:
            name, found = opened.name, opened.verify(head=kept)
            _check_kept(opened, more)
            held = held_heads(opened, signed_head, key)
    say(f"{name} is sound{_holding(head or [])}")
    for text in held:
        say(text)
    if export is not None and checked.taken_as_stated:
        stated = checked.taken_as_stated
        say(
            f"of {len(stated)} of its {checked.lines} lines the hash is taken as stated, as it "
            "covers a fingerprint of an earlier version, which was left out; their figures and "
            f"steps follow from the lines before. They are {_runs(stated)}"
        )
    say(f"head: {found}")
    if not head and not held:
        say("keep it elsewhere: with it, a rolled-back or rewritten ledger is detected")


@dataclass(frozen=True)
class _Exported:
    """What was exported, asked as a ledger is."""

    ledger_id: str
    file: Path

    def verify(self, *, head: str | None = None) -> str:
        """The last hash; refused where a head that was kept is missing."""
        from sfumato.ledger.export import check_export

        return check_export(self.file, head=head).head


def _check_kept(ledger: "Chained", heads: list[str | None]) -> None:
    for head in heads:
        ledger.verify(head=head)


def _holding(heads: list[str]) -> str:
    s = "s" * (len(heads) > 1)
    return f" and holds the head{s} you kept" if heads else ""


def _head(text: str | None) -> str | None:
    from sfumato.errors import ParameterError

    if text is not None and (len(text) != 64 or set(text) - set("0123456789abcdef")):
        raise ParameterError("head must be the 64 hexadecimal digits that verify printed")
    return text


def _runs(numbers: list[int]) -> str:
    """Ascending numbers in words that stay short where many follow each other.

    >>> _runs([3, 5, 6, 7, 9]), _runs([4])
    ('lines 3, 5 to 7, 9', 'line 4')
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    told = ", ".join(" to ".join(map(str, run)) for run in runs)
    return f"{'line' if len(numbers) == 1 else 'lines'} {told}"
