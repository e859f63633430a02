"""Arrays and lists: no value, however odd, decides how the others are read, or what is raised."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from odd_values import ODD, ORDINARY
from sfumato.errors import DataError
from sfumato.estimator import Publisher
from sfumato.estimator.reading import column_of
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.encode import encode
from sfumato.table.source import open_source
from sfumato.table.type_check import check_types
from slowness import in_turn, slow
from table.alone import DOMAINS, KINDS, alike, built


def in_array(values):
    """None where NumPy writes all values as texts: it has only one type for them."""
    found = np.array(values)
    return found if found.ndim == 1 and found.dtype.kind not in "US" else None


def in_objects(values):
    found = np.empty(len(values), object)
    found[:] = values
    return found


def read(y):
    found = []
    for domain in DOMAINS:
        try:
            table = pa.table({"x": column_of(y, domain.axes[0])})
            check_types(open_source(table), domain)
        except DataError as error:
            found.append(str(error))
        else:
            batches = table.combine_chunks().to_batches()
            found.append([code for b in batches for code in encode(domain, b)[:, 0].tolist()])
    return found


QUICK = [(in_array, "truth values"), (list, "whole numbers"), (pd.Series, "large whole numbers")]
LONG = [
    (hold, name)
    for hold in (in_array, in_objects, list, tuple, pd.Series)
    for name in ORDINARY
    if (hold, name) not in QUICK
]


@pytest.mark.parametrize(
    ("hold", "name"),
    [*QUICK, *(pytest.param(*case, marks=pytest.mark.slow) for case in in_turn(3, LONG))],
    ids=lambda case: getattr(case, "__name__", case),
)
def test_an_odd_label_changes_nothing_about_the_others(hold, name):
    ordinary = ORDINARY[name]
    usual, wrong = built(hold, [*ordinary, ordinary[0]]), {}
    if usual is None:
        pytest.skip("the library holds no such column")
    baseline = read(usual)
    for place, odd in enumerate(ODD):
        y = built(hold, [*ordinary, odd, ordinary[0]])
        if y is not None:
            results = zip(KINDS, baseline, read(y), read(y[:0]), strict=True)
            wrong[place] = [kind["kind"] for kind, *found in results if not alike(*found)]
    assert {place: kinds for place, kinds in wrong.items() if kinds} == {}


SCHEMA = {
    "name": "t",
    "columns": {
        "x": {"kind": "number", "low": 0, "high": 1},
        "y": {"kind": "category", "values": ["0", "1"], "role": "label"},
    },
}
X = pd.DataFrame({"x": np.linspace(0, 1, 40)})
Y = [0, 1] * 20
LABELS = {
    "ints": Y,
    "array": np.array(Y),
    "floats with a gap": np.array([np.nan, *Y[1:]]),
    "series with a gap": pd.Series([None, *Y[1:]]),
    "a gap": [None, *Y[1:]],
    "a text": ["x", *Y[1:]],
    "a list": [[1, 2], *Y[1:]],
    "a large number": [10**30, *Y[1:]],
    "texts": [str(y) for y in Y],
    "truth values": [bool(y) for y in Y],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LABELS)
def test_the_type_of_released_labels_follows_from_the_schema_alone(name):
    for inputs in (X, X.to_numpy(), X.to_numpy() * (1 + 0j), pa.Table.from_pandas(X)):
        _, labels = Publisher(SCHEMA, epsilon=1).fit_resample(inputs, LABELS[name])
        assert labels.dtype == np.dtype("<U1")
        assert set(labels) <= {"0", "1"}


@pytest.mark.parametrize(
    ("column", "dtype"),
    [
        ({"kind": "category", "values": [0, 1], "role": "label"}, "int64"),
        ({"kind": "category", "values": ["no", "maybe"], "role": "label"}, "<U5"),
        ({"kind": "category", "values": [0], "other": "another", "role": "label"}, "<U7"),
        ({"kind": "boolean", "role": "label"}, "bool"),
        ({"kind": "boolean", "missing": "allowed", "role": "label"}, "bool"),
        ({"kind": "number", "low": 0, "high": 1, "role": "target"}, "float64"),
        ({"kind": "integer", "low": 0, "high": 1, "role": "target"}, "int64"),
        ({"kind": "date", "low": "2020-01-01", "high": "2020-01-09", "role": "target"}, "<M8[D]"),
    ],
)
@pytest.mark.parametrize("odd", [None, slow(0), slow("x")])
def test_every_kind_of_answer_has_one_type(column, dtype, odd):
    schema = SCHEMA | {"columns": SCHEMA["columns"] | {"y": column}}
    publisher = Publisher(schema, epsilon=1, method="mosaic")
    usual = {"<U5": ["no", "maybe"] * 20, "<M8[D]": ["2020-01-03"] * 40}.get(dtype, Y)
    for y in ([odd, *usual[1:]], pd.Series([odd, *usual[1:]])):
        released, labels = publisher.fit_resample(X, y)
        assert labels.dtype == np.dtype(dtype)
        assert len(released) == len(labels)


def test_an_empty_release_has_labels_of_the_same_type():
    schema = SCHEMA | {"neighbours": "add-remove"}
    released, labels = Publisher(schema, epsilon=1, rows=0).fit_resample(X, Y)
    assert (len(released), labels.dtype) == (0, np.dtype("<U1"))


def test_y_beside_a_file_or_what_is_no_table_is_refused_by_its_type(tmp_path):
    X.to_csv(tmp_path / "x.csv", index=False)
    for given, words in ((tmp_path / "x.csv", "y beside a file"), ([[1]] * 40, "is not a table")):
        with pytest.raises(DataError, match=words):
            Publisher(SCHEMA, epsilon=1).fit(given, Y)


def test_domains_of_this_test_have_levels_that_numbers_lose():
    """Else the refusals above would not be tried."""
    assert any(isinstance(found, str) for found in read(np.array([1, 2])))
    assert Domain.of(Schema.of(SCHEMA)).label == 1
