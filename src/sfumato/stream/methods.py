"""The stream methods: a module of this package that defines `METHOD` is found.

>>> list(METHODS)
['counter', 'reservoir-mean']
"""

from sfumato.plan.registry import Registry, registered
from sfumato.stream.recipe import StreamMethod

__all__ = ["METHODS", "stream_method"]

METHODS: Registry[StreamMethod] = registered("streams")


def stream_method(name: str) -> StreamMethod:
    """A method by its name; an unknown name is refused with the known ones."""
    return METHODS.named(name)
