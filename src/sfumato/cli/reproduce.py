"""`sfumato reproduce` was a command once: whoever types it is told where it went."""

from sfumato.errors import ParameterError

__all__ = ["reproduce"]


def reproduce() -> None:
    """Refused: the experiments of the papers are run from the repository."""
    raise ParameterError(
        "the reproductions of papers are no part of the installed package: "
        "in a copy of the repository, run make reproduce PAPER=jiang2013"
    )
