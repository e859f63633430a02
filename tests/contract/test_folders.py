"""Whole releases of neighbouring tables, byte for byte, along the same noisy values.

The domain of a release must not be taken from the data (Ganev et al. 2025): along the same
outputs of the mechanisms, neighbours that differ in the only member of a category, the minimum,
the maximum, the longest text, a new date, the only gap, an unlisted value or an odd object must
give the same files, types, words and exit codes.
"""

import csv
import datetime as dt
import logging
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from neighbours import MIXED, as_text
from odd_values import Hostile
from sfumato import cli
from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.publishing import transaction as walk
from sfumato.table import read_levels
from slowness import slow

NAMES = list(MIXED["columns"])
USUAL = dict(
    zip(NAMES, (0.5, 1.0, 3, "f", "a", "x", True, dt.date(2020, 1, 3), "home"), strict=True)
)
ROWS = [
    USUAL | {"age": i % 8, "sex": "fm"[i % 2], "size": i / 10, "outcome": ("home", "care")[i % 2]}
    for i in range(30)
]
ONE = {
    "the usual": {},
    "the only member of a category": {"ward": "b", "site": "z", "outcome": "died"},
    "the minimum": {"size": -1.0, "dose": 0.0, "age": 0, "seen": dt.date(2020, 1, 1)},
    "the maximum": {"size": 3.0, "dose": 2.0, "age": 7, "seen": dt.date(2020, 1, 9)},
    "far outside": {"size": -1e300, "dose": 1e308, "age": 2**62, "seen": dt.date(9999, 12, 31)},
    "the longest text": {"ward": "x" * 70_000, "outcome": "y" * 70_000},
    "a new date": {"seen": dt.date(2020, 1, 8)},
    "the only gap": {"size": None, "age": None, "site": None, "smoker": None, "seen": None},
    "nothing at all": dict.fromkeys(NAMES),
    "unlisted values": {"sex": "?", "ward": "zz", "site": "q", "outcome": ""},
    "not a number": {"size": float("nan"), "dose": float("inf")},
}
ODD = {
    "texts among numbers": {"size": "n/a", "age": "3 years", "smoker": "maybe", "seen": "soon"},
    "odd objects": {"size": 1 + 2j, "dose": Hostile(), "age": [3], "ward": {"a": 1}, "seen": 5},
    "numbers among texts": {"sex": 2**70, "ward": 3, "site": np.float32(0.1), "outcome": b"\xff"},
}


def texts(rows):
    return {n: pa.array([as_text(row)[n] for row in rows], pa.string()) for n in NAMES}


def in_csv(rows, folder):
    with (folder / "data.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, NAMES)
        writer.writeheader()
        writer.writerows(as_text(row) for row in rows)
    return folder / "data.csv"


def in_parquet(rows, folder):
    table = pa.table(texts(rows))
    for name, kind in (("size", pa.float64()), ("age", pa.int64()), ("seen", pa.date32())):
        column = pa.array([row[name] for row in rows], kind)
        table = table.set_column(NAMES.index(name), name, column)
    # Statistics, dictionaries and metadata of the file must stay behind.
    table = table.replace_schema_metadata({"seen": repr(rows[-1])[:200]})
    pq.write_table(table, folder / "data.parquet", use_dictionary=True, row_group_size=7)
    return folder / "data.parquet"


def in_dictionaries(rows, _):
    """Arrow dictionaries that list what only the last record holds, used or not."""
    return pa.table({name: column.dictionary_encode() for name, column in texts(rows).items()})


def in_pandas(rows, _):
    return pd.DataFrame(rows)


def in_pandas_categories(rows, _):
    frame = pd.DataFrame({n: c.to_pylist() for n, c in texts(rows).items()})
    return frame.astype(dict.fromkeys(("sex", "ward", "site", "outcome"), "category"))


def in_polars(rows, _):
    frame = pl.from_arrow(pa.table(texts(rows)))
    return frame.with_columns(pl.col("sex", "ward", "site").cast(pl.Categorical))


HELD = [in_csv, in_parquet, in_dictionaries, in_pandas, in_pandas_categories, in_polars]


class Frozen:
    """The outputs of the first release, handed out again to all that follow.

    Those of both its steps: the counts of what does not fit, and what is measured after them.
    """

    def __init__(self, monkeypatch):
        self.script = None
        self.purses = []
        monkeypatch.setattr(walk, "Purse", self.purse)

    def purse(self, limit, bits, _later):  # what a ledger is told: there is none
        self.purses.append(RecordingPurse(limit, self.script, bits))
        return self.purses[-1]

    def keep(self):
        (first,) = self.purses
        assert first.complete
        assert first.events[0].statistic == "fit"
        assert len(first.events) > 1
        self.script = first.outputs

    def replayed(self, releases):
        """Whether each release had one purse, whose whole script was given out again.

        Positive control: the counts of what does not fit were of other records.
        """
        exact = {purse.statistics[0].exact[0].tobytes() for purse in self.purses}
        whole = all(len(purse.purchases) == len(self.script) for purse in self.purses)
        return whole and len(self.purses) == releases and len(exact) > 1


def seen_by_a_recipient(publish, folder, caplog, capfd):
    """Everything that leaves: files, types, words, warnings, the error if there is one."""
    caplog.clear()
    capfd.readouterr()
    found = {}
    with warnings.catch_warnings(record=True) as warned, caplog.at_level(logging.DEBUG):
        warnings.simplefilter("always")
        try:
            release = publish(folder / "release")
            found["types"] = described(release.data)
            found["shown"] = repr(release)
        except Exception as error:
            found["error"] = f"{type(error)} {error}"
    found["said"] = (*capfd.readouterr(), caplog.text, [str(w.message) for w in warned])
    return found | files(folder / "release")


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("**/*"))}


