"""lip and lop: corrected ones under their bounds, printed ones caught by their counterexamples."""

from itertools import combinations, product
from math import sqrt

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.example import CLINIC, clinic
from sfumato.measure.as_published import lip, lop
from sfumato.measure.projection import Projection
from sfumato.privacy.guarantee import Heuristic, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.render.components import leading
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.directions import Directions
from sfumato.table.records import Records
from sfumato.table.source import open_source

CLINIC_SCHEMA = Schema.parse(CLINIC)
CLINIC_FEATURES = 12
RUNS = 40


def numbers(width):
    """Columns from -1 to 1, whose centre is 0: the paper's records, twice as wide as ours."""
    columns = {f"x{j}": {"kind": "number", "low": -1, "high": 1} for j in range(width)}
    return {"name": "t", "columns": columns}


def table(X):
    return pa.table({f"x{j}": np.asarray(column, float) for j, column in enumerate(X.T)})


def rows(release):
    return np.column_stack([column.to_numpy() for column in release.table.columns])


# The printed algorithms.  With the same record elsewhere, a release that never occurs.

ZERO = np.vstack([np.eye(3)[[0, 1, 2, 0, 1, 2]], np.zeros(3), np.eye(3)[[0, 1, 2]]])
MOVED = np.vstack([ZERO[:6], np.eye(3)[:1], ZERO[7:]])


def zero_rows(X, *, as_published):
    """How often the seventh row comes back as exactly zero."""
    found = 0
    for seed in range(RUNS):
        release = sf.publish(
            table(X),
            schema=numbers(3),
            method="lip",
            epsilon=1,
            rank=1,
            as_published=as_published,
            accept_no_guarantee=as_published,
            seed=seed,
        )
        found += not rows(release)[6].any()
    return found


def test_printed_lip_tells_a_record_at_the_centre_from_another_with_certainty():
    assert zero_rows(ZERO, as_published=True) == RUNS
    assert zero_rows(MOVED, as_published=True) == 0


def test_corrected_lip_does_not():
    """The same event on the corrected method: noise on the row hides where it was."""
    assert zero_rows(ZERO, as_published=False) == 0


BALANCED = np.vstack([np.tile([1, 0], (51, 1)), np.tile([0, 1], (50, 1))])
TURNED = np.vstack([BALANCED[:50], [[0, 1]], BALANCED[51:]])


def empty_columns(X):
    """In how many runs the second column of the release is identically zero."""
    found = 0
    for seed in range(RUNS):
        release = sf.publish(
            table(X),
            schema=numbers(2),
            method="lop",
            epsilon=1,
            rank=1,
            as_published="true",
            accept_no_guarantee=True,
            seed=seed,
        )
        found += not rows(release)[:, 1].any()
    return found


def test_printed_lop_shows_which_of_two_neighbours_it_was_given():
    assert empty_columns(BALANCED) == RUNS
    assert empty_columns(TURNED) == 0


def test_corrected_lop_keeps_its_directions_whatever_the_records():
    public = table(np.vstack([BALANCED, BALANCED[:1]]))
    first, second = (
        sf.publish(table(X), schema=numbers(2), method="lop", epsilon=1, basis=public)
        for X in (BALANCED, TURNED)
    )
    assert first.synopsis == second.synopsis


def test_printed_lop_moves_its_coordinates_a_hundred_times_where_four_are_claimed():
    domain = Domain.of(Schema.of(numbers(2)))
    space = Centred.of(domain, "0.5")  # in this ball the records above are unit vectors
    published, found = lop(space, PureDP(1)), []
    for X in (BALANCED, TURNED):
        records = Records(open_source(table(X)), domain)
        _, V = leading(published.second(records, purse()), 2)
        directions = Directions.of(space, V[:1])
        coordinates = Projection(directions, PureDP(1)).query
        found.append(np.concatenate([*map(coordinates, records.parts())]) / directions.unit / 0.5)
    assert np.abs(found[0] - found[1]).sum() == pytest.approx(100)
    assert published.claimed_records / space.radius == 4


def purse():
    return Purse(Heuristic("a test"), SeededBits(0))


def test_the_noise_of_the_printed_algorithms_has_the_printed_scale():
    space = Centred.of(Domain.of(Schema.of(numbers(3))))
    (moments, records), square = lip(space, PureDP("0.5")).events, 0.75
    assert (float(moments.noise), records.mechanism) == (2 * 3 * square / 0.5, "exact")
    moments, records = lop(space, PureDP("0.5")).events
    assert moments.mechanism == "exact"
    assert float(records.noise) == pytest.approx(2 * 3 * sqrt(square) / 0.5)


