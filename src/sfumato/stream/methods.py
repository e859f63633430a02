"""The stream methods; a new one is one import and one name here.

>>> list(METHODS)
['counter', 'reservoir-mean']
"""

from sfumato.errors import ParameterError
from sfumato.stream import counter, reservoir_mean
from sfumato.stream.recipe import StreamMethod

__all__ = ["METHODS", "stream_method"]

METHODS: dict[str, StreamMethod] = {
    recipe.METHOD.name: recipe.METHOD for recipe in (counter, reservoir_mean)
}


def stream_method(name: str) -> StreamMethod:
    """A recipe by its name; an unknown name is refused with the known ones."""
    if name not in METHODS:
        known = ", ".join(METHODS)
        raise ParameterError(f"there is no stream method {name!r}; choose one of {known}")
    return METHODS[name]
