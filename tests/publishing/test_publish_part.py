"""A part of a table: read alone, certified, charged apart, and hidden as well as is promised."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from neighbours import schema, table, text_rows, typed_rows
from sfumato.errors import BudgetError, DataError, ReleaseError
from sfumato.inspection.audit.coupled import replay
from sfumato.ledger import Ledger
from sfumato.plan.part import DeclaredPart
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.table import price, publish_plan
from sfumato.release.digest import digest
from sfumato.schema.domain import Domain
from sfumato.table.encode import encode
from sfumato.table.records import Records
from sfumato.table.source import columns_of, open_source

SCHEMA = {
    "name": "visits",
    "neighbours": "add-remove",
    "columns": {
        "region": {"kind": "category", "values": ["North", "South"], "missing": "allowed"},
        "area": {"kind": "category", "values": ["North", "South"], "missing": "allowed"},
        "sick": {"kind": "boolean"},
    },
}
RNG = np.random.default_rng(7)
VISITS = pa.table(
    {
        "region": RNG.choice(["North", "South", "elsewhere"], 300),
        "area": RNG.choice(["North", "South"], 300),
        "sick": RNG.random(300) < 0.3,
    }
)
NORTH = VISITS.filter(pa.array([r == "North" for r in VISITS["region"].to_pylist()]))


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as made:
        made.grant("visits", sf.PureDP(1), reason="approved")
        yield made


def publish(data=VISITS, part="region=North", epsilon=1, **given):
    return sf.publish(data, schema=SCHEMA, epsilon=epsilon, part=part, **given)


def spent(ledger, dataset="visits"):
    return ledger.balance(dataset).spent.micro_epsilon / 10**6


# What is read.


def sources(tmp_path):
    pacsv.write_csv(VISITS, tmp_path / "visits.csv")
    pq.write_table(VISITS, tmp_path / "visits.parquet")
    view = VISITS.schema.field("region").with_type(pa.string_view())
    return {
        "arrow": VISITS,
        "views": VISITS.cast(VISITS.schema.set(0, view)),
        "dictionaries": VISITS.set_column(0, "region", VISITS["region"].dictionary_encode()),
        "pandas": VISITS.to_pandas(),
        "categories": VISITS.to_pandas().astype({"region": "category"}),
        "polars": pl.from_arrow(VISITS),
        "csv": tmp_path / "visits.csv",
        "parquet": tmp_path / "visits.parquet",
    }


def test_a_release_of_a_part_is_one_of_its_records_alone_from_whatever_source(tmp_path):
    alone = sf.publish(NORTH, schema=SCHEMA, epsilon=1, seed=1, method="modips")
    for kind, data in sources(tmp_path).items():
        release = publish(data, seed=1, method="modips")
        assert release.synopsis == alone.synopsis, kind
    assert isinstance(publish(VISITS.to_pandas(), seed=1).data, pd.DataFrame)


@pytest.mark.long
@settings(max_examples=20)
@given(st.lists(st.one_of(typed_rows(), text_rows()), min_size=1, max_size=4), st.data())
def test_every_record_is_in_exactly_one_of_two_parts_whoever_else_is_there(rows, data):
    """As absurd as values may be, and whether it is read alone or among others."""
    domain = Domain.of(schema(neighbours="add-remove"))
    axis = data.draw(st.sampled_from(domain.axes))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=3, max_size=3)))
    mask = np.resize(mask, axis.codes)
    part, rest = (DeclaredPart(domain, axis, "", side) for side in (mask, ~mask))
    names = tuple(a.name for a in domain.axes)

    def read(one, records):
        found = columns_of(one.of_source(open_source(table(records))), names)
        return [encode(domain, batch).tolist() for batch in found.to_batches() if batch.num_rows]

    for one in (part, rest):
        alone = [code for row in rows for found in read(one, [row]) for code in found]
        assert alone == [code for found in read(one, rows) for code in found]
    assert all(len(read(part, [row])) + len(read(rest, [row])) == 1 for row in rows)


def test_what_is_measured_is_the_table_that_is_known(tmp_path):
    """A file that is changed between two passes would be measured under another fingerprint."""
    facts = {
        "name": "t",
        "neighbours": "add-remove",
        "columns": {"region": {"kind": "category", "values": ["N", "S"]}},
    }
    ledger = sf.Ledger.create(tmp_path / "l.db")
    ledger.grant("t", sf.PureDP(1), reason="approved")
    file = tmp_path / "t.csv"

    def write(region):
        file.write_text("region\n" + f"{region}\n" * 50)

    def change(what, rows):
        if what == "read" and rows:
            write("N")

    write("N")
    asked = {"schema": facts, "epsilon": 1, "ledger": ledger}
    sf.publish(file, part="region=N", **asked)
    write("S")
    with pytest.raises(BudgetError, match="with other records"):
        sf.publish(file, part="region=S", **asked, progress=change)


# What is hidden: every table of up to two records, every record more, every outcome nearby.


def exact_law(values, plans):
    """Exact counts and scales of all that is released, as the code that publishes draws it."""
    data = pa.table({"a": pa.array(values, pa.bool_())})

    def measured(given):
        for plan in plans:
            records = Records(plan.part.of_source(open_source(given)), plan.domain)
            plan.measure(records, Purse(plan.budget, SeededBits(0)))

    calls = replay(measured, data, 0).trace.calls
    scales = [float(call.laws[k][1]) for call in calls for k in call.law]
    return np.concatenate([call.exact for call in calls]), np.array(scales)


def worst_loss(one, other, plans):
    """The largest log-ratio of the chances of an outcome; noise is discrete Laplace."""
    (exact, scale), (moved, _) = exact_law(one, plans), exact_law(other, plans)
    outcomes = np.array(list(product(range(-1, 4), repeat=len(exact))))
    ratios = (np.abs(outcomes - moved) - np.abs(outcomes - exact)) / scale
    return np.abs(ratios.sum(axis=1)).max()


BIT = {"name": "t", "neighbours": "add-remove", "columns": {"a": {"kind": "boolean"}}}


@pytest.mark.parametrize(("one", "other"), [("1", "0.5"), ("1", "1"), ("0.25", "2")])
def test_two_parts_lose_as_much_as_the_dearer_one_and_more_if_a_record_moves(one, other, tmp_path):
    plans = [
        price(BIT, epsilon=epsilon, part=f"a={value}", fit=False)
        for value, epsilon in (("true", one), ("false", other))
    ]
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("t", sf.PureDP(9), reason="test")
        for k, plan in enumerate(plans):
            publish_plan(plan, pa.table({"a": [True, False]}), ledger=ledger, release=f"r{k}")
        stated = spent(ledger, "t")
    tables = [t for n in range(3) for t in combinations_with_replacement((True, False), n)]
    added = [(t, (*t, record)) for t in tables for record in (True, False)]
    found = max(worst_loss(*pair, plans) for pair in added)
    assert found == pytest.approx(stated) == pytest.approx(max(float(one), float(other)))
    # Which is why replace-one is refused.
    assert worst_loss((True,), (False,), plans) == pytest.approx(float(one) + float(other))


# What it costs.


@pytest.mark.long
def test_parts_of_one_table_cost_their_maximum_and_verify(ledger, tmp_path):
    for part in ("region=North", "region=South", "region="):
        release = publish(part=part, ledger=ledger, folder=tmp_path / part)
        assert release.certificate.part == dict([part.split("=")])
        assert all(check.passed for check in sf.verify(tmp_path / part, ledger=ledger))
    assert spent(ledger) == 1
    assert ledger.verify()
    for part in ("region=North|South", "area=North", None):
        with pytest.raises(BudgetError, match="left"):
            publish(part=part, epsilon="0.1", ledger=ledger)


def test_another_schema_or_a_renamed_column_is_no_way_to_pay_less(ledger):
    publish(ledger=ledger)
    wider = {**SCHEMA["columns"], "area": SCHEMA["columns"]["area"] | {"values": ["North", "S"]}}
    swapped = {
        {"region": "area", "area": "region"}.get(name, name): column
        for name, column in SCHEMA["columns"].items()
    }
    for columns in (wider, swapped):
        with pytest.raises(BudgetError, match="epsilon 0 left for region=South"):
            sf.publish(
                VISITS,
                schema=SCHEMA | {"columns": columns},
                epsilon="0.5",
                part="region=South",
                ledger=ledger,
            )
    assert spent(ledger) == 1


def test_columns_that_changed_places_or_records_that_changed_are_another_table(ledger):
    publish(ledger=ledger)
    others = {
        "columns": VISITS.rename_columns(["area", "region", "sick"]),
        "a record": pa.concat_tables([VISITS, VISITS.slice(0, 1)]),
    }
    for name, data in others.items():
        with pytest.raises(BudgetError, match="only parts of one table cost their maximum"):
            publish(data, part="region=South", ledger=ledger, release=name)
        assert ledger.entry(name).state == "reserved"
        ledger.refund(name, reason="another table")
    shuffled = VISITS.take(pa.array(RNG.permutation(300)))
    publish(shuffled.to_pandas(), part="region=South", ledger=ledger)
    assert spent(ledger) == 1


def test_the_same_table_is_known_by_any_of_its_parts_under_another_name(ledger):
    publish(ledger=ledger)
    ledger.grant("copy", sf.PureDP(1), reason="approved")
    with pytest.raises(BudgetError, match="already known as 'visits'"):
        sf.publish(
            VISITS, schema=SCHEMA | {"name": "copy"}, epsilon=1, part="area=South", ledger=ledger
        )


def test_of_many_at_once_as_many_win_as_each_part_can_pay(tmp_path, ledger):
    def attempt(number):
        part = f"region={('North', 'South')[number % 2]}"
        try:
            with Ledger(tmp_path / "budget.db") as mine:
                publish(part=part, ledger=mine)
        except BudgetError:
            return None
        return part

    with ThreadPoolExecutor(6) as pool:
        won = [part for part in pool.map(attempt, range(6)) if part]
    assert sorted(won) == ["region=North", "region=South"]
    assert spent(ledger) == 1
    ledger.verify()


def test_records_of_another_part_are_no_public_basis():
    bits = {name: RNG.random(400) < 0.5 for name in "gy"}
    numbers = pa.table({name: RNG.random(400) for name in "xz"} | bits)
    column = {"kind": "number", "low": 0, "high": 1}
    columns = {"x": column, "z": column, "g": {"kind": "boolean"}}
    columns["y"] = {"kind": "boolean", "role": "label"}
    others = numbers.filter(pa.array([not g for g in numbers["g"].to_pylist()]))
    with pytest.raises(DataError, match="rows of the data that is to be protected"):
        sf.publish(
            numbers,
            schema={"name": "n", "neighbours": "add-remove", "columns": columns},
            method="pca-gauss-mixture",
            epsilon=1,
            part="g=true",
            basis=others,
        )


# What is said of it.


def resealed(folder, change):
    paper = json.loads((folder / "release.json").read_text())
    change(paper)
    files, _ = paper.pop("files"), paper.pop("seal")
    paper |= {"files": files, "seal": digest(paper)}
    (folder / "release.json").write_text(json.dumps(paper))


@pytest.mark.parametrize(
    "change",
    [
        lambda paper: paper.pop("part"),
        lambda paper: paper.update(part={"region": "South"}),
        lambda paper: paper.update(part={"region": " North"}),
        lambda paper: paper.update(part={"area": "North"}),
        lambda paper: paper.update(part={"region": "Atlantis"}),
        lambda paper: paper.update(part={}),
        lambda paper: paper.update(part={"region": "North", "area": "North"}),
        lambda paper: paper.update(part=None),
        lambda paper: paper.update(part="region=North"),
    ],
)
def test_a_certificate_of_another_part_is_caught_even_if_it_is_sealed_anew(
    change, ledger, tmp_path
):
    publish(ledger=ledger, folder=tmp_path / "r")
    copy = shutil.copytree(tmp_path / "r", tmp_path / "copy")
    resealed(copy, change)
    try:
        failed = {check.name for check in sf.verify(copy, ledger=ledger) if not check.passed}
    except ReleaseError:  # no certificate at all
        return
    assert {"plan", "ledger"} <= failed


def test_a_ledger_that_charged_another_part_does_not_bear_the_release_out(ledger, tmp_path):
    folder = tmp_path / "r"
    publish(ledger=ledger, folder=folder, release="r")
    certificate = sf.Release.load(folder).certificate
    with Ledger.create(tmp_path / "other.db") as other:
        other.grant("visits", sf.PureDP(1), reason="approved")
        terms = price(SCHEMA, epsilon=1, part="region=South").terms
        other.reserve(
            "r",
            "visits",
            terms.guarantee,
            plan=terms.digest(),
            protects=terms.protects,
            table_part=terms.part,
        )
        other.draw("r", b"all records of the table")
        core = certificate.to_json()
        del core["files"], core["seal"]
        core["ledger"] = {"id": other.ledger_id, "head": other.head}
        resealed(folder, lambda paper: paper.update(ledger=core["ledger"]))
        other.settle("r", digest(core))
        found = {check.name: check for check in sf.verify(folder, ledger=other)}
        assert found["plan"].passed
        assert "another part of the table" in found["ledger"].detail


def test_an_inspection_is_of_the_records_of_the_part():
    overview = sf.inspect(publish(seed=1), VISITS)
    assert overview.records == NORTH.num_rows


@pytest.mark.long
def test_the_page_says_which_part_it_is_about():
    page = sf.report_page(publish()).decode()
    assert "Part of the table" in page
    assert "Only records with region=North were read" in page
