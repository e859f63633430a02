"""Recipes, one small file each; a new one is one import and one name here.

>>> sorted(METHODS)  # doctest: +NORMALIZE_WHITESPACE
['analyze-gauss', 'diffgen', 'dp-lda', 'dp-pca', 'exponential', 'identity-laplace', 'lap-pca',
 'modips']
"""

from sfumato.errors import ParameterError
from sfumato.methods import (
    analyze_gauss,
    diffgen,
    dp_lda,
    dp_pca,
    exponential,
    identity_laplace,
    lap_pca,
    modips,
)
from sfumato.plan import Method

__all__ = ["METHODS", "method"]

METHODS: dict[str, Method] = {
    recipe.METHOD.name: recipe.METHOD
    for recipe in (
        dp_lda,
        dp_pca,
        modips,
        lap_pca,
        analyze_gauss,
        diffgen,
        exponential,
        identity_laplace,
    )
}


def method(name: str) -> Method:
    """A recipe by its name; an unknown name is refused with the known ones."""
    if name not in METHODS:
        raise ParameterError(f"there is no method {name!r}; choose one of {', '.join(METHODS)}")
    return METHODS[name]
