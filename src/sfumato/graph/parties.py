"""edge-gaussian without a trusted centre: every node perturbs its own edges, anybody merges.

A party hands in w (1 - x) for the edges it speaks for: all that it has a part in, or in a
directed network those that leave it.  `merge` takes the mean of both ends' figures for an
undirected edge, w (1 - (x₁ + x₂) / 2), and the source's figure for a directed one: the law
of the central method, and nobody has seen the weight of an edge but its ends.

Limits.  Whoever merges sees both figures of an edge, not only their mean.  If the two ends
hold different weights, the merged one lies between them: without weights that cannot be
noticed.  There is no proof, as for `edge_gaussian`.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato.errors import DataError, ParameterError
from sfumato.graph.edge_gaussian import DEFAULT_SIGMA, checked_sigma, ends, perturbed
from sfumato.graph.network import Network, Topology
from sfumato.graph.network_terms import COLUMNS
from sfumato.perturb.randomness import generator
from sfumato.privacy.randomness import Bits, SystemBits

__all__ = ["Facts", "Share", "merge", "share"]

_MARK = "sfumato-share"  # in the metadata of a Parquet file, and in the first line of a CSV file


@dataclass(frozen=True)
class Facts:
    """Who speaks, and under which settings; nothing here depends on a weight.

    >>> Facts("a", sigma=0.15, directed=False)
    Facts(party='a', sigma=0.15, directed=False)
    """

    party: str
    sigma: float
    directed: bool

    def __post_init__(self) -> None:
        checked_sigma(self.sigma)
        if not isinstance(self.party, str) or not isinstance(self.directed, bool):
            raise ParameterError("party must be the name of a node, and directed true or false")


@dataclass(frozen=True, eq=False)
class Share:
    """The perturbed weights that one party hands in: source, target, weight.

    A share that speaks of another's edge, or twice of one, cannot be made or loaded.

    >>> table = pa.table([["a", "b"], ["b", "c"], [1.9, 5.3]], schema=COLUMNS)
    >>> Share(Facts("b", sigma=0.15, directed=False), table)
    <Share of b: 2 undirected edges, sigma 0.15>
    """

    facts: Facts
    table: pa.Table = field(repr=False)

    def __post_init__(self) -> None:
        party, source, target = self.facts.party, self.table["source"], self.table["target"]
        if pc.any(pc.equal(source, target)).as_py():
            raise DataError(f"{party} shares an edge from a node to itself: leave it out")
        leaves = pc.equal(source, party)
        part = leaves if self.facts.directed else pc.or_(leaves, pc.equal(target, party))
        if (which := pc.index(part, False).as_py()) >= 0:
            rule = "edges that leave it" if self.facts.directed else "edges that it is an end of"
            names = f"{source[which]} and {target[which]}"
            raise DataError(f"{party} shares the edge of {names}: a party shares {rule}")
        other = pc.if_else(leaves, target, source)
        if pc.count_distinct(other).as_py() < len(self.table):
            twice = Counter(other.to_pylist()).most_common(1)[0][0]
            raise DataError(f"{party} shares its edge with {twice} twice: drop one of the two")
        weight = self.table["weight"].to_numpy()
        if not np.all(np.isfinite(weight) & (weight > 0)):
            raise DataError(f"{party} shares a weight that is not a finite number above zero")

    def save(self, path: str | Path) -> None:
        """Write a .parquet or .csv file that carries the facts."""
        path, facts = Path(path), json.dumps(asdict(self.facts))
        if _is_parquet(path):
            pq.write_table(self.table.replace_schema_metadata({_MARK: facts}), path)
            return
        with path.open("wb") as file:
            file.write(f"# {_MARK}: {facts}\n".encode())
            pacsv.write_csv(self.table, file)

    @classmethod
    def load(cls, path: str | Path) -> "Share":
        """Read what `save` wrote."""
        path = Path(path)
        parquet = _is_parquet(path)
        try:
            facts, table = (_from_parquet if parquet else _from_csv)(path)
            return cls(Facts(**json.loads(facts)), _edge_list(table))
        except DataError:
            raise
        except (OSError, ValueError, TypeError, pa.ArrowException):
            raise DataError(f"{path} cannot be read as a share that was saved") from None

    def __repr__(self) -> str:
        kind = "directed" if self.facts.directed else "undirected"
        edges = f"{len(self.table):,} {kind} edge{'s' if len(self.table) != 1 else ''}"
        return f"<Share of {self.facts.party}: {edges}, sigma {self.facts.sigma:g}>"


def share(
    party: str,
    edges: Any,
    *,
    directed: bool,
    sigma: Any = DEFAULT_SIGMA,
    bits: Bits | None = None,
) -> Share:
    """What a party hands in, from its own edges: a frame or mapping of source, target, weight.

    In a directed network edges that enter the party are left to their sources.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> mine = {"source": ["a", "b"], "target": ["b", "c"], "weight": [2.0, 5.0]}
    >>> made = share("b", mine, directed=False, bits=SeededBits(1))
    >>> made.table["weight"].to_numpy().round(2).tolist()
    [1.94, 4.77]
    """
    table, facts = _edge_list(pa.table(edges)), Facts(party, checked_sigma(sigma), directed)
    if directed:
        entering = pc.and_(pc.equal(table["target"], party), pc.not_equal(table["source"], party))
        table = table.filter(pc.invert(entering))
    exact = Share(facts, table).table["weight"].to_numpy()
    noisy = perturbed(exact, facts.sigma, generator(bits or SystemBits()))
    return Share(facts, table.set_column(2, COLUMNS.field("weight"), pa.array(noisy)))


def merge(shares: Sequence[Share]) -> Network:
    """The network that the parties publish together; no weight is needed for it.

    >>> edge = {"source": ["a"], "target": ["b"], "weight": [2.0]}
    >>> merge([share("a", edge, directed=False), share("b", edge, directed=False)])
    <Network: 2 nodes, 1 undirected edge>
    """
    directed = _agreed(shares)
    parties = [one.facts.party for one in shares]
    if len(set(parties)) < len(parties):
        twice = Counter(parties).most_common(1)[0][0]
        raise ParameterError(f"{twice} has two shares: keep one of them")
    table = pa.concat_tables(one.table for one in shares)
    chunks = [pa.array(parties, pa.string()), *table["source"].chunks, *table["target"].chunks]
    names = pa.chunked_array(chunks).combine_chunks().dictionary_encode()
    nodes, number = names.dictionary.to_pylist(), names.indices.to_numpy().astype(np.int64)
    source, target = np.split(number[len(parties) :], 2)
    low, high = (source, target) if directed else np.sort([source, target], axis=0)
    _, first, edge, reports = np.unique(
        low * len(nodes) + high, return_index=True, return_inverse=True, return_counts=True
    )
    if np.any(reports < ends(directed=directed)):
        alone = first[np.argmax(reports < ends(directed=directed))]
        one, other = nodes[source[alone]], nodes[target[alone]]
        raise DataError(
            f"the edge between {one} and {other} is shared by one of its ends only: "
            "both have to share it, or neither"
        )
    weight = np.bincount(edge, weights=table["weight"].to_numpy()) / reports
    order = np.argsort(first)  # edges as they were first heard of
    kept = first[order]
    return Network(Topology(nodes, source[kept], target[kept], directed), weight[order])


def _agreed(shares: Sequence[Share]) -> bool:
    """Whether the network is directed, if all parties say the same of it and of sigma."""
    if not shares:
        raise ParameterError("shares must be those of one party or more, got none")
    for what in ("sigma", "directed"):
        said = {getattr(one.facts, what) for one in shares}
        if len(said) > 1:
            figures = " and ".join(str(value) for value in sorted(said))
            raise ParameterError(f"{what} must be the same in all shares, got {figures}")
    return shares[0].facts.directed


def _edge_list(table: pa.Table) -> pa.Table:
    """The three columns in their types."""
    missing = [name for name in COLUMNS.names if name not in table.column_names]
    if missing:
        raise DataError(f"the edges have no column {missing[0]}: give source, target and weight")
    try:
        return table.select(COLUMNS.names).replace_schema_metadata().cast(COLUMNS)
    except (ValueError, pa.ArrowException):
        raise DataError("source and target must be names, weight numbers, none missing") from None


def _is_parquet(path: Path) -> bool:
    if path.suffix not in (".csv", ".parquet"):
        raise ParameterError(f"path must end in .csv or .parquet, got {path.name!r}")
    return path.suffix == ".parquet"


def _from_parquet(path: Path) -> tuple[bytes, pa.Table]:
    table = pq.read_table(path)
    return (table.schema.metadata or {}).get(_MARK.encode(), b""), table


def _from_csv(path: Path) -> tuple[bytes, pa.Table]:
    with path.open("rb") as file:
        mark, _, facts = file.readline().partition(b": ")
        if mark != f"# {_MARK}".encode():
            raise DataError(f"{path} does not begin with the facts of a share")
        parse = pacsv.ParseOptions(newlines_in_values=True)
        return facts, pacsv.read_csv(
            file, parse_options=parse, convert_options=pacsv.ConvertOptions(column_types=COLUMNS)
        )
