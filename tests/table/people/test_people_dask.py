"""Persons of frames of Dask: the same kept rows and sums as here, whatever the partitions."""

import pickle
from dataclasses import dataclass

import pandas as pd
import pytest

from dask_world import MISSING, SECRET
from fit_world import COLUMNS as VISITS
from fit_world import KEY as VISIT_KEY
from fit_world import counts_of, domain_of, layout_of, visitors
from fit_world import table as visit_table
from people_world import (
    DOMAIN,
    EVENTS,
    KEY,
    LAYOUT,
    LINKED,
    PERSONS,
    ROWS,
    linked,
    people_of,
    same_people,
    table,
)
from sfumato.errors import DataError
from sfumato.table import dask as dask_engine
from sfumato.table.people.grouping import Room
from sfumato.table.people.panel import Persons
from sfumato.table.people.people import People
from sfumato.table.source import open_source

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


def frame_of(rows, partitions=5, trouble=None):
    import dask.dataframe as dd

    frame = dd.from_pandas(rows.to_pandas() if hasattr(rows, "to_pandas") else rows, partitions)
    return frame if trouble is None else frame.map_partitions(trouble, meta=frame._meta)


def there(rows, layout=LAYOUT, **given):
    return People(open_source(frame_of(rows)), DOMAIN, layout, key=KEY, **given)


def persons_frame():
    return pd.DataFrame(PERSONS, columns=["pid", "sex"])


def test_persons_of_one_table_are_the_same():
    same_people(people_of(ROWS), there(table(ROWS)))
    same_people(people_of(ROWS), there(table(ROWS[::-1]), room=Room(rows=16, held=64)))


def test_persons_of_two_tables_are_the_same():
    events = table([(i, None, year, ward) for i, year, ward in EVENTS])
    own = open_source(frame_of(persons_frame(), 2))
    same_people(linked(PERSONS, EVENTS), there(events, LINKED, persons=own))


def test_what_is_said_against_rows_is_the_same_there():
    rows = [(k % 7 or None, (0, 2, 99)[k * k % 3], "f", "ab?"[k % 3]) for k in range(300)]
    texts = [tuple(None if v is None else str(v) for v in row) for row in rows]
    here = visitors(texts)
    frame = open_source(frame_of(visit_table(VISITS, texts[::-1])))
    domain = domain_of()
    away = People(frame, domain, layout_of(domain), key=VISIT_KEY, complaints=True)
    statistic = counts_of().statistic
    assert (here.fold(statistic)[0] == away.fold(statistic)[0]).all()
    assert here.fingerprint() == away.fingerprint()


def test_tables_of_two_engines_are_refused():
    with pytest.raises(DataError, match="frames of the same engine"):
        there(table(ROWS), LINKED, persons=open_source(persons_frame()))


def broken_off(part):
    if len(part):  # of the empty twin nothing is read
        raise ValueError(SECRET)
    return part


def test_no_value_of_the_graph_holds_a_key_or_shows_it(monkeypatch):
    """Values may be put on the disks of workers, and what fails may be shown in their logs."""
    seen = []
    monkeypatch.setattr(dask_engine, "_answered", lambda tasks: seen.extend(tasks) or [])
    there(table(ROWS)).fold(Persons())
    held = []
    for name, node in seen[0].__dask_graph__().items():
        held.append(KEY in pickle.dumps(node))
        assert not held[-1] or node.dependencies, "a value of its own"
        assert repr(KEY)[2:-1] not in f"{name!r} {node!r} {getattr(node, 'func', '')!r}"
    assert any(held)  # the control: it is there


@dataclass(frozen=True)
class Overflowing(Persons):
    def add(self, total, panel):
        raise OverflowError(SECRET)


def test_an_error_of_a_partition_or_of_the_work_comes_back_in_fixed_words():
    broken = open_source(frame_of(table(ROWS), 5, broken_off))
    with pytest.raises(DataError, match="could not be read to its end: Dask ended") as error:
        People(broken, DOMAIN, LAYOUT, key=KEY).fold(Persons())
    assert SECRET not in str(error.value)
    with pytest.raises(RuntimeError, match=r"could not be counted \(OverflowError\)") as error:
        there(table(ROWS)).fold(Overflowing())
    assert SECRET not in str(error.value)
