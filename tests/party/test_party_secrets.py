"""Shamir's shares and the masks: what fits together gives the secret, what does not gives none."""

import numpy as np
import pytest
from scipy.stats import chisquare

from sfumato.errors import PartyError
from sfumato.party.mask import (
    new_key,
    pair_mask,
    public_key,
    sealed,
    self_mask,
    unsealed,
)
from sfumato.party.secret import joined, split

FALSE_ALARM = 1e-6
SECRET = bytes(range(32))


@pytest.mark.parametrize(("threshold", "count"), [(1, 1), (2, 3), (3, 3), (4, 7)])
def test_any_so_many_shares_give_the_secret_and_fewer_do_not(threshold, count):
    shares = dict(enumerate(split(SECRET, threshold, count), 1))
    last = dict(sorted(shares.items())[-threshold:])
    assert joined(last, 32) == SECRET
    if threshold > 1:
        last.popitem()
        with pytest.raises(PartyError, match="do not fit together"):
            joined(last, 32)  # a number of 521 bits, which has 256 with chance 2^-265


def test_a_single_share_says_nothing():
    """Over all polynomials a share is uniform: here by its lowest byte, of two secrets."""
    for secret in (bytes(32), b"\xff" * 32):
        low = [split(secret, 2, 2)[0] & 255 for _ in range(20_000)]
        assert chisquare(np.bincount(low, minlength=256)).pvalue > FALSE_ALARM


@pytest.mark.parametrize(("threshold", "count"), [(0, 2), (3, 2)])
def test_impossible_thresholds_are_refused(threshold, count):
    with pytest.raises(ValueError, match="threshold"):
        split(SECRET, threshold, count)


def test_a_letter_opens_for_its_reader_and_its_use_alone():
    ours, theirs, other = new_key(), new_key(), new_key()
    letter = sealed(b"shares", ours, public_key(theirs), "round 1")
    assert unsealed(letter, theirs, public_key(ours), "round 1") == b"shares"
    for key, peer, use in (
        (other, ours, "round 1"),
        (theirs, other, "round 1"),
        (theirs, ours, "round 2"),
    ):
        with pytest.raises(PartyError, match="do not open"):
            unsealed(letter, key, public_key(peer), use)
    with pytest.raises(PartyError, match="do not open"):
        unsealed(b"short", theirs, public_key(ours), "round 1")


def test_the_same_letter_is_never_sealed_alike():
    ours, peer = new_key(), public_key(new_key())
    assert sealed(b"shares", ours, peer, "use") != sealed(b"shares", ours, peer, "use")


def test_masks_are_uniform_and_differ_by_use():
    ours, peer = new_key(), public_key(new_key())
    masks = [
        self_mask(SECRET, "round 1", 4_096),
        self_mask(SECRET, "round 2", 4_096),
        pair_mask(ours, peer, "round 1", 4_096, adds=True),
        pair_mask(ours, peer, "round 2", 4_096, adds=True),
    ]
    for one in masks:
        counts = np.bincount(one.view(np.uint8), minlength=256)
        assert chisquare(counts).pvalue > FALSE_ALARM
    assert len({one.tobytes() for one in masks}) == 4
    shorter = self_mask(SECRET, "round 1", 7)
    assert np.array_equal(shorter, masks[0][:7])


def test_a_point_of_small_order_is_no_key():
    with pytest.raises(PartyError, match="a public key is none"):
        pair_mask(new_key(), bytes(32), "use", 1, adds=True)
