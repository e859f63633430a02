"""A strict YAML loader: no duplicate keys, no octal numbers, no aliases that expand without bound.

A key declared twice is an error and whole numbers are decimal.  An alias stands for all that its
anchor holds: ten lines of aliases of aliases would stand for more than there is memory, so what
they stand for is counted while it is composed.
"""

import re
from typing import Any

import yaml

__all__ = ["StrictLoader", "twice"]

_INT, _BOOL = "tag:yaml.org,2002:int", "tag:yaml.org,2002:bool"
_MOST_NODES = 2**20
_MOST_DIGITS = 40


def twice(key: str) -> str:
    """What is said of a key that occurs twice."""
    return f"{key} is declared twice: keep one"


class StrictLoader(yaml.SafeLoader):
    """YAML as a person reads it.

    >>> yaml.load("[&a [1, 2], *a]", Loader=StrictLoader)
    [[1, 2], [1, 2]]
    """

    yaml_implicit_resolvers = {  # noqa: RUF012  PyYAML's own attribute, by its own rules
        first: [(tag, pattern) for tag, pattern in resolvers if tag != _INT]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self._nodes = 0  # so far, with what aliases stand for
        self._weights: dict[str, int] = {}  # by anchor

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """A node; counted, and refused where there are too many."""
        event = self.peek_event()  # type: ignore[no-untyped-call]  # PyYAML's own
        anchor = getattr(event, "anchor", None)
        before = self._nodes
        if isinstance(event, yaml.AliasEvent) and anchor in self.anchors:
            if anchor not in self._weights:
                raise _refused(f"the alias *{anchor} refers to itself", event)
            self._nodes += self._weights[anchor]
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            raise _refused(f"more than {_MOST_NODES:,} values, with those of aliases", event)
        node = super().compose_node(parent, index)
        if anchor is not None and not isinstance(event, yaml.AliasEvent):
            self._weights[anchor] = self._nodes - before
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping whose keys differ."""
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            # yes and true are one key, as YAML reads them.
            same = str(self.construct_yaml_bool(key)) if key.tag == _BOOL else key.value
            if (key.tag, same) in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, twice(key.value), key.start_mark
                )
            seen.add((key.tag, same))
        return super().construct_mapping(node, deep)

    def construct_whole(self, node: yaml.ScalarNode) -> int:
        """A whole number of as many digits as any fact has."""
        if len(node.value) > _MOST_DIGITS:
            problem = "a whole number of too many digits: correct or quote it"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return int(node.value)


def _refused(problem: str, event: yaml.Event) -> yaml.composer.ComposerError:
    mark: Any = event.start_mark
    return yaml.composer.ComposerError(None, None, problem, mark)


StrictLoader.add_implicit_resolver(_INT, re.compile(r"[-+]?(0|[1-9][0-9]*)$"), list("-+0123456789"))
StrictLoader.add_constructor(_INT, StrictLoader.construct_whole)
