"""Dicts of columns and lists of dicts: every value by itself, and names that are public."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError
from sfumato.table.source import open_source
from table.sources_world import COLUMNS, OBJECTS, SECRET, codes, domain_of, records, texts

AGE = domain_of({"id": {"kind": "id"}, "age": COLUMNS["age"]})


def columns(table):
    return table.to_pydict()


def rows(table):
    return table.to_pylist()


def arrow(table):
    return {name: table[name] for name in table.column_names}


def series(table):
    return dict(pl.from_arrow(table).to_dict(as_series=True))


@pytest.mark.parametrize("count", [7, 1, 0])
@pytest.mark.parametrize("hold", [columns, rows, arrow, series])
def test_python_tables_give_the_codes_of_the_table(hold, count):
    assert codes(hold(records(count))) == codes(records(count))


@pytest.mark.parametrize("odd", range(len(OBJECTS)))
def test_no_record_decides_how_another_is_read(odd):
    for name, column in COLUMNS.items():
        if name != "id":
            domain, values = domain_of({"x": column}), ["3", OBJECTS[odd], 2.5]
            alone = [codes({"x": [value]}, domain)[0] for value in values]
            assert codes({"x": values}, domain) == alone
            assert codes([{"x": value} for value in values], domain) == alone


def test_what_is_no_dict_in_a_list_of_dicts_is_a_record_without_a_value():
    assert codes([{"age": 3}, None, SECRET, {}, {"age": 1, SECRET: 2}], AGE) == [
        [3],
        [-1],
        [-1],
        [-1],
        [1],
    ]


def test_arrays_keep_the_type_that_they_declare():
    days = {"seen": np.array(["2020-01-04", "NaT"], "M8[D]"), "age": pd.Series([3, None])}
    domain = domain_of({"seen": COLUMNS["seen"], "age": COLUMNS["age"]})
    assert codes(days, domain) == [[3, 3], [-1, -1]]
    with pytest.raises(DataError, match="column age is declared integer but stored as timestamp"):
        codes({"age": days["seen"]}, AGE)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "an empty dict is no column"),
        ({"age": 3}, "column age of the dict is no column: give a list, an array or a series"),
        ({"age": SECRET}, "column age of the dict is no column"),
        ({"age": np.ones((2, 2))}, "column age of the dict is no column"),
        ({"age": [1], "id": [1, 2]}, "the columns of the dict differ in length"),
        ({"1": [SECRET], 1: [2]}, "two columns have the same name"),
    ],
)
def test_dicts_that_hold_no_table_are_refused_by_their_shape(data, words):
    with pytest.raises(DataError, match=words) as error:
        open_source(data)
    assert SECRET not in "".join(texts(error.value))


def test_a_list_of_dicts_without_names_is_refused():
    with pytest.raises(DataError, match="a list of dicts has no header"):
        open_source([{SECRET: 1}])


def test_the_first_record_decides_nothing():
    assert codes([None, {"age": 3}], AGE) == [[-1], [3]]


def test_levels_that_an_array_of_numbers_loses_are_refused():
    agents = domain_of({"x": {"kind": "category", "values": ["006", "007"]}})
    for lossy in (np.array([6, 7]), pd.Series([6, 7])):
        with pytest.raises(DataError, match="has the level 006, which a column of numbers loses"):
            codes({"x": lossy}, agents)
    assert codes({"x": ["007", "006"]}, agents) == [[1], [0]]


def test_ids_are_not_looked_at():
    class Watched:
        def __str__(self):
            raise AssertionError

    assert codes({"id": [Watched()], "age": [3]}, AGE) == [[3]]
    assert codes([{"id": Watched(), "age": 3}], AGE) == [[3]]


@pytest.mark.parametrize("data", [{"age": [1, 2, 3]}, [{"age": 1}, {"age": 2}, {"age": 3}]])
def test_what_is_released_of_them_is_an_arrow_table(data):
    schema = {"name": "t", "columns": {"age": COLUMNS["age"]}}
    assert isinstance(sf.publish(data, schema=schema, epsilon=1).data, pa.Table)
