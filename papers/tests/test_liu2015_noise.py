"""Chapters 6 to 10 of the thesis: what holds, what fails, and from where on."""

import csv
import re
from math import erf, exp, log, sqrt

import numpy as np
import pytest
from scipy.stats import binom

from papers.liu2015 import TELLERS, Settings, reproduce
from papers.liu2015.chapter7 import measure as sums
from papers.liu2015.chapter8 import measure as stream
from papers.liu2015.chapter8.published import PRINTED as RANGES
from papers.liu2015.chapter9 import measure as products
from papers.liu2015.chapter9.published import PRINTED as COEFFICIENTS
from papers.liu2015.chapter10.published import agrees
from papers.liu2015.writing import write_up
from papers.outcome import Outcomes

pytestmark = pytest.mark.slow  # what it looks at is one long run

NAMES = [
    "section-6.2", "figures-7.2-7.3", "figures-7.4-7.5", "table-8.1", "section-9.1", "figure-9.1",
    "table-10.1",
]  # fmt: skip
CHAPTERS = ("6", "7", "8", "9", "10")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder, ticks = tmp_path_factory.mktemp("runs") / "noise", []
    judged = reproduce(folder, Settings(chapters=CHAPTERS, trials=2), tick=ticks.append)
    return folder, judged, ticks


def verdicts(judged, figure):
    return [claim.verdict for claim in judged if claim.figure == figure]


def test_the_folder_holds_every_figure_twice_the_numbers_and_the_words(finished):
    folder, _, ticks = finished
    expected = {f"{name}.{kind}" for name in NAMES for kind in ("png", "svg")}
    assert {path.name for path in folder.iterdir()} == expected | {"results.csv", "results.md"}
    assert ticks == [f"chapter {chapter}" for chapter in CHAPTERS for _ in range(2)]


def test_the_page_has_a_text_beside_every_figure_and_no_row_is_torn_by_a_bar(finished):
    folder, judged, _ = finished
    page = (folder / "results.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(([\w.-]+\.png)\)\n\n(.+)\n", page)
    assert [name for name, _ in shown] == [f"{name}.png" for name in NAMES]
    assert all(len(text) > 80 and re.search(r"\d", text) for _, text in shown)
    for claim in judged:
        assert not any("|" in text for text in (claim.text, claim.paper, claim.ours))
        assert f"| {claim.text} |" in page
    assert not re.search(r"\bnan\b", page)
    assert page.index("## Chapter 9") < page.index("## Chapter 10")


