"""The kinds of data that are published, in the words in which reports and commands speak of them.

How a release of a kind is priced again and checked is in `sfumato.publishing.kinds`, a module
for each kind of the same name.
"""

from dataclasses import dataclass, replace

from sfumato.schema.person import PERSON

__all__ = ["COUNTS", "ESTIMATE", "KINDS", "NETWORK", "STREAM", "TABLE", "Kind"]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a release is about."""

    name: str
    section: str  # the field of a certificate that only this kind has
    rows: str  # what the rows of its data file are
    about: str  # what a guess of an attacker is about
    record: str  # what may be there or not, or hold something else; "" where there is no such thing
    hidden: str  # what two neighbours differ in; {0} is what the certificate says of them

    def in_words_of(self, unit: str) -> "Kind":
        """The kind in the words that suit the unit of a certificate."""
        if unit != PERSON:
            return self
        return replace(
            self,
            about="one person",
            record="person",
            hidden="any one person with all of their rows: {0}, in all columns together",
        )


TABLE = Kind(
    "table",
    section="schema",
    rows="rows",
    about="one row",
    record="row",
    hidden="any one row: {0}, in all columns together",
)
NETWORK = Kind(
    "network",
    section="network",
    rows="edges",
    about="which of two neighbouring weightings is the true one",
    record="",
    hidden="which of two weightings it is: {0}",
)
STREAM = Kind(
    "stream",
    section="stream",
    rows="figures",
    about="one bit",
    record="",
    hidden="any one bit of up to {0}, in all figures together",
)
COUNTS = Kind(
    "counts",
    section="counts",
    rows="counts",
    about="one record",
    record="record",
    hidden="any one record behind the counts ({0}), in all counts together",
)
ESTIMATE = Kind(
    "estimate",
    section="estimate",
    rows="facts",
    about="one row",
    record="row",
    hidden="any one row: {0}, in all columns together",
)
KINDS = (TABLE, NETWORK, STREAM, COUNTS, ESTIMATE)
