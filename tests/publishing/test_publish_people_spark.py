"""Persons whose rows lie on Spark: grouped there, drawn and written here."""

import pytest

import sfumato as sf
import spark_world as world
from toy_people import TOY
from visits_world import LINKED_PANEL, linked_panel

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),  # Java takes long to start on a busy machine
    pytest.mark.skipif(bool(world.MISSING), reason=world.MISSING),
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
    pytest.mark.usefixtures("toy_people"),
]


@pytest.mark.parametrize("method", [TOY, "mosaic"])
def test_a_release_of_two_frames_is_that_of_the_same_tables_here(
    method, tmp_path, tmp_path_factory
):
    spark = world.session(tmp_path_factory.mktemp("spark"), **{"sql.shuffle.partitions": "3"})
    try:
        there = {name: world.frame_of(spark, table) for name, table in linked_panel().items()}
        asked = {"schema": LINKED_PANEL, "method": method, "epsilon": 1, "seed": 1}
        made = sf.publish(there, folder=tmp_path / "r", **asked)
        here = sf.publish(linked_panel(), **asked)
    finally:
        spark.stop()
    assert sf.verify(tmp_path / "r")
    assert made.synopsis == here.synopsis
    assert all(made.tables[name].equals(table) for name, table in here.tables.items())
