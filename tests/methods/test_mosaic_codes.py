"""Heavy codes of mosaic: when they are looked for, what leaves the door, and what is refused."""

import json
from copy import deepcopy
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import poisson

import sfumato as sf
from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.tables import Tables
from sfumato.errors import ReleaseError
from sfumato.inspection.audit.mosaic_script import mosaic_script
from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.methods.mosaic.method import plan
from sfumato.methods.mosaic.steps import Steps
from sfumato.party.measuring import measured
from sfumato.privacy.budget import budget
from sfumato.privacy.randomness import SeededBits
from sfumato.schema.domain import Domain
from sfumato.synopsis.heavy import HeavyCodes
from sfumato.table.records import Records
from sfumato.table.source import open_source

SCHEMA = {
    "name": "t",
    "neighbours": "replace-one",
    "columns": {
        "age": {"kind": "integer", "low": 17, "high": 90},
        "gain": {"kind": "integer", "low": 0, "high": 9_999, "missing": "allowed"},
        "rich": {"kind": "boolean", "role": "label"},
    },
}
ROWS = 2_000
LITTLE = {"pure": {"epsilon": "400"}, "approximate": {"epsilon": "200", "delta": "1e-9"}}


@cache
def people():
    rng = np.random.default_rng(0)
    gain = np.where(rng.random(ROWS) < 0.6, 0, rng.choice([7_298, 7_301], ROWS))
    gain = np.where(rng.random(ROWS) < 0.1, rng.integers(0, 9_999, ROWS), gain)
    return pa.table({"age": rng.integers(17, 90, ROWS), "gain": gain, "rich": (gain == 7_298)})


def steps(rows=ROWS, neighbours="replace-one", revision=2, **asked):
    told = SCHEMA | {"neighbours": neighbours}
    return Steps(Domain.of(sf.Schema.of(told)), budget(**asked), rows, revision)


@cache
def released(kind):
    asked = LITTLE[kind] | {"model": "forest", "seed": 1, "fit": False}
    return sf.publish(people(), schema=SCHEMA, **asked)


def planned(kind="approximate"):
    return plan(Domain.of(sf.Schema.of(SCHEMA)), budget(**LITTLE[kind]), ROWS, "forest")


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("kind", LITTLE)
def test_codes_are_counted_where_noise_shows_heavy_ones_and_nothing_changes_where_not(
    kind, neighbours
):
    little = steps(neighbours=neighbours, **LITTLE[kind])
    assert [column.axis for column in little.coded] == [1]  # ages have a bin each
    assert little.division.codes == little.division.columns
    assert little.division.heavy <= 0.003 * ROWS
    assert [event.statistic for event in little.events][:2] == ["fine tables", "code tables"]
    much = steps(neighbours=neighbours, **(LITTLE[kind] | {"epsilon": "1"}))
    assert much.coded == ()
    assert "code tables" not in [event.statistic for event in much.events]
    assert not steps(revision=1, **LITTLE[kind]).coded


@pytest.mark.parametrize("epsilon", ["0.1", "1", "8"])
def test_codes_that_have_a_fine_bin_each_are_not_counted_again(epsilon):
    short = {"kind": "integer", "low": 0, "high": 30}
    columns = {"age": {"kind": "integer", "low": 0, "high": 89}}
    columns |= {f"c{k}": short for k in range(9)}
    what = Steps(
        Domain.of(sf.Schema.of({"name": "t", "columns": columns})), budget(epsilon=epsilon), 20_000
    )
    assert all(column.single for column in what.columns)
    assert what.coded == ()
    assert what.division.codes is None


SEEN = {"pure": {"epsilon": "2"}, "approximate": {"epsilon": "1", "delta": "1e-9"}}
RELEASES, EXPECTED, SLACK = 40, 0.01, 1.5


