"""The network methods, one small file each; a new one is one import and one name here.

>>> list(METHODS)
['edge-laplace', 'edge-greedy', 'edge-anonymous', 'edge-potential', 'edge-gaussian']
"""

from sfumato.errors import ParameterError
from sfumato.graph import edge_anonymous, edge_gaussian, edge_greedy, edge_laplace, edge_potential
from sfumato.graph.recipe import EdgeMethod

__all__ = ["METHODS", "edge_method"]

METHODS: dict[str, EdgeMethod] = {
    recipe.METHOD.name: recipe.METHOD
    for recipe in (edge_laplace, edge_greedy, edge_anonymous, edge_potential, edge_gaussian)
}


def edge_method(name: str) -> EdgeMethod:
    """A recipe by its name; an unknown name is refused with the known ones."""
    if name not in METHODS:
        known = ", ".join(METHODS)
        raise ParameterError(f"there is no network method {name!r}; choose one of {known}")
    return METHODS[name]
