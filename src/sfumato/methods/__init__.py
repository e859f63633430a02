"""Recipes, one small file each; a new one is one import and one name here.

>>> sorted(METHODS)
['diffgen', 'dp-lda', 'dp-pca', 'exponential', 'identity-laplace', 'modips']
"""

from sfumato.errors import ParameterError
from sfumato.methods import diffgen, dp_lda, dp_pca, exponential, identity_laplace, modips
from sfumato.plan import Method

__all__ = ["METHODS", "method"]

METHODS: dict[str, Method] = {
    recipe.METHOD.name: recipe.METHOD
    for recipe in (dp_lda, dp_pca, modips, diffgen, exponential, identity_laplace)
}


def method(name: str) -> Method:
    """A recipe by its name; an unknown name is refused with the known ones."""
    if name not in METHODS:
        raise ParameterError(f"there is no method {name!r}; choose one of {', '.join(METHODS)}")
    return METHODS[name]
