"""The paper's grid: shares of the budget for bought components, of which it reports the best."""

from collections.abc import Iterator

from papers.chanyaswad2017.facts import Facts
from papers.chanyaswad2017.scores import Scores
from papers.chanyaswad2017.settings import ALPHAS, GRID, Settings
from papers.claim import Claim, judged
from papers.outcome import Outcomes

__all__ = ["bought", "share_claims"]


def bought(settings: Settings, facts: Facts) -> list[tuple[str, str]]:
    """Tables, and who buys components in them."""
    return [(t, c.name) for t in facts for c in settings.contenders[t] if c.bought]


def share_claims(found: Outcomes, settings: Settings, facts: Facts) -> Iterator[Claim]:
    """Is the best share worth choosing?"""
    for table, name in bought(settings, facts):
        scores = Scores(found, table, facts[table].width)
        usual = scores.best_with(name, settings.shown, None)
        cells = [scores.best_with(name, settings.shown, share) for share in ALPHAS]
        tried = [cell for cell in cells if cell is not None]
        top = max(tried, key=lambda cell: scores.sign * cell.mean, default=None)
        if usual is None or top is None:
            told, verdict = "", None
        else:
            told = f"{top.mean:.4g} with α = {top.share}, {usual.mean:.4g} with the default"
            verdict = scores.better(top, usual)
        yield judged(
            GRID,
            f"table {table}, {name}: the best share of the paper's grid is better than the "
            "library's own (p < 0.05)",
            "the best of ten is reported",
            told,
            [verdict],
        )
