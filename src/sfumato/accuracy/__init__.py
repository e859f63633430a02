"""What whoever receives a release can do with it, knowing the law of its noise.

This is the public side: it reads released values and published facts about the noise, never
a record, so whatever it computes costs no privacy.
"""

from sfumato.accuracy.amplification import Amplification
from sfumato.accuracy.noisy_lda import NoisyLDA
from sfumato.accuracy.noisy_scatter import (
    ClassScatter,
    class_scatter,
    expected_noise,
    laplace_variance,
)

__all__ = [
    "Amplification",
    "ClassScatter",
    "NoisyLDA",
    "class_scatter",
    "expected_noise",
    "laplace_variance",
]
