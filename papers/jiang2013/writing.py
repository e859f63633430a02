"""`results.md`: ours beside the paper's, claim by claim, then every figure in words and tables."""

from collections.abc import Iterator, Sequence
from math import isfinite

from papers.claim import Claim
from papers.figures import Drawing
from papers.jiang2013 import classes, people, record_error
from papers.jiang2013.sensitivity import comparisons
from papers.jiang2013.settings import Settings
from papers.jiang2013.significance import p_value
from papers.outcome import Outcomes
from papers.page import claim_table, figure_section, mean_and_spread, quick_look, table
from sfumato import __version__
from sfumato.inspection.information import BINS, SMOOTHING

__all__ = ["write_up"]

CHOICES = (
    "Choices made where the paper is silent or cannot be followed:",
    "",
    "- Adult has the paper's 11 columns; a column of two levels is one feature, not two dummies,",
    "  so 33 features stand for its 35.",
    "- Squared errors are those of the published table: numbers inside their public ranges,",
    "  categories decoded to one level, features in [0, 1], per record.",
    "- The paper's exponential mechanism has the utility of Blum and Ligett, of whole tables: too",
    "  many to list here. `exponential` stands in for it, a draw for each record by its distance.",
    "- Every release meets both classifiers; a pruned entropy tree stands in for C4.5. Its pruning",
    "  was picked from seven variants (83.3 to 85.5 %) by accuracy on one split of Adult, so the",
    "  tree's best achievable score is no independent confirmation of the paper's.",
    "- Where the paper says similar, slightly or about, the tolerance in the claim is ours.",
    f"- Entropy and KL divergence are summed over columns, numbers in {BINS} public cells; both",
    f"  sides of the divergence are mixed with {SMOOTHING:g} of the uniform distribution.",
    "- In the entropy of diffgen an interval or set of values counts as one value, as the method",
    "  publishes it (`values=generalised`). Classifiers and divergence need values: they are drawn",
    "  evenly inside each interval or set, from the same measurements.",
    "- Claims about dp-lda are judged twice, first on the paper's sampler (`sampler=greedy`), then",
    "  on ours (`sampler=gauss`, the default); each claim says which. It is mended: it squares",
    "  the paper's items of numbers, about class means and in deviations of their columns: as",
    "  printed, columns that follow no other lose all their variance. It chooses categories by",
    "  categories alone and starts, as ours does, from moments of which noise was shrunk away.",
)


def write_up(
    found: Outcomes,
    settings: Settings,
    judged: Sequence[Claim],
    drawn: Sequence[Drawing],
    rows: int | None,
) -> str:
    """The whole page."""
    return "\n".join(_page(found, settings, judged, drawn, rows)) + "\n"


def _page(
    found: Outcomes,
    settings: Settings,
    judged: Sequence[Claim],
    drawn: Sequence[Drawing],
    rows: int | None,
) -> Iterator[str]:
    budgets = ", ".join(f"{epsilon:g}" for epsilon in settings.epsilons)
    yield "# Jiang et al. 2013, differential PCA and LDA, run again"
    yield ""
    yield (
        f"Sfumato {__version__}, seed {settings.seed}, {settings.trials} trials, ε of {budgets}"
        + (f", {rows:,} records of Adult." if rows is not None else ".")
        + " Every trial is in `results.csv`. Noise is exact and calibrated to the corrected "
        "sensitivities below, so results differ from the paper's where its noise was too small."
        + quick_look(settings.rows)
    )
    yield ""
    yield from CHOICES
    yield ""
    yield "## What the paper claims, and what came out"
    yield ""
    yield from claim_table(judged)
    for drawing in drawn:
        yield from figure_section(drawing)
        yield from _details(drawing.name, found, settings)
    yield ""
    yield "## Sensitivities, published and true"
    yield ""
    yield (
        "ℓ₁ sensitivity for the shape of Adult. Noise of the published scale really costs the last "
        "column times the ε it claims. Here two-level columns are one feature and entries that "
        "structure fixes are not released, which is why less noise suffices."
    )
    yield ""
    yield from table(
        ["statistic", "published", "true", "as released here", "true cost of a claimed ε of 1"],
        (
            [c.statistic, f"{c.published:.2f}", _number(c.true), f"{c.here:.2f}", _number(c.cost)]
            for c in comparisons()
        ),
    )


