"""Sfumato: the picture stays, no person shows.

>>> import sfumato as sf
>>> sorted(sf.__all__)  # doctest: +NORMALIZE_WHITESPACE
['Ledger', 'Network', 'Release', 'Schema', 'methods', 'price', 'publish', 'publish_counts',
 'publish_network', 'publish_stream', 'verify']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato import methods
    from sfumato.graph.network import Network
    from sfumato.ledger import Ledger
    from sfumato.publishing.counts import publish_counts
    from sfumato.publishing.network import publish_network
    from sfumato.publishing.stream import publish_stream
    from sfumato.publishing.table import price, publish
    from sfumato.publishing.verify import verify
    from sfumato.release import Release
    from sfumato.schema import Schema

__version__ = "0.1.0"
__all__ = [
    "Ledger",
    "Network",
    "Release",
    "Schema",
    "methods",
    "price",
    "publish",
    "publish_counts",
    "publish_network",
    "publish_stream",
    "verify",
]

# Imported when first asked for: the command line must start in a moment.
_HOMES = {
    "Ledger": "sfumato.ledger",
    "Network": "sfumato.graph.network",
    "Release": "sfumato.release",
    "Schema": "sfumato.schema",
    "price": "sfumato.publishing.table",
    "publish": "sfumato.publishing.table",
    "publish_counts": "sfumato.publishing.counts",
    "publish_network": "sfumato.publishing.network",
    "publish_stream": "sfumato.publishing.stream",
    "verify": "sfumato.publishing.verify",
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name == "methods":
        return import_module("sfumato.methods")
    if name not in _HOMES:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
