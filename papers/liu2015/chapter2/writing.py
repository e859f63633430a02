"""Chapter 2 on the page: choices, what it means, and the tables."""

from collections.abc import Iterator, Mapping

from papers.liu2015.chapter2.attack import ERROR, KINDS, KNOWN, MEAN
from papers.liu2015.chapter2.measure import (
    ANGLES,
    FIGURES,
    NOISES,
    PRINTED_RANK,
    RULES,
    kept,
    noise_name,
    norms,
)
from papers.liu2015.chapter2.published import TABLE
from papers.outcome import Outcomes
from papers.page import mean_and_spread, table

__all__ = ["lines"]

MEANING = (
    "Angles survive, as the thesis says, and on wine all of them do; the printed percentages "
    "hardly depend on ε and are not those of N(0, 1) noise. But what survives is of little use to "
    "an attacker with one record: the record nearest in angle is guessed somewhat better than by "
    "the mean of all records on bupa, and worse on wine. The noise has no part in that: "
    "with the unperturbed records in place of the perturbed rows it is the same, because a "
    "small angle is not equality, as lemma 2.2.3 has it. As many known records as there are "
    "columns fix the rotation, and then only the noise protects: columns wider than it are "
    "betrayed, narrower ones are not."
)
CHOICES = (
    "- R is V of A's singular value decomposition: the thesis' U does not fit on the right of A.",
    "- Bupa is {bupa} with drinks and selector, wine {wine} with the class, both unscaled.",
    '- "Almost the same" is taken for 10 %, a norm as right to 5 %, a percentage to 2 points.',
)


def lines(found: Outcomes, shapes: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """Markdown."""
    yield MEANING
    yield ""
    sizes = {name: f"{records} × {columns}" for name, (records, columns) in shapes.items()}
    yield from (line.format_map(sizes) for line in CHOICES)
    yield ""
    yield "Table 2.1, pairs of records whose angle moved by at most ε (%):"
    yield ""
    yield from table(["", *ANGLES], _angles(found))
    yield ""
    yield "Norm of the noise, drawn, beside the thesis' √(m+n) and the bound β(√n+√m) on its mean:"
    yield ""
    yield from table(["", "drawn", "√(m+n)", "β(√n+√m)"], _norms(found))
    yield ""
    yield "k by each rule, and how far the rules for singular values are off:"
    yield ""
    yield from table(["", *shapes], _rules(found))
    yield ""
    yield "What the angle attack recovers (mean ± standard deviation over trials):"
    yield ""
    yield from table(["", *shapes], _attack(found))


def _angles(found: Outcomes) -> Iterator[list[str]]:
    for name, printed in TABLE.items():
        yield [
            f"{name}, thesis (k = {PRINTED_RANK[name]})",
            *(f"{v:.2f}" for v in printed.values()),
        ]
        for who in ("printed k", "corrected k"):
            for shuffled in (False, True):
                cells = (
                    _percent(found, f"{name}, {who}", kept(word, shuffled=shuffled))
                    for word in ANGLES
                )
                yield [f"{name}, {who}{', rows shuffled' if shuffled else ''}", *cells]


def _percent(found: Outcomes, who: str, measure: str) -> str:
    return f"{100 * found.summary('table 2.1', who, None, measure)[0]:.2f}"


def _norms(found: Outcomes) -> Iterator[list[str]]:
    for shape in NOISES:
        who = noise_name(*shape)
        drawn = mean_and_spread(found, "norm of the noise", who, None, "‖E‖", ".1f")
        yield [who, drawn, *(f"{norm:.1f}" for norm in norms(*shape))]


def _rules(found: Outcomes) -> Iterator[list[str]]:
    yield ["k, thesis", *(str(k) for k in PRINTED_RANK.values())]
    for rule in RULES:
        yield [f"k, {rule}", *(_cell(found, name, rule, ".2g") for name in FIGURES)]
    for rule, formula in (("sum", "σ + σ_E"), ("square", "√(σ² + nβ²)")):
        measure = f"{rule} rule, mean error"
        yield [f"σ̃ ≈ {formula}, mean error", *(_cell(found, n, measure, ".2f") for n in FIGURES)]
    move = "largest move over norm of the noise"
    yield ["largest move of a σ over ‖E‖ (Weyl: at most 1)"] + [
        _cell(found, name, move, ".2f") for name in FIGURES
    ]


def _cell(found: Outcomes, name: str, measure: str, form: str) -> str:
    return mean_and_spread(found, FIGURES[name], name, None, measure, form)


def _attack(found: Outcomes) -> Iterator[list[str]]:
    def cells(measure: str, form: str) -> list[str]:
        return [mean_and_spread(found, "angle attack", n, None, measure, form) for n in FIGURES]

    for kind in KINDS:
        yield [f"{ERROR}: {kind}", *cells(f"{ERROR}, {kind}", ".2f")]
    yield ["the same, saying the mean", *([f"{MEAN:.2f}"] * len(FIGURES))]
    for side, text in (
        ("attack", "guesses where the angle is below π/180"),
        ("control", "the same from somebody else's row"),
        ("baseline", "saying it of anybody"),
    ):
        yield [text, *cells(f"guesses below π/180, {side}", ".1f")]
        right = f"guesses below π/180 and right, {side}"
        yield ["… of these right, to half a deviation", *cells(right, ".1f")]
    yield [KNOWN, *cells(KNOWN, ".1f")]
