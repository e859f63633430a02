"""How a text file is written, as options: for headers that are read before there is a schema."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sfumato.schema.formats import FileFormat

__all__ = ["Delimiter", "Encoding", "declared_format"]

Encoding = Annotated[
    str | None, typer.Option(help="Encoding of a text file, as latin-1, utf-16; else UTF-8.")
]
Delimiter = Annotated[
    str | None,
    typer.Option(help="Mark between columns of a text file, or tab; else guessed."),
]


def declared_format(encoding: str | None, delimiter: str | None) -> "FileFormat | None":
    """What was said; None where nothing was."""
    from pydantic import ValidationError

    from sfumato.errors import ParameterError
    from sfumato.schema.formats import FileFormat

    if encoding is None and delimiter is None:
        return None
    mark = "\t" if delimiter in ("tab", "\\t") else delimiter
    try:
        return FileFormat(encoding=encoding, delimiter=mark)
    except ValidationError as error:
        reason = str(error.errors()[0]["ctx"]["error"])
    raise ParameterError(reason)
