"""A public basis: never the records themselves, and on whose word it is public."""

import os
import shutil
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.errors import DataError, ParameterError
from sfumato.privacy.guarantee import PureDP

SCHEMA = {
    "name": "d",
    "columns": {
        **{name: {"kind": "number", "low": 0, "high": 1} for name in "ab"},
        "y": {"kind": "integer", "low": 0, "high": 4, "role": "target"},
        "sick": {"kind": "boolean", "role": "label"},
    },
}
METHODS = ("lop", "pca-gauss-regression", "pca-gauss-mixture")
each_method = pytest.mark.parametrize("method", METHODS)


def people(seed, size=200):
    rng = np.random.default_rng(seed)
    numbers = {name: rng.random(size).round(4) for name in "ab"}
    return pa.table(
        numbers | {"y": rng.integers(0, 5, size), "sick": rng.integers(0, 2, size).astype(bool)}
    )


TABLE, OTHER = people(1), people(2)


@pytest.fixture
def ledger(tmp_path):
    ledger = sf.Ledger.create(tmp_path / "budget.db")
    ledger.grant("d", PureDP(1), reason="approved")
    return ledger


def publish(data, basis, method="lop", **asked):
    return sf.publish(
        data, schema=SCHEMA, method=method, epsilon=1, basis=basis, release="r", **asked
    )


def links(path):
    """The same file under other names."""
    soft, hard = path.with_name("soft.csv"), path.with_name("hard.csv")
    soft.symlink_to(path)
    os.link(path, hard)
    return [path, str(path), path.parent / "." / path.name, soft, hard]


@each_method
def test_the_same_file_under_any_name_is_refused_before_the_charge(method, ledger, tmp_path):
    pacsv.write_csv(TABLE, tmp_path / "d.csv")
    for basis in links(tmp_path / "d.csv"):
        with pytest.raises(DataError, match="basis is the data that is to be protected"):
            publish(tmp_path / "d.csv", basis, method, ledger=ledger, folder=tmp_path / "out")
    assert ledger.entry("r") is None
    assert not (tmp_path / "out").exists()


def test_the_same_frame_is_refused_before_the_charge(ledger):
    frame = TABLE.to_pandas()
    for data in (TABLE, frame):
        with pytest.raises(DataError, match="is the data"):
            publish(data, data, ledger=ledger)
    assert ledger.entry("r") is None


def taken(folder):
    """The rows of the table, or some of them, in every way that looks like other data."""
    frame = TABLE.to_pandas()
    pacsv.write_csv(TABLE, folder / "d.csv")
    shutil.copy(folder / "d.csv", folder / "copy.csv")
    pq.write_table(TABLE, folder / "d.parquet")
    other_label = TABLE.drop_columns(["sick"]).append_column("sick", OTHER["sick"])
    return {
        "a copy": folder / "copy.csv",
        "another format": folder / "d.parquet",
        "a copied frame": frame.copy(),
        "shuffled": frame.sample(frac=1, random_state=1),
        "a half": frame.sample(100, random_state=1),
        "the first": TABLE.slice(0, 30),
        "drawn again": frame.sample(200, replace=True, random_state=1),
        "twice": pa.concat_tables([TABLE, TABLE]),
        "among others": pa.concat_tables([TABLE.slice(0, 100), OTHER]),
        "other labels": other_label,
    }


CASES = [
    "a copy",
    "another format",
    "a copied frame",
    "shuffled",
    "a half",
    "the first",
    "drawn again",
    "twice",
    "among others",
]


@pytest.mark.parametrize("case", CASES)
@each_method
def test_rows_of_the_records_are_refused_before_the_draw_and_can_be_refunded(
    method, case, ledger, tmp_path
):
    basis = taken(tmp_path)[case]
    with pytest.raises(DataError, match="rows of the data that is to be protected") as refused:
        publish(tmp_path / "d.csv", basis, method, ledger=ledger, folder=tmp_path / "out")
    assert "nothing was drawn, so it can be refunded" in str(refused.value)
    assert ledger.entry("r").state == "reserved"
    assert not (tmp_path / "out").exists()
    ledger.refund("r", reason="wrong basis")


