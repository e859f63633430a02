"""Members told from strangers by the best of several scores, without flattering the choice.

How high a score is high enough is learnt from half of the targets, and tried on the other half.  Of
the strangers that are learnt from, every other one is somebody whom the attacker knows to be none.
The score with the largest advantage that is certain is reported, at a confidence that holds for
all of them together.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.inspection.attack.outcome import Chance, Gap, Rate, gap
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.telling import best_cut
from sfumato.numeric.arrays import Vector

__all__ = ["Called", "Trial", "best_of"]

Called = Mapping[str, tuple[Rate, Rate]]  # by each score: members and strangers called members


@dataclass(frozen=True)
class Trial:
    """Who is known, who is learnt from and who is tried, of so many targets of either side.

    >>> trial = Trial(members=8, strangers=8)
    >>> trial.others.tolist(), trial.rest.tolist(), trial.half, trial.learnt
    ([0, 2], [1, 3, 4, 5, 6, 7], 4, 2)
    """

    members: int
    strangers: int

    @property
    def half(self) -> int:
        """Members that are learnt from."""
        return min(self.members, self.strangers) // 2

    @property
    def learnt(self) -> int:
        """Strangers that are learnt from: the first of `rest`."""
        return self.half // 2

    @property
    def others(self) -> NDArray[np.int64]:
        """Strangers whom the attacker knows."""
        return np.arange(0, self.half, 2)

    @property
    def rest(self) -> NDArray[np.int64]:
        """The other strangers."""
        return np.append(np.arange(1, self.half, 2), np.arange(self.half, self.strangers))

    def called(self, inside: Mapping[str, Vector], outside: Mapping[str, Vector]) -> Called:
        """From scores of members and of the strangers in `rest`."""
        found = {}
        for name, scores in inside.items():
            cut = best_cut(scores[: self.half], outside[name][: self.learnt])
            found[name] = (
                Rate(int((scores[self.half :] >= cut).sum()), self.members - self.half),
                Rate(
                    int((outside[name][self.learnt :] >= cut).sum()), len(self.rest) - self.learnt
                ),
            )
        return found


def best_of(
    called: Called, bare: Called, *, name: str, knows: str, control_is: str, confidence: float
) -> Attack:
    """The attack by the score that is surest; `bare` is of the records released as they are."""
    level = 1 - (1 - confidence) / len(called)
    tried = []
    for score, (success, control) in called.items():
        share = (success.hits + control.hits) / max(success.tries + control.tries, 1)
        tried.append(
            Attack(
                name=name,
                knows=knows,
                success=success,
                baseline=Chance(share),
                baseline_is="calling as many at random",
                control=control,
                control_is=control_is,
                confidence=level,
                reach=gap(*bare[score], level),
                details={"score": score, "scores": len(called)},
            )
        )
    gained = {str(one.details["score"]): one.over_control for one in tried}
    worst = max(tried, key=lambda one: (one.power, _certain(one.over_control)))
    each = {f"advantage by {score}": found.value for score, found in gained.items() if found}
    return replace(worst, details={**worst.details, **each})


def _certain(found: Gap | None) -> float:
    assert found is not None  # noqa: S101  every score was given a control above
    return found.low
