"""Random bits for noise: an AES-256-CTR keystream, keyed by the operating system.

Noise protects as long as nobody can repeat it.  So a key is drawn from the system, never
stored, never copied (pickling and copying are refused) and never shared with a forked
child, which draws a key of its own.  `SeededBits` repeats on purpose: it exists for
tests, and a release drawn from it carries the label `Seeded`, which the ledger refuses.
Where records are made noisy in parts, by workers that may be started again, each part has
bits of its own (`sfumato.privacy.keyed`).

>>> SeededBits(1).words(2).tolist() == SeededBits(1).words(2).tolist()
True
>>> SystemBits().words(2).tolist() == SystemBits().words(2).tolist()
False
"""

import os
import sys
from collections.abc import Callable
from hashlib import sha256
from threading import RLock
from typing import ClassVar, NoReturn, Protocol
from weakref import WeakSet

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from sfumato.errors import ParameterError

__all__ = ["Bits", "Keystream", "SeededBits", "SystemBits"]

_BUFFER = 1 << 10  # words kept ready, so that asking for one costs no call to the cipher
_ZEROS = bytes(1 << 16)  # encrypting zeros yields the keystream itself
_SPARE = 2  # words: the cipher wants room for one block more than it writes


class Bits(Protocol):
    """A source of independent uniform 64-bit words; `seeded` says that it can be repeated."""

    @property
    def seeded(self) -> bool:
        """Whether anyone who knows the seed can repeat the words."""

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words."""


class Keystream:
    """Words of an AES-256-CTR keystream, in order, however they are asked for."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        """Drop key, buffer and lock; the lock too, for a vanished thread may have held it."""
        self._lock = RLock()
        self._cipher: CipherContext | None = None
        self._buffer = np.empty(0, dtype=np.uint64)
        self._process = os.getpid()

    def _key_and_nonce(self) -> tuple[bytes, bytes]:
        raise NotImplementedError

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words; asking for 3 and then for 5 gives the same 8 as asking once."""
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ParameterError(f"count must be a whole number of at least 0, got {count!r}")
        with self._lock:
            ready = self._buffer
            if count > ready.size and count - ready.size < _BUFFER:
                self._buffer = ready = _extended(ready, _BUFFER, self._ready())
            if count > ready.size:
                self._buffer = ready[:0]
                return _extended(ready, count - ready.size, self._ready())
            self._buffer = ready[count:]
            return ready[:count]

    def _ready(self) -> CipherContext:
        if self._cipher is None:
            key, nonce = self._key_and_nonce()
            self._cipher = Cipher(algorithms.AES256(key), modes.CTR(nonce)).encryptor()
        return self._cipher

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"{name} cannot be pickled or copied: a copied key repeats noise")


def _extended(ready: NDArray[np.uint64], count: int, cipher: CipherContext) -> NDArray[np.uint64]:
    """The words at hand, followed by the next `count` of the keystream."""
    out = np.empty(ready.size + count + _SPARE, dtype=np.uint64)
    out[: ready.size] = ready
    target = out.data.cast("B")[8 * ready.size :]
    for start in range(0, 8 * count, len(_ZEROS)):
        cipher.update_into(_ZEROS[: 8 * count - start], target[start:])
    return out[: ready.size + count]


class SystemBits(Keystream):
    """Words nobody can repeat: key and nonce come from the system at the first draw.

    `before_first_draw` is called once, before the first word exists.  The ledger commits
    there that noise is about to be drawn; if the call raises, no word is produced and the
    next request calls again.  A forked child forgets the key and draws its own; what the
    parent has already announced stays announced.

    >>> SystemBits(before_first_draw=lambda: print("noted")).words(0).size
    0
    >>> SystemBits(before_first_draw=lambda: print("noted")).words(1).size
    noted
    1
    """

    seeded: ClassVar[bool] = False

    def __init__(self, before_first_draw: Callable[[], None] | None = None) -> None:
        super().__init__()
        self._announce = before_first_draw
        _live.add(self)

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words, from a key that belongs to this process alone."""
        if os.getpid() != self._process:
            self._forget()  # a fork that Python's own hook did not see
        return super().words(count)

    def _ready(self) -> CipherContext:
        if self._announce is not None:
            self._announce()
            self._announce = None
        return super()._ready()

    def _key_and_nonce(self) -> tuple[bytes, bytes]:
        return os.urandom(32), os.urandom(16)


class SeededBits(Keystream):
    """Words that repeat, for tests only: their release is labelled `Seeded`.

    The ledger refuses that label, because whoever knows the seed can subtract the noise.

    >>> SeededBits(7).words(1).tolist()
    [5317476564060945071]
    """

    seeded: ClassVar[bool] = True

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ParameterError(f"seed must be a whole number of at least 0, got {seed!r}")
        super().__init__()
        self._seed = seed

    def _key_and_nonce(self) -> tuple[bytes, bytes]:
        return sha256(f"sfumato seeded bits {self._seed}".encode()).digest(), bytes(16)


_live: WeakSet[SystemBits] = WeakSet()


def _forget_all() -> None:
    for bits in list(_live):
        bits._forget()


if sys.platform != "win32":
    # The hook runs in the child before any of its code; two threads that start there
    # at once must not find the parent's key.
    os.register_at_fork(after_in_child=_forget_all)
