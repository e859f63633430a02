"""CSV files of a release, read as something that anybody may have written."""

from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from sfumato.errors import ReleaseError
from sfumato.untrusted.csv_reader import CsvReader

__all__ = ["csv_batches"]

_BLOCK = 2**20  # bytes


def csv_batches(file: BinaryIO, name: object, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The records of a file in these types."""
    whole = [item.name for item in schema if pa.types.is_integer(item.type)]
    as_texts = whole if whole and _may_be_hexadecimal(file) else []
    read = CsvReader(
        file,
        parse={
            "newlines_in_values": True,
            # A missing value in the only column is an empty line, and a record.
            "ignore_empty_lines": len(schema.names) > 1,
        },
        convert=pacsv.ConvertOptions(
            column_types={
                item.name: pa.string() if item.name in as_texts else item.type for item in schema
            },
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    with closing(read) as reader:
        if reader.schema.names != schema.names:
            raise ReleaseError(f"{name} does not have the columns of its schema")
        for batch in reader:
            yield _decimal(batch, name, as_texts)


def _may_be_hexadecimal(file: BinaryIO) -> bool:
    """Whether such a number may be in the file, or in a text of it: next to none needs a look."""
    last, found = b"", False
    while not found and (block := file.read(_BLOCK)):
        found = b"0x" in (last + block).lower()
        last = block[-1:]
    file.seek(0)
    return found


def _decimal(batch: pa.RecordBatch, name: object, columns: list[str]) -> pa.RecordBatch:
    """Numbers that were read as texts: Arrow takes 0xffffffffffffffff for -1, others do not."""
    for column in columns:
        texts = pc.utf8_trim(batch.column(column), " \t")
        if pc.any(pc.match_substring(texts, "x", ignore_case=True)).as_py():
            raise ReleaseError(f"{name} writes whole numbers in another way than in decimals")
        place = batch.schema.get_field_index(column)
        batch = batch.set_column(place, column, texts.cast(pa.int64()))
    return batch
