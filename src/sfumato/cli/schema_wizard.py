"""`sfumato schema wizard`: a schema by questions in the terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.exit_code import INTERRUPTED, Told
from sfumato.cli.file_format import Delimiter, Encoding, declared_format
from sfumato.cli.new_file import check_free, write_new
from sfumato.cli.screen import asked, document, say
from sfumato.cli.table_argument import Data, Sheet, Table, named

if TYPE_CHECKING:
    from sfumato.schema.wizard import Header, Interviewed, KeptAnswers

__all__ = ["wizard"]


class _Terminal:
    """Whoever sits at the terminal, or a pipe."""

    def ask(self, question: str) -> str:
        return asked(question)

    def tell(self, line: str) -> None:
        say(line)


def wizard(
    data: Data,
    sheet: Sheet = None,
    table: Table = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write here, to a new file.")
    ] = Path("schema.yaml"),
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an earlier interview stopped.")
    ] = False,
) -> None:
    """Write a schema by answering questions.

    Only the header is read. Enter takes the proposal, ? explains, back takes an answer back, quit
    keeps them for later. Ranges and values that nobody knows in public are left blank, to be
    bought by sfumato schema estimate.
    """
    from datetime import UTC, datetime

    from sfumato.schema.wizard import Header, KeptAnswers, next_steps, written
    from sfumato.table.draft import stored_kinds
    from sfumato.table.file.opening import stem

    check_free(output)
    data = named(data, sheet, table)
    how = declared_format(encoding, delimiter)
    stored = stored_kinds(data, how)
    header = Header(
        name=stem(data)[:200],
        columns=list(stored),
        stored={name: kind for name, kind in stored.items() if kind},
        today=datetime.now(UTC).date(),
        folder=output.parent,
    )
    kept = KeptAnswers(output, header.columns)
    answers = _answered(header, kept, resume, data)
    text = written(answers, data, output, how)
    write_new(output, text)
    kept.remove()
    say("")
    document(text)
    say("")
    say(f"{output} is written: check every line. Next:")
    for step in next_steps(answers, data, output):
        say(f"  {step}")


def _answered(header: "Header", kept: "KeptAnswers", resume: bool, data: str) -> "Interviewed":
    from sfumato.errors import ParameterError
    from sfumato.schema.wizard import Quit, Session, WrongAnswer, interview
    from sfumato.untrusted.plain_file import is_there

    if not resume and is_there(kept.path):
        raise ParameterError(f"{kept.path} holds earlier answers: add --resume, or remove it")
    session = Session(_Terminal(), kept.read() if resume else [], kept.keep)
    several = "s" * (len(header.columns) > 1)
    say(f"{data} has {len(header.columns)} column{several}; no record is read.")
    say("Enter takes what is in brackets; ? explains, back goes back, quit keeps the answers.")
    try:
        return session.run(lambda asking: interview(header, asking))
    except WrongAnswer:
        raise ParameterError(f"{kept.path} does not fit: remove it and begin again") from None
    except EOFError:
        say("")
        later = f": {_later(kept)}" if session.answers else ""
        raise ParameterError(f"the answers ended before the questions did{later}") from None
    except Quit:
        if session.answers:
            say(_later(kept))
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        say("")
        say(_later(kept) if session.answers else "nothing was answered, and nothing is written")
        raise typer.Exit(Told(INTERRUPTED)) from None


def _later(kept: "KeptAnswers") -> str:
    return f"{kept.path} keeps the answers so far; the same command with --resume goes on"
