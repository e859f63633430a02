"""Methods for tables, one small file each: a module that defines `METHOD` is found.

>>> sorted(METHODS)  # doctest: +NORMALIZE_WHITESPACE
['additive', 'analyze-gauss', 'compressive', 'dca', 'diffgen', 'dp-lda', 'dp-pca', 'exponential',
 'identity-laplace', 'jl-gauss', 'lap-pca', 'lip', 'local', 'lop', 'modips', 'mosaic', 'pca-gauss',
 'pca-gauss-mixture', 'pca-gauss-regression', 'pca-laplace', 'power-method', 'rotation',
 'small-database', 'svd', 'wavelet', 'wavelet-multi']
"""

from sfumato.plan.plan import Method
from sfumato.plan.registry import Registry, registered

__all__ = ["METHODS", "method"]

METHODS: Registry[Method] = registered("tables")


def method(name: str) -> Method:
    """A method by its name; an unknown name is refused with the known ones."""
    return METHODS.named(name)
