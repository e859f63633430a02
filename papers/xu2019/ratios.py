"""Figures 1 to 4 as the paper has them: θ and η.  NOT PRIVATE, and nothing here is a release.

    θ = ‖E₁‖ / ‖E₂‖                                the noise of lip over the noise of lop
    η = ‖X V'V'ᵀ − X‖ / ‖(X V + E₂) Vᵀ − X‖        the error of lip over the error of lop

in Frobenius norms, E₁ ~ Lap(2d/(nε)) symmetric, E₂ ~ Lap(2d/ε).  The numerator of η holds no
noise on records: what it stands for would publish every record as projected, to the last
digit.  So η sets an output that is not private beside a noisy one.
"""

from collections.abc import Callable

import numpy as np

from papers.outcome import Outcome, Outcomes
from papers.xu2019.directions import lip_directions
from papers.xu2019.normalised import Normalised
from papers.xu2019.settings import Settings, parts_of, ranks_upto
from sfumato.inspection.ratio import noise_ratio
from sfumato.numeric.arrays import Matrix

__all__ = ["ERROR", "error_ratios", "run", "theta_at_rank", "theta_at_rows"]

ERROR = "error ratio"


def theta_at_rank(rank: int) -> str:
    """The measure of figure 1, as results call it."""
    return f"noise ratio, k = {rank}"


def theta_at_rows(rows: int) -> str:
    """The measure of figure 2, as results call it."""
    return f"noise ratio, n = {rows}"


def eta_at_rank(rank: int) -> str:
    """The measure of figure 3, as results call it."""
    return f"{ERROR}, k = {rank}"


def run(
    name: str, data: Normalised, settings: Settings, found: Outcomes, tick: Callable[[str], None]
) -> None:
    """The ratios of one data set; in `results.csv` the data set is the contender."""
    ranks = ranks_upto(data.width)
    for trial in range(settings.trials):
        if "1" in settings.figures:
            rng = np.random.default_rng(settings.seed_of("1", name, trial))
            for k in ranks:
                theta = _theta(data.rows, data.width, k, rng)
                found.add(Outcome("1", name, None, trial, theta_at_rank(k), theta))
            tick(f"figure 1, {name}")
        if "2" in settings.figures:
            rng = np.random.default_rng(settings.seed_of("2", name, trial))
            for rows in parts_of(data.rows):
                theta = _theta(rows, data.width, data.rank, rng)
                found.add(Outcome("2", name, None, trial, theta_at_rows(rows), theta))
            tick(f"figure 2, {name}")
        if "3" in settings.figures:
            epsilon = settings.shown
            rng = np.random.default_rng(settings.seed_of("3", name, trial))
            for k, eta in zip(ranks, error_ratios(data, ranks, epsilon, rng), strict=True):
                found.add(Outcome("3", name, epsilon, trial, eta_at_rank(k), float(eta)))
            tick(f"figure 3, {name}")
        if "4" in settings.figures:
            for epsilon in settings.epsilons:
                rng = np.random.default_rng(settings.seed_of("4", name, epsilon, trial))
                (eta,) = error_ratios(data, [data.rank], epsilon, rng)
                found.add(Outcome("4", name, epsilon, trial, ERROR, float(eta)))
                tick(f"figure 4, {name}, ε = {epsilon:g}")


def error_ratios(
    data: Normalised, ranks: list[int], epsilon: float, rng: np.random.Generator
) -> Matrix:
    """η at several ranks from one draw of either noise.

    The rows of E₂ Vᵀ lie in the span of V, which X V Vᵀ − X is orthogonal to, so squares add
    and A is all that is needed of X; columns of E₂ are drawn one by one, once for all ranks.
    """
    V = lip_directions(data.second, 2 * data.width / (data.rows * epsilon), rng)
    held = np.cumsum(np.einsum("ij,ij->j", V, data.second @ V))
    ours = data.rows * np.maximum(data.spectrum.sum() - held, 0)
    scale = 2 * data.width / epsilon
    columns = (rng.laplace(0, scale, data.rows) for _ in range(max(ranks)))
    noise = np.cumsum([float(column @ column) for column in columns])
    theirs = data.rows * np.maximum(data.spectrum.sum() - np.cumsum(data.spectrum), 0)
    last = np.array(ranks) - 1
    return np.asarray(np.sqrt(ours[last] / (theirs[last] + noise[last])))


def _theta(rows: int, width: int, rank: int, rng: np.random.Generator) -> float:
    return noise_ratio(rows, width, rank, sensitivities="paper", rng=rng)
