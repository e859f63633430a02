"""Releases of networks: their plan again, from the topology that was published."""

from pathlib import Path

import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.graph.methods import edge_method
from sfumato.graph.network import Topology
from sfumato.graph.network_terms import network_terms
from sfumato.graph.reading import network_of
from sfumato.plan.terms import ReleaseTerms
from sfumato.publishing.kinds import stated_budget
from sfumato.release.certificate import Certificate, stated
from sfumato.release.reading import read_records
from sfumato.release.release import table_schema

__all__ = ["check_values", "described", "terms_again"]


def terms_again(folder: Path, certificate: Certificate) -> ReleaseTerms:
    """The terms, priced for the published topology."""
    facts = stated(certificate.network)
    chosen, wanted = edge_method(certificate.method), facts.wanted_pairs
    topology = _topology(folder, certificate)
    budget = stated_budget(certificate, chosen.budgeted)
    plan = chosen.price(topology, budget, certificate.options)
    if (wanted is None and chosen.needs_pairs) or (wanted and not chosen.preserves):
        raise ReleaseError("the wanted pairs are not what the method calls for")
    return network_terms(certificate.dataset, topology, wanted, plan, facts.merged)


def _topology(folder: Path, certificate: Certificate) -> Topology:
    """The published network; nodes without an edge are in no edge list and are only counted."""
    facts, schema = stated(certificate.network), table_schema(certificate)
    table = pa.Table.from_batches(read_records(folder, certificate, schema), schema)
    listed = network_of(table, directed=facts.directed).network.topology
    alone = facts.nodes - listed.size
    if alone < 0 or facts.edges != listed.edges:
        raise ReleaseError("the data is not a network of so many nodes and edges")
    nodes = (*listed.nodes, *(f"(without an edge {k})" for k in range(alone)))
    return Topology(nodes, listed.source, listed.target, listed.directed)


def check_values(certificate: Certificate) -> None:
    """None: the topology is read while the plan is priced again."""


def described(certificate: Certificate) -> tuple[str, None]:
    """What the registry says of the method."""
    return edge_method(certificate.method).summary, None
