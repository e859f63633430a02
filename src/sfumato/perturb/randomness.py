"""Floats for what promises nothing: never for noise under a promise, which is exact."""

from numpy.random import Generator, Philox, SeedSequence

from sfumato.privacy.randomness import Bits

__all__ = ["generator"]


def generator(bits: Bits) -> Generator:
    """A counter-based generator whose key is drawn like that of exact noise.

    Philox, because known values betray the noise they carry, and from that a linear
    generator can be continued.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> generator(SeededBits(1)).normal() == generator(SeededBits(1)).normal()
    True
    """
    return Generator(Philox(SeedSequence(bits.words(4).tolist())))