def test_printed_lip_gives_the_records_back_when_every_component_is_kept():
    data = clinic(50).drop_columns(["patient"])
    release = sf.publish(
        clinic(50),
        schema=CLINIC_SCHEMA,
        method="lip",
        epsilon=1,
        rank=CLINIC_FEATURES,
        as_published=True,
        accept_no_guarantee=True,
    )
    assert all(release.table[name].equals(data[name]) for name in ("age", "pressure", "smoker"))


@pytest.mark.parametrize("method", ["lip", "lop"])
def test_printed_algorithms_are_refused_until_someone_accepts_that_nothing_is_promised(
    method, tmp_path
):
    given = {"schema": CLINIC_SCHEMA, "method": method, "epsilon": 1, "as_published": True}
    with pytest.raises(ParameterError, match=r"promises nothing.*accept-no-guarantee"):
        sf.publish(clinic(50), **given)
    release = sf.publish(
        clinic(50), **given, rank=2, accept_no_guarantee=True, folder=tmp_path / "r"
    )
    assert isinstance(release.guarantee, Heuristic)
    assert "NOT PRIVATE" in release.certificate.warnings[0]
    assert {event.cost.label for event in release.certificate.events} == {Heuristic.label}
    assert all(check.passed for check in sf.verify(tmp_path / "r"))


@pytest.mark.parametrize("budget", [{"epsilon": 1, "delta": 1e-6}, {"rho": 1}])
@pytest.mark.parametrize("method", ["lip", "lop"])
def test_printed_algorithms_are_for_a_pure_epsilon(method, budget):
    with pytest.raises(ParameterError, match="pure epsilon"):
        sf.price(CLINIC_SCHEMA, method=method, as_published=True, **budget)


@pytest.mark.parametrize(
    ("method", "option"), [("lip", "split"), ("lip", "means"), ("lop", "basis")]
)
def test_printed_algorithms_have_no_options_of_the_corrected_ones(method, option):
    with pytest.raises(ParameterError, match=f"as published has no {option}"):
        sf.price(numbers(2), method=method, epsilon=1, as_published=True, **{option: "0.5"})


# The corrected ones.

MIXED = {
    "name": "m",
    "columns": {
        "x": {"kind": "integer", "low": 0, "high": 2},
        "y": {"kind": "boolean"},
        "u": {"kind": "category", "values": ["a", "b", "c"]},
        "v": {"kind": "category", "values": ["p", "q", "r"]},
    },
}


@pytest.mark.parametrize("radius", [None, "0.9"])
@pytest.mark.parametrize("rank", [1, 3])
def test_no_two_records_are_further_apart_than_the_noise_is_made_for(rank, radius, rng):
    space = Centred.of(Domain.of(Schema.of(MIXED)), radius)
    U = np.linalg.qr(rng.normal(size=(len(space), rank)))[0].T
    projection = Projection(Directions.of(space, U), PureDP(1))
    codes = np.array(list(product(range(3), range(2), range(3), range(3))), np.int32)
    Y = projection.query(codes) / projection.directions.unit
    moved = projection.noise.sensitivity
    found = max(np.abs(a - b).sum() for a, b in combinations(Y, 2))
    assert found <= float(moved.l1)
    assert max(((a - b) ** 2).sum() for a, b in combinations(Y, 2)) <= float(moved.l2_squared)
    if radius is None:
        assert found == pytest.approx(float(moved.l1), rel=1e-9)  # so half of it would not do


def flat(rank, width, rng):
    """Directions that hardly tell the levels of a block apart: drawing in is all that shows."""
    U = rng.normal(size=(rank, width)) * 0.01
    U[:, 2:5] += 1 / np.sqrt(3)
    return U / np.linalg.norm(U, axis=1, keepdims=True)


@pytest.mark.parametrize("radius", ["0.5", "0.9", "1", "1.3"])
@pytest.mark.parametrize("rank", [1, 2, 13])
def test_records_drawn_in_move_along_a_block_that_does_not_change(rank, radius, rng):
    space = Centred.of(Domain.of(Schema.of(MIXED)), radius)
    codes = np.array(list(product(range(3), range(2), range(3), range(3))), np.int32)
    for _ in range(20):
        directions = Directions.of(space, flat(rank, len(space), rng) / np.sqrt(rank))
        Y = Projection(directions, PureDP(1)).query(codes) / directions.unit
        found = max(np.abs(a - b).sum() for a, b in combinations(Y, 2))
        assert found <= float(directions.sensitivity.l1)


def test_the_box_alone_would_claim_a_small_part_of_what_drawing_in_moves():
    """Positive control of the test above: without the origin as a level it must fail."""
    w = 1 / np.sqrt(3)
    U = np.array([[0.001, 0, w, w, w, 0, 0, 0]])
    ball, box = (Centred.of(Domain.of(Schema.of(MIXED)), radius) for radius in ("1", None))
    codes = np.array(list(product(range(3), range(2), range(3), range(3))), np.int32)
    drawn = Projection(Directions.of(ball, U), PureDP(1))
    Y = drawn.query(codes) / drawn.directions.unit
    found = np.ptp(Y)
    assert found > 20 * float(Directions.of(box, U).sensitivity.l1)
    assert found <= float(drawn.noise.sensitivity.l1)


