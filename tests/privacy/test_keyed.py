"""Keys of noise by part: the same again for the same records, other bits for any others."""

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetError
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.keyed import NoiseKey
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.privacy.randomness import SeededBits, SystemBits
from sfumato.privacy.sensitivity import record

KEY = NoiseKey(bytes(range(32)), "records", False)
CODES = np.arange(6, dtype=np.int32).reshape(3, 2)
NOISE = Noise("records", record(continuous=1), PureDP(1))


def test_a_part_that_is_repeated_repeats_its_noise_wherever_the_key_was_sent():
    sent = pickle.loads(pickle.dumps(KEY))
    orders = (CODES, np.asfortranarray(CODES), CODES.astype(">i4"), np.repeat(CODES, 2, 0)[::2])
    for codes in orders:
        found = sent.part(7, codes).words(5000)
        np.testing.assert_array_equal(found, KEY.part(7, CODES).words(5000))


def test_whatever_else_the_part_is_its_noise_is_other_noise():
    others = [
        NoiseKey(bytes(range(1, 33)), "records", False).digest(7, CODES),
        NoiseKey(KEY.secret, "record", False).digest(7, CODES),
        KEY.digest(8, CODES),
        KEY.digest(7, CODES[::-1]),
        KEY.digest(7, CODES[:2]),
        KEY.digest(7, CODES.reshape(2, 3)),
        KEY.digest(7, CODES.reshape(6, 1)),
        KEY.digest(7, CODES.T),
        *(KEY.digest(7, changed) for changed in one_code_changed()),
    ]
    assert len({KEY.digest(7, CODES), *others}) == 1 + len(others)


def one_code_changed():
    for place in product(range(3), range(2)):
        changed = CODES.copy()
        changed[place] += 1
        yield changed


@given(st.text(max_size=4), st.text(max_size=4), st.integers(0, 99), st.integers(0, 99))
def test_no_two_purposes_and_numbers_are_written_alike(one, other, first, second):
    keys = [
        NoiseKey(KEY.secret, said, False).digest(k, CODES)
        for said, k in ((one, first), (other, second))
    ]
    assert (keys[0] == keys[1]) == ((one, first) == (other, second))


def test_the_key_exists_after_the_ledger_knows_and_is_never_shown():
    told = []
    bits = SystemBits(lambda: told.append("drawn"))
    purse = Purse(PureDP(1), bits)
    paid = purse.pay_by_part(NOISE)
    assert told == ["drawn"]
    assert [event.statistic for event in purse.events] == ["records"]
    shown = f"{paid!r} {paid} {paid.key!r} {paid.key}"
    assert "secret" not in shown
    assert paid.key.secret.hex() not in shown
    assert repr(paid.key.secret) not in shown

    def refused():
        raise OSError

    with pytest.raises(OSError):
        Purse(PureDP(1), SystemBits(refused)).pay_by_part(NOISE)


def test_what_is_not_paid_for_has_no_key():
    class NoBits:
        seeded = False

        def words(self, count):
            raise AssertionError("a bit was drawn")

    for verb in (lambda p: p.pay_by_part(NOISE), lambda p: p.spend_by_part(NOISE.event)):
        with pytest.raises(BudgetError):
            verb(Purse(PureDP("1/2"), NoBits()))


def test_every_purchase_has_a_key_of_its_own():
    purse = Purse(PureDP(3), SeededBits(1))
    keys = {purse.pay_by_part(NOISE).key.secret for _ in range(3)}
    assert len(keys) == 3
    again = Purse(PureDP(3), SeededBits(1)).pay_by_part(NOISE).key
    assert again.secret in keys
    assert again.seeded
    assert again.part(0, CODES).seeded


def test_parts_of_a_purchase_share_no_noise():
    wide = Noise("records", record(continuous=1), PureDP("1/1000"))
    paid = Purse(PureDP(1), SeededBits(2)).pay_by_part(wide)
    exact = units = np.ones(4096, np.int64)
    drawn = [paid.part(k, CODES).add(exact, units) for k in range(4)]
    again = paid.part(2, CODES).add(exact, units)
    np.testing.assert_array_equal(again, drawn[2])
    for i, j in ((0, 1), (0, 2), (1, 3), (2, 3)):
        # Two independent draws are equal with chance 1/(4s) = 1/4000: 12 or more of 4096 have a
        # chance below 1e-6 (Poisson of mean 1.03); copied noise is equal in all.
        assert (drawn[i] == drawn[j]).sum() < 12
    assert (again == drawn[2]).sum() >= 12  # the control: this count does see copied noise
