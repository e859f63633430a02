"""Do the primitives draw what they are asked for?  Samples of those that a method used.

The tape says which scale, variance or rate was asked for; only the runs of the sampler say
what came.  Each test is exact or conservative, and all together raise a false alarm with a
chance of at most `FALSE_ALARM`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc

from sfumato.inspection.audit.noise_law import TESTS, Drawn, p_values
from sfumato.inspection.audit.redraw import Laws
from sfumato.inspection.audit.step import Step
from sfumato.inspection.audit.tape import Added, Answered, Chosen, Redrawn
from sfumato.measure import exponential
from sfumato.numeric.arrays import Whole
from sfumato.privacy import answer as answers
from sfumato.privacy import choice as choices
from sfumato.privacy import noise as samplers
from sfumato.privacy.randomness import Bits

__all__ = ["FALSE_ALARM", "wrong_laws"]

T = TypeVar("T")
FALSE_ALARM = 1e-6
_DRAWS = 4_000
_KINDS = 4  # of draws
_LAWS = 4  # of each kind that are sampled
_SMALLEST = Fraction(1, 2**40)  # of a size that floats and the sampler share


def wrong_laws(steps: Sequence[Step], bits: Bits, rng: np.random.Generator) -> list[str]:
    """What is drawn by another law than was asked for, by the name of its measurement."""
    entries = [entry for step in steps for entry in step.entries]
    added = [entry for entry in entries if isinstance(entry, Added) and entry.size.size]
    chosen = [entry for entry in entries if isinstance(entry, Chosen) and len(entry.gaps) > 1]
    redrawn = [entry for entry in entries if isinstance(entry, Redrawn) and entry.codes.size]
    said = []
    for one in _some(added):
        if min(_noise(one, bits, rng).values()) < FALSE_ALARM / (_KINDS * _LAWS * len(TESTS)):
            said.append(f"{one.name}: the noise has not the law that was asked for")
    for pick in _some(chosen):
        weights = -pick.rate * pick.gaps.astype(np.float64)
        taken = choices.draw_index(pick.gaps, Fraction(pick.rate), _DRAWS, bits)
        if _improbable(np.bincount(taken, minlength=len(weights)), weights):
            said.append(f"{pick.name}: the draws have not the law that was asked for")
    for column in _some(redrawn):
        if _wrongly_redrawn(column, bits):
            said.append(f"{column.name}: the draws have not the law that was asked for")
    for question in _some([entry for entry in entries if isinstance(entry, Answered)]):
        if _wrongly_answered(question, bits):
            said.append(f"{question.name}: the answers have not the law that was asked for")
    return list(dict.fromkeys(said))


def _some(entries: Sequence[T]) -> list[T]:
    """A few, from the first to the last."""
    if not entries:
        return []
    places = np.unique(np.linspace(0, len(entries) - 1, _LAWS).astype(int))
    return [entries[place] for place in places]


def _noise(entry: Added, bits: Bits, rng: np.random.Generator) -> dict[str, float]:
    size = max(Fraction(float(entry.size.ravel()[0])), _SMALLEST)
    draw = samplers.discrete_gaussian if entry.gaussian else samplers.discrete_laplace
    name = "discrete-gaussian" if entry.gaussian else "discrete-laplace"
    drawn = Drawn(name, draw(size, _DRAWS, bits), np.full(_DRAWS, float(size)))
    return p_values(drawn, rng)


def _wrongly_redrawn(column: Redrawn, bits: Bits) -> bool:
    code = int(column.codes.ravel()[0])
    codes, logs = Laws().weights(column.law, code)
    made = exponential._draw(column.law, np.full(_DRAWS, code, np.int64), bits)
    known = np.isin(made, codes)
    counts = np.bincount(np.searchsorted(codes, made[known]), minlength=len(codes))
    return not known.all() or _improbable(counts, logs)


def _wrongly_answered(question: Answered, bits: Bits) -> bool:
    """Each part of the answers of many records that have the same to say."""
    logs = question.response.log_chances(0)
    made = answers.answered(question.response, np.zeros(_DRAWS, np.int64), bits)
    parts = made.reshape(_DRAWS, -1).T
    counts = [np.bincount(part, minlength=logs.shape[1]) for part in parts]
    return len(counts) != len(logs) or any(
        _improbable(found, weights, len(logs)) for found, weights in zip(counts, logs, strict=True)
    )


def _improbable(counts: Whole, log_weights: NDArray[np.float64], parts: int = 1) -> bool:
    """Whether a count lies in a binomial tail that is too small for so many tests."""
    shares = np.exp(log_weights - log_weights.max())
    shares /= shares.sum()
    runs = int(counts.sum())
    low = bdtr(counts, runs, shares)
    high = np.where(counts > 0, bdtrc(np.maximum(counts - 1, 0), runs, shares), 1.0)
    return bool(
        np.minimum(low, high).min() < FALSE_ALARM / (_KINDS * _LAWS * 2 * len(counts) * parts)
    )
