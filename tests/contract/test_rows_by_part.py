"""A row for each record, made elsewhere: what is sent can be, and gives the same rows again."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from cases import CASES, ROWS

from neighbours import table
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SystemBits
from sfumato.publishing.table import price
from sfumato.table.mapped import Mapped, RowTask
from sfumato.table.records import Records
from sfumato.table.source import open_source
from slowness import slow

TABLE = table(ROWS * 3)


def rendered(case):
    plan = price(case.schema, method=case.method, **case.given)
    records = Records(open_source(TABLE), plan.domain)
    purse = Purse(plan.guarantee, SystemBits())
    return plan, plan.render(plan.measure(records, purse), None, np.random.default_rng(0))


def has_rows_of_its_own(case):
    """All but what changes a whole matrix at a time, and what is shuffled here."""
    noisy = not case.numbers and case.options.get("order") != "shuffled"
    return noisy and price(case.schema, method=case.method, **case.given).row == "record"


OF_RECORDS = [case for case in CASES if has_rows_of_its_own(case)]
FIRST = {case.method: case for case in reversed(OF_RECORDS)}


@pytest.mark.parametrize(
    "case", [case if case is FIRST[case.method] else slow(case) for case in OF_RECORDS], ids=str
)
def test_rows_that_are_made_elsewhere_or_again_are_those_made_here(case):
    plan, rows = rendered(case)
    assert isinstance(rows, Mapped)
    sent = pickle.loads(pickle.dumps(RowTask(plan.domain, rows.each)))
    batches = [pa.RecordBatch.from_struct_array(b.to_struct_array()) for b in TABLE.to_batches()]
    here = pa.Table.from_batches(rows).to_pylist()
    for _ in range(2):
        there = list(sent(0, iter(batches)))
        assert pa.Table.from_batches(there).to_pylist() == here
    cut = [piece for b in batches for piece in (b.slice(0, 5), b.slice(5))]
    assert pa.Table.from_batches(list(sent(0, iter(cut)))).to_pylist() == here
    if case.promised:
        assert pa.Table.from_batches(list(sent(1, iter(batches)))).to_pylist() != here


def test_every_method_with_a_row_for_each_record_is_held_to_it():
    known = {"identity-laplace", "exponential", "local", "dp-pca", "lip", "lop", "compressive"}
    assert known <= set(FIRST)
