"""What the paper says, beside what came out; each claim is judged by the numbers alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite

from papers.claim import BEYOND, UNSTATED, Claim, judged, less, percent
from papers.jiang2013 import classes, people, record_error
from papers.jiang2013.settings import CLASSES, Settings
from papers.jiang2013.significance import p_value
from papers.outcome import Outcomes

__all__ = ["claims"]

LDA, MAX, GAIN, OURS = (contender.name for contender in CLASSES)
# A claim about dp-lda is judged on the paper's sampler, then on ours, and says which.
SAMPLERS = {LDA: "dp-lda with the paper's sampler", OURS: "dp-lda with our sampler"}


def claims(found: Outcomes, settings: Settings) -> list[Claim]:
    """Every claim of the figures that were run, in order."""
    judges = {"1": _first, "2": _second, "3": _third, "4": _fourth}
    return [
        claim
        for figure in sorted(settings.figures)
        for claim in judges[figure](_Means(found, figure), settings)
    ]


@dataclass(frozen=True)
class _Means:
    """Means, spreads and trials of one figure; not-a-number where nothing was run."""

    found: Outcomes
    figure: str

    def __call__(self, name: str, epsilon: float | None, measure: str) -> float:
        return self.found.summary(self.figure, name, epsilon, measure)[0]

    def spread(self, name: str, epsilon: float | None, measure: str) -> float:
        return self.found.summary(self.figure, name, epsilon, measure)[1]

    def surely_smaller(self, name: str, rival: str, epsilon: float, measure: str) -> bool | None:
        """Whether the mean is smaller, with p < 0.01."""
        ours, theirs = (
            self.found.values(self.figure, who, epsilon, measure) for who in (name, rival)
        )
        p = p_value(ours, theirs)
        return bool(ours.mean() < theirs.mean() and p < 0.01) if isfinite(p) else None


def _first(mean: _Means, settings: Settings) -> Iterator[Claim]:
    each, along = (
        [mean(way, e, people.ERROR) for e in sorted(settings.epsilons)]
        for way in (people.ATTRIBUTES, people.COMPONENT)
    )
    shown = min(settings.epsilons, key=lambda e: abs(e - 1))
    low, high = (mean(w, shown, people.ERROR) for w in (people.COMPONENT, people.ATTRIBUTES))
    yield judged(
        "1",
        "noise on a component gives a smaller squared error than noise on each attribute",
        "2750.08 against 6197.27 at ε = 1, ratio 2.25",
        f"{low:,.0f} against {high:,.0f} cm² + kg² at ε = {shown:g}, ratio {high / low:.2f}",
        map(less, along, each),
    )
    gaps = [a - b for a, b in zip(each, along, strict=True)]
    yield judged(
        "1",
        "the difference grows as the budget shrinks",
        UNSTATED,
        f"{gaps[0]:,.0f} at the smallest ε, {gaps[-1]:,.0f} at the largest",
        (less(large, small) for small, large in pairwise(gaps)),
    )


def _second(mean: _Means, settings: Settings) -> Iterator[Claim]:
    shares = [
        mean.found.values("2", centre, None, record_error.ENERGY)[9]
        for centre in (record_error.CENTRED, record_error.ORIGIN)
    ]
    yield judged(
        "2",
        "the first 10 eigenvectors carry more than 90 % of the energy",
        "> 90 %",
        f"{percent(shares[0])} about the mean ({percent(shares[1])} about the origin)",
        [less(0.9, shares[0])],
    )
    error = record_error.ERROR
    ranks = [c.name for c in settings.records if c.method == "dp-pca"]
    low, high = min(settings.epsilons), max(settings.epsilons)
    yield judged(
        "2",
        "the error of dp-pca grows with every further component",
        UNSTATED,
        "; ".join(
            f"{mean(ranks[0], e, error):.2f} with the fewest and {mean(ranks[-1], e, error):.2f} "
            f"with the most at ε = {e:g}"
            for e in (low, high)
            if ranks
        ),
        (
            less(mean(fewer, e, error), mean(more, e, error))
            for e in settings.epsilons
            for fewer, more in pairwise(ranks)
        ),
    )
    others = [c.name for c in settings.records if c.method != "dp-pca"]
    noise = [c.name for c in settings.records if c.method == "identity-laplace"]
    yield judged(
        "2",
        "before values are cut to their ranges, dp-pca errs less than noise on each value",
        "p < 0.01 at every ε",
        "; ".join(
            f"{mean(ranks[0], e, record_error.UNCUT):,.0f} with the fewest components against "
            f"{mean(noise[0], e, record_error.UNCUT):,.0f} at ε = {e:g}"
            for e in (low, high)
            if ranks and noise
        ),
        (
            mean.surely_smaller(rank, rival, e, record_error.UNCUT)
            for rank in ranks
            for rival in noise
            for e in settings.epsilons
        ),
    )
    for rival in (*others, record_error.CONSTANT):
        beyond = rival == record_error.CONSTANT
        cells = [(rank, e) for rank in ranks for e in settings.epsilons]
        smaller = sum(bool(less(mean(r, e, error), mean(rival, e, error))) for r, e in cells)
        yield judged(
            "2",
            f"dp-pca has a significantly smaller error than {rival}, for 1 to 10 components",
            BEYOND if beyond else "p < 0.01 at every ε",
            f"smaller in {smaller} of {len(cells)} cells; the verdict counts p < 0.01",
            (mean.surely_smaller(rank, rival, e, error) for rank, e in cells),
        )


def _third(mean: _Means, settings: Settings) -> Iterator[Claim]:
    for model in settings.models:
        aca = classes.accuracy(model)
        best, lowest = mean(classes.BEST, None, aca), mean(classes.LOWEST, None, aca)
        yield judged(
            "3",
            f"best and lowest achievable accuracy, {model} (within a point)",
            "85.3 % and 75.5 %",
            f"{percent(best)} and {percent(lowest)}",
            (less(abs(best - 0.853), 0.01), less(abs(lowest - 0.755), 0.01)),
        )
        for lda in SAMPLERS:
            yield from _accuracies(mean, settings, model, lda)
            yield from _areas(mean, settings, model, lda)


def _accuracies(mean: _Means, settings: Settings, model: str, lda: str) -> Iterator[Claim]:
    aca, low, top = classes.accuracy(model), min(settings.epsilons), max(settings.epsilons)
    who = SAMPLERS[lda]
    ran = [name for name in (lda, MAX, GAIN) if name in mean.found.contenders("3")]
    yield judged(
        "3",
        f"the accuracy of {who} and of both diffgens grows with ε, {model}",
        UNSTATED,
        "; ".join(
            f"{n}: {percent(mean(n, low, aca))} to {percent(mean(n, top, aca))}" for n in ran
        ),
        (less(mean(n, low, aca), mean(n, top, aca)) for n in ran),
    )
    yield judged(
        "3",
        f"{who} is more accurate than diffgen infogain for ε ≥ 0.25, {model}",
        UNSTATED,
        f"{percent(mean(lda, top, aca))} against {percent(mean(GAIN, top, aca))} at ε = {top:g}",
        (less(mean(GAIN, e, aca), mean(lda, e, aca)) for e in settings.epsilons if e >= 0.25),
    )
    yield judged(
        "3",
        f"{who} is at most slightly (2 points) less accurate than diffgen max, {model}",
        "slightly lower at high budgets",
        f"{percent(mean(lda, top, aca))} against {percent(mean(MAX, top, aca))} at ε = {top:g}",
        (less(mean(MAX, e, aca), mean(lda, e, aca) + 0.02) for e in settings.epsilons),
    )
    yield judged(
        "3",
        f"accuracies of {who} and of diffgen max vary less than those of diffgen infogain, {model}",
        "at every ε",
        f"at ε = {top:g}, " + ", ".join(f"{n}: {mean.spread(n, top, aca):.4f}" for n in ran),
        (
            less(mean.spread(steady, e, aca), mean.spread(GAIN, e, aca))
            for e in settings.epsilons
            for steady in (lda, MAX)
        ),
    )


def _areas(mean: _Means, settings: Settings, model: str, lda: str) -> Iterator[Claim]:
    auc, top = classes.auc(model), max(settings.epsilons)
    who = SAMPLERS[lda]
    ran = [name for name in (lda, MAX, GAIN) if name in mean.found.contenders("3")]
    yield judged(
        "3",
        f"{who} has a higher AUC than both diffgens for ε > 0.5, {model}",
        UNSTATED,
        f"at ε = {top:g}, " + ", ".join(f"{n}: {mean(n, top, auc):.3f}" for n in ran),
        (
            less(mean(rival, e, auc), mean(lda, e, auc))
            for e in settings.epsilons
            if e > 0.5
            for rival in (MAX, GAIN)
        ),
    )
    yield judged(
        "3",
        f"the AUC of {who} varies least, {model}",
        "at every ε",
        f"at ε = {top:g}, " + ", ".join(f"{n}: {mean.spread(n, top, auc):.4f}" for n in ran),
        (
            less(mean.spread(lda, e, auc), mean.spread(rival, e, auc))
            for e in settings.epsilons
            for rival in (MAX, GAIN)
        ),
    )


def _fourth(mean: _Means, settings: Settings) -> Iterator[Claim]:
    original = mean(classes.ORIGINAL, None, classes.ENTROPY)

    def shares(name: str) -> list[float]:
        return [mean(name, e, classes.ENTROPY) / original for e in settings.epsilons]

    for lda, who in SAMPLERS.items():
        found = shares(lda)
        yield judged(
            "4",
            f"entropy of {who}, as a share of the original's (within 10 points)",
            "similar",
            _between(found),
            (less(abs(share - 1), 0.1) for share in found),
        )
    for name, paper, wanted in ((GAIN, "30 %", 0.3), (MAX, "20 %", 0.2)):
        found = shares(classes.generalised(name))
        yield judged(
            "4",
            f"entropy of {name}, generalised values, as a share of the original's (within 10 "
            "points)",
            paper,
            f"{_between(found)} (values drawn inside them: {_between(shares(name))})",
            (less(abs(share - wanted), 0.1) for share in found),
        )
    for lda, who in SAMPLERS.items():
        pairs = [
            (mean(lda, e, classes.KL), mean(rival, e, classes.KL))
            for rival in (MAX, GAIN)
            for e in settings.epsilons
        ]
        ratios = [ours / theirs for ours, theirs in pairs]
        yield judged(
            "4",
            f"{who} has a smaller KL divergence than both diffgens",
            "about one third of the others'",
            f"{min(ratios):.2f} to {max(ratios):.2f} of the others'",
            (less(ours, theirs) for ours, theirs in pairs),
        )


def _between(shares: list[float]) -> str:
    return f"{percent(min(shares))} to {percent(max(shares))}"
