"""The promise on the pages: that of the release and of what was bought for it, together."""

import re
from math import exp

import pytest

import sfumato as sf
from sfumato.example import CLINIC, clinic
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, LocalDP, PureDP
from sfumato.release.certificate import BoughtFacts
from sfumato.report.html import html_page
from sfumato.report.promised import promised

BOUGHT = CLINIC.replace("high: 98}", "high: 98, provenance: {release: ranges-1, epsilon: 0.1}}")
PARTS = "1 here, 0.1 for ranges or values bought by release ranges-1"


def words(text):
    return re.sub(r"\s+", " ", re.sub(r"(?s)<style>.*?</style>|<[^>]+>", " ", text))


def resting(text):
    schema = sf.Schema.parse(text)
    return sf.publish(clinic(300), schema=schema, method="modips", epsilon=1, fit=False)


@pytest.fixture(scope="module")
def release():
    return resting(BOUGHT)


def test_every_figure_is_that_of_both_together(release):
    said = words(html_page(release))
    right = exp(1.1) / (1 + exp(1.1))
    assert 0.750 < right < 0.751
    for figure in ("ε = 1.1", f"({PARTS})", "× 3.01", "75.1 %", "under 1.1-differential privacy"):
        assert figure in said
    assert "50 % 75.1 %" in said  # the table of beliefs
    # Further down are figures of the data, which noise may make anything.
    promise, found, _ = said.partition("How good it is")
    assert found
    assert "50 % 75.1 %" in promise
    for figure in ("2.72", "73.2 %", "73.1 %"):
        assert figure not in promise


def test_without_bought_facts_the_page_says_what_it_did():
    said = words(html_page(resting(CLINIC)))
    for figure in ("ε = 1", "× 2.72", "73.2 %", "the privacy budget of this release"):
        assert figure in said
    assert "bought for it" not in said


@pytest.mark.slow
def test_where_there_is_no_sum_both_are_said_and_no_figure(release):
    paid = BoughtFacts.model_construct(
        releases={"ranges-1": ApproxDP("0.1", "1e-9")}, together=None
    )
    certificate = release.certificate.model_copy(update={"bought": paid})
    mixed = sf.Release(certificate, synopsis=release.synopsis, table=release.table)
    said = words(html_page(mixed))
    both = "ε = 1 here, ε = 0.1, δ = 10⁻⁹ for ranges or values bought by release ranges-1"
    assert both in said
    assert f"under 1-differential privacy by itself ({both})" in said
    figures = re.search(r'(?s)<ul class="figures">.*?</ul>', html_page(mixed))[0]
    assert re.findall("<b>(.*?)</b>", figures) == ["no one figure"]
    assert f"this release and what was bought for it ({both}), so this page caps" in words(figures)
    assert f"no one figure: {both}" in said  # beside well-known promises
    for figure in ("×", "so sure before", "toss a coin", "2.72", "73.2 %"):
        assert figure not in said.partition("Pictures")[0]


@pytest.mark.parametrize(
    ("guarantee", "price", "together", "figure"),
    [
        (PureDP(1), PureDP("0.1"), PureDP("1.1"), "ε = 1.1"),
        (LocalDP(1), PureDP("0.1"), PureDP("1.1"), "ε = 1.1"),
        (ZCDP("0.1"), PureDP("0.1"), ZCDP("0.105"), "ρ = 0.105"),
        (PureDP(1), ApproxDP("0.1", "1e-9"), ApproxDP("1.1", "1e-9"), "ε = 1.1, δ = 10⁻⁹"),
    ],
)
def test_the_figure_is_that_of_the_sum(guarantee, price, together, figure):
    paid = BoughtFacts.model_construct(releases={"r": price}, together=together)
    found = promised(guarantee, paid, 1)
    assert found.figure == figure
    assert found.cap == promised(together, None, 1).cap
    assert found.cap != promised(guarantee, None, 1).cap
    assert not found.local  # whoever bought the facts has seen the records


def test_a_release_without_a_promise_gains_none_by_what_was_bought():
    paid = BoughtFacts.model_construct(releases={"r": PureDP(1)}, together=None)
    assert promised(Heuristic("no proof"), paid, 1) is None
