"""For the owner's eyes: what attackers could learn from a release, tried out.

NOT PRIVATE, all of it; `sfumato.inspection` says why.

An attack that succeeds shows a leak.  An attack that fails shows that this attack fails: the
next one may be better, and only a guarantee holds against all of them.  So these are
positive tests for releases that promise nothing (rotations, wavelets, noise without a
proof), and a check that a release with a promise was made the way it says.

Every result (`Attack`) sets the success of the attack beside guessing (`baseline`) and
beside the same attack where it has nothing to find (`control`), with intervals, and says
whether the attack had `power` at all.

>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> A = rng.normal(size=(200, 3))
>>> R = np.linalg.qr(rng.normal(size=(3, 3)))[0]  # a secret rotation, meant to protect
>>> found = procrustes_attack(A @ R, A, known=[0, 1, 2])
>>> print(found.sentence)
known sample, Procrustes, column 2: off by 0.00 deviations (0.00 to 0.00), 1.00 by saying the \
mean, 1.38 on somebody else's record. The release gives away its records.
"""

from sfumato.inspection.attack.angle import angle_attack
from sfumato.inspection.attack.attribute import attribute_attack
from sfumato.inspection.attack.known_sample import least_squares_attack, procrustes_attack
from sfumato.inspection.attack.linkage import linkage_attack
from sfumato.inspection.attack.membership import membership_attack
from sfumato.inspection.attack.numeric import in_shares, in_units
from sfumato.inspection.attack.outcome import Chance, Error, Gap, Rate, gap
from sfumato.inspection.attack.outlier import Outlier, most_advantage, outlier_attack
from sfumato.inspection.attack.person import person_copies_attack, person_membership_attack
from sfumato.inspection.attack.preserved import AnglesPreserved, angles_preserved
from sfumato.inspection.attack.rank_space import Conditions, conditions
from sfumato.inspection.attack.ranked import reconstruction_attack, table_reconstruction_attack
from sfumato.inspection.attack.result import Attack, Verdict
from sfumato.inspection.attack.singling_out import singling_out_attack
from sfumato.inspection.attack.spectral import bayes_attack, pca_attack, spectral_attack
from sfumato.inspection.attack.suite import attacks, matrix_attacks

__all__ = [
    "AnglesPreserved",
    "Attack",
    "Chance",
    "Conditions",
    "Error",
    "Gap",
    "Outlier",
    "Rate",
    "Verdict",
    "angle_attack",
    "angles_preserved",
    "attacks",
    "attribute_attack",
    "bayes_attack",
    "conditions",
    "gap",
    "in_shares",
    "in_units",
    "least_squares_attack",
    "linkage_attack",
    "matrix_attacks",
    "membership_attack",
    "most_advantage",
    "outlier_attack",
    "pca_attack",
    "person_copies_attack",
    "person_membership_attack",
    "procrustes_attack",
    "reconstruction_attack",
    "singling_out_attack",
    "spectral_attack",
    "table_reconstruction_attack",
]
