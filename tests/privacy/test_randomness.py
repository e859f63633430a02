"""Random words: the cipher, its order, and that no process, thread or copy repeats them."""

import copy
import multiprocessing
import os
import pickle
import signal
import threading
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from sfumato.errors import ParameterError
from sfumato.privacy.noise import discrete_laplace
from sfumato.privacy.randomness import SeededBits, SystemBits

FALSE_ALARM = 1e-6
MANY = 3000  # more than the buffer holds, so that both ways of serving are met
# From Python 3.12 on, a fork beside threads is warned of; being safe there is what we test.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


def in_a_fork(work) -> bytes:
    """What `work` returns in a forked child, killed if it hangs."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os.write(write, work())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        found = pipe.read()
    assert os.waitpid(child, 0)[1] == 0, "the child was killed or failed"
    return found


def shared(a: bytes, b: bytes) -> int:
    """How many 64-bit words two streams have in common; by chance none."""
    return len(
        set(np.frombuffer(a, np.uint64).tolist()) & set(np.frombuffer(b, np.uint64).tolist())
    )


def test_the_words_are_the_aes_256_counter_stream():
    key = sha256(b"sfumato seeded bits 7").digest()
    counters = b"".join(i.to_bytes(16, "big") for i in range(MANY // 2))
    block_by_block = Cipher(algorithms.AES256(key), modes.ECB()).encryptor()
    expected = np.frombuffer(block_by_block.update(counters), np.uint64)
    np.testing.assert_array_equal(SeededBits(7).words(MANY), expected)


@settings(deadline=None)  # the order is tested, not the speed
@given(st.lists(st.sampled_from([0, 1, 3, 5, 100, 1023, 1024, 1025, 9000]), max_size=8))
def test_the_words_do_not_depend_on_how_they_are_asked_for(counts):
    bits = SeededBits(1)
    parts = [bits.words(count) for count in counts]
    whole = SeededBits(1).words(sum(counts))
    np.testing.assert_array_equal(np.concatenate([*parts, whole[:0]]), whole)


def test_words_once_given_are_not_written_to_again():
    bits = SeededBits(1)
    first = bits.words(5)
    kept = first.copy()
    first[:] = 0
    np.testing.assert_array_equal(SeededBits(1).words(5), kept)
    later = bits.words(5)
    bits.words(MANY)
    np.testing.assert_array_equal(later, SeededBits(1).words(10)[5:])


def byte_fit(words) -> float:
    """p-value of the chi-square that every byte value, at every place, is equally likely."""
    table = np.array([np.bincount(p, minlength=256) for p in words.view(np.uint8).reshape(-1, 8).T])
    expected = words.size / 256
    return chi2.sf(((table - expected) ** 2 / expected).sum(), 8 * 255)


def test_bytes_are_uniform_and_a_slightly_rarer_bit_is_noticed():
    words = SystemBits().words(400_000)
    assert byte_fit(words) > FALSE_ALARM
    rarer = words & ~((SeededBits(0).words(words.size) % np.uint64(10) == 0).astype(np.uint64))
    assert byte_fit(rarer) < FALSE_ALARM


def test_two_sources_share_no_stream_and_two_mechanisms_on_one_source_neither():
    bits = SystemBits()
    one, two = (bits.words(MANY).tobytes() for _ in range(2))
    other = SystemBits().words(MANY).tobytes()
    assert shared(one, two) == shared(one, other) == shared(two, other) == 0
    assert shared(one, one) == MANY


def test_two_mechanisms_draw_unrelated_noise():
    bits = SystemBits()
    a, b = (discrete_laplace(Fraction(100), 20_000, bits).astype(float) for _ in range(2))
    limit = 5 / np.sqrt(a.size)  # exceeded by chance once in 2 million
    assert abs(np.corrcoef(a, b)[0, 1]) < limit
    a, b = (discrete_laplace(Fraction(100), 20_000, SeededBits(1)).astype(float) for _ in range(2))
    assert np.corrcoef(a, b)[0, 1] > limit


@forks
@pytest.mark.parametrize("same_number", [False, True])
@pytest.mark.parametrize("used_before", [0, 1, MANY])
def test_a_forked_child_repeats_neither_parent_nor_sibling(used_before, same_number, monkeypatch):
    if same_number:  # process numbers are used again, and containers begin at 1
        monkeypatch.setattr(os, "getpid", lambda: 1)
    bits = SystemBits()
    before = bits.words(used_before).tobytes()
    children = [in_a_fork(lambda: bits.words(MANY).tobytes()) for _ in range(2)]
    parent = bits.words(MANY).tobytes()
    assert shared(*children) == shared(children[0], parent) == shared(children[1], parent) == 0
    assert shared(children[0], before) == 0


@forks
def test_the_comparison_of_forks_notices_a_repeated_stream():
    bits = SeededBits(1)
    bits.words(1)
    assert shared(in_a_fork(lambda: bits.words(MANY).tobytes()), bits.words(MANY).tobytes()) == MANY


BITS = SystemBits()


def noise_of_a_worker(_) -> list[int]:
    return discrete_laplace(Fraction(2**50), 50, BITS).tolist()


@forks
def test_forked_workers_do_not_repeat_noise():
    here = discrete_laplace(Fraction(2**50), 50, BITS).tolist()
    with multiprocessing.get_context("fork").Pool(4) as pool:
        noise = pool.map(noise_of_a_worker, range(8), chunksize=1)
    drawn = here + [x for worker in noise for x in worker]
    assert len(set(drawn)) == len(drawn)  # 450 draws at scale 2⁵⁰ meet once in 10¹⁰ runs


@forks
def test_a_child_forked_while_a_thread_is_drawing_does_not_hang():
    parent, inside, go_on = os.getpid(), threading.Event(), threading.Event()

    def linger():
        if os.getpid() == parent:
            inside.set()
            go_on.wait()

    bits = SystemBits(before_first_draw=linger)
    thread = threading.Thread(target=bits.words, args=(1,))
    thread.start()
    inside.wait()
    try:
        assert len(in_a_fork(lambda: bits.words(2).tobytes())) == 16
    finally:
        go_on.set()
        thread.join()


def test_a_process_change_that_no_hook_saw_draws_a_new_key(monkeypatch):
    keys, urandom = [], os.urandom
    monkeypatch.setattr(os, "urandom", lambda n: keys.append(n) or urandom(n))
    bits = SystemBits()
    bits.words(1)
    bits.words(1)
    assert keys == [32, 16]
    monkeypatch.setattr(os, "getpid", lambda: -1)
    bits.words(1)
    assert keys == [32, 16, 32, 16]


@pytest.mark.parametrize("make", [SystemBits, lambda: SeededBits(3)])
def test_threads_share_one_stream_without_loss_or_repetition(make):
    bits, drawn = make(), []
    work = lambda: drawn.extend(bits.words(7) for _ in range(400))  # noqa: E731
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    words = np.concatenate(drawn)
    assert np.unique(words).size == words.size == 8 * 400 * 7
    if bits.seeded:
        np.testing.assert_array_equal(np.sort(words), np.sort(SeededBits(3).words(words.size)))


def test_the_first_draw_is_announced_once_and_before_any_key_exists(monkeypatch):
    seen, urandom = [], os.urandom
    monkeypatch.setattr(os, "urandom", lambda n: seen.append("key") or urandom(n))
    bits = SystemBits(before_first_draw=lambda: seen.append("announced"))
    assert seen == []
    for count in (0, 1, 1, MANY):
        bits.words(count)
    assert seen.count("announced") == 1
    assert seen[0] == "announced"


def test_if_the_announcement_fails_no_word_comes_and_the_next_request_announces_again(monkeypatch):
    keys, answers = [], iter([OSError("disk full"), KeyboardInterrupt(), None])
    monkeypatch.setattr(os, "urandom", lambda n: keys.append(n) or bytes(n))

    def announce():
        if (answer := next(answers)) is not None:
            raise answer

    bits = SystemBits(before_first_draw=announce)
    for failure in (OSError, KeyboardInterrupt):
        with pytest.raises(failure):
            bits.words(1)
        assert keys == []
    assert bits.words(1).size == 1
    assert next(answers, "exhausted") == "exhausted"


def test_an_announcement_that_draws_is_stopped_rather_than_served():
    bits = SystemBits(before_first_draw=lambda: bits.words(1) and None)
    with pytest.raises(RecursionError):
        bits.words(1)


@pytest.mark.parametrize("bits", [SystemBits(), SeededBits(1)], ids=["system", "seeded"])
@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_source_is_never_copied(bits, duplicate):
    bits.words(1)
    with pytest.raises(TypeError, match="repeats noise"):
        duplicate(bits)


def test_a_seed_is_repeated_marked_and_told_apart():
    assert SeededBits(1).seeded
    assert not SystemBits().seeded
    assert SeededBits(1).words(4).tolist() == SeededBits(1).words(4).tolist()
    assert SeededBits(1).words(4).tolist() != SeededBits(2).words(4).tolist()


@pytest.mark.parametrize("count", [-1, 1.5, True, None])
def test_impossible_counts_are_refused_before_anything_is_announced(count):
    for bits in (SystemBits(before_first_draw=pytest.fail), SeededBits(1)):
        with pytest.raises(ParameterError, match="count"):
            bits.words(count)


@pytest.mark.parametrize("seed", [1.0, "1", None, True, -1])
def test_seeds_that_are_not_whole_numbers_are_refused(seed):
    with pytest.raises(ParameterError, match="seed"):
        SeededBits(seed)
