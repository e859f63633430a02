"""FitCounts: one cell per record, its sensitivity by brute force, its noise."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.measure.fit import FitCounts
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.complaint import Complaint
from sfumato.table.encode import read
from sfumato.table.first_complaint import complaints_of
from sfumato.table.records import Records
from sfumato.table.source import open_source

SCHEMA = {
    "name": "t",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 9},
        "ward": {"kind": "category", "values": ["a", "b"]},
        "joined": {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"},
        "smoker": {"kind": "boolean"},
        "score": {"kind": "number", "low": 0, "high": 1, "missing": "allowed"},
        "kind": {"kind": "category", "values": ["x"], "other": "else", "missing": "allowed"},
    },
}
FITTING = ("3", "a", "2020-02-29", "true", "0.5", "x")
# For each column values of every sort, the absurd among them.
VALUES = (
    ("3", "-4", "99", "", "old", "1e400", "nan", "-inf"),
    ("a", "c", "", None, "A", "\N{REPLACEMENT CHARACTER}"),
    ("2020-02-29", "1999-01-01", "2024-01-01", "29.02.2020", "", "2020-02-30"),
    ("true", "perhaps", "", "2"),
    ("0.5", "7", "", "0,5"),
    ("x", "y", ""),
)


def domain_under(neighbours):
    return Domain.of(Schema.of({**SCHEMA, "neighbours": neighbours}))


def table_of(records):
    names = list(SCHEMA["columns"])
    texts = {name: [record[k] for record in records] for k, name in enumerate(names)}
    return pa.table({name: pa.array(column, pa.string()) for name, column in texts.items()})


def counts_of(records, neighbours="replace-one"):
    domain = domain_under(neighbours)
    counts = FitCounts(domain, PureDP("0.02"))
    return counts, counts.query(Records(open_source(table_of(records)), domain))


def every_record():
    """Each value beside fitting ones, and each two misfits together."""
    alone = [
        (*FITTING[:k], value, *FITTING[k + 1 :]) for k, row in enumerate(VALUES) for value in row
    ]
    return [*alone, *((*some, *FITTING[3:]) for some in product(*(row[1:3] for row in VALUES[:3])))]


@pytest.mark.parametrize(("neighbours", "moves"), [("replace-one", 2), ("add-remove", 1)])
def test_brute_force_attains_the_sensitivity_and_never_exceeds_it(neighbours, moves):
    some = every_record()[::5]
    counts, before = counts_of(some, neighbours)
    sensitivity, l1, l2 = counts.noise.sensitivity, set(), set()
    for record in every_record():
        other = [*some[neighbours == "replace-one" :], record]
        gap = counts_of(other, neighbours)[1] - before
        l1.add(int(np.abs(gap).sum()))
        l2.add(int((gap**2).sum()))
    assert max(l1) == sensitivity.l1 == moves
    assert max(l2) == sensitivity.l2_squared == moves


@settings(max_examples=30)
@given(st.lists(st.tuples(*map(st.sampled_from, VALUES)), max_size=6))
def test_each_record_stands_in_the_cell_of_its_first_complaint_and_no_other(records):
    counts, found = counts_of(records)
    batches = table_of(records).to_batches() if records else []
    said = [record for batch in batches for record in read(counts.domain, batch)[1]]
    expected = dict.fromkeys([None, *counts.cells], 0)
    for record in said:
        names = [axis.name for axis in counts.domain.axes]
        first = next(((n, Complaint(c)) for n, c in zip(names, record, strict=True) if c), None)
        expected[first] += 1
    assert found.tolist() == list(expected.values())


def test_every_complaint_that_a_value_can_make_has_a_cell_of_its_own():
    for axis, values in zip(domain_under("replace-one").axes, VALUES, strict=True):
        alone = Domain(domain_under("replace-one").schema, (axis,))
        batch = pa.RecordBatch.from_pydict({axis.name: pa.array(values, pa.string())})
        made = {Complaint(said) for said in read(alone, batch)[1][:, 0]} - {Complaint.FITS}
        assert made <= set(complaints_of(axis))


@pytest.mark.parametrize(
    ("budget", "neighbours", "noise"),
    [
        (PureDP("0.02"), "replace-one", Fraction(100)),
        (PureDP("0.02"), "add-remove", Fraction(50)),
        (ZCDP("0.01"), "replace-one", Fraction(100)),
        (ZCDP("0.01"), "add-remove", Fraction(50)),
    ],
)
def test_the_price_does_not_depend_on_the_number_of_columns(budget, neighbours, noise):
    event = FitCounts(domain_under(neighbours), budget).noise.event
    assert (event.statistic, event.noise, event.cost) == ("fit", noise, budget)


def test_noise_is_added_to_every_cell_and_the_number_of_records_is_told_only_where_public():
    records = every_record()
    for neighbours, told in (("replace-one", len(records)), ("add-remove", None)):
        counts, exact = counts_of(records, neighbours)
        source = Records(open_source(table_of(records)), counts.domain)
        noisy, n = counts.perturb(source, Purse(PureDP("0.02"), SeededBits(1)))
        assert n == told
        assert (noisy != exact).mean() > 0.9
        assert len(noisy) == len(counts.cells) + 1


def test_a_table_without_records_has_counts_of_nought():
    counts, found = counts_of([])
    assert found.tolist() == [0] * (len(counts.cells) + 1)
