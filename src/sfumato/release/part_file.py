"""One of several data files of a release, by whoever draws its records.

The files lie in `data/` inside the release and are called part-00000.parquet, part-00001.parquet
and so on.  Each appears whole: a writer that is killed leaves a hidden file, which whoever collects
them removes, and one that is started again writes the same file again.

>>> from tempfile import TemporaryDirectory
>>> rows = pa.RecordBatch.from_pydict({"a": [1, 2]})
>>> with TemporaryDirectory() as folder:
...     part = PartSink(Path(folder))(3, rows.schema, [rows])
...     part.name, part.rows, [found.name for found in Path(folder).iterdir()]
('data/part-00003.parquet', 2, ['part-00003.parquet'])
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from sfumato.durable import flush
from sfumato.release.content import Content, Hashed
from sfumato.release.file import appearing, file_writer
from sfumato.release.file_name import part_name
from sfumato.release.folder import sha256

__all__ = ["PartFile", "PartSink"]


@dataclass(frozen=True)
class PartFile:
    """A written part, as its writer reports it."""

    name: str  # in the release
    rows: int
    digest: str  # of its records
    sha256: str  # of the file


@dataclass(frozen=True)
class PartSink:
    """The folder in which parts are collected, for whoever writes one; it can be pickled."""

    folder: Path

    def __call__(
        self, number: int, schema: pa.Schema, batches: Iterable[pa.RecordBatch | Hashed]
    ) -> PartFile:
        """Write the part of this number."""
        name, content = part_name(number), Content()
        with appearing(self.folder / Path(name).name) as part:
            with file_writer(part, schema, "parquet") as writer:
                for batch in batches:
                    content.update(batch)
                    writer.write_batch(batch.batch if isinstance(batch, Hashed) else batch)
            flush(part)
            sealed = sha256(part)
        return PartFile(name, content.rows, content.hexdigest(), sealed)
