"""What the paper says of its tables, beside what came out; judged by the numbers alone."""

from collections.abc import Callable, Iterator

from papers.chanyaswad2017 import clusters, supervised
from papers.chanyaswad2017.dimensions import dimension_claims, ratio_claims
from papers.chanyaswad2017.facts import Facts
from papers.chanyaswad2017.scores import Cell, Scores
from papers.chanyaswad2017.settings import AG, GRID, LAP, PUBLIC, TABLES, Settings
from papers.chanyaswad2017.shares import share_claims
from papers.claim import Claim, judged, less, percent
from papers.outcome import Outcomes

__all__ = ["BEYOND", "OURS", "PAPER", "baselines", "claims", "shown_as"]

BEYOND = "not considered"
OURS = {
    "II": ("pca-gauss",),
    "III": tuple(f"pca-gauss-mixture, {basis}" for basis in (PUBLIC, LAP, AG)),
    "IV": tuple(f"pca-gauss-regression, {basis}" for basis in (PUBLIC, LAP, AG)),
}
# The paper's own cells; the last of each are those of its method.
PAPER = {
    "II": {
        clusters.REAL: "0.286",
        "compressive": "0.123 ± 0.000",
        "dp-pca": "0.123 ± 0.000",
        "exponential": "0.026 ± 0.017",
        "modips": "0.092 ± 0.001",
        "jl-gauss": "0.003 ± 0.000",
        "pca-gauss": "0.220 ± 0.003",
    },
    "III": {
        supervised.REAL: "82.56 %",
        supervised.ALONE: "62.71 %",
        "compressive": "65.04 ± 0.90 %",
        "lop": "55.06 ± 1.74 %",
        "dp-lda": "66.37 ± 1.58 %",
        "exponential": "51.24 ± 1.83 %",
        "modips": "61.31 ± 0.65 % (one per class)",
        "jl-gauss": "60.13 ± 0.49 %",
        **dict(
            zip(OURS["III"], ("76.36 ± 0.38 %", "71.40 ± 0.37 %", "74.08 ± 0.17 %"), strict=True)
        ),
    },
    "IV": {
        supervised.REAL: "0.0021",
        supervised.ALONE: "0.07",
        supervised.GUESS: "0.578",
        "compressive": "0.4527 ± 0.0041",
        "lop": "0.4720 ± 0.0007",
        "exponential": "0.4805 ± 0.0166",
        "modips": "0.0100 ± 0.0012",
        "jl-gauss": "0.4716 ± 0.0024",
        **dict(
            zip(OURS["IV"], ("0.0021 ± 0.0001", "0.0024 ± 0.0001", "0.0023 ± 0.0001"), strict=True)
        ),
    },
}
_STATED = {
    "II": "0.220 against at most 0.123",
    "III": "76.4, 71.4 and 74.1 % against at most 66.4 %",
    "IV": "0.0021, 0.0024 and 0.0023 against at least 0.0100",
}
_UNREDUCED = {
    "II": "0.220 against 0.092",
    "III": "76.36 against 61.31 %",
    "IV": "0.0021 against 0.0100",
}
_TEXTS = {"II": "a higher silhouette", "III": "a higher accuracy", "IV": "a smaller error"}


def shown_as(table: str, value: float) -> str:
    """A score as the paper writes it."""
    return percent(value) if table == "III" else f"{value:.3f}" if table == "II" else f"{value:.4f}"


def baselines(table: str, settings: Settings) -> list[str]:
    """Everyone in a table but the paper's own method."""
    return [c.name for c in settings.contenders[table] if not c.method.startswith("pca-gauss")]


def claims(found: Outcomes, settings: Settings, facts: Facts) -> list[Claim]:
    """Every claim of the tables and figures that were run, in order."""
    made: list[Claim] = []
    judges = {"II": _second, "III": _third, "IV": _fourth}
    for table in TABLES:
        if table in settings.figures:
            scores = Scores(found, table, facts[table].width)
            made += _beaten(scores, settings)
            made += judges[table](scores, settings)
    if "1" in settings.figures:
        made += dimension_claims(found, settings, facts)
    if "2" in settings.figures:
        made += ratio_claims(found, facts["II"].width)
    if GRID in settings.figures:
        made += share_claims(found, settings, facts)
    return made