@pytest.fixture(scope="module")
def rows(finished):
    with (finished[0] / "results.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_number_is_finite_and_in_the_file(rows):
    assert np.isfinite([float(row["value"]) for row in rows]).all()
    assert len({row["figure"] for row in rows}) == 21


def test_what_the_thesis_claims_of_differential_privacy_is_judged(finished):
    _, judged, _ = finished
    assert verdicts(judged, "6.2.1") == ["reached", "reached"]
    assert verdicts(judged, "6.2.2") == verdicts(judged, "6.2.3") == ["not reached"]
    assert verdicts(judged, "6.2.3, 6.2.10") == ["not reached"]
    assert verdicts(judged, "corrected 6.2.3") == verdicts(judged, "sequential") == ["reached"]
    assert verdicts(judged, "parallel") == ["reached", "not reached"]
    assert verdicts(judged, "6.2") == ["not reached"]
    assert verdicts(judged, "6.2.7") == verdicts(judged, "6.2.8") == ["not reached"]
    assert verdicts(judged, "corrected 6.2.7") == ["reached"]
    assert verdicts(judged, "corrected 6.2.8") == ["reached", "reached"]


def test_the_header_names_what_is_private_and_nothing_where_nothing_is(finished):
    page = (finished[0] / "results.md").read_text(encoding="utf-8")
    assert "no run protects anybody. Private by a proof, unseeded, are the counter" in page
    assert "randomized response of chapter 8" in page
    assert "Nothing that is run here" in write_up(Settings(chapters=("2", "3")), [])


def test_what_the_thesis_claims_of_noise_is_judged(finished):
    _, judged, _ = finished
    assert verdicts(judged, "7.2, 7.3") == ["reached"]
    assert verdicts(judged, "7.4") == verdicts(judged, "7.5") == ["reached", "not reached"]
    assert verdicts(judged, "(7.1)") == ["reached"]
    one_side, both_sides = [c for c in judged if c.figure == "7.2.2, 7.2.3"]
    assert "false from N = 60" in one_side.ours
    assert "false from N = 64" in both_sides.ours
    assert one_side.holds < one_side.cells
    assert verdicts(judged, "7.1.1") == ["not reached"]
    assert verdicts(judged, "table 8.1") == ["reached", "reached in 2 of 6"]
    assert verdicts(judged, "8.4.4") == ["not reached"]
    assert verdicts(judged, "corrected 8.4.4") == ["reached", "reached"]
    assert verdicts(judged, "9.2.1") == ["reached", "not reached"]
    assert verdicts(judged, "(9.3)") == ["not reached"]
    assert verdicts(judged, "figure 9.1") == ["reached in 7 of 8"]
    assert verdicts(judged, "table 10.1") == ["reached"]
    assert verdicts(judged, "10.1") == ["reached in 1 of 4", "not reached"]


def test_the_groups_of_section_10_tell_neighbours_apart_as_often_as_is_known(finished):
    _, judged, _ = finished
    claim = next(c for c in judged if c.figure == "10.1")
    assert re.match(r"0\.0925\d*, 0\.277\d*, 0\.736\d*, 0\.9996 for n", claim.ours)


@pytest.fixture(scope="module")
def found():
    """Chapter 7, once."""
    found = Outcomes()
    sums.work_out(found)
    sums.measure_sums(0, Settings(chapters=("7",)), found)
    return found


class TestSums:
    @pytest.mark.parametrize("figure", sums.BOUNDS)
    @pytest.mark.parametrize("number", sums.NUMBERS)
    def test_drawn_shares_fit_the_exact_law(self, found, figure, number):
        what = sums.beyond("the bound", number)
        exact = found.summary(figure, sums.EXACT, None, what)[0]
        drawn = found.summary(figure, sums.DRAWN, None, what)[0] * sums.REPETITIONS
        alarm = 1e-6 / (2 * len(sums.NUMBERS))
        low, high = binom.interval(1 - alarm, sums.REPETITIONS, exact)
        assert low <= drawn <= high
        twice = binom.interval(1 - alarm, sums.REPETITIONS, 4 * exact)  # control
        assert not twice[0] <= drawn <= twice[1]

    def test_the_share_of_one_noise_is_an_exponential(self, found):
        for figure, chance in sums.BOUNDS.items():
            share = found.summary(figure, sums.EXACT, None, sums.beyond("the bound", 1))[0]
            assert share == pytest.approx(exp(-sqrt(6 * log(2 / chance))), rel=1e-9)

    def test_a_mean_of_many_noises_is_nearly_normal(self, found):
        what, epsilon = sums.beyond(0.25, 1000), sums.MEANS["7.2"]
        share = found.summary("7.2", sums.EXACT, epsilon, what)[0]
        deviation = sqrt(2 / 1000) / epsilon
        assert share == pytest.approx(1 - erf(0.25 / (sqrt(2) * deviation)), rel=0.01)

    def test_the_bound_that_is_free_of_n_fails_just_there(self):
        assert sums.fails_from(two_sided=False) == 60
        assert sums.fails_from(two_sided=True) == 64


class TestStream:
    def test_the_printed_ranges_are_those_of_the_wrong_formula(self):
        for epsilon, printed in RANGES.items():
            assert printed == pytest.approx(log(1000 * epsilon), abs=0.1)
        assert RANGES[0.01] < log(1000) / 0.01 / 100  # a three-hundredth of the true point

    def test_one_sided_noise_is_off_by_its_mean_and_responses_are_not(self, rows):
        for epsilon in stream.EPSILONS:
            errors = {
                who: np.array(
                    [
                        float(row["value"])
                        for row in rows
                        if (row["contender"], row["measure"]) == (who, stream.MEAN)
                        and float(row["epsilon"]) == epsilon
                    ]
                )
                for who in (stream.EXPONENTIAL, stream.RESPONSE)
            }
            one_sided, response = errors.values()
            spread = 1 / (epsilon * sqrt(stream.sample()))
            assert len(response) == 2 * stream.RUNS
            assert np.abs(one_sided - 1 / epsilon).max() < 7 * (spread + 0.01)
            assert abs(response.mean()) < 7 * 1.5 * spread / sqrt(len(response)) + 0.01
            assert one_sided.mean() > stream.allowed(epsilon)  # control: the bias is seen


class TestProducts:
    def test_simulated_errors_have_the_deviation_of_the_formula(self):
        found = Outcomes()
        products.work_out(found)
        for trial in range(2):
            products.measure_products(trial, Settings(chapters=("9",)), found)
        for epsilon in map(float, products.EPSILONS):
            deviation = found.summary("9.1", products.BOTH, epsilon, products.SD)[0]
            error = found.summary("9.1", products.BOTH, epsilon, products.ERROR)[0]
            assert 0.6 < error / deviation < 0.85  # 0.80 for normal errors, less in long tails

    def test_the_second_printed_coefficient_lacks_a_root_of_two(self):
        rounded = products.level_by_level()
        wrong = [k for k, w in enumerate(COEFFICIENTS) if w != rounded[k]]
        assert wrong == [1]
        assert COEFFICIENTS[1] == 22 - 32  # what the two halves add up to, level by level

    def test_exact_coefficients_have_the_norm_of_the_vector(self):
        exact = np.array(products.exact_coefficients())
        assert exact @ exact == pytest.approx(float(products.EXAMPLE @ products.EXAMPLE))


@pytest.mark.parametrize(
    ("printed", "ours", "same"),
    [
        ("9.5", 9.516, True),
        ("9.5", 9.56, False),
        ("< 0.1", 0.05, True),
        ("< 0.1", 0.2, False),
        ("> 99.9", 99.95, True),
        ("> 99.9", 99.5, False),
    ],
)
def test_printed_percentages_are_compared_as_printed(printed, ours, same):
    assert agrees(printed, ours) is same


def test_every_chapter_with_a_teller_can_be_asked_for():
    assert tuple(TELLERS) == Settings().chapters
