"""`sfumato key`: make the key that releases and heads are signed with, and show its id."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.screen import say

__all__ = ["Sign", "app"]

app = typer.Typer(
    name="key",
    help="Keys that say who made a release.",
    no_args_is_help=True,
    epilog="Example: sfumato key create publisher.key",
)

Sign = Annotated[
    Path | None,
    typer.Option(
        envvar="SFUMATO_SIGNING_KEY",
        help="Private key to sign the certificate with (see: sfumato key create).",
        metavar="FILE",
    ),
]


@app.command(epilog="Example: sfumato key create publisher.key")
def create(
    file: Annotated[
        Path, typer.Argument(help="Private key to write; the public one is FILE.pub.")
    ] = Path("publisher.key"),
) -> None:
    """Make a private key, readable by you alone, and the public one that others check it with."""
    from sfumato.errors import ParameterError
    from sfumato.release.folder import is_release
    from sfumato.signature.key_file import create_key, public_place

    if any(is_release(folder) for folder in file.absolute().parents):
        raise ParameterError(
            f"{file} would lie in a release, whose files go to others: write the key elsewhere"
        )
    made, public = create_key(file), public_place(file)
    say(f"written {file}, readable by you alone: keep it, with a copy offline; send it to nobody")
    say(f"written {public}: publish it where recipients find it without the release")
    say(f"id: {made}")
    say(f"next: sfumato publish … --sign {shlex.quote(str(file))}")


@app.command(epilog="Example: sfumato key show publisher.key.pub")
def show(
    file: Annotated[Path, typer.Argument(help="A private key, or a file of public ones.")],
) -> None:
    """Print the id of a key, which is what others compare: 64 hexadecimal digits."""
    from sfumato.signature.key_file import shown_keys

    for key in shown_keys(file):
        say(key)
