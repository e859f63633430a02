"""What whoever receives a release can do with it, knowing the law of its noise.

This is the public side: it reads released values and published facts about the noise, never
a record, so whatever it computes costs no privacy.
"""

from sfumato.accuracy.amplification import Amplification
from sfumato.accuracy.comparison import Comparison
from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.extreme import declared, maximum, minimum
from sfumato.accuracy.laplace_sum import LaplaceSum
from sfumato.accuracy.noisy_lda import NoisyLDA
from sfumato.accuracy.noisy_scatter import (
    ClassScatter,
    class_scatter,
    expected_noise,
    laplace_variance,
)
from sfumato.accuracy.published import Published, published
from sfumato.accuracy.two_way import TwoWay
from sfumato.accuracy.useful import useful_chance, useful_distance

__all__ = [
    "Amplification",
    "ClassScatter",
    "Comparison",
    "DiscreteSum",
    "LaplaceSum",
    "NoisyLDA",
    "Published",
    "TwoWay",
    "class_scatter",
    "declared",
    "expected_noise",
    "laplace_variance",
    "maximum",
    "minimum",
    "published",
    "useful_chance",
    "useful_distance",
]
