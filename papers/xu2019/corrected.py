"""The paper's claims again, put to releases that are private: which of them survive?"""

from collections.abc import Iterator
from math import sqrt

from papers.claim import BEYOND, UNSTATED, Claim, judged, less, percent
from papers.outcome import Outcomes
from papers.xu2019.accuracy import FREQUENT, accuracy_on
from papers.xu2019.directions import AG, EXACT, LIP, PPM
from papers.xu2019.private import LOP
from papers.xu2019.private_error import MEAN, error_at
from papers.xu2019.published import NEAR, Shapes, rising
from papers.xu2019.settings import RANK, RANKS, Settings

__all__ = ["corrected_claims", "private_eta"]


def corrected_claims(found: Outcomes, settings: Settings, shapes: Shapes) -> list[Claim]:
    """Claims of figures 3 to 5 where every contender is private, and whether that is of use."""
    made: list[Claim] = []
    if {"3", "4"} & set(settings.figures):
        made += _errors(found, settings, list(shapes))
    if "5" in settings.figures:
        made += _scores(found, settings)
    return made


def private_eta(found: Outcomes, name: str, epsilon: float, rank: int, rival: str) -> float:
    """Root of the ratio of lip's error to a rival's, both private: what η would be."""
    ours, theirs = (
        found.summary("private", who, epsilon, error_at(name, rank))[0] for who in (LIP, rival)
    )
    return sqrt(ours / theirs)


def _errors(found: Outcomes, settings: Settings, names: list[str]) -> Iterator[Claim]:
    budgets, published = settings.budgets, sorted(settings.epsilons)
    top, far = published[-1], budgets[-1]
    ranks = {name: _ranks(found, name, top) for name in names}

    def eta(name: str, epsilon: float, rival: str = LOP, rank: int = RANK) -> float:
        return private_eta(found, name, epsilon, rank, rival)

    yield judged(
        "3 private",
        f"η (lip over lop) is below 1 at every k, at ε = {top:g}",
        "max η < 1",
        "; ".join(
            f"{n} {eta(n, top, rank=ranks[n][0]):.2f} to {eta(n, top, rank=ranks[n][-1]):.2f}"
            for n in names
        ),
        (less(eta(n, top, rank=k), 1) for n in names for k in ranks[n]),
    )
    yield judged(
        "3 private",
        f"η falls as k grows, at ε = {top:g}",
        UNSTATED,
        "as above",
        (rising([eta(n, top, rank=k) for k in reversed(ranks[n])]) for n in names),
    )
    for text, paper, asked in (
        (f"η is below 1 at every ε, k = {RANK}", "even at ε = 10", published),
        (f"η is below 1 at every ε beyond that, k = {RANK}", BEYOND, sorted(settings.beyond)),
    ):
        ends = (asked[0], asked[-1]) if asked else ()
        yield judged(
            "4 private",
            text,
            paper,
            "; ".join(f"{n} " + " to ".join(f"{eta(n, e):.2f}" for e in ends) for n in names),
            (less(eta(n, e), 1) for n in names for e in asked),
        )
    yield judged(
        "4 private",
        "η rises with ε",
        UNSTATED,
        "; ".join(f"{n} {eta(n, budgets[0]):.2f} to {eta(n, far):.2f}" for n in names),
        (rising([eta(n, e) for e in budgets]) for n in names),
    )
    for rival in (AG, PPM):
        yield judged(
            "4 private",
            f"{rival} directions give a smaller error than lip's, k = {RANK}",
            BEYOND,
            f"η of lip over {rival} at ε = {top:g}: "
            + "; ".join(f"{n} {eta(n, top, rival):.2f}" for n in names),
            (less(1, eta(n, e, rival)) for n in names for e in budgets),
        )
    for who in (LIP, AG):
        yield judged(
            "4 private",
            f"{who} errs less than the noisy mean for everyone and than the public centre, best k",
            BEYOND,
            "; ".join(f"{n} {_first_use(found, settings, n, who)}" for n in names),
            (_of_use(found, n, e, who) for n in names for e in budgets),
        )


def _scores(found: Outcomes, settings: Settings) -> Iterator[Claim]:
    names, budgets = settings.classified, settings.budgets
    top, far = max(settings.epsilons), budgets[-1]

    def score(who: str, epsilon: float, name: str) -> float:
        return found.summary("5 private", who, epsilon, accuracy_on(name))[0]

    def frame(who: str, name: str) -> float:
        return found.summary("5", who, None, accuracy_on(name))[0]

    for better, worse in ((AG, LIP), (LIP, PPM)):
        yield judged(
            "5 private",
            f"{better} is more accurate than {worse}",
            "at every ε",
            "; ".join(
                f"{n} at ε = {e:g} {percent(score(better, e, n))} against "
                f"{percent(score(worse, e, n))}"
                for n in names
                for e in (top, far)
            ),
            (less(score(worse, e, n), score(better, e, n)) for n in names for e in budgets),
        )
    yield judged(
        "5 private",
        f"lip matches AG (within 2 points) at ε = {far:g}",
        "for large enough ε",
        "; ".join(
            f"{n} {percent(score(LIP, far, n))} against {percent(score(AG, far, n))}" for n in names
        ),
        (less(abs(score(LIP, far, n) - score(AG, far, n)), NEAR) for n in names),
    )
    yield judged(
        "5 private",
        f"lip is 5 points better than guessing the most frequent class, ε up to {top:g}",
        BEYOND,
        "; ".join(
            f"{n} {percent(score(LIP, top, n))} against {percent(frame(FREQUENT, n))} "
            f"(exact components: {percent(frame(EXACT, n))})"
            for n in names
        ),
        (
            less(frame(FREQUENT, n) + 0.05, score(LIP, e, n))
            for n in names
            for e in settings.epsilons
        ),
    )


def _ranks(found: Outcomes, name: str, epsilon: float) -> list[int]:
    return [k for k in RANKS if len(found.values("private", LIP, epsilon, error_at(name, k)))]


def _of_use(found: Outcomes, name: str, epsilon: float, who: str) -> bool | None:
    errors = [
        found.summary("private", who, epsilon, error_at(name, k))[0]
        for k in _ranks(found, name, epsilon)
    ]
    floor = found.summary("private", MEAN, epsilon, error_at(name))[0]
    return less(min(errors), min(floor, 1.0)) if errors else None


def _first_use(found: Outcomes, settings: Settings, name: str, who: str) -> str:
    for epsilon in settings.budgets:
        if _of_use(found, name, epsilon, who):
            return f"from ε = {epsilon:g}"
    return "never"
