"""`sfumato ledger sign`, and the check of what it wrote: heads that may be published."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.ledger_options import File
from sfumato.cli.screen import say

if TYPE_CHECKING:
    from sfumato.signature.head import Chained

__all__ = ["Keys", "SignedHeadFile", "held_heads", "sign"]

SignedHeadFile = Annotated[
    list[Path] | None,
    typer.Option(
        "--signed-head",
        help="A head that sfumato ledger sign wrote earlier; repeatable. Needs --key.",
        metavar="FILE",
    ),
]
Keys = Annotated[
    list[Path] | None,
    typer.Option("--key", help="Public key that signed it; repeatable.", metavar="FILE"),
]


def sign(
    ledger: File,
    key: Annotated[Path, typer.Option(help="The owner's private key (sfumato key create).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: a new one.")],
) -> None:
    """Sign the head of the ledger as of now, for a page or a mail: it shows a later rollback.

    The file says which ledger it is, the hash of its last line and the time. It tells nothing
    else and may be published.
    """
    from sfumato.cli.new_file import check_free, write_new
    from sfumato.ledger import Ledger
    from sfumato.signature import private_key, sign_head

    check_free(output)
    signer = private_key(key)
    with Ledger(ledger) as opened:
        made = sign_head(opened, signer)
    write_new(output, made.text)
    say(f"written {output}: publish it, or keep it where those who can write the ledger cannot")
    say(f"head: {made.head}")
    say(f"signed by key {made.key}")


def held_heads(opened: "Chained", heads: list[Path] | None, keys: list[Path] | None) -> list[str]:
    """What is found of each signed head, in a sentence; refused where the ledger lacks one."""
    from sfumato.errors import ParameterError
    from sfumato.signature import SignedHead, check_head, key_list
    from sfumato.signature.key import brief

    if not heads and not keys:
        return []
    if not heads or not keys:
        raise ParameterError("--signed-head and --key belong together: give both, or none")
    known, found = key_list(keys), list[str]()
    for path in heads:
        signed = SignedHead.read(path)
        check_head(opened, signed, known)
        found.append(
            f"it holds the head of {path}, signed on {signed.date} by key {brief(signed.key)}"
        )
    return found
