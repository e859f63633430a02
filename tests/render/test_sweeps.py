"""Records moved to the tables that they should have: compiled, in blocks and in plain Python."""

import numpy as np
import pytest

from sfumato.render import sweeps as module
from sfumato.render.sweeps import Sweeps

OFFSET = np.array([0, 4, 9, 12])
SIZES = np.diff(OFFSET)
CLASSES, ROWS = 2, 12_000
BLOCKS = [slice(OFFSET[c], OFFSET[c + 1]) for c in range(3)]
PAIRS = ((0, 1), (0, 2), (1, 2))
IMPOSSIBLE = -1e4


def counted(bins, classes):
    """Shares of the records by class and two cells."""
    found = np.zeros((CLASSES, OFFSET[-1], OFFSET[-1]))
    cells = bins + OFFSET[:-1]
    for i, j in PAIRS:
        np.add.at(found, (classes, cells[:, i], cells[:, j]), 1 / len(bins))
        np.add.at(found, (classes, cells[:, j], cells[:, i]), 1 / len(bins))
    return found


def dependent(rng, rows=ROWS):
    """Records of three columns that go together, otherwise in each class."""
    classes = rng.integers(0, CLASSES, rows)
    common = rng.random(rows)
    noise = 0.15 * rng.random((rows, 3))
    high = np.stack([common, np.where(classes == 1, common, 1 - common), common], axis=1)
    bins = np.minimum(((high * 0.85 + noise) * SIZES).astype(np.int64), SIZES - 1)
    return bins, classes


def independent(bins, rng):
    """The same values of each column, no longer together."""
    return np.stack([rng.permutation(column) for column in bins.T], axis=1)


def world(rng, never=None, impossible=()):
    bins, classes = dependent(rng)
    share = counted(bins, classes)
    mean = np.zeros((CLASSES, OFFSET[-1]))
    np.add.at(mean, (classes[:, None], bins + OFFSET[:-1]), 1.0)
    mean = np.log(np.maximum(mean / np.bincount(classes)[:, None], 1e-5))
    mean[:, list(impossible)] = IMPOSSIBLE
    if never is None:
        never = np.zeros((OFFSET[-1], OFFSET[-1]), bool)
    return Sweeps(OFFSET, share, mean, never), independent(bins, rng), classes


def away(bins, classes, sweeps):
    """Total variation, on the average over pairs."""
    return np.abs(counted(bins, classes) - sweeps.share).sum() / 2 / len(PAIRS) / 2


@pytest.fixture(params=["compiled", "in blocks"])
def path(request, monkeypatch):
    if request.param == "in blocks":
        monkeypatch.setattr(module, "HAVE_NUMBA", False)
    elif not module.HAVE_NUMBA:
        pytest.skip("nothing is compiled here")
    return request.param


@pytest.mark.usefixtures("path")
def test_records_come_to_have_the_tables_and_keep_their_classes(rng):
    sweeps, start, classes = world(rng)
    before, kept = start.copy(), classes.copy()
    found = sweeps.moved(start, classes, 2.0, rng)
    assert away(start, classes, sweeps) > 0.3
    assert away(found, classes, sweeps) < 0.03
    assert away(found, 1 - classes, sweeps) > 0.3  # the control: classes have tables of their own
    assert np.array_equal(start, before)  # whose records they are is nobody's to change
    assert np.array_equal(classes, kept)
    assert found.shape == start.shape
    assert (found >= 0).all()
    assert (found < SIZES).all()
    for column in range(3):
        assert set(found[:, column]) == set(range(SIZES[column]))


@pytest.mark.usefixtures("path")
def test_the_same_seed_moves_them_alike_and_another_does_not(rng):
    sweeps, start, classes = world(rng)
    found = [sweeps.moved(start, classes, 1.0, np.random.default_rng(seed)) for seed in (3, 3, 4)]
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


@pytest.mark.usefixtures("path")
def test_what_is_never_together_ends_empty(rng):
    """Against the shares, which are not empty there."""
    never = np.zeros((OFFSET[-1], OFFSET[-1]), bool)
    never[0, 9:11] = never[9:11, 0] = True
    sweeps, start, classes = world(rng, never)
    both = (start[:, 0] == 0) & (start[:, 2] < 2)
    assert both.sum() > 1_000
    assert sweeps.share[:, 0, 9:11].sum() > 0.05
    found = sweeps.moved(start, classes, 3.0, rng)
    assert not ((found[:, 0] == 0) & (found[:, 2] < 2)).any()


