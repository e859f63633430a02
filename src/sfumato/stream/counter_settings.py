"""What a counter is told before the first bit, and what follows from it for its noise."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sfumato.errors import ParameterError
from sfumato.plan.options import truth, whole
from sfumato.privacy.budget import GIVE_DELTA, Budget
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Noise
from sfumato.stream import tree
from sfumato.synopsis.decaying import Design

__all__ = ["ENGINES", "SMOOTH", "Settings"]

ENGINES = ("auto", "tree", "square-root")
SMOOTH = ("whole", "monotone", "none")
_LONGEST = 2**44  # bits; beyond them the whole numbers of the square root would get coarse
_MOST_LOOKS = 1000


@dataclass(frozen=True)
class Settings:
    """Public facts: horizon, budget, and the options as they were understood.

    >>> settings = Settings.read(1000, PureDP(1), every="10")
    >>> settings.engine, settings.steps, settings.noise.event.noise
    ('tree', 100, Fraction(7, 1))
    """

    horizon: int
    budget: Budget
    engine: str
    every: int
    smooth: str
    intrusions: int = 0  # looks into the memory that the promise covers

    @classmethod
    def read(
        cls,
        horizon: Any,
        budget: Budget,
        *,
        engine: Any = "auto",
        every: Any = 1,
        pan: Any = None,
        smooth: Any = "whole",
        intrusions: Any = None,
    ) -> "Settings":
        """Options as a person writes them; `auto` is the engine with the smallest error."""
        bits = whole("horizon", horizon, _LONGEST, "bits")
        block = whole("every", every, bits, "bits up to the horizon")
        looks = _looks(pan, intrusions)
        seen, pure = looks > 0, isinstance(budget, PureDP)
        for name, value, known in (("engine", engine, ENGINES), ("smooth", smooth, SMOOTH)):
            if value not in known:
                raise ParameterError(f"{name} must be one of {', '.join(known)}, got {value!r}")
        if engine == "auto":
            engine = "tree" if pure or seen else "square-root"
        if engine == "square-root" and pure:
            raise ParameterError(
                f"square-root needs Gaussian noise; {GIVE_DELTA}, or choose engine tree"
            )
        if engine == "square-root" and seen:
            raise ParameterError("pan needs the tree: leave out engine, or pan")
        return cls(bits, budget, engine, block, smooth, looks)

    @property
    def options(self) -> dict[str, Any]:
        """The options that give these settings again."""
        given: dict[str, Any] = {
            "engine": self.engine,
            "every": self.every,
            "pan": self.pan,
            "smooth": self.smooth,
        }
        # One look is what `pan` alone says, and said before there could be more.
        return given | ({"intrusions": self.intrusions} if self.intrusions > 1 else {})

    @property
    def pan(self) -> bool:
        """Whether the memory may be seen."""
        return self.intrusions > 0

    @property
    def steps(self) -> int:
        """Releases up to the horizon; the last block may be shorter than the others."""
        return -(-self.horizon // self.every)

    @cached_property
    def design(self) -> Design:
        """Weights and units of the square root."""
        return Design(self.steps, self.every)

    @cached_property
    def noise(self) -> Noise:
        """The noise that hides one bit in all that is measured."""
        if self.engine == "tree":
            return Noise("dyadic sums", tree.sensitivity(self.steps), self.budget)
        return Noise("decaying sums", self.design.sensitivity(), self.budget)

    @property
    def unit(self) -> int:
        """A measurement counts steps of 1/unit."""
        return 1 if self.engine == "tree" else self.design.unit


def _looks(pan: Any, intrusions: Any) -> int:
    """How many looks into the memory are covered; the first needs no announcement."""
    wanted = None if pan is None else truth("pan", pan)
    if intrusions is None:
        return int(bool(wanted))
    if wanted is False:
        raise ParameterError("intrusions counts looks into the memory: leave it out, or pan=false")
    return whole("intrusions", intrusions, _MOST_LOOKS, "looks into the memory")
