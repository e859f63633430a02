"""What whoever receives a release can do with it, knowing the law of its noise.

This is the public side: it reads released values and published facts about the noise, never
a record, so whatever it computes costs no privacy.
"""

from sfumato.accuracy.amplification import Amplification
from sfumato.accuracy.asking import Answers, ask
from sfumato.accuracy.collected import Collected, collected
from sfumato.accuracy.comparison import Comparison
from sfumato.accuracy.covariance_statement import about_covariance
from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.extreme import declared, maximum, minimum
from sfumato.accuracy.fit import about_fit
from sfumato.accuracy.group import about_group
from sfumato.accuracy.laplace_sum import LaplaceSum
from sfumato.accuracy.noisy_lda import NoisyLDA
from sfumato.accuracy.noisy_records import NoisyRecords, noisy_records
from sfumato.accuracy.noisy_scatter import (
    ClassScatter,
    class_scatter,
    expected_noise,
    laplace_variance,
)
from sfumato.accuracy.published import Published, published
from sfumato.accuracy.relations import Suggestion, Suggestions, suggest_constraints
from sfumato.accuracy.small_values import (
    averaged,
    bit_variances,
    laplace_shares,
    table_text,
)
from sfumato.accuracy.statement import (
    Answer,
    about_count,
    about_difference,
    about_extreme,
    about_mean,
)
from sfumato.accuracy.thesis import sum_bound
from sfumato.accuracy.two_way import TwoWay
from sfumato.accuracy.useful import useful_chance, useful_distance

__all__ = [
    "Amplification",
    "Answer",
    "Answers",
    "ClassScatter",
    "Collected",
    "Comparison",
    "DiscreteSum",
    "LaplaceSum",
    "NoisyLDA",
    "NoisyRecords",
    "Published",
    "Suggestion",
    "Suggestions",
    "TwoWay",
    "about_count",
    "about_covariance",
    "about_difference",
    "about_extreme",
    "about_fit",
    "about_group",
    "about_mean",
    "ask",
    "averaged",
    "bit_variances",
    "class_scatter",
    "collected",
    "declared",
    "expected_noise",
    "laplace_shares",
    "laplace_variance",
    "maximum",
    "minimum",
    "noisy_records",
    "published",
    "suggest_constraints",
    "sum_bound",
    "table_text",
    "useful_chance",
    "useful_distance",
]