def described(data):
    if isinstance(data, pa.Table):
        return data.schema.to_string(show_field_metadata=True, show_schema_metadata=True)
    return str(dict(data.dtypes) if isinstance(data, pd.DataFrame) else data.schema)


def released(hold, changes, place, method, schema=MIXED, format=None):
    place.mkdir(parents=True)
    data = hold([*ROWS, USUAL | changes], place)
    known = schema(data) if callable(schema) else schema

    def publish(folder):
        asked = {"method": method, "epsilon": 1, "seed": 7, "release": "one", "format": format}
        return sf.publish(data, schema=known, folder=folder, **asked)

    return publish


def outcomes(hold, frozen, place, caplog, capfd, *, method="modips", variants=ONE, **how):
    found = {}
    for number, (name, changes) in enumerate(variants.items()):
        where = place / str(number)
        publish = released(hold, changes, where, method, **how)
        found[name] = seen_by_a_recipient(publish, where, caplog, capfd)
        if frozen.script is None:
            frozen.keep()
    return found


def differing(found):
    usual = found["the usual"]
    return {
        name: [part for part in {**seen, **usual} if seen.get(part) != usual.get(part)]
        for name, seen in found.items()
        if seen != usual
    }


@pytest.mark.parametrize("hold", HELD, ids=lambda hold: hold.__name__)
def test_along_the_same_noise_neighbours_release_the_same_bytes(
    hold, tmp_path, monkeypatch, caplog, capfd
):
    frozen = Frozen(monkeypatch)
    variants = ONE | (ODD if hold is in_pandas else {})
    found = outcomes(hold, frozen, tmp_path, caplog, capfd, variants=variants)
    assert sorted(found["the usual"])[:2] == [
        f"data.{'parquet' if hold is in_parquet else 'csv'}",
        "release.json",
    ]
    assert differing(found) == {}
    assert frozen.replayed(len(variants))


@pytest.mark.parametrize("method", ["dp-lda", *map(slow, ("mosaic", "identity-laplace", "dp-pca"))])
@pytest.mark.long
def test_so_do_other_methods_into_parquet(method, tmp_path, monkeypatch, caplog, capfd):
    frozen = Frozen(monkeypatch)
    variants = ONE | ODD
    found = outcomes(
        in_pandas,
        frozen,
        tmp_path,
        caplog,
        capfd,
        method=method,
        variants=variants,
        format="parquet",
    )
    assert "error" not in found["the usual"]
    assert differing(found) == {}
    assert frozen.replayed(len(variants))


def from_the_data(data):
    """A schema whose lists are what the records hold."""
    wards = sorted({str(value) for value in data["ward"]})
    columns = MIXED["columns"] | {"ward": MIXED["columns"]["ward"] | {"values": wards}}
    return MIXED | {"columns": columns}


def test_the_comparison_catches_a_domain_taken_from_the_data(tmp_path, monkeypatch, caplog, capfd):
    """Positive control."""
    frozen = Frozen(monkeypatch)
    found = outcomes(in_pandas, frozen, tmp_path, caplog, capfd, schema=from_the_data)
    assert "release.json" in differing(found)["the only member of a category"]
    assert "release.json" in differing(found)["the longest text"]


def test_the_comparison_catches_a_word_about_a_record(tmp_path, monkeypatch, caplog, capfd):
    """Positive control: a value that cannot be read is mentioned in the log, or raises."""
    text_of = read_levels.text_of

    def chatty(value):
        if value == "zz":
            logging.getLogger("sfumato").info("a value is not in the list")
        if value == "b":
            raise ValueError("bad value")
        return text_of(value)

    monkeypatch.setattr(read_levels, "text_of", chatty)
    found = differing(outcomes(in_pandas, Frozen(monkeypatch), tmp_path, caplog, capfd))
    assert found["unlisted values"] == ["said"]
    assert "error" in found["the only member of a category"]


@pytest.mark.parametrize("hold", [in_csv, in_parquet], ids=lambda hold: hold.__name__)
def test_the_command_says_the_same_and_leaves_the_same(hold, tmp_path, monkeypatch, capfd):
    frozen, found = Frozen(monkeypatch), {}
    for number, (name, changes) in enumerate(ONE.items()):
        place = tmp_path / str(number)
        place.mkdir()
        file = hold([*ROWS, USUAL | changes], place).name
        (place / "schema.yaml").write_text(sf.Schema.of(MIXED).to_yaml())
        monkeypatch.chdir(place)
        words = f"publish {file} --schema schema.yaml --epsilon 1 --seed 7 --release one"
        words += " --method modips -o release"
        monkeypatch.setattr(sys, "argv", ["sfumato", *words.split()])
        with pytest.raises(SystemExit) as left:
            cli.main()
        found[name] = files(place / "release") | {
            "said": capfd.readouterr(),
            "exit code": left.value.code or 0,
        }
        if frozen.script is None:
            frozen.keep()
    assert found["the usual"]["exit code"] == 0
    assert len(found["the usual"]) >= 5
    assert differing(found) == {}
    assert frozen.replayed(len(ONE))
