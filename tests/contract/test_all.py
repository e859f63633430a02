"""The common promises: every registered method is held to each of them."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from cases import CASES, ROWS
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from recording import RecordingPurse

import sfumato as sf
from neighbours import records, table, text_rows, typed_rows
from sfumato.errors import BudgetError, ParameterError
from sfumato.methods import METHODS
from sfumato.privacy.budget import budget
from sfumato.privacy.guarantee import Seeded
from sfumato.publishing.table import price
from slowness import slow

DOCS = Path(__file__).parents[2] / "docs"
everywhere = pytest.mark.parametrize("case", CASES, ids=str)
# What depends on the method and hardly on its budget: other budgets in the slow run.
FIRST = {case.method: case for case in reversed(CASES)}
every_method = pytest.mark.parametrize(
    "case", [case if case is FIRST[case.method] else slow(case) for case in CASES], ids=str
)
FULL = dict.fromkeys(ROWS[0], "") | {
    "size": "3",
    "dose": "2",
    "age": "7",
    "sex": "m",
    "seen": "2020-01-09",
}

MANY = ROWS * 400  # so that noisy counts stay above zero


@cache
def release_of(case):
    """For tests that only read it."""
    return sf.publish(table(ROWS), schema=case.schema, method=case.method, **case.asked)


def planned(case, rows=None):
    """As it is priced without data or, where shares depend on a public number, with so many."""
    plan = price(case.schema, method=case.method, **case.given)
    return plan if rows is None or plan.sized is None else plan.sized(rows)


def measured(case, rows, script=None):
    plan = planned(case)
    purse = RecordingPurse(plan.guarantee, script)
    synopsis = plan.measure(records(rows, case.schema), purse)
    if plan.row != "drawn record":
        for _ in plan.render(synopsis, None, np.random.default_rng(0)):
            pass  # record-wise methods measure while they are read
    return purse


def neighbour_pairs(case):
    others = st.lists(
        st.one_of(typed_rows(), text_rows(), st.sampled_from(ROWS)), min_size=1, max_size=4
    )
    row = st.one_of(typed_rows(), text_rows(), st.sampled_from(ROWS), st.just(FULL))
    if case.neighbours == "add-remove":
        return st.tuples(others, row).map(lambda t: (t[0], [*t[0], t[1]]))
    return st.tuples(others, row, row).map(lambda t: ([*t[0], t[1]], [*t[0], t[2]]))


@pytest.mark.parametrize("examples", [8, slow(40)])
@pytest.mark.parametrize("case", [case for case in CASES if case.frozen], ids=str)
def test_no_neighbour_moves_a_query_beyond_its_sensitivity(case, examples):
    @hypothesis_settings(max_examples=examples)
    @given(neighbour_pairs(case))
    def check(pair):
        first = measured(case, pair[0])
        second = measured(case, pair[1], script=first.outputs)
        assert first.complete
        assert first.events == second.events
        for mine, theirs in zip(first.draws, second.draws, strict=True):
            assert mine.moved_apart(theirs) <= 1
        for noise, l1, l2 in first.distances(second):
            assert l1 <= float(noise.sensitivity.l1) * (1 + 1e-9)
            assert l2 <= float(noise.sensitivity.l2_squared) * (1 + 1e-9)

    check()


def test_the_sensitivity_check_catches_a_halved_sensitivity():
    """Positive control of the test above: the same comparison must fail for a false claim."""
    case = next(c for c in CASES if c.method == "identity-laplace")
    low = dict(
        zip(ROWS[0], ("-1", "0", "0", "f", "a", "x", "false", "2020-01-01", "home"), strict=True)
    )
    high = dict(
        zip(ROWS[0], ("3", "2", "7", "m", "b", "y", "true", "2020-01-09", "care"), strict=True)
    )
    first, second = (measured(case, [ROWS[0], row]) for row in (low, high))
    (noise, l1, _), *_ = first.distances(second)
    assert l1 > float(noise.sensitivity.l1) / 2


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_the_sensitivity_check_catches_halved_scores(neighbours):
    """Positive control for draws: some neighbours move scores by more than half of the claim."""
    case = next(c for c in CASES if c.method == "mosaic" and "rho" not in c.budget)
    # With little noise, what is expected lies above some counts and below others.
    case = replace(case, budget={"epsilon": "4"}, neighbours=neighbours)
    others, worst = ROWS * 5, 0.0
    first = measured(case, others if neighbours == "add-remove" else [*others, ROWS[0]])
    which = np.random.default_rng(0).integers(0, len(ROWS), (40, len(ROWS[0])))
    mixed = [{name: ROWS[k][name] for name, k in zip(ROWS[0], some, strict=True)} for some in which]
    for row in mixed:
        second = measured(case, [*others, row], script=first.outputs)
        (mine,), (theirs,) = first.draws, second.draws
        worst = max(worst, mine.moved_apart(theirs))
    assert 0.5 < worst <= 1


@everywhere
def test_the_release_carries_the_promise_that_was_planned(case):
    release = release_of(case)
    plan = planned(case, len(ROWS))
    assert release.guarantee == plan.guarantee == planned(case).guarantee
    assert release.certificate.guarantee == release.guarantee
    for event, made in zip(plan.events, release.certificate.events, strict=True):
        # What depends on an earlier step is left open in the plan; its price never is.
        known = {key: value for key, value in event.to_json().items() if value is not None}
        assert known == {key: made.to_json()[key] for key in known}
        assert {"statistic", "mechanism", "cost"} <= set(known)


@every_method
def test_the_same_seed_gives_the_same_release_without_a_guarantee(case):
    first, second = (
        sf.publish(table(MANY), schema=case.schema, method=case.method, seed=7, **case.asked)
        for _ in range(2)
    )
    assert first.table.equals(second.table)
    assert first.guarantee == Seeded()
    other = sf.publish(table(MANY), schema=case.schema, method=case.method, seed=8, **case.asked)
    assert other.table.equals(first.table) != case.random


@every_method
def test_a_release_without_a_seed_differs_each_time_if_it_is_random_at_all(case):
    first, second = (
        sf.publish(table(MANY), schema=case.schema, method=case.method, **case.asked)
        for _ in range(2)
    )
    assert first.table.equals(second.table) != case.random


@pytest.mark.parametrize(
    ("case", "examples"),
    [
        *((case, 3) if case is FIRST[case.method] else slow(case, 3) for case in CASES),
        *(slow(case, 20) for case in FIRST.values()),
    ],
    ids=str,
)
def test_absurd_records_are_published_like_any_other(case, examples):
    usual = release_of(case)

    @hypothesis_settings(max_examples=examples)
    @given(st.lists(text_rows(), min_size=2, max_size=4))
    def check(rows):
        release = sf.publish(table(rows), schema=case.schema, method=case.method, **case.asked)
        assert release.table.schema == usual.table.schema

    check()


@every_method
def test_the_data_is_left_as_it_was(case):
    frame = table(ROWS).to_pandas()
    before = frame.copy(deep=True)
    sf.publish(frame, schema=case.schema, method=case.method, **case.asked)
    assert frame.equals(before)


@every_method
def test_the_frame_that_comes_back_is_of_the_kind_that_was_given(case):
    import pandas as pd
    import polars as pl

    assert isinstance(release_of(case).data, pa.Table)
    for kind, frame in (
        (pd.DataFrame, table(ROWS).to_pandas()),
        (pl.DataFrame, pl.from_arrow(table(ROWS))),
    ):
        release = sf.publish(frame, schema=case.schema, method=case.method, **case.asked)
        assert isinstance(release.data, kind)


@every_method
def test_looking_at_a_release_twice_shows_the_same(case, tmp_path):
    release = release_of(case)
    assert release.data.equals(release.data)
    release.save(tmp_path / "a")
    release.save(tmp_path / "b")
    for name in ("data.csv", "release.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@everywhere
def test_a_saved_release_verifies(case, tmp_path):
    release = sf.publish(
        table(ROWS), schema=case.schema, method=case.method, folder=tmp_path / "r", **case.asked
    )
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    assert release.table.equals(sf.Release.load(tmp_path / "r").table)


@pytest.mark.parametrize("case", [case for case in CASES if case.promised], ids=str)
def test_a_purse_that_is_too_small_is_refused_before_a_bit_is_drawn(case):
    class NoBits:
        seeded = False

        def words(self, count):
            raise AssertionError("a bit was drawn")

    plan = planned(case)
    purse = RecordingPurse(plan.guarantee)
    purse.bits = NoBits()
    smaller = {name: "0.01" for name in case.budget if name != "delta"}
    purse.limit = budget(**(case.budget | smaller))
    with pytest.raises(BudgetError, match="more than was reserved"):
        list(plan.measure(records(ROWS, case.schema), purse))


@pytest.mark.parametrize("case", [case for case in CASES if not case.promised], ids=str)
def test_what_promises_nothing_is_published_only_where_that_is_accepted(case):
    with pytest.raises(ParameterError, match=r"promises nothing.*--accept-no-guarantee"):
        sf.publish(table(ROWS), schema=case.schema, method=case.method, **case.given)
    release = release_of(case)
    assert release.certificate.statement.startswith("no guarantee: ")
    assert any("NOT PRIVATE" in warning for warning in release.certificate.warnings)


@pytest.mark.parametrize("name", METHODS)
def test_a_proof_page_and_an_entry_exist(name):
    method = METHODS[name]
    assert [case for case in CASES if case.method == name], f"{name} names no ContractCase"
    assert (method.audit is not None) == method.budgeted, f"{name} names no AuditCase"
    assert method.use
    page = DOCS / method.proof
    assert page.is_file()
    assert name in page.read_text()
    assert method.summary
    assert method.promise
    assert method.source
