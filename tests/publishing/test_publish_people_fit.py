"""Fit of persons in a release: its plan, what is stated and shown, where it stops, its check."""

from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from fit_world import KEY, layout_of
from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.fit import FALSE_ALARM, judge, reach
from sfumato.errors import MisfitError, ParameterError, ReleaseError, SchemaError
from sfumato.measure.fit import FitCounts
from sfumato.methods import METHODS
from sfumato.plan.fit import fitted_plan
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.fit import check_counts, counted_fit
from sfumato.release.fit import Fit, FitFacts
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.people.people import People
from sfumato.table.source import open_source
from visits_world import PEOPLE, ROWS, TWO_FILES, plan_for_persons, visits

WHOLE = 27_720
PATIENTS = 4_000


def planned(schema=PEOPLE, budget=None, **given):
    """By a method that says it does persons; nothing but its fit is looked at."""
    plan = plan_for_persons(schema)
    able = replace(
        METHODS["modips"], people=True, plan=lambda _, budget: replace(plan, budget=budget)
    )
    return fitted_plan(able, plan.domain, budget or PureDP(1), {}, None, **given)


def people_of(plan, table, **given):
    domain = plan.domain
    return People(open_source(table), domain, layout_of(domain), key=KEY, complaints=True, **given)


def counted(plan, table, seed=1, **given):
    purse = Purse(plan.guarantee, SeededBits(seed))
    purse.begin(plan.fit.counts.budget)
    return counted_fit(plan.fit, people_of(plan, table, **given), purse)


def with_days(share):
    """Four visits of each; of so many persons two are longer than any can be."""
    table, long = visits(PATIENTS), round(share * PATIENTS)
    days = [999 if k < 4 * long and k % 4 < 2 else 3 for k in range(4 * PATIENTS)]
    return table.set_column(table.column_names.index("days"), "days", pa.array(days))


@pytest.mark.parametrize(
    "budget", [PureDP(1), ApproxDP(1, "1e-9"), ZCDP("0.5")], ids=["pure", "approximate", "zcdp"]
)
def test_where_a_person_is_the_unit_the_counts_are_of_persons_at_the_same_price(budget):
    plan = planned(budget=budget)
    first = plan.events[0].in_units
    rows = FitCounts(Domain.of(Schema.of(ROWS)), plan.fit.counts.budget).noise.event
    assert (first.statistic, first.cost) == ("fit", rows.cost)
    assert (first.noise, first.sensitivity) == (rows.noise, rows.sensitivity)
    assert plan.fit.counts.tickets == WHOLE
    if isinstance(budget, ApproxDP):
        assert plan.fit.rest == ApproxDP(Fraction(49, 50), "1e-9")


def test_a_method_for_rows_is_refused_before_there_are_counts():
    with pytest.raises(SchemaError, match="makes a person with all of their rows the unit"):
        fitted_plan(METHODS["modips"], Domain.of(Schema.of(PEOPLE)), PureDP(1), {}, None)