@pytest.mark.usefixtures("path")
def test_bins_that_are_impossible_are_left_and_never_drawn(rng):
    sweeps, start, classes = world(rng, impossible=(1, 6))
    assert (start[:, 0] == 1).sum() > 1_000
    found = sweeps.moved(start, classes, 1.0, rng)
    assert not (found[:, 0] == 1).any()
    assert not (found[:, 1] == 2).any()
    possible, *rest = world(rng)
    assert (possible.moved(*rest, 1.0, rng)[:, 0] == 1).any()  # the control


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("passes", [0.0, 0.1, 0.5])
def test_less_than_a_pass_goes_over_a_part_of_the_records(passes, rng):
    sweeps, start, classes = world(rng)
    moved = (sweeps.moved(start, classes, passes, rng) != start).any(axis=1).mean()
    assert moved <= passes
    assert moved >= passes / 2


@pytest.mark.usefixtures("path")
def test_records_that_have_their_tables_keep_them(rng):
    sweeps, _, _ = world(rng)
    bins, classes = dependent(rng)
    before = away(bins, classes, sweeps)
    assert away(sweeps.moved(bins, classes, 1.0, rng), classes, sweeps) < before + 0.005


PLAIN = getattr(module._sweep, "py_func", module._sweep)


@pytest.mark.parametrize("sweep", [module._sweep, PLAIN, module._sweep_in_blocks])
def test_what_is_kept_up_along_the_way_is_what_is_counted_afterwards(sweep, rng, monkeypatch):
    sweeps, start, classes = world(rng)
    start, classes, seen = start[:400], classes[:400], []

    def watched(*arguments):
        sweep(*arguments)
        found, *_ = arguments
        wanted = sweeps._counted(found.bins, found.classes)
        wanted -= np.float32(400) * sweeps.share.astype(np.float32)
        np.testing.assert_allclose(found.apart, wanted, atol=1e-3)
        seen.append(np.abs(wanted).sum())

    monkeypatch.setattr(module, "HAVE_NUMBA", True)
    monkeypatch.setattr(module, "_sweep", watched)
    found = sweeps.moved(start, classes, 2.0, rng)
    assert len(seen) == 2
    assert away(found, classes, sweeps) < away(start, classes, sweeps) / 2


def test_in_plain_python_the_same_lines_give_what_is_compiled(rng, monkeypatch):
    sweeps, start, classes = world(rng)
    found = []
    monkeypatch.setattr(module, "HAVE_NUMBA", True)
    for sweep in (module._sweep, PLAIN):
        monkeypatch.setattr(module, "_sweep", sweep)
        seeded = np.random.default_rng(1)
        found.append(sweeps.moved(start[:400], classes[:400], 1.0, seeded))
    # Roundings of an exponential may move a value that lies on the edge.
    assert (found[0] != found[1]).mean() < 0.01
    assert (found[0] != start[:400]).mean() > 0.2  # the control


@pytest.mark.usefixtures("path")
def test_those_come_first_that_should_not_be_as_they_are(rng):
    never = np.zeros((OFFSET[-1], OFFSET[-1]), bool)
    never[0, 9:11] = never[9:11, 0] = True
    sweeps, start, classes = world(rng, never)
    wrong = (start[:, 0] == 0) & (start[:, 2] < 2)
    found = sweeps.moved(start, classes, wrong.mean(), rng)
    assert (found[~wrong] == start[~wrong]).all()
    assert ((found[:, 0] == 0) & (found[:, 2] < 2)).mean() < 0.05 * wrong.mean()


def test_each_record_is_gone_over_less_often_the_more_work_there_is(monkeypatch):
    sweeps = Sweeps(OFFSET, np.zeros((1, 12, 12)), np.zeros((1, 12)), np.zeros((12, 12), bool))
    for have, most in ((True, module._MOST), (False, module._PLAIN)):
        monkeypatch.setattr(module, "HAVE_NUMBA", have)
        rows = np.geomspace(1, 1e12, 2_000)
        passes = np.array([sweeps.passes(round(n)) for n in rows])
        assert passes[0] == most
        assert 0 < passes[-1] < 0.01
        assert (np.diff(passes) <= 0).all()
        # Nothing falls off an edge: a hundredth more records, a hundredth less often.
        assert (passes[1:] / passes[:-1] > 0.98).all()
    wide = Sweeps(np.arange(0, 1201, 12), sweeps.share, sweeps.mean, sweeps.never)
    assert wide.passes(10**6) < sweeps.passes(10**6)
