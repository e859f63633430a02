"""Perturbations without a proof: real matrices in, matrices of the same rows out.

NOT PRIVATE by any proof: `docs/proofs/perturbation.md` has the attack on each.  The functions
see records, read no file, leave their input as it was, and take what chance they need from
the generator they are given.
"""

from sfumato.perturb.additive import additive
from sfumato.perturb.rotation import random_orthogonal, rotation
from sfumato.perturb.wavelet import wavelet
from sfumato.perturb.wavelet_multi import wavelet_multi

__all__ = ["additive", "random_orthogonal", "rotation", "wavelet", "wavelet_multi"]
