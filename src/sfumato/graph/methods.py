"""The network methods, one small file each: a module that defines `METHOD` is found.

>>> list(METHODS)
['edge-laplace', 'edge-anonymous', 'edge-gaussian', 'edge-greedy', 'edge-potential']
"""

from sfumato.graph.recipe import EdgeMethod
from sfumato.plan.registry import Registry, registered

__all__ = ["METHODS", "edge_method"]

METHODS: Registry[EdgeMethod] = registered("networks")


def edge_method(name: str) -> EdgeMethod:
    """A method by its name; an unknown name is refused with the known ones."""
    return METHODS.named(name)
