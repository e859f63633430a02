"""What a recipient may say of a release by person, beside what the made-up persons hold."""

import json
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import sfumato as sf
from sfumato.accuracy.noisy import law_of
from sfumato.accuracy.people_tables import Tickets
from sfumato.accuracy.published import published
from sfumato.errors import ParameterError, ReleaseError
from sfumato.measure.panel import PanelTables
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits

PERSONS = 1_500
COLUMNS = {
    "who": {"kind": "id"},
    "sex": {"kind": "category", "values": ["f", "m"], "per": "person"},
    "year": {"kind": "integer", "low": 2010, "high": 2025},
    "ward": {"kind": "category", "values": ["eyes", "heart", "skin"]},
    "cost": {"kind": "integer", "low": 0, "high": 40},
}
ONE = {"name": "visits", "person": "who", "rows_per_person": 8, "order": "year", "columns": COLUMNS}
TWO = {
    "name": "visits",
    "tables": {"persons": {"key": "who"}, "events": {"person": "who", "order": "year"}},
    "rows_per_person": 8,
    "columns": COLUMNS,
}


def visits(most: int = 6) -> tuple[pa.Table, np.ndarray, np.ndarray]:
    """Rows, of whom each is, and what part of its person."""
    rng = np.random.default_rng(5)
    counts = rng.integers(1, most + 1, PERSONS)
    who = np.repeat(np.arange(PERSONS), counts)
    nth = np.concatenate([np.arange(count) for count in counts])
    table = pa.table(
        {
            "who": who,
            "sex": np.where(who % 3 == 0, "f", "m"),
            "year": 2010 + nth,
            "ward": np.where(nth == 0, "heart", rng.choice(["eyes", "skin"], len(who))),
            "cost": (nth * 5 + rng.integers(0, 8, len(who))).clip(0, 40),
        }
    )
    return table, who, 1 / counts[who]


@pytest.fixture(scope="module")
def release() -> sf.Release:
    return sf.publish(visits()[0], schema=ONE, rho=1, seed=2, fit=False)


def test_intervals_hold_what_is_true_of_rows_as_parts_of_their_persons(release: sf.Release) -> None:
    table, _, weight = visits()
    answers = release.accuracy(count={"ward": "heart", "sex": "f"}, mean=["cost", "number of rows"])
    ward, sex, cost, rows = (answer.figures for answer in answers)
    heart = weight @ (table["ward"].to_numpy() == "heart")
    assert ward["low"] <= heart <= ward["high"]
    assert (
        ward["high"] - ward["low"]
        < 100
        < abs(heart - np.mean(table["ward"].to_numpy() == "heart") * PERSONS)
    )
    assert sex["low"] <= PERSONS / 3 <= sex["high"]
    assert cost["low"] <= weight @ table["cost"].to_numpy() / PERSONS <= cost["high"]
    assert rows["low"] <= table.num_rows / PERSONS <= rows["high"]


def test_every_statement_says_what_it_counts(release: sf.Release) -> None:
    said = repr(release.accuracy(count={"ward": "heart"}, mean="cost", largest="ward"))
    assert "persons' rows, each person counting once, by the noisy counts" in said
    assert "by the noisy counts, each person counting once. With confidence" in said
    assert "each of their rows, of which at most 8 are used, as an equal part of it." in said
    of_persons = repr(release.accuracy(count={"sex": "f"}, column="number of rows"))
    assert "each person counting once" not in of_persons
    assert "each of 9 counts of persons is within" in of_persons


def test_the_noise_on_tickets_is_that_of_the_certificate_in_persons(release: sf.Release) -> None:
    tables = published(release).tables
    (event,) = (e for e in release.certificate.events if e.statistic == "one-way tables")
    cell = published(release).cells("ward")["heart"]
    assert cell.entries.sizes(cell) == [event.noise]
    assert cell.law.deviation == pytest.approx(event.deviation, rel=1e-6)
    assert tables is not None
    assert tables.unit == Fraction(1, 27_720)


def test_a_pair_is_answered_from_its_own_table(release: sf.Release) -> None:
    found = published(release)
    pair = found.pair("sex", "ward")
    table, _, weight = visits()
    true = weight @ ((table["sex"].to_numpy() == "f") & (table["ward"].to_numpy() == "heart"))
    low, high = pair.cell("f", "heart").interval("0.9999")
    assert low <= true <= high < low + 200