@pytest.mark.parametrize("method", ["lip", "lop"])
def test_with_a_budget_beyond_noise_and_all_components_the_table_comes_back(method):
    given = {"basis": clinic(300, seed=9)} if method == "lop" else {"split": "0.5"}
    release = sf.publish(
        clinic(200), schema=CLINIC_SCHEMA, method=method, epsilon=10**13, rank=12, **given
    )
    original = clinic(200)
    for name in ("age", "sex", "pressure", "smoker", "outcome", "admitted"):
        assert release.table[name].to_pylist() == original[name].to_pylist()


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"epsilon": 1, "delta": 1e-6}, {"rho": "0.1"}])
@pytest.mark.parametrize("radius", [None, "1.2"])
def test_a_release_of_lip_can_be_recounted_from_its_synopsis(budget, radius, tmp_path):
    release = sf.publish(
        clinic(300),
        schema=CLINIC_SCHEMA,
        method="lip",
        radius=radius,
        folder=tmp_path / "r",
        **budget,
    )
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    assert [event.statistic for event in release.certificate.events] == [
        "fit",
        "second moments",
        "sums",
        "projected records",
    ]
    planned = sf.price(CLINIC_SCHEMA, method="lip", radius=radius, **budget)
    assert planned.events[-1].noise is None  # the directions are not known yet


def test_the_share_of_variance_decides_the_rank_of_lip():
    few, many = (
        sf.publish(
            clinic(3_000), schema=CLINIC_SCHEMA, method="lip", epsilon=100, alpha=alpha, seed=1
        )
        for alpha in ("0.3", "0.99")
    )
    assert 1 <= len(few.synopsis["directions"]) < len(many.synopsis["directions"])


def test_lop_takes_its_components_from_public_data_and_says_so(tmp_path):
    release = sf.publish(
        clinic(300),
        schema=CLINIC_SCHEMA,
        method="lop",
        epsilon=1,
        rank=2,
        basis=clinic(400, seed=3),
        folder=tmp_path / "r",
    )
    assert release.certificate.options["basis"]["rows"] == 400
    assert [float(event.cost.epsilon) for event in release.certificate.events] == [0.02, 0.98]
    assert all(check.passed for check in sf.verify(tmp_path / "r"))


def test_lop_reads_its_basis_from_a_file_or_takes_it_spelt_out(tmp_path):
    pacsv.write_csv(clinic(100, seed=3), tmp_path / "public.csv")
    given = {"method": "lop", "epsilon": 1, "rank": 2}
    plan = sf.price(CLINIC_SCHEMA, basis=tmp_path / "public.csv", **given)
    again = sf.price(CLINIC_SCHEMA, basis=plan.options["basis"], **given)
    assert plan.terms.digest() == again.terms.digest()


def test_a_public_basis_is_said_to_be_free_and_on_the_owners_word():
    plan = sf.price(CLINIC_SCHEMA, method="lop", epsilon=1, basis=clinic(100, seed=3))
    assert [event.statistic for event in plan.measured] == ["projected records"]
    assert any("owner's word" in limit for limit in plan.limits)


def test_lop_without_a_basis_is_refused_with_the_remedy():
    with pytest.raises(ParameterError, match=r"give basis \(--basis\), or use lip"):
        sf.price(CLINIC_SCHEMA, method="lop", epsilon=1)


def test_a_basis_that_cannot_be_one_is_refused():
    with pytest.raises(DataError, match="two records"):
        sf.price(CLINIC_SCHEMA, method="lop", epsilon=1, basis=clinic(1))


@pytest.mark.parametrize("method", ["lip", "lop"])
def test_add_remove_is_refused(method):
    known = CLINIC_SCHEMA.model_copy(update={"neighbours": "add-remove"})
    given = {"basis": clinic(100)} if method == "lop" else {}
    with pytest.raises(SchemaError, match="one row per record"):
        sf.price(known, method=method, epsilon=1, **given)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("rank", 0),
        ("rank", 13),
        ("alpha", "1.5"),
        ("split", 1),
        ("split", "half"),
        ("means", -1),
        ("radius", 0),
        ("as_published", "perhaps"),
    ],
)
def test_an_impossible_option_is_refused_by_name(option, value):
    with pytest.raises(ParameterError, match=f"{option} must be"):
        sf.price(CLINIC_SCHEMA, method="lip", epsilon=1, **{option: value})
