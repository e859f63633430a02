"""What a table reads as under several kinds of column, and whether a record changed the others."""

import warnings

from odd_values import SECRET
from sfumato.errors import DataError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.encode import encode
from sfumato.table.source import open_source
from sfumato.table.type_check import check_types

BIG = str(2**53 + 1)
KINDS = [
    {"kind": "number", "low": 0, "high": 10, "step": 0.2, "missing": "allowed"},
    {"kind": "integer", "low": 0, "high": 110, "missing": "allowed"},
    {"kind": "category", "values": ["a", 20, 3, "0.1", "True"], "other": "else"},
    {"kind": "category", "values": ["a", BIG], "missing": "allowed"},
    {"kind": "boolean", "missing": "allowed"},
    {"kind": "date", "low": "2020-01-01", "high": "2021-01-01", "step": "second"},
]


def domain_of(column):
    return Domain.of(Schema.of({"name": "t", "neighbours": "add-remove", "columns": {"x": column}}))


DOMAINS = [domain_of(kind) for kind in KINDS]


def built(hold, values):
    """The table, or None where the library itself will not hold such values."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the library, while it builds
            return hold(values)
    except Exception:
        return None


def read(data):
    """For every kind of column the codes, or the words of a refusal."""
    source = open_source(data)
    refused = [refusal(source, domain) for domain in DOMAINS]
    batches = list(source.batches(["x"]))
    return [
        words or [code for batch in batches for code in encode(domain, batch)[:, 0].tolist()]
        for domain, words in zip(DOMAINS, refused, strict=True)
    ]


def refusal(source, domain):
    """What is said of the types; None where they are taken."""
    try:
        check_types(source, domain)
    except DataError as error:
        return str(error).replace(SECRET, "quoted")  # which the words without it would not be
    return None


def faults(hold, ordinary, odd, baseline):
    """The kinds of column for which an odd value in the midst changes anything else."""
    table = built(hold, [*ordinary, odd, ordinary[0]])
    if table is None:
        return []
    found = read(table)
    nobody = read(table[:0]) if any(isinstance(after, str) for after in found) else found
    pairs = zip(KINDS, baseline, found, nobody, strict=True)
    return [kind["kind"] for kind, *results in pairs if not alike(*results)]


def alike(before, after, nobody):
    """Whether the others kept their codes, or the type of the column alone refused it."""
    if isinstance(after, str):
        return after == nobody
    return isinstance(before, str) or after[:3] + after[4:] == before
