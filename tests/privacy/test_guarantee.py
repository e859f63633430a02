"""Guarantees: exact figures, refusals, composition, and the way through JSON."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import (
    ZCDP,
    ApproxDP,
    Heuristic,
    LocalDP,
    PureDP,
    Seeded,
    compose,
    exact,
    from_json,
    to_json,
)

FIGURES = st.fractions(min_value=Fraction(1, 10**15), max_value=10**6)
DELTAS = st.fractions(min_value=Fraction(1, 10**15), max_value=Fraction(1, 10))
PURE = st.builds(PureDP, FIGURES)
APPROX = st.builds(ApproxDP, FIGURES, DELTAS)
RHO = st.builds(ZCDP, FIGURES)
LOCAL = st.builds(LocalDP, FIGURES)
WEAK = st.builds(Heuristic, st.text()) | st.just(Seeded())
ANY = PURE | APPROX | RHO | LOCAL | WEAK
# Currencies that add up figure by figure, whatever is summed first.
ADDITIVE = st.sampled_from([PURE | APPROX | LOCAL | WEAK, RHO | WEAK]).flatmap(
    lambda kind: st.lists(kind, min_size=3, max_size=3)
)
patient = settings(deadline=None, max_examples=50)  # a busy machine is not a fault
IMPOSSIBLE = [0, -1, 0.0, -0.5, float("nan"), float("inf"), "nan", "inf", "-inf", "ten", ""]
UNREADABLE = [None, True, False, [1], Decimal("NaN"), np.float64("inf"), np.bool_(True), "1/0"]


@pytest.mark.parametrize("value", [*IMPOSSIBLE, *UNREADABLE, "1e999999999", "1e-999999999"])
@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("epsilon", PureDP),
        ("epsilon", LocalDP),
        ("rho", ZCDP),
        ("epsilon", lambda value: ApproxDP(value, "1e-9")),
        ("delta", lambda value: ApproxDP(1, value)),
    ],
)
def test_impossible_figures_are_refused_by_name(name, build, value):
    with pytest.raises(ParameterError, match=f"^{name} must be a number above 0"):
        build(value)


@pytest.mark.parametrize("delta", [1, 1.0, "1", 1.5, Fraction(3, 2), 10**400])
def test_a_delta_of_one_or_more_is_refused(delta):
    with pytest.raises(ParameterError, match="delta must be a number above 0 and below 1, got"):
        ApproxDP(1, delta)


@pytest.mark.parametrize(
    "written",
    [
        0.1,
        "0.1",
        " 0.1 ",
        "1e-1",
        Decimal("0.1"),
        Fraction(1, 10),
        np.float64(0.1),
        np.float32(0.1),
    ],
)
def test_one_tenth_is_one_tenth_whichever_type_carries_it(written):
    assert exact("epsilon", written) == Fraction(1, 10)


@pytest.mark.parametrize(
    "written",
    ["1_0", "٣", "1" * 5_000, 10**5_000, "1_0/3"],
    ids=["marked", "Arabic", "long text", "long number", "marked part"],
)
def test_what_is_no_plain_number_is_refused_in_few_words(written):
    with pytest.raises(
        ParameterError, match=r"most must be a number above 0 and below 9, got .+$"
    ) as said:
        exact("most", written, below=9)
    assert len(str(said.value)) < 100


def test_zero_is_a_figure_only_where_it_is_allowed():
    assert exact("delta", 0, zero=True) == 0
    with pytest.raises(ParameterError, match="delta must be a number of at least 0"):
        exact("delta", -1, zero=True)


@patient
@given(st.lists(FIGURES, min_size=1, max_size=20))
def test_pure_parts_add_up_exactly(figures):
    assert compose(*map(PureDP, figures)) == PureDP(sum(figures))
    assert compose(*map(LocalDP, figures)) == LocalDP(sum(figures))
    assert compose(*map(ZCDP, figures)) == ZCDP(sum(figures))


@patient
@given(st.lists(st.tuples(FIGURES, DELTAS), min_size=1, max_size=9))
def test_approximate_parts_add_up_exactly_in_both_figures(figures):
    epsilons, deltas = zip(*figures, strict=True)
    assert compose(*(ApproxDP(*pair) for pair in figures)) == ApproxDP(sum(epsilons), sum(deltas))


@patient
@given(ADDITIVE)
@pytest.mark.long
def test_composition_is_associative_within_a_currency(parts):
    a, b, c = parts
    assert compose(compose(a, b), c) == compose(a, compose(b, c)) == compose(a, b, c)


@patient
@given(
    st.lists(PURE | RHO | LOCAL, min_size=2, max_size=6).flatmap(
        lambda parts: st.tuples(st.just(parts), st.permutations(parts))
    )
)
def test_the_order_of_the_parts_changes_nothing(orders):
    one, other = orders
    assert compose(*one) == compose(*other)


@patient
@given(
    st.lists(PURE | APPROX | LOCAL, min_size=2, max_size=6).flatmap(
        lambda parts: st.tuples(st.just(parts), st.permutations(parts))
    )
)
def test_the_order_of_approximate_parts_changes_nothing(orders):
    one, other = orders
    assert compose(*one) == compose(*other)


@patient
@given(PURE, PURE, RHO)
def test_pure_parts_summed_before_they_meet_a_rho_never_promise_more(a, b, c):
    together, in_steps = compose(a, b, c), compose(compose(a, b), c)
    assert together.rho == (a.epsilon**2 + b.epsilon**2) / 2 + c.rho
    assert in_steps.rho >= together.rho


@patient
@given(LOCAL, st.one_of(PURE, APPROX))
def test_a_local_promise_counts_as_a_central_one_next_to_one(local, central):
    assert compose(local, central).epsilon == local.epsilon + central.epsilon
    assert compose(local, central).label == central.label


@patient
@given(st.lists(ANY, min_size=1, max_size=5), st.builds(Heuristic, st.text()), st.integers(0, 5))
@pytest.mark.long
def test_the_weakest_label_wins_wherever_it_stands(parts, weak, place):
    parts.insert(place, weak)
    seeded = any(isinstance(part, Seeded) for part in parts)
    assert compose(*parts).label == (Seeded.label if seeded else Heuristic.label)


def test_an_approximate_promise_does_not_compose_with_a_rho():
    with pytest.raises(ParameterError, match="does not compose with zCDP: convert first"):
        compose(ApproxDP(1, "1e-9"), ZCDP(1))


def test_deltas_that_reach_one_together_promise_nothing():
    with pytest.raises(ParameterError, match="delta"):
        compose(ApproxDP(1, "0.5"), ApproxDP(1, "0.5"))


def test_composing_nothing_is_refused():
    with pytest.raises(ParameterError, match="at least one guarantee"):
        compose()


@patient
@given(ANY)
def test_every_guarantee_survives_json_exactly(guarantee):
    record = to_json(guarantee)
    assert all(isinstance(value, str) for value in record.values())
    assert from_json(record) == guarantee


@pytest.mark.parametrize("record", [{}, {"label": "perfect"}, {"label": "", "epsilon": "1"}])
def test_an_unknown_label_is_refused(record):
    with pytest.raises(ParameterError, match="unknown label"):
        from_json(record)


@pytest.mark.parametrize(
    "record",
    [
        {"label": "pure-DP"},
        {"label": "pure-DP", "epsilon": "1", "delta": "0"},
        {"label": "approx-DP", "epsilon": "1"},
        {"label": "test (seeded)", "seed": "1"},
    ],
)
def test_missing_and_unknown_figures_in_json_are_refused(record):
    with pytest.raises(ParameterError, match="missing or unknown figures"):
        from_json(record)


def test_a_figure_in_json_obeys_the_same_rules():
    with pytest.raises(ParameterError, match="epsilon must be a number above 0"):
        from_json({"label": "pure-DP", "epsilon": "-1"})


@pytest.mark.parametrize(
    ("guarantee", "words"),
    [
        (PureDP("0.5"), "0.5-differential privacy"),
        (PureDP(100), "100-differential privacy"),
        (PureDP(Fraction(1, 3)), "at most 0.333334-differential privacy"),
        (PureDP(1_234_561), "at most 1.23457e+06-differential privacy"),
        (ApproxDP(1, "1e-9"), "(1, 1e-09)-differential privacy"),
        (ZCDP("0.25"), "0.25-zero-concentrated differential privacy"),
        (LocalDP(2), "2-local differential privacy"),
        (PureDP("1e-400"), "1E-400-differential privacy"),
        (PureDP("1e400"), "1E+400-differential privacy"),
        (Heuristic("distances stay"), "no guarantee: distances stay"),
    ],
)
def test_a_guarantee_reads_as_a_sentence_part(guarantee, words):
    assert str(guarantee) == words


@patient
@given(FIGURES)
def test_the_spoken_figure_is_never_below_the_exact_one(figure):
    spoken = str(ZCDP(figure)).removesuffix("-zero-concentrated differential privacy")
    number = Fraction(spoken.removeprefix("at most "))
    assert figure <= number <= figure * (1 + Fraction(1, 10**5))
    assert (number == figure) == (not spoken.startswith("at most "))


def test_the_seeded_label_says_that_its_noise_can_be_removed():
    assert "can be repeated and removed" in str(Seeded())
