"""What chapter 5 says of its figures, judged by the numbers, once for each engine.

Shares are judged by "at least" and length differences by "at most": to hide more and to move
less than the thesis did is no fault.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite

from papers.claim import UNSTATED, Claim, judged, less, percent
from papers.liu2015.chapter5.cases import (
    EIES,
    ENOUGH,
    MU,
    ORIGINAL,
    PRINTED,
    SCALES,
    Case,
    K,
)
from papers.liu2015.chapter5.measure import (
    ANONYMOUS,
    ENGINES,
    FIGURES,
    FREQUENCY,
    KEPT,
    KS,
    LENGTH,
    ORDERS,
    SHARES,
    cell,
    plain,
)
from papers.outcome import Outcomes

__all__ = ["AT", "SORTED", "THREE", "claims"]

SORTED = 0.94  # anonymous at k = 3 on EIES in the order of frequency, figure 5.3(a)
AT, THREE = 0.15, {ANONYMOUS: 0.90, KEPT: 0.94, LENGTH: 0.21}  # figure 5.5(a)
LARGE_H = 0.8  # anonymous at H = 25 %
POINTS = 0.02  # how near an original share must come; the size is ours
MOST = 0.9  # "most" of the paths; the size is ours
REMARKABLE = 0.1  # more than before; the size is ours
SMOOTH = 0.05  # up and down; the size is ours
K_OF = {EIES: ENOUGH} | {name: K for name in PRINTED if name != EIES}  # of figures 5.5 and 5.6

Called = Mapping[str, str]  # what networks are called beside their numbers


def claims(found: Outcomes, cases: Iterable[Case]) -> list[Claim]:
    """Every sentence that was put to the test, in order."""
    called = {case.name: case.called for case in cases}
    return [
        *_originals(found),
        *(claim for engine in ENGINES for claim in _orders(found, engine, called)),
        *(claim for engine in ENGINES for claim in _sizes(found, engine, called)),
        *(claim for engine in ENGINES for claim in _ks(found, engine, called)),
    ]


def _mean(found: Outcomes, who: str, measure: str = ANONYMOUS) -> float:
    return found.summary(FIGURES, who, None, measure)[0]


def _originals(found: Outcomes) -> Iterator[Claim]:
    def original(name: str, measure: str) -> float:
        return found.summary(ORIGINAL, name, None, measure)[0]

    paper = ", ".join(f"{100 * share:.0f}" for share in PRINTED.values()) + " %"
    stated = {name: original(name, "as stated") for name in PRINTED}
    yield judged(
        "5.5, 5.6",
        f"originally anonymous at k = {K}, μ = {MU:g} (to 2 points), sizes as in the thesis",
        paper,
        _listed((name, percent(share)) for name, share in stated.items()),
        (less(abs(share - PRINTED[name]), POINTS) for name, share in stated.items()),
    )
    fitted = {name: (original(name, "fitting"), original(name, "fitting μ")) for name in PRINTED}
    yield judged(
        "5.5, 5.6",
        f"some μ can be fitted to that at k = {K} (to 2 points)",
        paper,
        _listed(
            (
                name,
                f"{percent(share)} at μ = {mu:.2f}" if mu > 0.01 else f"{percent(share)} at least",
            )
            for name, (share, mu) in fitted.items()
        ),
        (less(abs(share - PRINTED[name]), POINTS) for name, (share, _) in fitted.items()),
    )
    mus = [fitted[name][1] for name in PRINTED if name != EIES]
    yield judged(
        "5.5, 5.6",
        "it is the same μ for SYN1 and SYN2 (to a tenth)",
        f"{MU:g} and {MU:g}",
        " and ".join(f"{mu:.2f}" for mu in mus),
        [less(max(mus) / min(mus), 1.1)],
    )
    scaled = {scale: original(f"{EIES} times {scale}", "as stated") for scale in SCALES}
    yield judged(
        "5.5(a)",
        f"EIES is originally anonymous to 62 % at k = {K}, μ = {MU:g} if all weights are scaled",
        "62 %",
        _listed((f"times {scale}", percent(share)) for scale, share in scaled.items()),
        (less(abs(share - PRINTED[EIES]), POINTS) for share in scaled.values()),
    )


def _orders(found: Outcomes, engine: str, called: Called) -> Iterator[Claim]:
    before = _mean(found, plain(EIES, K))
    after = _mean(found, cell(EIES, engine, K))
    yield judged(
        "5.3(a)",
        f"{engine}: at least 94 % of EIES are anonymous at k = {K}, most frequent first",
        percent(SORTED),
        f"{percent(after)} ({percent(before)} before)",
        [_at_least(after, SORTED)],
    )
    shares = {
        (name, k, order): _mean(found, cell(name, engine, k, order=order))
        for name in called
        for k in KS
        for order in ORDERS
    }
    others = [order for order in ORDERS if order != FREQUENCY]
    yield judged(
        "5.3, 5.4",
        f"{engine}: most frequent first makes more anonymous than both other orders, at every k",
        UNSTATED,
        _listed(
            (
                f"{called[name]}, k = {KS[-1]}",
                ", ".join(percent(shares[name, KS[-1], o]) for o in ORDERS),
            )
            for name in called
        )
        + f" ({', '.join(ORDERS)})",
        (
            less(max(shares[name, k, other] for other in others), shares[name, k, FREQUENCY])
            for name in called
            for k in KS
        ),
    )
    yield judged(
        "5.3, 5.4",
        f"{engine}: every order makes more anonymous than are so originally, at every k",
        UNSTATED,
        f"{_span(shares.values())} for "
        f"{_span(_mean(found, plain(name, k)) for name in called for k in KS)}",
        (less(_mean(found, plain(name, k)), share) for (name, k, _), share in shares.items()),
    )


def _sizes(found: Outcomes, engine: str, called: Called) -> Iterator[Claim]:
    for k in (K, ENOUGH):
        ours = {what: _mean(found, cell(EIES, engine, k, wanted=AT), what) for what in THREE}
        yield judged(
            "5.5(a)",
            f"{engine}: EIES at H = 15 %, k = {k}: at least 90 % anonymous, at least 94 % of the "
            "paths kept, lengths off by at most 0.21",
            "90 %, 94 %, 0.21",
            f"{percent(ours[ANONYMOUS])}, {percent(ours[KEPT])}, {ours[LENGTH]:.3f}",
            [
                _at_least(ours[ANONYMOUS], THREE[ANONYMOUS]),
                _at_least(ours[KEPT], THREE[KEPT]),
                _at_least(-ours[LENGTH], -THREE[LENGTH]),
            ],
        )
    kept = {name: _over_sizes(found, engine, name, KEPT) for name in called}
    yield judged(
        "5.5, 5.6",
        f"{engine}: most paths (90 %) are kept, however many pairs are wanted",
        UNSTATED,
        _listed((called[name], _span(shares)) for name, shares in kept.items()),
        (_at_least(share, MOST) for shares in kept.values() for share in shares),
    )
    hidden = {name: _over_sizes(found, engine, name, ANONYMOUS) for name in called}
    yield judged(
        "5.5, 5.6",
        f"{engine}: the more pairs are wanted, the fewer edges are anonymous (H = 5 and 25 %)",
        UNSTATED,
        _listed((called[name], _from_to(shares)) for name, shares in hidden.items()),
        (less(shares[-1], shares[0]) for shares in hidden.values()),
    )
    yield judged(
        "5.5, 5.6",
        f"{engine}: about 80 % (at least) are anonymous at H = 25 %",
        percent(LARGE_H),
        _listed((called[name], percent(shares[-1])) for name, shares in hidden.items()),
        (_at_least(shares[-1], LARGE_H) for shares in hidden.values()),
    )


def _ks(found: Outcomes, engine: str, called: Called) -> Iterator[Claim]:
    after = {name: [_mean(found, cell(name, engine, k)) for k in KS] for name in called}
    before = {name: [_mean(found, plain(name, k)) for k in KS] for name in called}
    yield judged(
        "5.7, 5.8",
        f"{engine}: the larger k, the fewer edges are anonymous, before and after",
        UNSTATED,
        _listed(
            (called[name], f"{_from_to(before[name])}, {_from_to(after[name])}") for name in called
        ),
        (less(shares[-1], shares[0]) for both in (before, after) for shares in both.values()),
    )
    yield judged(
        "5.7, 5.8",
        f"{engine}: remarkably more (10 points) are anonymous than before, at every k",
        UNSTATED,
        _listed((called[name], f"{_gains(before[name], after[name])} more") for name in called),
        (
            less(old + REMARKABLE, new)
            for name in called
            for old, new in zip(before[name], after[name], strict=True)
        ),
    )
    kept = {name: [_mean(found, cell(name, engine, k), KEPT) for k in KS] for name in called}
    yield judged(
        "5.7, 5.8",
        f"{engine}: the share of kept paths is smooth in k (within 5 points)",
        UNSTATED,
        _listed((called[name], _span(shares)) for name, shares in kept.items()),
        (less(max(shares) - min(shares), SMOOTH) for shares in kept.values()),
    )
    by_k = {name: [_mean(found, cell(name, engine, k), LENGTH) for k in KS] for name in called}
    yield judged(
        "5.7, 5.8",
        f"{engine}: lengths are the further off the larger k is (k = {KS[0]} and {KS[-1]})",
        UNSTATED,
        _listed((called[name], f"{off[0]:.3f} to {off[-1]:.3f}") for name, off in by_k.items()),
        (less(off[0], off[-1]) for off in by_k.values()),
    )
    by_size = {name: _over_sizes(found, engine, name, LENGTH) for name in called}
    yield judged(
        "5.5-5.8",
        f"{engine}: lengths depend more on the size of H than on k",
        UNSTATED,
        _listed(
            (called[name], f"by H {min(off):.3f} to {max(off):.3f}, by k {_plain_span(by_k[name])}")
            for name, off in by_size.items()
        ),
        (less(_width(by_k[name]), _width(off)) for name, off in by_size.items()),
    )


def _over_sizes(found: Outcomes, engine: str, name: str, what: str) -> list[float]:
    k = K_OF[name]
    return [_mean(found, cell(name, engine, k, wanted=wanted), what) for wanted in SHARES]


def _at_least(value: float, bound: float) -> bool | None:
    return value >= bound if isfinite(value) else None


def _listed(entries: Iterable[tuple[str, str]]) -> str:
    return "; ".join(f"{name}: {text}" for name, text in entries)


def _span(shares: Iterable[float]) -> str:
    ordered = sorted(shares)
    return f"{percent(ordered[0])} to {percent(ordered[-1])}"


def _plain_span(values: list[float]) -> str:
    return f"{min(values):.3f} to {max(values):.3f}"


def _from_to(shares: list[float]) -> str:
    return f"{percent(shares[0])} to {percent(shares[-1])}"


def _gains(before: list[float], after: list[float]) -> str:
    gains = [100 * (new - old) for old, new in zip(before, after, strict=True)]
    return f"{min(gains):.1f} to {max(gains):.1f} points"


def _width(values: list[float]) -> float:
    return max(values) - min(values)
