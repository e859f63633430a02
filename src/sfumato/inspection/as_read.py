"""NOT PRIVATE: what the program takes each record for, before anything is measured."""

from typing import Any

import pyarrow as pa

from sfumato.inspection.utility import AnySchema, domain_of, encoded
from sfumato.render.decode import Decoder

__all__ = ["as_read"]


def as_read(data: Any, schema: AnySchema) -> pa.Table:
    """NOT PRIVATE: the records with every value mapped into what the schema declares.

    Values outside a range are clipped, unknown and unreadable ones become `other`, missing, the
    first level or the middle of the range.  Use it to check a schema on made-up or public records.

    >>> schema = {"name": "t", "columns": {"age": {"kind": "integer", "low": 0, "high": 110}}}
    >>> as_read(pa.table({"age": ["42", "900", "old"]}), schema)["age"].to_pylist()
    [42, 110, 55]
    """
    domain = domain_of(schema)
    return pa.Table.from_batches([Decoder(domain).batch(encoded(data, domain))])