def _beaten(scores: Scores, settings: Settings) -> Iterator[Claim]:
    """Does the paper's method beat everyone else, and how small is its loss?"""
    table, e = scores.table, settings.shown
    others = [(name, scores.best(name, e)) for name in baselines(table, settings)]
    ranked = sorted(others, key=lambda item: -scores.sign * item[1].mean)
    for name in OURS[table]:
        ours = scores.best(name, e)
        behind = sum(scores.sign * (ours.mean - other.mean) > 0 for _, other in others)
        best, rival = ranked[0] if ranked else ("nobody", Cell(None, ours.values[:0]))
        yield judged(
            table,
            f"{name} has {_TEXTS[table]} than every other method (p < 0.05)",
            _STATED[table],
            f"{_told(table, ours)} against {_told(table, rival)} of {best}; better in the mean "
            f"than {behind} of {len(others)}",
            (scores.better(ours, other) for _, other in others),
        )
    name = OURS[table][0]
    ours, full = scores.best(name, e), scores.cell(name, e, scores.width)
    yield judged(
        table,
        f"{name} has {_TEXTS[table]} than the same model without reduction (p < 0.05)",
        _UNREDUCED[table],
        f"{_told(table, ours)} against {_told(table, full)}",
        [scores.better(ours, full)],
    )


def _second(scores: Scores, settings: Settings) -> Iterator[Claim]:
    e = settings.shown
    ours, real = scores.best("pca-gauss", e), scores.cell(clusters.REAL, None)
    wanted = {"compressive": 2, "dp-pca": 2, "modips": 2, "exponential": 3, "jl-gauss": 4}
    factors = {name: f for name, f in wanted.items() if name in baselines("II", settings)}
    yield judged(
        "II",
        "its silhouette is 2 times that of projected records and modips, 3 times that of "
        "exponential, 4 times that of jl-gauss",
        "over 2x, over 2x, over 3x, 4x",
        _ratios(factors, lambda name: ours.mean / scores.best(name, e).mean),
        (less(f * scores.best(name, e).mean, ours.mean) for name, f in factors.items()),
    )
    loss = scores.loss(ours, real)
    yield judged(
        "II",
        "its silhouette is at most 0.066 below that of the records",
        "0.286 and 0.220",
        f"{real.median:.3f} and {ours.mean:.3f}, a loss of {loss:.3f}",
        [less(loss, 0.066)],
    )
    noise = scores.cell(clusters.NOISE, None, ours.rank)
    yield judged(
        "II",
        "it scores higher than normal noise in as many dimensions that saw no record",
        BEYOND,
        f"{ours.mean:.3f} against {noise.mean:.3f}",
        [scores.better(ours, noise)],
    )
    clouds = scores.curve(clusters.NOISE, None)
    highest = max(clouds, key=lambda cell: cell.mean, default=noise)
    yield judged(
        "II",
        "what saw no record never scores higher than the records",
        BEYOND,
        f"noise in {highest.rank} dimensions {highest.mean:.3f}, the records {real.median:.3f}",
        [less(highest.mean, real.median)],
    )


