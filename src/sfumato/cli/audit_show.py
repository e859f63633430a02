"""What `sfumato audit` prints: the finding, the verdict, and both distributions as bars."""

from collections.abc import Iterator, Sequence

import numpy as np

from sfumato.cli.screen import Cell, Grid, say, styled
from sfumato.cli.screen import show as show_table
from sfumato.cli.show import bars
from sfumato.inspection.audit import Audit
from sfumato.inspection.audit.controls import Conviction
from sfumato.numeric.arrays import Vector

__all__ = ["shares", "show", "show_controls"]


_BINS = 48
_MOST_SAID = 8  # violations, of which one is enough
_NOT_SHOWN = "an audit proves no privacy: other tables, time, memory and the ledger were not seen"
_TAIL = 0.5  # per cent of the runs on each side that are drawn at the edge


def shares(found: Audit, bins: int) -> tuple[Vector, tuple[Vector, Vector]]:
    """Edges, and the share of held-out runs between them, for both tables."""
    score = found.finding.best.region.score
    sides = [score(runs) for runs in found.finding.runs]
    low, high = np.percentile(np.concatenate(sides), (_TAIL, 100 - _TAIL))
    margin = (high - low) / bins or 0.5  # so that no bar lies on the edge
    edges = np.linspace(low - margin, high + margin, bins + 1)
    first, second = (np.histogram(np.clip(s, low, high), edges)[0] / len(s) for s in sides)
    return edges, (first, second)


def show(found: Audit) -> None:
    """The finding, line by line, and the verdict last."""
    best, sure = found.finding.best, f"{100 * found.confidence:.10g} %"
    lines = Grid.plain()
    lines.line("claim", f"{found.claimed}, {found.neighbours}")
    if found.promise != found.claimed:
        lines.line("promise", styled(found.promise, "yellow"))
    for name, text in _frozen(found):
        lines.line(name, text)
    differ = " or ".join(found.pair)
    lines.line("runs", f"a few records of the public domain; the last is {differ}")
    for proof in found.finding.proofs:
        at = f" at delta {proof.figure.delta:.4g}" if proof.figure.delta else ""
        bound = f"at least {proof.found:.4g} of {proof.figure.claimed:.4g}{at}, {sure} confidence"
        lines.line(proof.figure.name, bound)
    if found.delta is not None:
        lines.line("delta", f"at least {found.delta:.4g} at the claimed epsilon")
    hits = f"{best.hits[0]:,} against {best.hits[1]:,} of {found.finding.held_out:,} held-out runs"
    lines.line("seen in", f"{best.region}: {hits}")
    if best.limited:
        lines.line("", "never on the other table: more runs may raise the bound without end")
    lines.line("its control", str(found.control))
    colour = {"caught": "red", "no power": "yellow"}.get(found.verdict, "green")
    lines.line("verdict", styled(found, f"bold {colour}"))
    lines.line("", _NOT_SHOWN)
    say(styled(found.method, "bold"), f" · {found.runs:,} runs on each table")
    show_table(lines)
    _histogram(found)


def _frozen(found: Audit) -> Iterator[tuple[str, Cell]]:
    """What was compared with frozen noise, how far each measurement moved, and the control."""
    if not found.scrutinies:
        yield "frozen noise", "not compared: nothing is promised"
    else:
        tables = sum(part.tables for part in found.scrutinies)
        yield "frozen noise", f"{tables:,} tables, settings: {len(found.scrutinies)}"
    worst: dict[str, float] = {}
    for one in (one for part in found.scrutinies for one in part.measured):
        worst[one.name] = max(worst.get(one.name, 0.0), one.ratio)
    for name, ratio in worst.items():
        yield "", f"{name}: moved by {ratio:.4g} of its declared sensitivity"
    if found.scrutinies:
        dearest = max(found.scrutinies, key=lambda part: part.found / part.claimed)
        share = f"{dearest.unit} {dearest.found:.4g} of {dearest.claimed:.4g}"
        yield "", f"all at their worst, under the noise that is drawn: {share}"
        missed = ", ".join(found.unseen)
        seen = f"not caught for {missed}" if missed else "caught for each of them"
        yield "its control", f"planned for {found.control.planned}: {seen}"
    for text in found.violations[:_MOST_SAID]:
        yield "", styled(text, "red")
    if len(found.violations) > _MOST_SAID:
        yield "", styled(f"and {len(found.violations) - _MOST_SAID} more", "red")


def _histogram(found: Audit) -> None:
    """Held-out runs on both tables by the score that was looked at, on one scale."""
    edges, (first, second) = shares(found, _BINS)
    top = max(*first, *second)
    say("")
    say(found.finding.best.region.score.text)
    for text, side in zip(found.pair, (first, second), strict=True):
        say(f"{bars(list(side), top)}  {text}")
    low, high = (f"{edge:.3g}" for edge in (edges[0], edges[-1]))
    say(f"{low}{high:>{_BINS - len(low)}}")


def show_controls(found: Sequence[Conviction]) -> None:
    """A row for each broken mechanism."""
    table = Grid("mechanism", "from", "fault", "claimed", "found at least", "caught")
    for conviction in found:
        broken = conviction.broken
        more = ", limited by the runs" if conviction.proof.limited else ""
        mark = styled("yes", "green") if conviction.caught else styled("NO", "red")
        bound = f"{conviction.proof.found:.3g}{more}"
        texts = (broken.name, broken.source, broken.fault)
        table.line(*texts, f"{conviction.claimed:g}", bound, mark)
    show_table(table)
    if not all(conviction.caught for conviction in found):
        say("the audit missed one: take more runs, or distrust it")
