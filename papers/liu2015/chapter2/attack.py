"""What the surviving angles give away: values of other people, from one record of one's own.

Every record in turn is the attacker's.  The row at the smallest angle from the attacker's row is
guessed to hold the same values.  The same is done with the records themselves in place of
the perturbed rows (no perturbation could betray more to this attack), and by attackers who were
told somebody else's row (what they find holds for everybody).  Errors are root mean squares in
standard deviations of the columns; saying the mean of every column is off by 1.

Theorem 2.2.3 lets the attacker know m records.  `procrustes_attack` is that attacker.
"""

from collections.abc import Mapping
from math import pi

import numpy as np
from numpy.typing import NDArray

from papers.liu2015.chapter2.measure import CORRECTED, Perturbed, ranks
from papers.liu2015.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.inspection.attack import angle_attack, procrustes_attack
from sfumato.inspection.attack.angle import nearest
from sfumato.inspection.attack.matrix import elsewhere
from sfumato.inspection.attack.outcome import Rate
from sfumato.inspection.attack.rank_space import directions
from sfumato.numeric.arrays import Matrix

__all__ = ["ATTACK", "CONTROL", "ERROR", "KINDS", "KNOWN", "REACH", "Guess", "measure_attack"]

REACH, ATTACK, CONTROL = KINDS = (
    "the records themselves",
    "the perturbed rows",
    "somebody else's row",
)
ERROR = "error of the nearest row, in deviations"
KNOWN = "columns given away by m known records"
MEAN = 1.0  # error of saying the mean of every column, in deviations

Guess = tuple[Matrix, Matrix]  # the truth and what was guessed, in deviations about the mean


def measure_attack(
    name: str, p: Perturbed, trial: int, settings: Settings, found: Outcomes
) -> Mapping[str, Guess]:
    """Errors and rates of one trial; the guesses are given back, for a picture."""
    seed = settings.seed_of("attack", name, trial)
    k = ranks(p)[CORRECTED] or min(p.A.shape)

    def add(measure: str, value: float) -> None:
        found.add(Outcome("angle attack", name, None, trial, measure, float(value)))

    told = guesses(p, k, seed)
    for kind, (truth, guess) in told.items():
        add(f"{ERROR}, {kind}", np.sqrt(np.mean((truth - guess) ** 2)))
    tried = angle_attack(p.P, p.A, beta=1.0, rank=k, seed=seed)
    for side, outcome in (
        ("attack", tried.success),
        ("baseline", tried.baseline),
        ("control", tried.control),
    ):
        # Counts, because a rate of no tries is none.
        assert isinstance(outcome, Rate)  # noqa: S101  what this attack always gives
        add(f"guesses below π/180, {side}", outcome.tries)
        add(f"guesses below π/180 and right, {side}", outcome.hits)
    known = np.random.default_rng(seed).permutation(len(p.A))[: p.A.shape[1]]
    undone = procrustes_attack(p.P, p.A, known=known.tolist(), seed=seed)
    add(KNOWN, float(undone.details["columns given away"]))
    return told


def guesses(p: Perturbed, k: int, seed: int) -> dict[str, Guess]:
    """By kind: the truth about the guessed records, and what the attackers say of them."""
    Z = (p.A - p.A.mean(axis=0)) / p.A.std(axis=0)
    everybody = np.arange(len(Z))
    wrong = elsewhere(len(Z), seed)
    found = {}
    for kind, X, told in (
        (REACH, p.A, everybody),
        (ATTACK, p.P, everybody),
        (CONTROL, p.P, wrong),
    ):
        guessed: NDArray[np.int64] = nearest(directions(X, k, None), told, 2 * pi)
        # An attacker told a wrong row may be led back to their own record: no guess.
        tried = (guessed >= 0) & (guessed != everybody)
        found[kind] = (Z[guessed[tried]], Z[tried])
    return found