def test_a_label_that_the_components_leave_out_hides_nothing(tmp_path):
    with pytest.raises(DataError, match="rows of the data"):
        publish(TABLE, taken(tmp_path)["other labels"], "pca-gauss-mixture")


@each_method
def test_components_of_the_records_that_are_spelt_out_are_refused(method, ledger):
    spelt = sf.price(SCHEMA, method=method, epsilon=1, basis=TABLE).options["basis"]
    with pytest.raises(DataError, match="computed from the data that is to be protected"):
        publish(TABLE, spelt, method, ledger=ledger)
    assert ledger.entry("r").state == "reserved"
    public = sf.price(SCHEMA, method=method, epsilon=1, basis=OTHER).options["basis"]
    assert publish(TABLE, public, method).guarantee == PureDP(1)


@each_method
def test_data_about_others_is_a_basis_that_verifies(method, ledger, tmp_path):
    publish(TABLE, OTHER, method, ledger=ledger, folder=tmp_path / "out")
    assert all(check.passed for check in sf.verify(tmp_path / "out", ledger=ledger))


def test_coarse_data_about_others_is_a_basis():
    schema = {"name": "d", "columns": {n: {"kind": "boolean"} for n in "abc"}}
    rng = np.random.default_rng(5)
    one, other = (
        pa.table({n: rng.integers(0, 2, 300).astype(bool) for n in "abc"}) for _ in range(2)
    )
    assert sf.publish(one, schema=schema, method="lop", epsilon=1, basis=other).table.num_rows


@each_method
@pytest.mark.parametrize("source", [None, "national survey 2024, public use file"])
def test_the_certificate_says_on_whose_word_the_basis_is_public(method, source, tmp_path):
    given = {} if source is None else {"basis_source": source}
    made = publish(TABLE, OTHER, method, folder=tmp_path / "out", **given)
    (limit,) = [limit for limit in made.certificate.limits if "declares public" in limit]
    assert (source or "no source was stated") in limit
    assert "owner's word" in limit
    assert made.certificate.options["basis_source"] == source
    assert all(check.passed for check in sf.verify(tmp_path / "out"))


@pytest.mark.parametrize("source", ["two\nlines", "x" * 201, 7])
def test_a_source_that_is_no_line_is_refused(source):
    with pytest.raises(ParameterError, match="basis_source must be one line"):
        publish(TABLE, OTHER, basis_source=source)


def test_a_source_without_a_basis_is_refused():
    with pytest.raises(ParameterError, match="give basis as well"):
        sf.price(SCHEMA, method="pca-gauss-mixture", epsilon=1, basis_source="a survey")


@pytest.mark.parametrize("rows", [None, 1, True, "many", 2.5])
def test_a_basis_that_is_spelt_out_says_how_many_rows_it_is_of(rows):
    spelt = sf.price(SCHEMA, method="lop", epsilon=1, basis=OTHER).options["basis"]
    with pytest.raises(ParameterError, match="number of rows"):
        publish(TABLE, spelt | {"rows": rows})


def test_the_commands_refuse_the_file_itself_and_state_the_source(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    pacsv.write_csv(TABLE, "d.csv")
    pacsv.write_csv(OTHER, "public.csv")
    (tmp_path / "s.yaml").write_text(sf.Schema.of(SCHEMA).to_yaml())
    for words, code, said in (
        (["--basis", "d.csv"], 1, "to be protected"),
        (["--option", "basis=d.csv"], 1, "to be protected"),
        (["--basis", "public.csv", "--basis-source", "a survey"], 0, "a survey"),
    ):
        asked = ["--schema", "s.yaml", "--method", "lop", "--epsilon", "1", "-o", "out"]
        monkeypatch.setattr(sys, "argv", ["sfumato", "publish", "d.csv", *asked, *words])
        with pytest.raises(SystemExit) as leaving:
            main()
        told = capsys.readouterr()
        assert (leaving.value.code or 0) == code, told.err
        assert said in told.out + told.err
