"""Weighted networks: the topology is public, the weights are private."""

from sfumato.graph.network import Network

__all__ = ["Network"]
