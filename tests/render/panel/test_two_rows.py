"""Tables of two rows of a person, from noisy ones."""

import numpy as np
import pytest

from sfumato.render.panel.two_rows import of_two_rows

SHARE = np.array([0.4, 0.3, 0.2, 0.1])


def sticky(stay):
    return stay * np.diag(SHARE) + (1 - stay) * np.outer(SHARE, SHARE)


@pytest.mark.parametrize("ordered", [0, 4])
@pytest.mark.parametrize("stay", [0.0, 0.3, 0.9])
def test_what_stays_is_found_in_noise(stay, ordered):
    rng = np.random.default_rng(1)
    truth = sticky(stay)
    noisy = 5_000 * truth + rng.normal(0, 60, truth.shape)
    found = of_two_rows(noisy, SHARE, 5_000, 60, ordered, None)
    assert found.sum() == pytest.approx(1)
    raw = np.abs(noisy / 5_000 - truth).sum() / 2
    assert np.abs(found - truth).sum() / 2 < min(0.06, raw)


def test_a_table_that_is_not_the_same_backwards_is_kept_where_noise_lets_it_be_seen():
    truth = sticky(0.5)
    truth[0, 1] += 0.08
    truth[1, 0] -= 0.08
    truth = np.maximum(truth, 0)
    found = of_two_rows(5_000 * truth, SHARE, 5_000, 20, 0, None)
    assert found[0, 1] - found[1, 0] > 0.1


def test_what_can_never_follow_never_does():
    possible = np.triu(np.ones((4, 4), bool))
    rng = np.random.default_rng(2)
    found = of_two_rows(rng.normal(100, 60, (4, 4)), SHARE, 1_600, 60, 4, possible)
    assert (found[~possible] == 0).all()
    assert found.sum() == pytest.approx(1)
