"""The pairs whose paths are kept, as the owner gives them: a file, a list, or a share of all.

Only the topology is looked at, which is public; so pairs may be refused by name.
"""

from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from sfumato.errors import DataError, ParameterError
from sfumato.graph.connected import Connected
from sfumato.graph.network import Indices, Topology
from sfumato.graph.pairs import Pairs
from sfumato.graph.reading import COLUMNS, coded
from sfumato.table.source import Source, columns_of, open_source

__all__ = ["chosen"]

_MOST = 5_000_000  # pairs that are drawn; each of them is a search
_LISTED = 20_000_000  # connected pairs up to which they are shuffled, not drawn again and again


def chosen(preserve: Any, topology: Topology, rng: Generator) -> Pairs | None:
    """The pairs to preserve: of a file, a frame or a list, or a share drawn at random.

    A share is a number above 0 and at most 1, or its text; of an undirected network each
    pair counts once.  A table holds the columns source and target, or just two columns.

    >>> line = Topology(("a", "b", "c"), np.array([0, 1]), np.array([1, 2]), directed=False)
    >>> rng = np.random.default_rng(1)
    >>> pairs = chosen([("c", "a")], line, rng)
    >>> pairs.source.tolist(), pairs.target.tolist()
    ([0], [2])
    >>> len(chosen("1.0", line, rng))
    3
    """
    if preserve is None:
        return None
    if (share := _share(preserve)) is not None:
        return _drawn(share, topology, rng)
    ends = _table(preserve, topology) if _is_table(preserve) else _listed(preserve)
    if not len(ends[0][0]):
        raise DataError("preserve holds no pairs: leave it out, or give at least one pair")
    source, target = (_places(codes, names, topology) for codes, names in ends)
    _check_paths(source, target, topology)
    return Pairs.of(source, target, directed=topology.directed)


def _share(preserve: Any) -> float | None:
    """The share that is meant; None where pairs are given."""
    if isinstance(preserve, str):
        try:
            preserve = float(preserve)
        except ValueError:
            return None  # a path
    elif not isinstance(preserve, Real):
        return None
    if isinstance(preserve, bool) or not 0 < float(preserve) <= 1:
        raise ParameterError(
            "preserve must be a share of all connected pairs, above 0 and at most 1, or pairs "
            f"(a file, a frame or a list), got {preserve!r}"
        )
    return float(preserve)


def _is_table(preserve: Any) -> bool:
    return isinstance(preserve, str | Path) or hasattr(preserve, "columns")


def _table(preserve: Any, topology: Topology) -> list[tuple[Indices, pa.Array]]:
    source = open_source(preserve, COLUMNS[:2])
    columns = _columns(source, topology)
    table = columns_of(source, columns)
    return [coded(table.column(name), name) for name in columns]


def _columns(source: Source, topology: Topology) -> tuple[str, str]:
    names = tuple(source.names)
    if set(COLUMNS[:2]) <= set(names):
        return COLUMNS[:2]
    if len(names) != 2:
        raise DataError("the table of pairs has neither two columns nor source and target: name it")
    if source.kind in ("csv", "excel") and all(name in topology.place for name in names):
        raise DataError(
            "the first line of the pairs names two nodes: it must name the columns; put the line "
            "source,target above it"
        )
    return names


def _listed(preserve: Any) -> list[tuple[Indices, pa.Array]]:
    try:
        pairs = [tuple(pair) for pair in preserve if not isinstance(pair, str)]
        whole = len(pairs) == len(preserve) and all(len(pair) == 2 for pair in pairs)
    except TypeError:
        whole = False
    if not whole:
        raise DataError(
            "preserve is not a list of pairs: give pairs of names, a file or frame with two "
            "columns, or a share"
        )
    texts = [[_text(pair[end]) for pair in pairs] for end in (0, 1)]
    columns = (pa.chunked_array([pa.array(column, pa.string())]) for column in texts)
    return [coded(column, name) for column, name in zip(columns, COLUMNS, strict=False)]


def _text(name: Any) -> str | None:
    return None if name is None else str(int(name) if isinstance(name, Integral) else name)


def _places(codes: Indices, names: pa.Array, topology: Topology) -> Indices:
    """The numbers of the named nodes."""
    if (codes < 0).any():
        raise DataError(
            f"pair {int((codes < 0).argmax()) + 1} lacks a node: complete it or drop it"
        )
    known = [topology.place.get(name, -1) for name in names.to_pylist()]
    places: Indices = np.array(known, np.int64)[codes]
    if (places < 0).any():
        first = int((places < 0).argmax())
        raise DataError(
            f"pair {first + 1}: node {names[int(codes[first])]} is not in the network: correct "
            "the name or drop the pair"
        )
    return places


def _check_paths(source: Indices, target: Indices, topology: Topology) -> None:
    if (same := source == target).any():
        first = int(same.argmax())
        name = topology.nodes[int(source[first])]
        raise DataError(f"pair {first + 1} joins node {name} with itself: drop it")
    apart = ~Connected.of(topology).there(source, target)
    if apart.any():
        first = int(apart.argmax())
        one, other = (topology.nodes[int(ends[first])] for ends in (source, target))
        raise DataError(
            f"{int(apart.sum())} of {len(source)} pairs have no path, the first from {one} to "
            f"{other}: drop them"
        )


def _drawn(share: float, topology: Topology, rng: Generator) -> Pairs:
    """So many of all connected pairs, every set of them equally likely."""
    connected = Connected.of(topology)
    total = len(connected)
    count = max(1, round(share * total))
    if count > _MOST:
        raise ParameterError(
            f"preserve: {share:g} of {total:,} connected pairs are more than {_MOST:,}: choose a "
            "smaller share, or give a file of the pairs that matter"
        )
    if total <= _LISTED:
        numbers = rng.choice(total, count, replace=False, shuffle=False)
    else:
        numbers = np.empty(0, np.int64)
        while len(numbers) < count:
            numbers = np.union1d(numbers, rng.integers(0, total, count - len(numbers)))
    return Pairs.of(*connected.ends(numbers), directed=topology.directed)