@pytest.mark.parametrize("kind", SEEN)
def test_noise_alone_makes_a_code_heavy_in_one_release_of_a_hundred(kind):
    """By the law of the noise, and as it is drawn with a false-alarm rate of 1e-6."""
    what, rows = steps(rows=100_000, neighbours="add-remove", **SEEN[kind]), 100_000
    cells, least = what.code_tables.counts.shape[0], what.division.heavy
    assert rows / 10_000 < least < 0.003 * rows  # so noise is what sets it
    noise = what.code_tables.noise.event.noise
    law = (DiscreteSum.gaussian if what.gaussian else DiscreteSum.laplace)(noise)

    def expected(threshold):
        return cells * law.tail(threshold, strict=True).upper

    assert expected(least) <= SLACK * EXPECTED
    assert expected(least / 2) > SLACK  # the control: half of it would be far too little
    (column,), found = what.coded, {least: 0, least / 2: 0}
    axis = what.layout.columns[column.axis]
    for _ in range(RELEASES):
        purse = RecordingPurse(budget(**SEEN[kind]))
        (noisy,) = what.code_tables.perturb(what.code_tables.counts.zero(), purse)
        for threshold in found:
            found[threshold] += len(HeavyCodes.above(threshold, noisy, column, axis).codes)
    assert found[least] <= poisson.isf(1e-6, RELEASES * SLACK * EXPECTED)
    assert found[least / 2] > RELEASES * SLACK


@pytest.mark.parametrize("kind", LITTLE)
def test_shared_values_stay_values_and_belong_to_their_class(kind):
    table, true = released(kind).table.to_pandas(), people().to_pandas()
    for value in (0, 7_298, 7_301):
        assert (table.gain == value).mean() == pytest.approx((true.gain == value).mean(), abs=0.01)
    assert table.rich[table.gain == 7_298].mean() > 0.95
    assert table.rich[table.gain == 7_301].mean() < 0.05
    assert (table.gain == 7_299).sum() < 10


@pytest.mark.parametrize("kind", LITTLE)
def test_what_leaves_the_door_is_above_the_threshold_and_verifies(kind, tmp_path):
    asked = LITTLE[kind] | {"model": "forest", "fit": False}
    release = sf.publish(people(), schema=SCHEMA, folder=tmp_path / "r", **asked)
    heavy = release.synopsis["codes"]["1"]
    least = steps(**LITTLE[kind]).division.heavy
    assert {0, 7_298, 7_301} <= set(heavy["codes"])
    assert (np.array(heavy["counts"]).max(axis=0) > least).all()
    assert len(heavy["codes"]) < 400  # of ten thousand
    assert all(check.passed for check in sf.verify(tmp_path / "r"))


def spoilt(change):
    synopsis = json.loads(json.dumps(released("approximate").synopsis))
    change(synopsis)
    return synopsis


def _one_more(synopsis, count):
    """A code with so many records, and bins as if it had been found."""
    heavy = synopsis["codes"]["1"]
    codes = heavy["codes"]
    new = next(c for c in range(9_000, 9_990) if {c - 1, c, c + 1}.isdisjoint(codes))
    at = sum(code < new for code in codes)
    codes.insert(at, new)
    for counts in heavy["counts"]:
        counts.insert(at, count)
    groups, edges = synopsis["bins"]["1"], set(synopsis["edges"]["1"])
    old = sorted(edges | {c + k for c in codes if c != new for k in (0, 1)})
    place = sum(edge <= new for edge in old) - 1
    groups[place:place] = [groups[place]] * (len({new, new + 1} - set(old)))


