"""No record, however odd, decides how another one is read, or whether anything is refused.

Each column of ordinary values is encoded twice, once with an odd value in its midst.  The codes
of the ordinary ones may not differ.  A refusal is allowed where the type of the column alone
brings it about: the same column without any record must then be refused in the same words.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from odd_values import ODD, ORDINARY, SECRET
from sfumato.errors import DataError
from sfumato.schema.written_number import PLAIN
from sfumato.table import encode as encoder
from sfumato.table import read_levels
from sfumato.table.column import of_array, of_objects
from sfumato.table.source import open_source
from sfumato.table.type_check import check_types
from sfumato.table.value import STORED, text_among_texts, text_of
from slowness import in_turn
from table.alone import BIG, built, domain_of, faults, read


def as_inferred(values):
    return pd.DataFrame({"x": pd.Series(values)})


def as_rows(values):
    return pd.DataFrame([{"x": value} for value in values])


def as_objects(values):
    series = pd.Series(index=range(len(values)), dtype=object)
    for place, value in enumerate(values):
        series.iat[place] = value
    return pd.DataFrame({"x": series})


def as_category(values):
    return pd.DataFrame({"x": pd.Categorical(values)})


def as_nullable(values):
    return pd.DataFrame({"x": pd.Series(values)}).convert_dtypes()


def as_arrow_backed(values):
    return pd.DataFrame({"x": pd.Series(values)}).convert_dtypes(dtype_backend="pyarrow")


def as_polars_objects(values):
    return pl.DataFrame({"x": pl.Series(values, dtype=pl.Object)})


HOLD = [
    as_inferred,
    as_rows,
    as_objects,
    as_category,
    as_nullable,
    as_arrow_backed,
    as_polars_objects,
]
QUICK = [
    *((as_inferred, name) for name in ("large whole numbers", "texts", "times of a zone")),
    *((as_rows, "gaps"), (as_category, "numbers"), (as_polars_objects, "days")),
]
LONG = [(hold, name) for hold in HOLD for name in ORDINARY if (hold, name) not in QUICK]


@pytest.mark.parametrize(
    ("hold", "name"),
    [*QUICK, *(pytest.param(*case, marks=pytest.mark.slow) for case in in_turn(3, LONG))],
    ids=lambda case: getattr(case, "__name__", case),
)
@pytest.mark.long
def test_an_odd_value_changes_nothing_about_the_others(hold, name):
    ordinary = ORDINARY[name]
    table = built(hold, [*ordinary, ordinary[0]])
    if table is None:
        pytest.skip("the library holds no such column")
    baseline = read(table)
    found = {i: faults(hold, ordinary, odd, baseline) for i, odd in enumerate(ODD)}
    assert {i: kinds for i, kinds in found.items() if kinds} == {}


def test_the_comparison_catches_an_encoder_that_looks_at_its_neighbours(monkeypatch):
    """Positive control: one value that is no number spoils the whole column."""

    def shared(column, how=PLAIN):
        values = numbers(column, how)
        return np.zeros(len(column)) if np.isnan(values).any() else values

    numbers = encoder.numbers
    for module in (encoder, read_levels):
        monkeypatch.setattr(module, "numbers", shared)
    baseline = read(as_objects([20, 3, 110, 20]))
    assert faults(as_objects, [20, 3, 110], "x", baseline) == ["number", "integer", "boolean"]


def test_the_comparison_catches_a_refusal_that_depends_on_a_record(monkeypatch):
    """Positive control: what refuses a column for one of its values."""

    def picky(source, domain):
        if any(batch.column("x").null_count for batch in source.batches(["x"])):
            raise DataError("a value is missing")

    baseline = read(as_objects([20, 3, 110, 20]))
    monkeypatch.setattr("table.alone.check_types", picky)
    assert len(faults(as_objects, [20, 3, 110], None, baseline)) == len(baseline)


def test_a_value_among_texts_reads_as_it_does_by_itself():
    """Arrow's own conversion of texts and `text_of` agree on all that Arrow takes."""
    for place, value in enumerate(ODD):
        alone = text_among_texts(value)
        assert alone == text_of(value) or alone == STORED + text_of(value), place
        assert of_objects([value]).to_pylist() == [alone], place
        assert of_objects(["a", value, 7]).to_pylist() == ["a", alone, "7"], place


def test_objects_that_raise_are_missing_and_not_quoted():
    quoted = {text_of(value) for value in ODD if SECRET in (text_of(value) or "")}
    assert quoted == {SECRET, str({SECRET})}  # the text itself, and a set that holds it


NUMBERS = {
    "truths": np.array([True, False]),
    "half": np.array([0.1, 20], np.float16),
    "short": np.array([0.1, 20], np.float32),
    "long": np.array([0.1, 20], np.longdouble),
    "complex": np.array([0.1, 20], np.complex128),
    "long complex": np.array([0.1, 20], np.clongdouble),
    "swapped": np.array([1, 20], ">i4"),
    "whole": np.array([1, 20]),
    "unsigned": np.array([1, 2**64 - 1], np.uint64),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_reads_alike_in_its_own_column_and_among_objects(name):
    typed = pd.DataFrame({"x": pd.Series(NUMBERS[name])})
    mixed = as_objects([*NUMBERS[name], "x"])
    for mine, theirs in zip(read(typed), read(mixed), strict=True):
        assert isinstance(mine, str) or mine == theirs[:-1]


UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "as"]


@pytest.mark.parametrize("unit", UNITS)
def test_a_moment_reads_alike_in_its_own_array_and_among_objects(unit):
    whole = np.iinfo(np.int64)
    ticks = np.array([whole.max, whole.min + 1, 0, -1, 1, whole.min])
    typed, objects = (read_dates(found(ticks, unit)) for found in (array, single))
    assert typed == objects
    assert typed[-1] == -1
    if unit not in ("ns", "ps", "as"):  # which reach a few centuries, or days
        assert typed[:2] == [15_000, 0]


def array(ticks, unit):
    return of_array(ticks.view(f"M8[{unit}]"))


def single(ticks, unit):
    return of_objects(list(ticks.view(f"M8[{unit}]")))


def read_dates(column):
    import pyarrow as pa

    dates = {"kind": "date", "low": "1960-01-01", "high": "2001-01-25", "missing": "allowed"}
    batch = pa.RecordBatch.from_arrays([column], ["x"])
    return encoder.encode(domain_of(dates), batch).ravel().tolist()


@pytest.mark.parametrize("level", [BIG, str(2**53), "007", "1.50", "1e3", "+5", "Infinity"])
def test_levels_that_numbers_lose_are_refused_whatever_one_record_made_of_them(level):
    """Ids beyond 2^53 beside a gap, and 007 beside a text, are lost before they are read."""
    domain = domain_of({"kind": "category", "values": ["a", level]})
    said = set()
    for values in ([3, 4], [3, None], [3, 1j], [3, 2**63]):
        with pytest.raises(DataError, match="which a column of numbers loses: read it") as error:
            check_types(open_source(as_inferred(values)), domain)
        said.add(str(error.value))
    assert len(said) == 1
    for kept in (as_objects([level, 3]), as_objects([3]), as_inferred([level])):
        check_types(open_source(kept), domain)


def test_levels_that_truth_values_lose_are_refused():
    read_as_truths = open_source(as_inferred([True, False]))
    check_types(read_as_truths, domain_of({"kind": "category", "values": ["True", "False", "1"]}))
    with pytest.raises(DataError, match="the level true, which a column of truth values loses"):
        check_types(read_as_truths, domain_of({"kind": "category", "values": ["true", "false"]}))
