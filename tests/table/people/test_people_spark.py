"""Persons of frames of Spark: the same kept rows and sums as here, though tasks fail."""

import pyarrow as pa
import pytest

import spark_world as world
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
from sfumato.table.people.panel import Persons
from sfumato.table.people.people import People
from sfumato.table.source import open_source

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),  # Java takes long to start on a busy machine
    pytest.mark.skipif(bool(world.MISSING), reason=world.MISSING),
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    made = world.session(tmp_path_factory.mktemp("spark"), **{"sql.shuffle.partitions": "3"})
    yield made
    made.stop()


def there(spark, rows, layout=LAYOUT, trouble=None, **given):
    frame = world.frame_of(spark, rows)
    if trouble is not None:
        frame = frame.mapInArrow(trouble, frame.schema)
    return People(open_source(frame), DOMAIN, layout, key=KEY, **given)


def test_persons_of_one_table_are_the_same_though_tasks_fail_and_workers_die(spark):
    same_people(people_of(ROWS), there(spark, table(ROWS), trouble=world.Troubled()))


def test_persons_of_two_tables_are_the_same(spark):
    events = table([(i, None, year, ward) for i, year, ward in EVENTS])
    pids, sexes = zip(*PERSONS, strict=True)
    persons = pa.table({"pid": pa.array(pids, pa.string()), "sex": pa.array(sexes, pa.string())})
    own = open_source(world.frame_of(spark, persons, 2))
    same_people(linked(PERSONS, EVENTS), there(spark, events, LINKED, persons=own))


class Breaks:
    def __call__(self, batches):
        yield from batches
        raise ValueError(world.SECRET)


def test_what_always_fails_comes_back_in_fixed_words(spark):
    with pytest.raises(DataError, match="could not be read to its end: Spark ended") as error:
        there(spark, table(ROWS), trouble=Breaks()).fold(Persons())
    assert world.SECRET not in str(error.value)
