"""How much one asker may take of the service, so that the others still get theirs.

Connections are limited in all and for each address, a message in size and time, and whoever asks
in requests a second and new answers an hour.  An address of IPv6 is taken by its first 64 bits,
which is what one household or machine gets.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from sfumato.errors import ParameterError

__all__ = ["Allowance", "Limits", "Room", "household"]

_MOST_NAMES = 2**14  # remembered at once; the one that asked longest ago is forgotten
_MOST = {  # beyond it is a slip of the keyboard, and some of it more than a clock or memory takes
    "connections": 10**9,
    "per_address": 10**9,
    "head_seconds": 86_400,
    "body_seconds": 86_400,
    "rate": 10**9,
    "answers_per_hour": 10**9,
    "held_megabytes": 2**20,
}
_SAVED = 2.0  # seconds whose requests may come at once


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a service; each is a flag of `sfumato query serve`.

    >>> Limits(rate=5).connections
    512
    >>> Limits(rate=0)
    Traceback (most recent call last):
    sfumato.errors.ParameterError: rate must be above 0 and at most 1,000,000,000, got 0
    """

    connections: int = 512
    per_address: int = 32
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    rate: float = 20.0
    answers_per_hour: int = 1000
    held_megabytes: int = 256

    def __post_init__(self) -> None:
        for name in self.__slots__:
            given, most = getattr(self, name), _MOST[name]
            if not 0 < given <= most:
                raise ParameterError(f"{name} must be above 0 and at most {most:,}, got {given}")


class Allowance:
    """So much a second for each name, and what was saved up since.

    >>> hour = Allowance(rate=0.5, most=2, clock=iter([0.0, 0.0, 0.0, 1.5]).__next__)
    >>> [hour.wait("anna") for _ in range(4)]
    [0.0, 0.0, 2.0, 0.5]
    """

    def __init__(
        self, rate: float, most: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._most, self._clock = rate, max(most, 1.0), clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, name: str) -> float:
        """Seconds until one more is allowed; 0 if it is, and then it is taken."""
        now = self._clock()
        level, since = self._levels.pop(name, (self._most, now))
        level = min(self._most, level + (now - since) * self._rate)
        allowed = level >= 1
        self._levels[name] = (level - allowed, now)
        if len(self._levels) > _MOST_NAMES:
            self._levels.popitem(last=False)
        return 0.0 if allowed else (1 - level) / self._rate

    def give_back(self, name: str) -> None:
        """What was taken was not used."""
        if name in self._levels:
            level, since = self._levels[name]
            self._levels[name] = (min(self._most, level + 1), since)

    @classmethod
    def a_second(cls, rate: float) -> "Allowance":
        """Requests at this rate, those of two seconds at once."""
        return cls(rate, _SAVED * rate)

    @classmethod
    def an_hour(cls, number: int) -> "Allowance":
        """At most so many at once, and so many again in an hour."""
        return cls(number / 3600, number)


class Room:
    """Bytes for messages that are held at once; half of them at most for one name.

    >>> room = Room(10)
    >>> room.take("anna", 5), room.take("anna", 1), room.take("bert", 5)
    (True, False, True)
    >>> room.leave("anna", 5)
    >>> room.take("carl", 3), room.take("anna", 3)
    (True, False)
    """

    def __init__(self, size: int) -> None:
        self._free, self._share = size, size // 2
        self._taken: dict[str, int] = {}

    def take(self, name: str, size: int) -> bool:
        """Whether there was room; it is then taken."""
        taken = self._taken.get(name, 0) + size
        if size > self._free or taken > self._share:
            return False
        self._free -= size
        self._taken[name] = taken
        return True

    def leave(self, name: str, size: int) -> None:
        """Room for others, and for the same again."""
        self._free += size
        self._taken[name] -= size
        if not self._taken[name]:
            del self._taken[name]


def household(address: str) -> str:
    """What counts as one address; an empty text where there is none.

    >>> household("192.0.2.7"), household("2001:db8::1:2:3:4"), household("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    >>> household("unix:")
    ''
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return f"{IPv6Address(int(found) >> 64 << 64)}/64"
