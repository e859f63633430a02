"""For the owner's eyes: a published network beside the one it came from.

NOT PRIVATE, all of it: every figure is computed from the weights without noise;
`sfumato.inspection` says why such figures must not be published.

>>> import numpy as np
>>> from sfumato.graph.network import Network, Topology
>>> ends = np.array([0, 1, 0]), np.array([1, 2, 2])
>>> triangle = Network(Topology(("a", "b", "c"), *ends, directed=False), np.array([1.0, 2.0, 4.0]))
>>> found = compare(triangle, triangle.with_weights(np.array([1.0, 4.0, 4.5])))
>>> found.kept, found.unchanged, found.stretch[1.0]
(0.6666666666666666, 0.3333333333333333, 1.3333333333333333)
"""

from sfumato.inspection.network.comparison import WITHIN, Comparison, compare
from sfumato.inspection.network.lengths import Lengths

__all__ = ["WITHIN", "Comparison", "Lengths", "compare"]
