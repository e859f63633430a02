"""The threshold of an exchange, against every way to show parties different lists."""

from itertools import combinations

import pytest

from sfumato.release.threshold import holds_for_any_lists, opening_threshold

SMALL = [(n, d, c) for n in range(2, 30) for d in range(n) for c in range(n - d)]


def most_keys(n, d, c, t):
    """How many mask keys come out: every honest party leaves out d, spread as a collector likes."""
    return min(n, (n - c) * d // (t - c)) if t > c else n


def test_no_choice_of_lists_gets_more_than_the_agreed_dropouts():
    for n, d, c in SMALL:
        t = opening_threshold(n, d, c)
        assert c < t <= n - d
        if holds_for_any_lists(n, d, c):
            assert 2 * t > n + c
            assert most_keys(n, d, c, t) <= d


def test_it_is_the_smallest_that_does():
    for n, d, c in SMALL:
        if holds_for_any_lists(n, d, c):
            t = opening_threshold(n, d, c) - 1
            assert t <= c or 2 * t <= n + c or most_keys(n, d, c, t) > d


def test_half_of_the_parties_would_let_too_many_keys_out():
    n, d, c = 12, 3, 1
    half = (n + c) // 2 + 1
    assert 2 * half > n + c
    assert most_keys(n, d, c, half) > d
    assert not holds_for_any_lists(n, d, c)


@pytest.mark.parametrize(("n", "d", "c"), [(4, 1, 0), (5, 1, 1), (6, 1, 2), (5, 2, 0), (5, 2, 1)])
def test_the_count_is_that_of_all_lists(n, d, c):
    """By enumeration: which sets of parties can be left out by t − c honest ones each."""
    t, honest = opening_threshold(n, d, c), range(n - c)
    largest = max(
        size
        for size in range(n + 1)
        if size * (t - c) <= len(honest) * d and spread(size, t - c, len(honest), d)
    )
    assert largest <= most_keys(n, d, c, t)
    assert (largest <= d) or not holds_for_any_lists(n, d, c)


def spread(victims, needed, openers, each):
    """Whether every victim can be left out `needed` times by openers that leave out `each`."""
    if victims == 0:
        return True
    left = [each] * openers

    def place(victim):
        if victim == victims:
            return True
        free = [opener for opener in range(openers) if left[opener]]
        for chosen in combinations(free, needed):
            for opener in chosen:
                left[opener] -= 1
            if place(victim + 1):
                return True
            for opener in chosen:
                left[opener] += 1
        return False

    return place(0)
