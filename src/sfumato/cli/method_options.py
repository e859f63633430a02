"""Options of a method, as `--option NAME=VALUE` gives them."""

from collections.abc import Callable, Iterable
from inspect import Parameter, signature
from typing import Any

import typer

from sfumato.errors import ParameterError

__all__ = ["method_options"]


def method_options(
    texts: Iterable[str] | None, called: Callable[..., Any], **flags: Any
) -> dict[str, Any]:
    """The options for a function that takes them as keywords, besides others of its own.

    Its own are never set in this way: a name that is one of them is refused.  Flags are options
    with a name of their own on the command line; None is one that was not given.

    >>> def publish(data, *, seed=None, **options): ...
    >>> method_options(["rank=3"], publish)
    {'rank': '3'}
    >>> method_options(["rank=3"], publish, model="forest", basis=None)
    {'rank': '3', 'model': 'forest'}
    >>> method_options(["seed=3"], publish)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sfumato.errors.ParameterError: seed is not an option of a method: leave out --option seed=…...
    """
    options: dict[str, Any] = {}
    for text in texts or ():
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise typer.BadParameter(f"write NAME=VALUE, not {text!r}", param_hint="--option")
        if name in options:
            raise ParameterError(f"option {name} is given twice: keep one")
        options[name] = value
    own = (p for p in signature(called).parameters.values() if p.kind != Parameter.VAR_KEYWORD)
    if taken := [item.name for item in own if item.name in options]:
        flag = f"--{taken[0].replace('_', '-')}"
        raise ParameterError(
            f"{taken[0]} is not an option of a method: leave out --option {taken[0]}=…, and see "
            f"whether the command has {flag}"
        )
    for name, value in flags.items():
        if name in options and value is not None:
            raise ParameterError(f"option {name} is given twice: keep --{name.replace('_', '-')}")
        options |= {} if value is None else {name: value}
    return options