def test_a_synopsis_whose_codes_are_not_those_of_its_plan_is_refused():
    recount = planned().recount
    recount(spoilt(lambda synopsis: None))
    recount(spoilt(lambda synopsis: _one_more(synopsis, 1_000)))  # as good as any
    for change in (
        lambda synopsis: _one_more(synopsis, 0),
        lambda synopsis: synopsis["codes"]["1"]["codes"].reverse(),
        lambda synopsis: synopsis["codes"]["1"]["codes"].__setitem__(0, -5),
        lambda synopsis: synopsis["codes"]["1"]["counts"].pop(),
        lambda synopsis: synopsis["codes"].update({"0": {"codes": [], "counts": [[], []]}}),
        lambda synopsis: synopsis["codes"].update({"9": {"codes": [], "counts": [[], []]}}),
        lambda synopsis: synopsis["codes"]["1"].update(more=1),
        lambda synopsis: synopsis["codes"].clear(),
        lambda synopsis: synopsis.pop("codes"),
    ):
        with pytest.raises(ReleaseError):
            recount(spoilt(change))
    with pytest.raises(ReleaseError):  # of a plan that looks for none
        plan(Domain.of(sf.Schema.of(SCHEMA)), budget(epsilon=1), ROWS, "forest").recount(
            spoilt(lambda synopsis: None)
        )


def test_fine_tables_are_read_in_the_bins_that_were_planned():
    release = released("approximate")
    tables = Tables.of(release.certificate, release.synopsis)
    planned_bins = next(c for c in steps(**LITTLE["approximate"]).columns if c.axis == 1)
    assert tables.fine_bins("gain").bins == planned_bins.bins == len(tables.counts["gain"])
    assert len(release.synopsis["bins"]["1"]) > planned_bins.bins
    name = next(n for n in tables.counts["gain"] if n.startswith("0"))
    true = (people()["gain"].to_numpy() == 0).sum()
    assert abs(float(tables.counts["gain"][name].value) - true) < 30


def test_a_release_is_replayed_from_its_synopsis():
    release, records = released("pure"), Records(open_source(people()), planned().domain)
    script = mosaic_script(release.synopsis, Domain.of(release.certificate.public_schema))
    purse = RecordingPurse(planned("pure").guarantee, script)
    again = planned("pure").measure(records, purse)
    assert json.loads(json.dumps(again.to_json())) == json.loads(json.dumps(release.synopsis))


def test_parties_buy_codes_in_the_first_round():
    told = SCHEMA | {"neighbours": "add-remove"}
    asked = plan(Domain.of(sf.Schema.of(told)), budget(**LITTLE["approximate"]), ROWS, "forest")
    assert asked.rounds == (2, 2)
    assert len(asked.longest) == 4
    assert asked.longest[1] == 2 * 10_000
    records, known = Records(open_source(people()), asked.domain), []
    first = measured(asked, records, SeededBits(0), 1, known)
    assert [len(first[0]), len(first[1])] == list(asked.longest[:2])
    second = measured(asked, Records(open_source(people()), asked.domain), SeededBits(0), 1, first)
    assert all(len(a) <= most for a, most in zip(second, asked.longest[2:], strict=True))


@pytest.mark.parametrize("where", ["gain=7298", "gain=7000..8000", "rich=true"])
def test_only_some_codes_can_be_asked_for(where):
    asked = LITTLE["approximate"] | {"model": "forest", "seed": 1, "fit": False}
    table = sf.publish(people(), schema=SCHEMA, where=where, **asked).table.to_pandas()
    assert len(table)
    if where == "rich=true":
        assert (table.gain == 7_298).mean() > 0.9
    else:
        assert table.gain.between(7_000, 8_000).all()


@pytest.mark.parametrize(
    "rows", [{"gain": [None] * 3}, {"gain": [0] * 3}, {"gain": [9_999, 0, 5]}], ids=str
)
@pytest.mark.parametrize("label", [True, False])
def test_degenerate_tables_are_published_and_verified(rows, label, tmp_path):
    columns = deepcopy(SCHEMA["columns"])
    columns = {"gain": columns["gain"], **({"rich": columns["rich"]} if label else {})}
    table = pa.table(
        {"gain": pa.array(rows["gain"], pa.int64()), **({"rich": [True] * 3} if label else {})}
    )
    told = {"name": "t", "columns": columns}
    asked = {"epsilon": "1000000", "fit": False, "model": "forest", "folder": tmp_path / "r"}
    release = sf.publish(table, schema=told, **asked)
    assert "codes" in release.synopsis
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    assert set(release.table["gain"].to_pylist()) <= set(rows["gain"])
