"""Which synopses a plan of mosaic can give: how many bins there may be, and how large counts."""

import json
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.methods.mosaic.method import plan
from sfumato.methods.mosaic.steps import Steps
from sfumato.privacy.budget import budget
from sfumato.schema.domain import Domain

ROWS, LARGEST = 3_000, 2**53
SCHEMA = {
    "name": "t",
    "columns": {
        "dose": {"kind": "integer", "low": 0, "high": 999, "missing": "allowed"},
        "city": {"kind": "category", "values": [f"c{k}" for k in range(30)], "other": "none"},
        "ten": {"kind": "integer", "low": 0, "high": 9},
        "gain": {"kind": "integer", "low": 0, "high": 9_999},
        "sex": {"kind": "category", "values": ["f", "m"], "other": "none"},
    },
}
ASKED = budget(rho="20")


@cache
def released():
    rng = np.random.default_rng(0)
    gain = np.where(rng.random(ROWS) < 0.3, 7_298, rng.integers(0, 9_999, ROWS))
    people = {
        "dose": rng.integers(0, 999, ROWS),
        "city": [f"c{k}" for k in rng.integers(0, 30, ROWS)],
        "ten": rng.integers(0, 9, ROWS),
        "gain": gain,
        "sex": rng.choice(["f", "m"], ROWS),
    }
    options = {"rho": "20", "model": "forest", "fit": False, "seed": 3}
    return json.dumps(sf.publish(pa.table(people), schema=SCHEMA, **options).synopsis)


def rebinned(group, axis="0"):
    """The synopsis with another way to take the fine bins of a column together."""
    synopsis, place = json.loads(released()), int(axis)
    ends = np.cumsum([0, *(max(bins) + 1 for bins in synopsis["bins"].values())])
    before, after = ends[place], ends[place + 1]
    bins, ones = max(group) + 1, np.array(synopsis["classes"])
    middle = np.ones((len(ones), bins), np.int64)
    classes = np.hstack([ones[:, :before], middle, ones[:, after:]])
    synopsis |= {"classes": classes.tolist()}
    synopsis["bins"][axis] = list(group)
    for pair in synopsis["pairs"]:
        shape = list(np.shape(pair["counts"]))
        for side in (0, 1):
            if pair["columns"][side] == place:
                shape[1 + side] = bins
                pair["counts"] = np.ones(shape, np.int64).tolist()
    return synopsis


@cache
def planned():
    domain = Domain.of(sf.Schema.of(SCHEMA))
    return plan(domain, ASKED, ROWS, "forest"), Steps(domain, ASKED, ROWS)


def group_of(axis):
    return json.loads(released())["bins"][axis]


def coarse(fine, bins):
    return [k * bins // fine for k in range(fine)]


def test_coarse_bins_are_as_many_as_the_plan_allows_and_no_more():
    what, steps = planned()
    most = steps.division.bins
    assert what.recount(json.loads(released())) == what.events
    fine = len(group_of("0")) - 1
    for bins, good in ((most, True), (most + 1, False), (fine, False)):
        synopsis = rebinned([*coarse(fine, bins), bins])  # and missing, which is no number
        if good:
            assert what.recount(synopsis) == what.events
        else:
            with pytest.raises(sf.ReleaseError, match="plan calls for"):
                what.recount(synopsis)


def test_what_needs_no_coarse_bins_has_none():
    what, steps = planned()
    assert steps.division.bins >= 10
    assert group_of("2") == list(range(10))
    with pytest.raises(sf.ReleaseError, match="plan calls for"):
        what.recount(rebinned(coarse(10, 9), "2"))
    assert what.recount(rebinned(list(range(10)), "2")) == what.events  # the control


PLACES = {
    "fine": ("columns", "0", 0),
    "runs": ("runs", "0", 0),
    "one-way": ("classes", 0, 0),
    "two-way": ("pairs", 0, "counts", 0, 0, 0),
    "codes": ("codes", "3", "counts", 0, 0),
}


@pytest.mark.parametrize("place", PLACES)
def test_counts_that_no_plan_gives_are_refused(place):
    what, _ = planned()

    def with_count(count):
        synopsis = json.loads(released())
        *way, last = PLACES[place]
        inside = synopsis
        for key in way:
            inside = inside[key]
        inside[last] = count
        return synopsis

    assert what.recount(with_count(LARGEST)) == what.events
    for count in (LARGEST + 1, -LARGEST - 1, 2**63 - 1, -(2**63), 2**63, 10**400):
        with pytest.raises(sf.ReleaseError, match="does not hold the tables"):
            what.recount(with_count(count))


@pytest.mark.parametrize("asked", [{"epsilon": "1e-16"}, {"rho": "1e-30"}])
def test_noise_that_could_reach_such_counts_is_refused_before_a_record_is_read(asked):
    domain = Domain.of(sf.Schema.of(SCHEMA))
    with pytest.raises(sf.ParameterError, match="too large"):
        plan(domain, budget(**asked), ROWS)
    for noise in Steps(domain, budget(epsilon="1e-9"), ROWS).noises:
        assert noise is None or 100 * noise.event.deviation < LARGEST  # the control
    assert plan(domain, budget(epsilon="1e-9"), ROWS).events
