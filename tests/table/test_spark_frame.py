"""A frame of Spark as source and engine, over a stand-in that runs tasks in this process."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from kept_codes import KeptCodes
from sfumato import publish
from sfumato.errors import DataError, ReleaseError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.engine import Local, engine_of
from sfumato.table.records import Records
from sfumato.table.source import number_of_records, open_source
from sfumato.table.spark import SparkFrame
from sfumato.table.statistic import Rows

SECRET = "SECRET-4711"
COLUMNS = {"age": {"kind": "integer", "low": 0, "high": 99}, "a `b`.c": {"kind": "boolean"}}
SCHEMA = {"name": "t", "columns": COLUMNS}
DOMAIN = Domain.of(Schema.of(SCHEMA))
TABLE = pa.table({"age": np.arange(40) * 3 % 100, "a `b`.c": np.arange(40) % 3 == 0})
KINDS = {"age": "bigint", "a `b`.c": "boolean"}


class DataFrame:
    """Partitions of records, each a list of batches; tasks see one partition at a time."""

    __module__ = "pyspark.sql.classic.dataframe"
    error = None
    plan = ""

    def __init__(self, partitions, twice=False):
        self.partitions, self.twice, self.counted = partitions, twice, 0
        self.dtypes = list(KINDS.items())
        self.sparkSession = SimpleNamespace(range=self.range)

    def range(self, start, end, step, partitions):
        batches = [pa.RecordBatch.from_pydict({"id": [k]}) for k in range(start, end, step)]
        made = DataFrame([[batch] for batch in batches])
        made.error = self.error
        return made

    def toDF(self, *names):  # noqa: N802  as Spark calls it
        return self._with([[b.rename_columns(names) for b in some] for some in self.partitions])

    def select(self, *names):
        assert all(name.isalnum() for name in names)  # Spark takes a dot for a field
        return self._with([[b.select(list(names)) for b in some] for some in self.partitions])

    def mapInArrow(self, task, schema):  # noqa: N802  as Spark calls it
        assert schema == "answer binary"
        answers = []
        for number, some in enumerate(self.partitions):
            sys.modules["pyspark"].number = number
            answers.append(list(task(iter(some))))
        return self._with(answers * 2 if self.twice else answers)

    def coalesce(self, most):
        assert most >= len(self.partitions)
        return self

    def explain(self):
        print(self.plan)

    def repartition(self, width):
        every = [batch for some in self.partitions for batch in some]
        made = DataFrame([every[k::width] for k in range(width)])
        made.error = self.error
        return made

    def collect(self):
        if self.error is not None:
            raise self.error
        return [
            tuple(row.values()) for some in self.partitions for b in some for row in b.to_pylist()
        ]

    def toLocalIterator(self):  # noqa: N802
        return iter(self.collect())

    def count(self):
        self.counted += 1
        return len(self.collect())

    def _with(self, partitions):
        made = DataFrame(partitions, self.twice)
        made.error = self.error
        return made


@pytest.fixture(autouse=True)
def spark(monkeypatch):
    """Tasks ask Spark for the number of their partition."""
    module = ModuleType("pyspark")
    context = SimpleNamespace(partitionId=lambda: module.number)
    module.TaskContext = SimpleNamespace(get=lambda: context)
    monkeypatch.setitem(sys.modules, "pyspark", module)


def frame(**changes):
    batches = TABLE.to_batches(max_chunksize=7)
    return DataFrame([batches[:2], [], batches[2:]], **changes)


def test_a_frame_is_known_by_its_module_and_has_its_own_engine():
    source = open_source(frame())
    assert isinstance(source, SparkFrame)
    assert engine_of(source) is source
    assert source.types == {"age": pa.int64(), "a `b`.c": pa.bool_()}
    with pytest.raises(DataError, match="write it with"):  # another class of the same library
        open_source(type("Row", (), {"__module__": "pyspark.sql.types"})())


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        ("varchar(9)", "string"),
        ("decimal(10,2)", "decimal128(38, 18)"),
        ("timestamp", "timestamp[us, tz=UTC]"),
        ("timestamp_ntz", "timestamp[us]"),
        ("date", "date32[day]"),
        ("array<int>", "array<int>"),
    ],
)
def test_types_are_those_of_the_plan(monkeypatch, declared, kind):
    monkeypatch.setitem(KINDS, "age", declared)
    assert str(open_source(frame()).types["age"]) == kind


def test_what_no_kind_is_read_from_is_refused_by_its_name(monkeypatch):
    monkeypatch.setitem(KINDS, "age", "map<int,int>")
    with pytest.raises(DataError, match="column age is declared integer but stored as map"):
        publish(frame(), schema=SCHEMA, epsilon=1)


def test_totals_and_fingerprint_are_those_of_one_process():
    key = b"k" * 32
    there, here = (Records(open_source(data), DOMAIN, key=key) for data in (frame(), TABLE))
    assert there.fold(Rows()) == here.fold(Rows()) == 40
    assert sorted(there.fold(KeptCodes())) == sorted(here.fold(KeptCodes()))
    assert there.fingerprint() == here.fingerprint()


def test_no_day_follows_the_zone_of_the_session(monkeypatch):
    monkeypatch.setitem(KINDS, "age", "timestamp")
    columns = COLUMNS | {"age": {"kind": "date", "low": "2024-01-01", "high": "2024-12-31"}}
    domain = Domain.of(Schema.of(SCHEMA | {"columns": columns}))
    late = pa.array([1717198200 * 10**6] * 40).cast(pa.timestamp("us", "UTC"))  # 23:30

    def codes(zone):
        table = TABLE.set_column(0, "age", late.cast(pa.timestamp("us", zone)))
        return Records(open_source(DataFrame([table.to_batches()])), domain).fold(KeptCodes())

    assert np.array_equal(codes("UTC"), codes("Europe/Berlin"))
    assert np.array_equal(codes("UTC"), codes("Nowhere"))  # Java knows more zones than Arrow


def test_a_partition_that_would_count_twice_is_refused():
    with pytest.raises(DataError, match="counted a partition twice"):
        Records(open_source(frame(twice=True)), DOMAIN).fold(Rows())


def test_records_are_counted_by_one_job_and_handed_out_as_they_are():
    source = open_source(frame())
    assert (source.has_rows(41), number_of_records(source, DOMAIN)) == (False, 40)
    assert source.frame.counted == 1
    found = pa.Table.from_batches(source.batches(list(KINDS)))
    assert found.equals(TABLE)


def test_what_spark_raises_is_answered_in_fixed_words():
    broken = frame()
    broken.error = ValueError(SECRET)
    broken.sparkSession = frame().sparkSession  # which fails at no record
    for neighbours in ("replace-one", "add-remove"):
        with pytest.raises(DataError, match="Spark ended the job; run frame") as refused:
            publish(broken, schema=SCHEMA | {"neighbours": neighbours}, epsilon=1)
        error = refused.value
        while error is not None:
            assert SECRET not in str(error)
            error = error.__context__
    with pytest.raises(DataError, match="Spark ended the job"):
        list(Local(open_source(broken)).batches(["age"]))


def rows_of(k):
    return pa.RecordBatch.from_pydict({"k": [k]})


def kept(number, schema, batches):
    return [batch.column(0)[0].as_py() for batch in batches]


def test_files_are_drawn_in_order_and_refused_in_words(monkeypatch):
    given, schema = frame(), pa.schema({"k": pa.int64()})
    assert open_source(given).draw(rows_of, 6, schema, kept) == ([0, 1, 2, 3], [4, 5])
    given.error = ValueError("… ModuleNotFoundError: No module named 'sfumato' …")
    with pytest.raises(ReleaseError, match="tasks lacks sfumato: install sfumato on every machine"):
        open_source(given).draw(rows_of, 6, schema, kept)
    given.error = ValueError("something long")
    with pytest.raises(ReleaseError, match="Spark ended a job that has no record in it"):
        open_source(given).draw(rows_of, 6, schema, kept)


def test_a_file_for_each_partition_has_its_rows():
    def numbered(number, batches):
        yield from (batch.append_column("part", [number] * batch.num_rows) for batch in batches)

    def sink(number, schema, batches):
        return number, [part for batch in batches for part in batch.column("part").to_pylist()]

    given = frame()
    told = open_source(given).map(["age"], numbered, pa.schema({}), sink)
    assert told == ((0, [0] * 14), (1, []), (2, [2] * 26))
    given.error = ValueError(SECRET)
    with pytest.raises(DataError, match="Spark ended the job") as refused:
        open_source(given).map(["age"], numbered, pa.schema({}), sink)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


@pytest.mark.parametrize(
    ("plan", "moved"),
    [
        ("*(1) Project [id#0L, x AS Exchange y#2]\n+- *(1) Range (0, 100)", False),
        ("Coalesce 2\n+- FileScan parquet [age#1] Batched: true", False),
        ("AdaptiveSparkPlan\n+- Exchange RoundRobinPartitioning(3)\n   +- Range", True),
        ("*(1) Sort [w#1L ASC NULLS FIRST], false, 0\n+- *(1) Range (0, 100)", True),
        ("Project\n+- BroadcastHashJoin [id#0L], [id#8L], Inner\n   :- Range", True),
        ("HashAggregate(keys=[w#1L], functions=[])\n+- Range", True),
        ("Union\n:- *(1) Filter (w#1L = 1)\n+- *(1) Filter (w#1L = 2)", True),
        ("TakeOrderedAndProject(limit=5, orderBy=[w#1L])\n+- Range", True),
        ("SomeStepOfALaterSpark 2\n+- Range", True),
        ("", True),
    ],
)
def test_a_plan_that_moves_records_by_their_values_is_known(plan, moved, capsys):
    given = frame()
    given.plan = f"== Physical Plan ==\n{plan}\n"
    assert open_source(given).moved() is moved
    assert capsys.readouterr().out == ""
