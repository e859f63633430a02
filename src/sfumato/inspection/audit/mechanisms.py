"""Audits of more than a method for tables: networks, streams, counts, choices, parts.

Each is looked at twice.  With frozen noise the code that publishes runs on many neighbours, every
draw is written down, and what the noise hides is priced anew (`coupled`, `price`).  With real
noise two neighbours are run many times, and so is a control that must be caught (`sampled`).

>>> for name, parts in MECHANISMS.items():
...     print(f"{name}: {parts.summary}")
count-query: counts: histogram, wavelet, both, and answers of the desk
counter: running counts of a stream: tree, square root, pan-private tree
edge-laplace: every weight of a network under noise
fit: counts of what does not fit a schema, and releases that stop at them
parts: parts of one table, at the price that a ledger asks for all of them
private-choice: one of several methods, for a share of the budget
ranges: ranges, steps and categories that a schema leaves blank
reservoir-mean: shares of ones of a stream: a series, and one mean from a secret sample
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

from sfumato.errors import ParameterError
from sfumato.inspection.audit import mechanism
from sfumato.inspection.audit.auditing import DEFAULT_CONFIDENCE, check
from sfumato.inspection.audit.coupled import Checked
from sfumato.inspection.audit.mechanism import Budgets, Mechanism
from sfumato.inspection.audit.result import Verdict
from sfumato.inspection.audit.sampled import Effort, Sampled
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Number, PureDP
from sfumato.privacy.randomness import Bits, SeededBits, SystemBits
from sfumato.untrusted.misspelt import did_you_mean

__all__ = ["DEFAULT_RUNS", "MECHANISMS", "MechanismAudit", "audit_mechanism"]

DEFAULT_RUNS = 1_500
_RHO = "0.5"


MECHANISMS: dict[str, Mechanism] = {
    module.name.replace("_", "-"): import_module(f"{mechanism.__name__}.{module.name}").MECHANISM
    for module in iter_modules(mechanism.__path__)
}


@dataclass(frozen=True)
class MechanismAudit:
    """For anybody's eyes: what was found about a mechanism, from made-up values alone."""

    method: str
    frozen: tuple[Checked, ...]
    real: tuple[Sampled, ...]
    runs: int
    confidence: float

    @property
    def violations(self) -> tuple[str, ...]:
        """Counterexamples that need no statistics."""
        return tuple(f"{case.case}: {text}" for case in self.frozen for text in case.violations)

    @property
    def worst(self) -> float:
        """How much of its promise the worst pair of neighbours uses up."""
        return max(case.share for case in self.frozen)

    @property
    def caught(self) -> bool:
        """Whether a promise is broken."""
        return bool(self.violations) or any(case.finding.caught for case in self.real)

    @property
    def verdict(self) -> Verdict:
        """Caught, not contradicted, or an audit that could not have told."""
        if self.caught:
            return "caught"
        return "not contradicted" if all(case.power for case in self.real) else "no power"

    def __str__(self) -> str:
        if self.violations:
            more = len(self.violations) - 1
            return f"caught: {self.violations[0]}" + (f" (and {more} more)" if more else "")
        if self.verdict == "no power":
            return "no power: three times the budget was not caught in the runs; take more of them"
        for case in self.real:
            best = case.finding.best
            if case.finding.caught:
                name, claimed = best.figure.name, best.figure.claimed
                return (
                    f"caught: {case.case}: {name} is at least {best.found:.4g}, not {claimed:.4g}"
                )
        worst = f"{self.worst:.4g}"
        return (
            f"not contradicted: no pair of neighbours costs more than {worst} of what is promised"
        )


def audit_mechanism(
    method: str,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    runs: int = DEFAULT_RUNS,
    confidence: float = DEFAULT_CONFIDENCE,
    seed: int | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> MechanismAudit:
    """Try to contradict a mechanism that is no table method; no data is read.

    `epsilon` (1 by default) is claimed where noise is pure; where it is Gaussian, `epsilon` with
    `delta` if that is given, else `rho` (0.5 by default).  The bounds on real runs hold together
    with `confidence`.
    """
    if method not in MECHANISMS:
        known, hint = ", ".join(MECHANISMS), did_you_mean(method, MECHANISMS)
        raise ParameterError(f"there is no audit of {method!r}{hint}; choose one of {known}")
    check(runs, confidence)
    pure = PureDP(1 if epsilon is None else epsilon)
    if delta is not None and rho is not None:
        raise ParameterError("give either delta or rho: what is claimed where noise is Gaussian")
    gaussian: ApproxDP | ZCDP = ZCDP(_RHO if rho is None else rho)
    if delta is not None:
        gaussian = ApproxDP(pure.epsilon, delta)
    budgets = Budgets(pure, gaussian)
    bits: Bits = SystemBits() if seed is None else SeededBits(seed)
    tick = progress or (lambda _phase, _steps: None)
    frozen: list[Checked] = []
    real: list[Sampled] = []
    for part in MECHANISMS[method].frozen:
        frozen.extend(part(budgets))
        tick("comparing neighbours", 1)
    runners = MECHANISMS[method].real
    effort = Effort(runs, 1 - (1 - confidence) / len(runners), bits)
    for runner in runners:
        real.append(runner(budgets, effort))
        tick("runs", 1)
    return MechanismAudit(method, tuple(frozen), tuple(real), runs, confidence)