def test_what_is_stated_is_in_tickets_and_what_is_shown_in_persons():
    """A tenth of the persons have half of their rows wrong: two hundred persons' rows."""
    plan = planned(budget=PureDP(50), misfit="0.2")
    facts = counted(plan, with_days(0.1))
    assert (facts.records, facts.tickets, facts.whole) == (PATIENTS, WHOLE, PATIENTS * WHOLE)
    found = Fit.of(facts)
    assert (found.records, found.persons, found.unit) == (PATIENTS, True, "persons' rows")
    (only,) = found.significant
    assert (only.column, only.complaint) == ("days", "above")
    assert only.low <= 200 <= only.high < 250
    assert found.fitting == pytest.approx(3_800, abs=50)
    assert found.reach == -(-facts.reach // WHOLE) < 50
    assert FitFacts.model_validate(facts.model_dump(mode="json", exclude_unset=True)) == facts


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_too_many_stop_it_with_words_of_persons(neighbours):
    plan = planned({**PEOPLE, "neighbours": neighbours}, PureDP(20))
    with pytest.raises(MisfitError) as error:
        counted(plan, with_days(0.4))
    said = str(error.value)
    assert "of the persons' rows do not fit the schema" in said
    assert "Column days: about " in said
    assert "persons' rows (between " in said
    assert "A person counts once in all: each of their rows counts as its part of them" in said
    assert "records do not fit" not in said
    assert counted(plan, with_days(0.04)) is not None


def test_of_two_files_a_file_of_persons_that_does_not_fit_stops_it_however_many_their_rows():
    """Of four rows and one of their own, the one is half of a person."""
    table = visits(PATIENTS)
    own = pa.table({"patient": list(range(PATIENTS)), "born": [1850] * PATIENTS})
    plan = planned(TWO_FILES, PureDP(20))
    with pytest.raises(MisfitError, match=r"about (49|50).* % of the persons' rows.*Column born"):
        counted(plan, table.drop_columns(["born"]), persons=open_source(own))


def test_the_chance_of_a_false_alarm_is_that_of_one_noise_at_its_exact_law():
    """Thirteen rows leave a remainder of tickets: it counts as fitting, so nothing is lost."""
    plan, persons = planned(), 1_000
    counts, event = plan.fit.counts, plan.fit.event
    table = (
        visits(10)
        .slice(0, 13)
        .drop_columns(["patient"])
        .append_column("patient", pa.array(["7"] * 13))
    )
    exact = counts.query(people_of(plan, table))
    assert exact.tolist() == [WHOLE] + [0] * len(counts.cells)

    def stops(total):
        cells = [{"column": c, "complaint": s.words, "count": 0} for c, s in counts.cells]
        given = {"share": "1/50", "misfit": "1/20", "records": persons, "tickets": WHOLE}
        given |= {"reach": reach(event, len(cells)), "fitting": persons * WHOLE - total}
        return judge(FitFacts.model_validate({**given, "misfits": cells}), event).stops

    low, high = 0, persons * WHOLE
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if stops(middle) else (middle, high)
    # When all rows of all persons fit, the total is minus the noise of one count.
    law = DiscreteSum.laplace(event.noise)
    assert law.tail(low if stops(low) else high).upper <= FALSE_ALARM
    assert law.tail((low if stops(low) else high) - 2).value > 0.999 * float(FALSE_ALARM)


@pytest.fixture(scope="module")
def release():
    plan = planned(budget=PureDP(20))
    return plan, counted(plan, with_days(0))


def changed(facts, **given):
    return FitFacts.model_validate(facts.model_dump(mode="json", exclude_unset=True) | given)


def test_counts_of_the_plan_verify(release):
    plan, facts = release
    for synopsis in (None, {}, {"persons": PATIENTS, "rows": 5}):
        check_counts(plan, facts, rows=16_001, synopsis=synopsis)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tickets": 100}, "another precision"),
        ({"tickets": None}, "another precision"),
        ({"reach": 1}, "another precision"),
        ({"records": None}, "another precision"),
        ({"records": PATIENTS - 1}, "another number of records"),
        ({"fitting": 2 * PATIENTS * WHOLE}, "none that their noise would make"),
        ({"fitting": 100}, "nothing would have been published"),
    ],
)
def test_counts_that_the_plan_would_not_have_made_do_not_verify(release, given, said):
    plan, facts = release
    with pytest.raises(ReleaseError, match=said):
        check_counts(plan, changed(facts, **given), rows=5, synopsis={"persons": PATIENTS})


def test_a_release_of_rows_states_no_tickets(tmp_path):
    told = sf.publish(visits(), schema=ROWS, epsilon=1, method="modips").certificate.to_json()
    assert set(told["fit"]) == {"share", "misfit", "records", "reach", "fitting", "misfits"}


def test_noise_beyond_what_can_be_drawn_is_refused_before_anything_is_read():
    with pytest.raises(ParameterError, match="noise on fit"):
        planned({**PEOPLE, "rows_per_person": 4096}, PureDP("1e-12"))