def test_who_has_no_row_is_counted_as_missing_in_what_rows_hold() -> None:
    rows, _, _ = visits()
    persons = pa.table({"who": np.arange(2 * PERSONS), "sex": ["f"] * (2 * PERSONS)})
    asked = {"persons": persons, "events": rows.drop_columns(["sex"])}
    release = sf.publish(asked, schema=TWO, rho=1, seed=2, fit=False)
    asked_for = {"ward": "(missing)", "number of rows": "0"}
    gone, none = release.accuracy(confidence="0.999999", count=asked_for)
    for answer in (gone, none):
        assert answer.figures["low"] <= PERSONS <= answer.figures["high"] < PERSONS + 200
    assert "who has no row counts as missing" in release.accuracy(mean="cost").as_read


@pytest.mark.parametrize("asked", [{"epsilon": 8}, {"rho": 1}])
def test_a_number_of_persons_that_is_hidden_is_told_by_the_table_of_fewest_cells(
    asked: dict[str, int],
) -> None:
    hidden = {**ONE, "neighbours": "add-remove"}
    release = sf.publish(visits()[0], schema=hidden, seed=2, fit=False, **asked)
    total = published(release).total
    assert total is not None
    assert not total.public
    low, high = total.interval("0.9999")
    assert low <= PERSONS <= high < low + 200


@pytest.mark.long
def test_where_parts_are_rounded_no_public_number_of_persons_is_used_and_the_limit_is_said() -> (
    None
):
    long = {**ONE, "rows_per_person": 64}
    release = sf.publish(visits(16)[0], schema=long, rho=1, seed=2, fit=False)
    answers = release.accuracy(count={"ward": "heart"})
    assert "which is public" not in repr(answers)
    assert "rounding takes less than 1 in 108 of whoever has more than 12 rows" in answers.as_read


def test_a_number_that_rests_on_the_number_of_persons_allows_for_what_is_rounded_off() -> None:
    def far(lost: Fraction) -> tuple[float, float]:
        one = Fraction(1, 60)
        entries = Tickets(np.array([600]), "gaussian", Fraction(60), (), (Fraction(60),),
                          whole=60, lost=lost)  # fmt: skip
        rest = entries.known(Fraction(100), one) - entries.total([0], one)
        return rest.interval("0.95")

    exact, rounded = far(Fraction(0)), far(Fraction(1, 50))
    assert rounded[0] == pytest.approx(exact[0] - 2)
    assert rounded[1] == exact[1]


def test_what_cannot_be_asked_is_refused_with_what_can(release: sf.Release) -> None:
    with pytest.raises(ParameterError, match="there are: sex, number of rows, year, ward, cost"):
        release.accuracy(column="who")
    with pytest.raises(ParameterError, match="no sum of ward was published; there are sums of: "):
        release.accuracy(mean="ward")
    with pytest.raises(ReleaseError, match="here a person is the unit: declare what must hold"):
        sf.accuracy.suggest_constraints(release)


def test_a_synopsis_without_one_of_its_tables_is_refused(release: sf.Release) -> None:
    damaged = json.loads(json.dumps(release.synopsis))
    del damaged["tables"]["columns"]["1"]
    broken = sf.Release(release.certificate, synopsis=damaged, table=release.table)
    with pytest.raises(ReleaseError, match="not what Sfumato writes"):
        broken.accuracy()


def test_tables_of_persons_are_refused_where_no_person_is_the_unit(release: sf.Release) -> None:
    record = {"name": "t", "columns": {"a": {"kind": "boolean"}}}
    plain = sf.publish(pa.table({"a": [True, False]}), schema=record, epsilon=1, fit=False)
    forged = sf.Release(plain.certificate, synopsis=release.synopsis, table=plain.table)
    with pytest.raises(ReleaseError, match="not what Sfumato writes"):
        forged.accuracy()


@pytest.mark.parametrize("budget", [sf.PureDP("0.5"), sf.ZCDP("0.05")], ids=["laplace", "gaussian"])
def test_the_noise_that_is_drawn_on_tickets_stays_within_its_interval_and_not_within_less(
    budget: sf.PureDP | sf.ZCDP,
) -> None:
    bought, cells = PanelTables("one-way tables", 1, 27_720, "replace-one", budget), 3_000
    (noise,) = bought.perturb([np.zeros(cells, np.int64)], Purse(budget, SeededBits(3)))
    event = bought.noise.event
    kind, size = law_of(event)
    in_tickets = size * 27_720 ** (1 if kind == "laplace" else 2)
    entries = Tickets(noise, kind, in_tickets, (), (in_tickets,), whole=27_720, lost=Fraction(0))
    reach = entries.total([0], Fraction(1, 27_720)).law.two_sided("0.05")
    outside = [int((np.abs(noise) / 27_720 > share * reach).sum()) for share in (1.0, 0.8)]
    assert binom.sf(outside[0] - 1, cells, 0.05) > 1e-6
    assert binom.sf(outside[1] - 1, cells, 0.05) < 1e-6
