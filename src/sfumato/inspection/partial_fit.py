"""NOT PRIVATE: complaints against values, as far as a partial schema declares what fits."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Mask
from sfumato.schema.blank import blanks
from sfumato.schema.domain import Domain
from sfumato.schema.partial import PartialSchema
from sfumato.table.complaint import Complaint, Complaints
from sfumato.table.records import Records

__all__ = ["DeclaredOnly"]

_NEEDS = {
    "low": Complaint.BELOW,
    "high": Complaint.ABOVE,
    "values": Complaint.NOT_LISTED,
}


@dataclass(frozen=True)
class DeclaredOnly:
    """Records whose values are held to what is declared: a blank end or list refuses nothing."""

    records: Records
    unknown: Mask  # columns by complaints: those that need what is blank

    @classmethod
    def of(cls, records: Records, domain: Domain, partial: PartialSchema) -> "DeclaredOnly":
        """`domain` is that of the schema whose blanks are filled with placeholders."""
        lacking = blanks(partial)
        unknown = np.zeros((len(domain.axes), max(Complaint) + 1), bool)
        for j, axis in enumerate(domain.axes):
            for fact in lacking.get(axis.name, ()):
                unknown[j, _NEEDS[fact]] = True
        return cls(records, unknown)

    def with_complaints(self) -> Iterator[tuple[pa.RecordBatch, Complaints]]:
        """Batches, and what is said against their values."""
        columns = np.arange(len(self.unknown))
        for batch, said in self.records.with_complaints():
            told = np.where(self.unknown[columns, said], Complaint.FITS, said).astype(np.uint8)
            yield batch, told
