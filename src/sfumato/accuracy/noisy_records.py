"""Records as noisy coordinates (`lop` with space=components), and the law of their noise.

All of it is read from the release: variances and rates from the events of its certificate,
directions from its synopsis.  No figure needs to be typed, and none is taken on trust that the
certificate does not state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.label_answers import has_coordinates, label_question
from sfumato.accuracy.noisy_lda import NoisyLDA
from sfumato.accuracy.published import Readable
from sfumato.errors import DataError, ReleaseError
from sfumato.numeric.arrays import Matrix, Whole
from sfumato.privacy.mechanism import Event
from sfumato.release.certificate import stated
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.directions import Directions

__all__ = ["NoisyRecords", "noisy_records"]

_DIFFERENT = "the certificate or synopsis is not what Sfumato writes"


@dataclass(frozen=True, eq=False)
class NoisyRecords:
    """Noisy coordinates, one row per record, and answers in place of labels."""

    coordinates: Matrix
    labels: NDArray[Any] | None
    noise_variance: float  # of each coordinate
    label_rates: tuple[float, float] | None
    space: Centred
    steps: Whole  # of the public directions

    @property
    def features(self) -> Sequence[str]:
        """What the directions are made of: columns, and their values where they are categories."""
        return self.space.features.names

    def lda(self, *, priors: ArrayLike | None = None) -> NoisyLDA:
        """Fisher's discriminant analysis, learnt from the release with its noise subtracted.

        The model is for coordinates without noise, such as `placed` gives.
        """
        if self.labels is None:
            raise DataError("no column had role: label when it was released: nothing to tell apart")
        model = NoisyLDA(self.noise_variance, priors=priors, label_rates=self.label_rates)
        return model.fit(self.coordinates, self.labels)

    def placed(self, Z: ArrayLike) -> Matrix:
        """Coordinates of one's own records: features from 0 to 1, in the order of `features`.

        Where records were drawn into a ball, these are as well.
        """
        own, width = np.asarray(Z, np.float64), len(self.space)
        if own.ndim != 2 or own.shape[1] != width:
            raise DataError(f"own records must have {width} features, got {own.shape}")
        own = own - self.space.middle
        if self.space.radius is not None:
            norms, limit = np.linalg.norm(own, axis=1), float(self.space.radius)
            own *= (limit / np.maximum(norms, limit))[:, None]
        return np.asarray(own @ Directions(self.space, self.steps).matrix.T)


def noisy_records(release: Readable) -> NoisyRecords:
    """The coordinates of a release; refused where it holds none."""
    certificate, synopsis = release.certificate, release.synopsis or {}
    if not has_coordinates(certificate):
        raise ReleaseError(
            f"{certificate.method} released no coordinates: lop with space=components does"
        )
    try:
        domain = Domain.of(stated(certificate.public_schema))
        label = label_question(domain, certificate.events)
        beside = () if label is None else (label.axis,)
        space = Centred.of(domain, certificate.options["radius"], without=beside)
        directions = Directions(space, np.array(synopsis["directions"], np.int64))
        if synopsis["unit"] != directions.unit or directions.steps.shape[1:] != (len(space),):
            raise ReleaseError(_DIFFERENT)
        table = release.table
        columns = [f"component_{k + 1}" for k in range(directions.rank)]
        coordinates = np.column_stack([table.column(name).to_numpy() for name in columns])
        labels = None if label is None else np.array(table.column(label.name).to_pylist())
        variance = _variance(certificate.measured[0], directions.unit)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise ReleaseError(_DIFFERENT) from None
    rates = None if label is None else label.response.rates
    return NoisyRecords(coordinates, labels, variance, rates, space, directions.steps)


def _variance(event: Event, unit: int) -> float:
    """Of the noise on one coordinate, in real units."""
    if event.mechanism != "discrete-laplace" or event.statistic != "projected records":
        raise ReleaseError(_DIFFERENT)
    scale = (event.noise or 0) * unit
    return DiscreteSum.laplace(scale, step=Fraction(1, unit)).deviation ** 2