def _third(scores: Scores, settings: Settings) -> Iterator[Claim]:
    e, (public, *bought) = settings.shown, OURS["III"]
    ours, real = scores.best(public, e), scores.cell(supervised.REAL, None)
    rivals = {name: scores.best(name, e) for name in baselines("III", settings)}
    rivals["no reduction"] = scores.cell(public, e, scores.width)
    points = dict.fromkeys(("compressive", "lop", "dp-lda"), 0.1)
    points |= dict.fromkeys(("exponential", "no reduction", "jl-gauss"), 0.15)
    gaps = {name: ours.mean - rivals[name].mean for name in points if name in rivals}
    yield judged(
        "III",
        "with Pub-PCA it is 10 points better than projected records and LDA, 15 points better "
        "than exponential, Gaussians without reduction and jl-gauss",
        "over 10 and over 15 points",
        ", ".join(f"{name} {100 * gap:+.1f}" for name, gap in gaps.items()),
        (less(points[name], gap) for name, gap in gaps.items()),
    )
    for epsilon, points_lost, paper in (
        (e, 0.062, "82.56 and 76.36 %"),
        (3.0, 0.035, "79.09 % at ε = 3"),
    ):
        there = scores.best(public, epsilon)
        yield judged(
            "III",
            f"with Pub-PCA it loses at most {100 * points_lost:.1f} points to real data at "
            f"ε = {epsilon:g}",
            paper,
            f"{percent(real.mean)} and {percent(there.mean)}, a loss of "
            f"{100 * scores.loss(there, real):.1f} points",
            [less(scores.loss(there, real), points_lost)],
        )
    extra = {name: ours.mean - scores.best(name, e).mean for name in bought}
    yield judged(
        "III",
        "bought components cost at most 5 (Lap-PCA) and 2.3 points (AG-PCA) more",
        "71.40 and 74.08 against 76.36 %",
        ", ".join(f"{name.split(', ')[1]} {100 * gap:+.1f}" for name, gap in extra.items()),
        (less(gap, most) for gap, most in zip(extra.values(), (0.05, 0.023), strict=True)),
    )
    yield from _framed(scores, settings, "76.36 against 62.71 %")


def _fourth(scores: Scores, settings: Settings) -> Iterator[Claim]:
    e, (public, *bought) = settings.shown, OURS["IV"]
    ours, real = scores.best(public, e), scores.cell(supervised.REAL, None)
    factors = dict.fromkeys(("compressive", "lop", "exponential", "jl-gauss"), 200) | {"modips": 5}
    factors = {name: f for name, f in factors.items() if name in baselines("IV", settings)}
    errors = {name: scores.best(name, e).mean for name in factors}
    for text, paper, wanted in (
        ("200 times (modips: 5 times)", "over 200x and 5x", factors),
        ("10 times", "an order of magnitude", dict.fromkeys(factors, 10)),
    ):
        yield judged(
            "IV",
            f"with Pub-PCA its error is {text} smaller than that of the others",
            paper,
            _ratios(factors, lambda name: errors[name] / ours.mean),
            (less(f * ours.mean, errors[name]) for name, f in wanted.items()),
        )
    yield judged(
        "IV",
        "with Pub-PCA it errs as little as real data (at most 5 % more)",
        "0.0021 and 0.0021",
        f"{real.mean:.4f} and {ours.mean:.4f}, {100 * (ours.mean / real.mean - 1):+.0f} %",
        [less(ours.mean, 1.05 * real.mean)],
    )
    extra = {name: scores.best(name, e).mean / ours.mean - 1 for name in bought}
    yield judged(
        "IV",
        "bought components cost at most 15 % more error",
        "0.0024 and 0.0023 against 0.0021",
        ", ".join(f"{name.split(', ')[1]} {100 * gap:+.1f} %" for name, gap in extra.items()),
        (less(gap, 0.15) for gap in extra.values()),
    )
    yield from _framed(scores, settings, "0.0021 against 0.07")


def _framed(scores: Scores, settings: Settings, paper: str) -> Iterator[Claim]:
    """Is the private release worth more than the public part, or than nothing at all?"""
    table = scores.table
    cells = [scores.best(name, settings.shown) for name in OURS[table]]
    told = ", ".join(_told(table, cell) for cell in cells)
    for frame, said in ((supervised.ALONE, paper), (supervised.CONSTANT, BEYOND)):
        other = scores.cell(frame, None)
        yield judged(
            table,
            f"with every basis it is better than {frame}",
            said,
            f"{told} against {shown_as(table, other.mean)}",
            (scores.better(cell, other) for cell in cells),
        )


def _told(table: str, cell: Cell) -> str:
    share = f", α = {cell.share}" if cell.share else ""
    components = "" if cell.rank is None else f" (P = {cell.rank}{share})"
    return f"{shown_as(table, cell.mean)}{components}"


def _ratios(names: dict[str, int], ratio: Callable[[str], float]) -> str:
    return ", ".join(f"{name} {ratio(name):.1f}" for name in names)
