"""What `sfumato audit` prints of networks, streams, counts and choices."""

from typing import Any

from sfumato.cli.screen import Grid, say, styled
from sfumato.cli.screen import show as show_table
from sfumato.inspection.audit.coupled import stated
from sfumato.inspection.audit.mechanisms import DEFAULT_RUNS, MECHANISMS, audit_mechanism
from sfumato.privacy.budget import Budget
from sfumato.progress import steps

__all__ = ["run_mechanism"]


def run_mechanism(method: str, runs: int | None, **given: Any) -> bool:
    """Audit and print; whether a promise was contradicted."""
    parts = MECHANISMS[method]
    with steps("comparing neighbours", len(parts.frozen) + len(parts.real)) as tick:
        count = DEFAULT_RUNS if runs is None else runs
        found = audit_mechanism(method, runs=count, progress=tick, **given)
    say(styled(method, "bold"), f" · {parts.summary}")
    frozen = Grid("with frozen noise", "promise", "neighbours", "cost of the worst pair")
    for case in found.frozen:
        cost = "more than promised" if case.violations else f"{case.share:.4g} of the promise"
        told = styled(cost if case.pairs else "as stated", "red" if case.violations else "")
        frozen.line(case.case, _short(case.promise), f"{case.pairs:,}", told)
    show_table(frozen)
    real = Grid("with real noise", "promise", "found at least", "control, three times the budget")
    for one in found.real:
        best, control = one.finding.best, one.control.best
        seen = f"{best.figure.name} {best.found:.4g} of {best.figure.claimed:.4g}"
        caught = "caught" if one.power else "not caught"
        real.line(one.case, _short(one.promise), seen, f"{control.found:.4g}: {caught}")
    show_table(real)
    sure = f"{100 * found.confidence:.10g} %"
    say(f"{found.runs:,} runs on each of two neighbours, {sure} confidence")
    for text in found.violations:
        say(text, style="red")
    colour = {"caught": "red", "no power": "yellow"}.get(found.verdict, "green")
    say(styled(found, f"bold {colour}"))
    return found.caught


def _short(promise: Budget) -> str:
    return ", ".join(f"{name} {figure}" for name, figure in stated(promise).items())
