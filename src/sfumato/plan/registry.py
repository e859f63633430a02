"""The methods that there are, found by looking: a module that defines `METHOD` adds one.

Nothing is imported before a method is asked for, and then only what defines one: publishing a
table does not load the methods of networks.

>>> from sfumato.plan.recipe import Recipe
>>> streams = registered("streams")
>>> list(streams), isinstance(streams.named("counter"), Recipe)
(['counter', 'reservoir-mean'], True)
"""

import re
from collections.abc import Iterator, Mapping, MutableMapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any, TypeVar

from sfumato.errors import ParameterError
from sfumato.plan.recipe import Family, Recipe
from sfumato.untrusted.misspelt import did_you_mean

__all__ = ["PACKAGES", "Registry", "method_of_any_kind", "registered"]

# What methods are for, and the package whose modules are looked through.
PACKAGES = {
    "tables": "sfumato.methods",
    "networks": "sfumato.graph",
    "streams": "sfumato.stream",
    "counts": "sfumato.retrieval",
    "schemas": "sfumato.facts",
}
_NOUNS = {
    "tables": "method",
    "networks": "network method",
    "streams": "stream method",
    "counts": "method for counts",
    "schemas": "method for schemas",
}
_DEFINES_ONE = re.compile(r"^(METHOD\b|from \S+ import METHOD\b)", re.MULTILINE)
_ORDER = list(Family)

AnyRecipe = Recipe[Any, Any]
R = TypeVar("R", bound=AnyRecipe)


class Registry(MutableMapping[str, R]):
    """The methods of one kind by their names, family after family; put in more if you like."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._found: dict[str, R] | None = None

    def __getitem__(self, name: str) -> R:
        return self._methods[name]

    def __setitem__(self, name: str, recipe: R) -> None:
        self._methods[name] = recipe

    def __delitem__(self, name: str) -> None:
        del self._methods[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._methods)

    def __len__(self) -> int:
        return len(self._methods)

    def named(self, name: str) -> R:
        """A method by its name; an unknown name is refused with the known ones."""
        return _found(name, self._methods, _NOUNS[self.kind])

    def look_again(self) -> None:
        """Forget what was found: a module was added, or taken away."""
        self._found = None

    @property
    def _methods(self) -> dict[str, R]:
        if self._found is None:
            self._found = _discovered(self.kind)
        return self._found


@cache
def registered(kind: str) -> Registry[Any]:
    """The one registry of a kind: a key of `PACKAGES`."""
    return Registry(kind)


def method_of_any_kind(name: str) -> AnyRecipe:
    """A method by its name, whatever it is for; an unknown name is refused with the known ones."""
    found: dict[str, AnyRecipe] = {}
    for kind in PACKAGES:
        for recipe in registered(kind).values():
            _add(recipe, found)
    return _found(name, found, "method")


def _discovered(kind: str) -> dict[str, Any]:
    package = import_module(PACKAGES[kind])
    found: dict[str, AnyRecipe] = {}
    for module in iter_modules(package.__path__, f"{package.__name__}."):
        recipe = _method_of(module.name)
        if recipe is None:
            continue
        if not isinstance(recipe, Recipe) or recipe.kind != kind:
            raise TypeError(f"METHOD of {module.name} is no method for {kind}")
        _add(recipe, found)
    order = sorted(found.values(), key=lambda one: (_ORDER.index(one.family), one.name))
    return {recipe.name: recipe for recipe in order}


def _method_of(module: str) -> Any:
    """What it defines, if anything.  It is read first: many need what may not be installed."""
    spec = find_spec(module)
    source = getattr(spec and spec.loader, "get_source", lambda _: None)(module)
    if source is not None and not _DEFINES_ONE.search(source):
        return None
    return getattr(import_module(module), "METHOD", None)


def _add(recipe: AnyRecipe, found: dict[str, AnyRecipe]) -> None:
    if recipe.name in found:
        raise TypeError(f"two methods are called {recipe.name}")
    found[recipe.name] = recipe


def _found(name: str, known: Mapping[str, R], noun: str) -> R:
    if name not in known:
        hint = did_you_mean(name, known)
        raise ParameterError(f"there is no {noun} {name!r}{hint}; choose one of {', '.join(known)}")
    return known[name]
