"""Figure 2: squared error of releases that keep one row per record, and a humbling baseline.

Errors are measured on the published table: numbers inside their public range, categories
decoded to one level, features in [0, 1] (`sfumato.inspection.squared_error`).  The
paper measures after decoding categories as well and does not say whether numbers were clipped;
so the error before values are cut and decoded, expected over the noise of the records, is
computed beside it from the released directions and the stated noise.

The baseline releases the same record for everyone: the noisy mean, from the moments that
`modips` publishes for the whole budget, decoded.  It says nothing about anyone, so a method
whose squared error is larger has, by this measure, published less than nothing.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from papers.adult import ADULT
from papers.jiang2013.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.inspection import squared_error
from sfumato.inspection.utility import encoded
from sfumato.numeric.arrays import Matrix
from sfumato.publishing.table import publish
from sfumato.release import Release
from sfumato.render.decode import Decoder, nearest_codes
from sfumato.render.spectrum import covariance
from sfumato.schema.domain import Domain
from sfumato.synopsis.directions import Directions
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentLayout, MomentSynopsis

__all__ = ["CENTRED", "CONSTANT", "ENERGY", "ERROR", "ORIGIN", "UNCUT", "UNDECODED", "run"]

ERROR, ENERGY = "squared error per record", "cumulative energy"
UNCUT = "squared error per record before cutting"
CENTRED, ORIGIN = "about the mean", "about the origin"
CONSTANT, UNDECODED = "one constant record", "noisy mean, not decoded"


def run(table: pa.Table, settings: Settings, found: Outcomes, tick: Callable[[str], None]) -> None:
    """Energy of the eigenvectors, then every contender, budget and trial."""
    domain = Domain.of(ADULT)
    features = Features.of(domain)
    X = features.design(encoded(table, domain)) / features.units
    for centre, S in ((CENTRED, np.cov(X.T, bias=True)), (ORIGIN, X.T @ X)):
        for rank, share in enumerate(_energy(S), start=1):
            found.add(Outcome("2", centre, None, rank, ENERGY, float(share)))
    for epsilon in settings.epsilons:
        for trial in range(settings.trials):
            for contender in settings.records:
                seed = settings.seed_of("2", contender.name, epsilon, trial)
                release = publish(
                    table,
                    schema=ADULT,
                    method=contender.method,
                    epsilon=epsilon,
                    seed=seed,
                    fit=False,
                    **contender.options,
                )
                error = squared_error(table, release.table, ADULT).per_record
                found.add(Outcome("2", contender.name, epsilon, trial, ERROR, error))
                if (uncut := _uncut(release, X, features)) is not None:
                    found.add(Outcome("2", contender.name, epsilon, trial, UNCUT, uncut))
                tick(f"figure 2, ε = {epsilon:g}, {contender.name}")
            mean = _noisy_mean(table, features, epsilon, settings.seed_of("2", epsilon, trial))
            record = Decoder(domain).batch(np.repeat(nearest_codes(features, mean), len(X), axis=0))
            error = squared_error(table, pa.Table.from_batches([record]), ADULT).per_record
            found.add(Outcome("2", CONSTANT, epsilon, trial, ERROR, error))
            plain = float(((X - mean) ** 2).sum(axis=1).mean())
            found.add(Outcome("2", UNDECODED, epsilon, trial, ERROR, plain))
            tick(f"figure 2, ε = {epsilon:g}, {CONSTANT}")


def _uncut(release: Release, X: Matrix, features: Features) -> float | None:
    """Variance that the directions leave out, plus the energy of the noise; Laplace noise only."""
    event = release.certificate.events[-1]
    if event.mechanism != "discrete-laplace":
        return None
    energy = 2 * event.size**2
    if release.synopsis is None:  # every feature of every record has its own noise
        return energy * len(features)
    record = dict(release.synopsis)
    layout = MomentLayout(features, ADULT.neighbours)
    mean, _ = covariance(MomentSynopsis.from_json(record["moments"], layout))
    directions = Directions(features, np.array(record["directions"]))
    centred, U = X - mean, directions.matrix
    left_out = ((centred - centred @ U.T @ U) ** 2).sum(axis=1).mean()
    return float(left_out + energy * directions.rank)


def _energy(S: Matrix) -> Matrix:
    """Cumulative share of the eigenvalues, largest first."""
    values = np.maximum(np.linalg.eigvalsh(S)[::-1], 0)
    return np.asarray(np.cumsum(values) / values.sum())


def _noisy_mean(table: pa.Table, features: Features, epsilon: float, seed: int) -> Matrix:
    """Mean of the features from published moments, inside [0, 1]."""
    release = publish(
        table, schema=ADULT, method="modips", epsilon=epsilon, seed=seed, rows=0, fit=False
    )
    layout = MomentLayout(features, ADULT.neighbours)
    synopsis = MomentSynopsis.from_json(dict(release.synopsis or {}), layout)
    return np.asarray(np.clip(synopsis.sums / synopsis.counts[0], 0, 1))
