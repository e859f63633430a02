"""The default method: noisy one- and two-way tables, and a model that is fitted to all of them."""

from sfumato.methods.mosaic.method import METHOD

__all__ = ["METHOD"]
