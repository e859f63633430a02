"""The result of an audit, and what it says."""

from dataclasses import dataclass, field
from typing import Literal

from sfumato.inspection.audit.finding import Finding, Proof
from sfumato.inspection.audit.scrutiny import Scrutiny, unseen
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee

__all__ = ["Audit", "Control", "Verdict"]

Verdict = Literal["caught", "not contradicted", "no power"]


@dataclass(frozen=True)
class Control:
    """The same method with the noise of a larger budget, judged against the smaller one."""

    planned: Budget
    proof: Proof

    @property
    def caught(self) -> bool:
        """Whether the audit sees what it must see."""
        return self.proof.contradicts

    def __str__(self) -> str:
        name, needed = self.proof.figure.name, self.proof.figure.claimed
        seen = f"{name} of at least {self.proof.found:.4g}"
        if self.caught:
            return f"at {self.planned} {seen} was found, above {needed:.4g}: caught"
        return f"at {self.planned} only {seen} was found, not above {needed:.4g}: not caught"


@dataclass(frozen=True)
class Audit:
    """For the owner's eyes: what was found about a method, from made-up tables alone."""

    method: str
    claimed: Budget
    promise: Guarantee  # the budget, or that nothing is promised
    neighbours: str
    pair: tuple[str, str]  # the record that tells the tables apart, in levels of the public domain
    confidence: float
    runs: int  # on each of the two tables
    scrutinies: tuple[Scrutiny, ...]  # noise frozen in rich settings; none without a promise
    violations: tuple[str, ...]
    control: Control
    finding: Finding = field(repr=False)

    @property
    def epsilon(self) -> float | None:
        """Lower bound on ε (at the claimed δ); None where the claim is in ρ alone."""
        return self.finding.found("epsilon")

    @property
    def delta(self) -> float | None:
        """Lower bound on δ at the claimed ε; None where the claim is in ρ alone."""
        return self.finding.delta

    @property
    def rho(self) -> float | None:
        """Lower bound on ρ; None where the noise is not Gaussian."""
        return self.finding.found("rho")

    @property
    def worst(self) -> float | None:
        """Largest move over declared sensitivity with frozen noise; None: nothing is promised."""
        found = (one.ratio for part in self.scrutinies for one in part.measured)
        return max(found, default=None)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Measurements that frozen noise would not have caught at the larger budget."""
        return tuple(unseen(self.scrutinies))

    @property
    def caught(self) -> bool:
        """Whether the claim is false."""
        return bool(self.violations) or self.finding.caught

    @property
    def verdict(self) -> Verdict:
        """Caught, not contradicted, or an audit that could not have told."""
        if self.caught:
            return "caught"
        return "not contradicted" if self.control.caught and not self.unseen else "no power"

    def __str__(self) -> str:
        best = self.finding.best
        name, found, claimed = best.figure.name, f"{best.found:.4g}", f"{best.figure.claimed:.4g}"
        at = f" (at delta {best.figure.delta:.4g})" if best.figure.delta else ""
        if self.finding.caught:
            more = ", and only the runs limit it" if best.limited else ""
            return f"caught: {name} is at least {found}{at}, claimed is {claimed}{more}"
        if self.violations:
            return f"caught: {self.violations[0]}"
        if self.control.caught and self.unseen:
            return f"no power: frozen noise would not have seen {', '.join(self.unseen)} at fault"
        if self.verdict == "no power":
            return (
                f"no power: {self.control}. Nothing follows from the {name} of {found} that was "
                "found: take more runs, or a larger budget"
            )
        return (
            f"not contradicted: {name} of at least {found}{at} of the claimed {claimed} was found"
        )