def _details(name: str, found: Outcomes, settings: Settings) -> Iterator[str]:
    if name == "figure-1":
        ways = (people.COMPONENT, people.ATTRIBUTES)
        for measure in (people.ERROR, people.INSIDE):
            yield from _means(found, "1", ways, settings, measure, 0)
    if name == "figure-2b":
        names = [c.name for c in settings.records]
        constants = [record_error.CONSTANT, record_error.UNDECODED]
        yield from _means(found, "2", [*names, *constants], settings, record_error.ERROR, 3)
        uncut = [c.name for c in settings.records if c.method in ("dp-pca", "identity-laplace")]
        yield from _means(found, "2", uncut, settings, record_error.UNCUT, 1)
        yield (
            "The constant record is the noisy mean, the same for everyone. A method above it has a "
            "larger squared error than a table that tells nothing about anybody, so squared error "
            "alone is no reason to publish records one by one."
        )
        yield ""
        yield from _t_tests(found, settings)
    if name == "figure-3":
        names = [c.name for c in settings.classes]
        for model in settings.models:
            for measure in (classes.accuracy(model), classes.auc(model)):
                yield from _means(found, "3", names, settings, measure, 4)
    if name == "figure-4":
        names = [c.name for c in settings.classes]
        texts = [classes.generalised(c.name) for c in settings.classes if c.method == "diffgen"]
        yield from _means(found, "4", [*names, *texts], settings, classes.ENTROPY, 3)
        yield from _means(found, "4", names, settings, classes.KL, 3)


def _means(
    found: Outcomes,
    figure: str,
    names: Sequence[str],
    settings: Settings,
    measure: str,
    places: int,
) -> Iterator[str]:
    """Mean ± standard deviation by budget, and the lines that frame them."""
    yield f"{measure[0].upper()}{measure[1:]}, mean ± standard deviation over trials:"
    yield ""

    def cell(name: str, epsilon: float | None) -> str:
        return mean_and_spread(found, figure, name, epsilon, measure, f",.{places}f")

    rows = [[name, *(cell(name, e) for e in settings.epsilons)] for name in names]
    for frame in (classes.BEST, classes.LOWEST, classes.ORIGINAL):
        if len(found.values(figure, frame, None, measure)):
            rows.append([frame, *([cell(frame, None)] * len(settings.epsilons))])
    yield from table(["", *(f"ε = {e:g}" for e in settings.epsilons)], rows)
    yield ""


def _t_tests(found: Outcomes, settings: Settings) -> Iterator[str]:
    ranks = [c.name for c in settings.records if c.method == "dp-pca"]
    others = [c.name for c in settings.records if c.method != "dp-pca"]
    if not ranks:
        return
    for rival in (*others, record_error.CONSTANT):
        yield (
            f"dp-pca against {rival}: p of Welch's two-sided t-test over trials; < where dp-pca "
            "has the smaller mean, > where it has the larger, * where p < 0.01."
        )
        yield ""
        rows = []
        for rank in ranks:
            cells = []
            for epsilon in settings.epsilons:
                ours, theirs = (
                    found.values("2", who, epsilon, record_error.ERROR) for who in (rank, rival)
                )
                p = p_value(ours, theirs)
                sign = "<" if ours.mean() < theirs.mean() else ">"
                cells.append(f"{sign} {p:.2g}{'*' * (p < 0.01)}" if isfinite(p) else f"{sign} –")
            rows.append([rank, *cells])
        yield from table(["", *(f"ε = {e:g}" for e in settings.epsilons)], rows)
        yield ""


def _number(value: float) -> str:
    return f"{value:.2f}" if isfinite(value) else "unbounded"
