"""What `sfumato audit` prints of networks, streams, counts and choices."""

from collections.abc import Callable
from typing import Any

from rich.markup import escape
from rich.table import Table

from sfumato.cli.show import console
from sfumato.inspection.audit.coupled import stated
from sfumato.inspection.audit.mechanisms import DEFAULT_RUNS, MECHANISMS, audit_mechanism
from sfumato.privacy.budget import Budget

__all__ = ["run_mechanism"]

Watched = Callable[[int], Any]  # a bar for so many steps


def run_mechanism(method: str, watched: Watched, runs: int | None, **given: Any) -> bool:
    """Audit and print; whether a promise was contradicted."""
    parts = MECHANISMS[method]
    with watched(len(parts.frozen) + len(parts.real)) as tick:
        count = DEFAULT_RUNS if runs is None else runs
        found = audit_mechanism(method, runs=count, progress=tick, **given)
    console.print(f"[bold]{escape(method)}[/bold] · {escape(parts.summary)}")
    frozen = Table("with frozen noise", "promise", "neighbours", "cost of the worst pair")
    for case in found.frozen:
        cost = "more than promised" if case.violations else f"{case.share:.4g} of the promise"
        row = (
            case.case,
            _short(case.promise),
            f"{case.pairs:,}",
            cost if case.pairs else "as stated",
        )
        frozen.add_row(*map(escape, row), style="red" if case.violations else None)
    console.print(frozen)
    real = Table("with real noise", "promise", "found at least", "control, three times the budget")
    for one in found.real:
        best, control = one.finding.best, one.control.best
        seen = f"{best.figure.name} {best.found:.4g} of {best.figure.claimed:.4g}"
        caught = "caught" if one.power else "not caught"
        real.add_row(escape(one.case), _short(one.promise), seen, f"{control.found:.4g}: {caught}")
    console.print(real)
    sure = f"{100 * found.confidence:.10g} %"
    console.print(f"{found.runs:,} runs on each of two neighbours, {sure} confidence")
    for text in found.violations:
        console.print(f"[red]{escape(text)}[/red]")
    colour = {"caught": "red", "no power": "yellow"}.get(found.verdict, "green")
    console.print(f"[bold {colour}]{escape(str(found))}[/bold {colour}]")
    return found.caught


def _short(promise: Budget) -> str:
    return ", ".join(f"{name} {figure}" for name, figure in stated(promise).items())
