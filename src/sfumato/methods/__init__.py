"""Recipes, one small file each; a new one is one import and one name here.

>>> sorted(METHODS)  # doctest: +NORMALIZE_WHITESPACE
['additive', 'analyze-gauss', 'compressive', 'diffgen', 'dp-lda', 'dp-pca', 'exponential',
 'identity-laplace', 'jl-gauss', 'lap-pca', 'lip', 'lop', 'modips', 'mosaic', 'pca-gauss',
 'pca-gauss-mixture', 'pca-gauss-regression', 'pca-laplace', 'power-method', 'rotation', 'svd',
 'wavelet', 'wavelet-multi']
"""

from sfumato.errors import ParameterError
from sfumato.methods import (
    additive,
    analyze_gauss,
    compressive,
    diffgen,
    dp_lda,
    dp_pca,
    exponential,
    identity_laplace,
    jl_gauss,
    lap_pca,
    lip,
    lop,
    modips,
    mosaic,
    pca_gauss,
    pca_gauss_mixture,
    pca_gauss_regression,
    pca_laplace,
    power_method,
    rotation,
    svd,
    wavelet,
    wavelet_multi,
)
from sfumato.plan import Method

__all__ = ["METHODS", "method"]

METHODS: dict[str, Method] = {
    recipe.METHOD.name: recipe.METHOD
    for recipe in (
        mosaic,
        dp_lda,
        dp_pca,
        modips,
        pca_gauss_mixture,
        pca_gauss_regression,
        pca_gauss,
        lap_pca,
        analyze_gauss,
        power_method,
        lip,
        lop,
        compressive,
        diffgen,
        exponential,
        identity_laplace,
        jl_gauss,
        additive,
        rotation,
        svd,
        wavelet,
        wavelet_multi,
        pca_laplace,
    )
}


def method(name: str) -> Method:
    """A recipe by its name; an unknown name is refused with the known ones."""
    if name not in METHODS:
        raise ParameterError(f"there is no method {name!r}; choose one of {', '.join(METHODS)}")
    return METHODS[name]
