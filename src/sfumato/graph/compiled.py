"""See `sfumato.compiled`."""

from sfumato.compiled import HAVE_NUMBA, SLOW, compiled

__all__ = ["HAVE_NUMBA", "SLOW", "compiled"]
