"""Arrays that are kept in memory while they are small together, and on disk beyond that.

On disk they lie in one temporary file without a name, which only its owner may read (mode 0600) and
which the system takes away with the process, however that ends.  `TMPDIR` says on which disk.  What
lies there are codes and keyed hashes of ids: as private as the records.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError

__all__ = ["HELD", "Piece", "Store"]

T = TypeVar("T")
HELD = 2**27  # bytes in memory, of one store


@dataclass
class Piece:
    """An array that was put away."""

    array: NDArray[Any] | None
    type: np.dtype[Any]
    length: int
    offset: int = 0


class Store:
    """Puts arrays away and gets them again; used by one thread at a time.

    >>> with Store(held=8) as store:
    ...     pieces = [store.put(np.array([k, k + 1])) for k in range(3)]
    ...     [store.get(piece).tolist() for piece in pieces], store.on_disk
    ([[0, 1], [1, 2], [2, 3]], True)
    """

    def __init__(self, held: int = HELD) -> None:
        self._room, self._held, self._end = held, 0, 0
        self._pieces: list[Piece] = []  # that are in memory
        self._file: Any = None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def on_disk(self) -> bool:
        """Whether anything is."""
        return self._file is not None

    def put(self, array: NDArray[Any]) -> Piece:
        """Put a flat array away."""
        piece = Piece(array, array.dtype, len(array))
        self._pieces.append(piece)
        self._held += array.nbytes
        if self._held > self._room:
            _on_disk(self._write)
        return piece

    def get(self, piece: Piece) -> NDArray[Any]:
        """The array that was put away: not to be written to."""
        return piece.array if piece.array is not None else _on_disk(lambda: self._read(piece))

    def close(self) -> None:
        """Forget everything."""
        self._pieces, self._held = [], 0
        if self._file is not None:
            self._file.close()

    def _write(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  closed by `close`
            finalize(self, self._file.close)  # or when nobody has the store any more
        self._file.seek(self._end)
        for piece in self._pieces:
            left = np.ascontiguousarray(self.get(piece)).view(np.uint8).data
            piece.offset = self._end
            while left:
                written = self._file.write(left)
                left, self._end = left[written:], self._end + written
            piece.array = None
        self._pieces, self._held = [], 0

    def _read(self, piece: Piece) -> NDArray[Any]:
        array = np.empty(piece.length, piece.type)
        left = array.view(np.uint8).data
        self._file.seek(piece.offset)
        while left:
            found = self._file.readinto(left)
            if not found:
                raise OSError
            left = left[found:]
        return array


def _on_disk(work: Callable[[], T]) -> T:
    """What is done on the disk; refused without what the error says, which names a place."""
    reason = ""
    try:
        return work()
    except OSError as error:
        reason = error.strerror or "it ends too early"
    raise DataError(
        f"rows could not be put aside on the temporary disk ({reason}): make room there, or let "
        "TMPDIR name a folder on a larger one"
    )
