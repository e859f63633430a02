"""Figure 5 corrected: directions, coordinates and labels all carry noise; then a linear SVM.

Two thirds of the records are released: a fifth of ε buys the directions (`private`), two
fifths the coordinates under Laplace noise, two fifths the labels by randomised response, which
keeps a label with chance e^ε / (e^ε + c − 1) and else draws one of the other c − 1.  The parts
add up to ε, with the δ of the directions where they have one.  As many directions are kept
as separate the classes at most, c − 1: more would only let more noise in.  The held-out
third is scored without noise, by whoever holds it.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from papers.declared import Declared
from papers.outcome import Outcome, Outcomes
from papers.xu2019.accuracy import accuracy_on, split, svm_accuracy
from papers.xu2019.private import CONTENDERS, LOP, Kept, bought_directions, space_of
from papers.xu2019.settings import DIRECTIONS, LABELS, Settings
from sfumato.measure.projection import Projection
from sfumato.privacy.choice import draw_index
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import Bits, SeededBits

__all__ = ["noisy_labels", "run"]

Labels = NDArray[np.int64]


def run(
    name: str,
    data: Declared,
    y: Labels,
    settings: Settings,
    found: Outcomes,
    tick: Callable[[str], None],
) -> None:
    """The splits are those of the figure as published."""
    space = space_of(name, data.domain)
    labels = np.unique(y)  # which classes there are is public
    codes = np.searchsorted(labels, y)
    rank = min(max(len(labels) - 1, 1), len(space))
    measure = accuracy_on(name)
    for trial in range(settings.trials):
        taught, tried = split(len(y), settings.seed_of("split", name, trial))
        records = Kept(data.table.take(taught), data.domain)
        held_out = np.vstack(Kept(data.table.take(tried), data.domain).codes)
        for epsilon in settings.budgets:
            whole = Fraction(str(epsilon))
            for who in CONTENDERS:
                seed = settings.seed_of("5 private", name, who, epsilon, trial)
                share = 0 if who == LOP else DIRECTIONS
                directions = bought_directions(who, space, records, rank, whole * share, seed)
                bits = SeededBits(seed + 1)
                rest = PureDP(whole * (1 - share - LABELS))
                projection = Projection(directions, rest)
                X = np.vstack(list(projection.perturb(records, Purse(rest, bits))))
                kept = noisy_labels(codes[taught], len(labels), whole * LABELS, bits)
                Z = projection.query(held_out) / directions.unit
                value = svm_accuracy(X, kept, Z, codes[tried])
                found.add(Outcome("5 private", who, epsilon, trial, measure, value))
            tick(f"figure 5 with private records, {name}, ε = {epsilon:g}")


def noisy_labels(codes: Labels, classes: int, epsilon: Fraction, bits: Bits) -> Labels:
    """Randomised response, exactly: each label is moved on by 0 with e^ε times the chance.

    >>> noisy_labels(np.array([0, 1, 2]), 3, Fraction(50), SeededBits(1)).tolist()
    [0, 1, 2]
    """
    moves = np.minimum(np.arange(classes), 1)
    return (codes + draw_index(moves, epsilon, len(codes), bits)) % classes
