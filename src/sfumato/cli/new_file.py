"""Files that a command makes: new ones, whole or not at all."""

from pathlib import Path

__all__ = ["check_free", "write_new"]


def check_free(output: Path) -> None:
    """Refuse a name that is taken."""
    from sfumato.untrusted.plain_file import is_there

    if is_there(output):
        raise _taken(output)


def write_new(output: Path, text: str) -> None:
    """Write a text to a file that does not exist yet."""
    from sfumato.errors import ParameterError

    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise _taken(output) from None
    except OSError as error:
        raise ParameterError(f"output {output} cannot be written: {error.strerror}") from None


def _taken(output: Path) -> Exception:
    from sfumato.errors import ParameterError

    return ParameterError(f"output {output} exists: choose another name or remove it first")
