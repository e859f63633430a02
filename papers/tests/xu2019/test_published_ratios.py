"""θ and η: the shortcut equals the norms written out, and every cell has its trials."""

import numpy as np
import pytest

from papers.outcome import Outcomes
from papers.uci import Loaded
from papers.xu2019 import ratios
from papers.xu2019.normalised import Normalised
from papers.xu2019.settings import Settings, parts_of, ranks_upto


def made_up(rng, rows=80, width=5):
    X = rng.normal(size=(rows, width)) @ np.diag(np.arange(width, 0, -1.0))
    return Normalised.of(Loaded(X, np.zeros(rows, np.int64), (), ""))


def written_out(data, k, epsilon, rng):
    """η as the paper defines it, with every matrix in full."""
    X, n, d = data.X, data.rows, data.width
    E = np.triu(rng.laplace(0, 2 * d / (n * epsilon), (d, d)))
    noisy = np.linalg.eigh(data.second + E + np.triu(E, 1).T)[1][:, ::-1][:, :k]
    exact = np.linalg.eigh(data.second)[1][:, ::-1][:, :k]
    E2 = np.column_stack([rng.laplace(0, 2 * d / epsilon, n) for _ in range(k)])
    ours = np.linalg.norm(X @ noisy @ noisy.T - X)
    return ours / np.linalg.norm((X @ exact + E2) @ exact.T - X)


@pytest.mark.parametrize("epsilon", [0.1, 10.0, 1e4])
@pytest.mark.parametrize("k", [1, 3, 4])
def test_the_shortcut_equals_the_norms_written_out(k, epsilon, rng):
    data = made_up(rng)
    (eta,) = ratios.error_ratios(data, [k], epsilon, np.random.default_rng(7))
    assert eta == pytest.approx(written_out(data, k, epsilon, np.random.default_rng(7)), rel=1e-9)


def test_several_ranks_share_one_draw(rng):
    data = made_up(rng)
    together = ratios.error_ratios(data, [1, 3], 1.0, np.random.default_rng(7))
    alone = ratios.error_ratios(data, [1], 1.0, np.random.default_rng(7))
    assert together[0] == alone[0]


def test_records_are_centred_and_none_is_longer_than_one(rng):
    X = rng.normal(3, 1, (50, 4))
    X[4, 1] = np.nan
    data = Normalised.of(Loaded(X, np.zeros(50, np.int64), (), ""))
    norms = np.linalg.norm(data.X, axis=1)
    assert norms.max() == pytest.approx(1)
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=1e-12)
    assert data.X[4, 1] == 0  # the mean of its column
    shares = np.cumsum(data.spectrum) / data.spectrum.sum()
    assert shares[data.rank - 1] >= 0.85 > np.append(0, shares)[data.rank - 1]


def test_records_without_any_spread_are_left_alone():
    data = Normalised.of(Loaded(np.ones((5, 2)), np.zeros(5, np.int64), (), ""))
    assert not data.X.any()


@pytest.mark.parametrize("figure", ["1", "2", "3", "4"])
def test_every_place_of_a_figure_has_its_trials_and_a_tick(figure, rng):
    data, found, ticks = made_up(rng), Outcomes(), []
    settings = Settings(figures=(figure,), trials=2, epsilons=(1.0, 2.0), beyond=(), sets=("x",))
    ratios.run("x", data, settings, found, ticks.append)
    places = {
        "1": [(None, ratios.theta_at_rank(k)) for k in ranks_upto(5)],
        "2": [(None, ratios.theta_at_rows(n)) for n in parts_of(80)],
        "3": [(1.0, ratios.eta_at_rank(k)) for k in ranks_upto(5)],
        "4": [(epsilon, ratios.ERROR) for epsilon in (1.0, 2.0)],
    }[figure]
    for epsilon, measure in places:
        values = found.values(figure, "x", epsilon, measure)
        assert len(set(values)) == 2
    assert len(found) == 2 * len(places)
    assert len(ticks) == (4 if figure == "4" else 2)
