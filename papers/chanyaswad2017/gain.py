"""Figure 2: does reducing the dimension save more noise than it loses information?

SIR(P) of section IX.A is the sensitivity with all M features over that with P components,
times the share of the variance that P components hold.  The paper does not say of
which statistic its figure is; all three are computed, with the sensitivities it prints and
with those proved here.  Algorithm 1 releases eigenvalues, and one record moves all of them
together by no more than two of them: from the second on they cost nothing, so leaving some
out saves nothing.
"""

from papers.chanyaswad2017.data import Task
from papers.outcome import Outcome, Outcomes
from sfumato.inspection import sir
from sfumato.inspection.ratio import Sensitivities, Statistic

__all__ = ["ALGORITHMS", "SIR", "SOURCES", "curve_of", "run"]

SIR = "SIR"
ALGORITHMS: dict[str, Statistic] = {
    "Algorithm 1": "eigenvalues",
    "Algorithm 2": "augmented",
    "Algorithm 3": "classes",
}
SOURCES: tuple[Sensitivities, ...] = ("paper", "certified")


def curve_of(algorithm: str, source: Sensitivities) -> str:
    """How results call a curve.

    >>> curve_of("Algorithm 1", "paper")
    'Algorithm 1, paper'
    """
    return f"{algorithm}, {source}"


def run(task: Task, found: Outcomes) -> None:
    """Every curve, one outcome per dimension, which stands in the place of the trial."""
    for algorithm, statistic in ALGORITHMS.items():
        for source in SOURCES:
            ratios = sir(
                task.private, task.domain.schema, statistic=statistic, sensitivities=source
            )
            for rank, value in enumerate(ratios.tolist(), start=1):
                found.add(Outcome("2", curve_of(algorithm, source), None, rank, SIR, value))
