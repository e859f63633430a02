"""CSV blocks through Arrow, which lets go of what it was lent before anything else happens.

Arrow reads ahead in threads of its own, and what it calls back belongs to Python.  The last of
these threads to drop a reader drops its stream as well, and a moment later the block that it read
last; it takes the lock of the interpreter for each.  Where Python is ending by then, it ends the
thread instead, C++ sees a destructor left halfway, and the process aborts: after a refusal that was
told, with another exit code.  So whoever closes a reader waits, for microseconds, until nothing
that was lent is held there.
"""

import io
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from sys import exc_info, getrefcount
from traceback import clear_frames
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

__all__ = ["CsvReader"]

_PATIENCE = 10.0  # seconds; beyond them something else is wrong, and waiting does not help
_PAUSE = 0.0002


class CsvReader(Iterator[pa.RecordBatch]):
    r"""Blocks of records, in their order; `skipped` is asked about rows that do not parse.

    >>> from contextlib import closing
    >>> stream, types = io.BytesIO(b"a;b\n1;2\n"), pacsv.ConvertOptions()
    >>> with closing(CsvReader(stream, parse={"delimiter": ";"}, convert=types)) as reader:
    ...     reader.schema.names, [batch.num_rows for batch in reader]
    (['a', 'b'], [1])
    """

    def __init__(
        self,
        stream: Any,
        *,
        skipped: Callable[[Any], str] = lambda _: "error",
        read: pacsv.ReadOptions | None = None,
        parse: Mapping[str, Any],
        convert: pacsv.ConvertOptions,
    ) -> None:
        self._lent = _Lent(stream, skipped)
        self._unlent = getrefcount(self._lent)
        self._reader: Any = None
        try:
            self._reader = pacsv.open_csv(
                pa.PythonFile(self._lent, mode="r"),
                read_options=read,
                parse_options=pacsv.ParseOptions(**parse, invalid_row_handler=self._lent.skip),
                convert_options=convert,
            )
        except BaseException:
            self.close()
            raise
        self.schema: pa.Schema = self._reader.schema

    def __next__(self) -> pa.RecordBatch:
        return self._reader.read_next_batch()

    def close(self) -> None:
        """Read the rest, which is empty from now on, and wait until all threads have let go."""
        self._lent.ended = True
        if self._reader is not None:
            with suppress(pa.ArrowException):
                deque(self._reader, maxlen=0)
            self._reader = None
        _let_go(exc_info()[1])
        patience = time.monotonic() + _PATIENCE
        while getrefcount(self._lent) > self._unlent and time.monotonic() < patience:
            time.sleep(_PAUSE)  # a thread that lets go needs the interpreter for it


def _let_go(error: BaseException | None) -> None:
    """What a stream raised is on its way through here, and remembers whose `read` it came from."""
    while error is not None:
        clear_frames(error.__traceback__)
        error = error.__context__


class _Lent(io.RawIOBase):
    """All that Arrow is given to call: held by the reader alone once Arrow has let go."""

    def __init__(self, stream: Any, skipped: Callable[[Any], str]) -> None:
        self._stream, self._skipped, self.ended = stream, skipped, False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> "_Block":
        return _Block(b"" if self.ended else self._stream.read(size), self)

    def skip(self, row: Any) -> str:
        return self._skipped(row)


class _Block(bytearray):
    """Bytes that Arrow holds for a while, and what they came from as long: also the empty ones."""

    def __init__(self, content: bytes, lent: "_Lent") -> None:
        super().__init__(content)
        self._lent = lent
