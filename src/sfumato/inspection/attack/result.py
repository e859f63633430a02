"""What an attack attained, beside guessing and beside a control, and what that means.

A success rate alone says nothing: half of all guesses about a coin are right.  So every
attack carries a `baseline`, guessing from what is known of everybody, and where there is
one a `control`, the same attack where it has nothing to find: on records that were not in
the data, or told the wrong rows.  What the attack attains above the control is what the
release gives away about its records; what it attains above the baseline only, it says about
everybody.

Power.  An attack that fails has shown something only if it could have succeeded.  Where it can be
had, `reach` is the test of that: the advantage of the same attack if the records themselves
had been released.  `weakness` says why there was no power: an obstacle, a reach of nothing, or
too few tries to tell even a perfect attack from none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sfumato.inspection.attack.outcome import Chance, Error, Gap, Outcome, gap, telling
from sfumato.inspection.attack.parameter import confident

__all__ = ["Attack", "Verdict"]

Verdict = Literal["succeeds", "traces", "population", "undecided", "fails", "no power"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One attack, what it attained, and what that means.  NOT PRIVATE.

    >>> from sfumato.inspection.attack.outcome import Rate
    >>> found = Attack(
    ...     name="membership", knows="the whole record of a person",
    ...     success=Rate(95, 100), baseline=Chance(0.5), baseline_is="a coin",
    ...     control=Rate(4, 100), control_is="on records that were not in the data",
    ...     confidence=0.95)
    >>> found.verdict, found.power
    ('succeeds', True)
    """

    name: str
    knows: str  # what the attacker is assumed to know besides the release
    success: Outcome
    baseline: Outcome | Chance
    baseline_is: str  # as in "by saying the mean"
    control: Outcome | None
    control_is: str  # as in "on records that were not in the data"
    confidence: float
    reach: Gap | None = None  # the advantage where nothing hides the records
    reach_is: str = "the records themselves had been released"
    obstacle: str | None = None
    subject: str = ""  # the column it speaks of, if it is one
    details: Mapping[str, float | int | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        confident(self.confidence)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the success of the attack lies, at `confidence`."""
        return self.success.interval(self.confidence)

    @property
    def interval_is(self) -> str:
        """How the interval was made."""
        return "normal" if isinstance(self.success, Error) else "Clopper-Pearson"

    @property
    def over_baseline(self) -> Gap:
        """How much better than guessing."""
        return gap(self.success, self.baseline, self.confidence)

    @property
    def over_control(self) -> Gap | None:
        """How much better than where there is nothing to find; None without a control."""
        return None if self.control is None else gap(self.success, self.control, self.confidence)

    @property
    def weakness(self) -> str | None:
        """Why a failure would say nothing; None if the attack had power."""
        if self.obstacle is not None:
            return self.obstacle
        if self.reach is not None and self.reach.low > 0:
            return None  # a release that leaves it little to try is one that stops it
        sides = [self.success, *([] if self.control is None else [self.control])]
        if not all(telling(side, self.confidence) for side in sides):
            fewest = min(side.tries for side in sides)
            return f"{fewest} tries are too few to tell any attack from guessing"
        if self.reach is not None:
            return f"it would gain nothing even if {self.reach_is}"
        return None

    @property
    def power(self) -> bool:
        """Whether the attack could have succeeded at all."""
        return self.weakness is None

    @property
    def strength(self) -> str:
        """What it would have gained where nothing hides the records; empty without such a test."""
        if self.reach is None or self.reach.low <= 0:
            return ""
        return f"If {self.reach_is}, it would have gained at least {self.reach.low:.1%}."

    @property
    def verdict(self) -> Verdict:
        """`succeeds` beats guessing and control, `traces` only the control, `population` only
        guessing; `undecided` beats guessing and has no control; `fails` beats neither.
        """
        if not self.power:
            return "no power"
        beats_guessing = self.over_baseline.low > 0
        if self.over_control is None:
            return "undecided" if beats_guessing else "fails"
        if self.over_control.low > 0:
            return "succeeds" if beats_guessing else "traces"
        return "population" if beats_guessing else "fails"

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        parts = [self._attained(), f"{_shown(self.baseline)} by {self.baseline_is}"]
        if self.control is not None and self.control.tries:
            parts.append(f"{_shown(self.control)} {self.control_is}")
        means = _MEANING[self.verdict].format(why=self.weakness)
        about = f"{self.name}, {self.subject}" if self.subject else self.name
        return f"{about}: {', '.join(parts)}. {means}"

    def _attained(self) -> str:
        low, high = self.interval
        if not self.success.tries:
            return "found nothing to say"
        if isinstance(self.success, Error):
            ends = f"{low:.2f} to {high:.2f}"
            return f"off by {_shown(self.success)} deviations ({ends})"
        ends = f"{low:.1%} to {high:.1%}"
        return f"right in {_shown(self.success)} of {self.success.tries} tries ({ends})"


_MEANING: Mapping[Verdict, str] = {
    "succeeds": "The release gives away its records.",
    "traces": "No use to an attacker, who does better by guessing; yet the release knows its "
    "records from others.",
    "population": "Better than guessing, but not shown to be better than on the control: what it "
    "finds holds for everybody.",
    "undecided": "Better than guessing; without control records one cannot say whether the "
    "release gives away its records or tells what holds for everybody.",
    "fails": "No better than guessing, as far as this many tries can show.",
    "no power": "No verdict: {why}.",
}


def _shown(outcome: Outcome | Chance) -> str:
    return f"{outcome.value:.2f}" if isinstance(outcome, Error) else f"{outcome.value:.1%}"
