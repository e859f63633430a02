"""A driver that is killed while its tasks write a release: run by `test_spark_killed.py`."""

import os
import signal
import sys
from pathlib import Path

import spark_world as world
from sfumato import publish
from sfumato.table.spark import SparkFrame

draw = SparkFrame.draw


def killed(self, part, parts, schema, sink):
    """The trial is written; of the release, all but its certificate."""
    told = draw(self, part, parts, schema, sink)
    if sum(one.rows for one in told):
        os.kill(os.getpid(), signal.SIGKILL)
    return told


if __name__ == "__main__":
    folder, SparkFrame.draw = Path(sys.argv[1]), killed
    spark = world.session(folder / "spark", "local[1]")
    frame = world.frame_of(spark, world.records(300), 2)
    publish(
        frame,
        schema=world.SCHEMA,
        epsilon=1,
        ledger=folder / "ledger.sqlite",
        folder=folder / "release",
        release="first",
    )
