"""Small values: the printed table, the variances, averaged noise, and the guide."""

import doctest
from math import exp
from pathlib import Path

import numpy as np
import pytest

from sfumato.accuracy.small_values import (
    averaged,
    bit_variances,
    laplace_share,
    laplace_shares,
    table_text,
)
from sfumato.errors import ParameterError

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "small-values.md"

# c, ε, share within ±c, share beyond ±5c, as table 10.1 of Liu 2015 prints them.
PRINTED = """
1 0.1 9.5% 60.7%
1 0.2 18.1% 36.8%
1 0.5 39.3% 8.2%
1 1 63.2% 0.7%
5 0.1 39.3% 8.2%
5 0.2 63.2% 0.7%
5 0.5 91.8% <0.1%
5 1 99.3% <0.1%
10 0.1 63.2% 0.7%
10 0.2 86.5% <0.1%
10 0.5 99.3% <0.1%
10 1 >99.9% <0.1%
"""


def percent(share):
    if share < 0.001:
        return "<0.1%"
    return ">99.9%" if share > 0.999 else f"{share:.1%}"


def test_the_shares_round_to_the_printed_table():
    found = [f"{c} {e} {percent(inside)} {percent(far)}" for c, e, inside, far in laplace_shares()]
    assert found == PRINTED.split("\n")[1:-1]


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.95, False), (1.05, False)])
def test_the_shares_are_those_of_drawn_noise_and_of_no_other(error, passes, rng):
    noise = np.abs(rng.laplace(scale=1 / 0.3, size=200_000))
    share = laplace_share(2, 0.3 * error)
    for found, chance in ((noise <= 2, share.inside), (noise > 10, share.beyond)):
        spread = np.sqrt(chance * (1 - chance) / noise.size)
        assert (abs(found.mean() - chance) < 4.9 * spread) == passes  # false alarm 1e-6


def test_the_variances_are_those_of_the_laws():
    for epsilon in (0.1, 0.5, 1, 2, 5):
        row = bit_variances(epsilon)
        k = np.arange(-4000, 4001)
        law = np.exp(-epsilon * np.abs(k))
        assert row.geometric == pytest.approx(float(k**2 @ law / law.sum()))
        q = 1 / (1 + exp(epsilon))
        assert row.response == pytest.approx(q * (1 - q) / (1 - 2 * q) ** 2)


@pytest.mark.parametrize(
    ("epsilon", "geometric", "response"),
    [(0.1, 199.8, 99.92), (0.5, 7.835, 3.918), (1, 1.841, 0.921), (2, 0.362, 0.181)],
)
def test_responses_vary_less_than_one_sided_noise_and_half_as_much_as_whole_numbers(
    epsilon, geometric, response
):
    row = bit_variances(epsilon)
    assert row.geometric == pytest.approx(geometric, rel=1e-3)
    assert row.response == pytest.approx(response, rel=1e-3)
    assert row.response < row.exponential_not_private < row.geometric < row.laplace


def test_averaging_tells_simulated_neighbours_apart_as_often_as_stated(rng):
    """The best guess is on which side of the middle the value lies."""
    groups, terms, runs = 20, 10, 100_000
    scale = groups * terms
    noise = (rng.gamma(scale, size=runs) - rng.gamma(scale, size=runs)) / groups
    found = (noise <= 0.5).mean() - (noise > 0.5).mean()
    row = averaged(groups, terms, 1)
    assert abs(found - row.told_apart) < 4.9 * 2 * np.sqrt(0.25 / runs)  # false alarm 1e-6
    assert noise.std() == pytest.approx(row.deviation, rel=0.02)
    assert abs(found - averaged(groups // 2, terms, 1).told_apart) > 0.05  # half as many: seen


def test_averages_of_one_noise_are_that_noise():
    assert averaged(1, 1, 2).told_apart == pytest.approx(1 - exp(-1))  # a Laplace shifted by 1
    assert averaged(1, 1, 2).loss == 2


def test_a_table_has_aligned_columns():
    lines = table_text(laplace_shares()).splitlines()
    assert len(lines) == 13
    assert len({len(line) for line in lines}) == 1
    assert lines[0].split() == ["c", "epsilon", "inside", "beyond"]


@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [
        (laplace_share, (0, 1), "c"),
        (laplace_share, (1, float("inf")), "epsilon"),
        (bit_variances, (-1,), "epsilon"),
        (averaged, (0, 1, 1), "groups"),
        (averaged, (1, 0, 1), "terms"),
        (averaged, (1, 1, float("nan")), "epsilon"),
    ],
)
def test_what_is_not_positive_is_refused_by_name(function, arguments, name):
    with pytest.raises(ParameterError, match=f"{name} must be positive and finite"):
        function(*arguments)


def test_every_example_of_the_guide_says_what_happens():
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted >= 7
    assert found.failed == 0
