"""Figures 3 and 4: what classifiers learn from releases, and how much the releases tell.

In each trial a random two thirds of the records are published and the other third is held
out.  Accuracy (the paper's ACA is its average over trials) and AUC come from classifiers
trained on the release and tried on the held-out real records.  Best achievable (BA): the
same classifier trained on the two thirds themselves; lowest achievable (LA): always the
most frequent class.  Entropy and divergence compare the release with the two thirds it
was made from, column by column in public cells (`sfumato.inspection.information`).  diffgen
releases intervals and sets of values: its entropy is that of these texts, of a release with the
same measurements; beside it stands that of the values drawn inside them, which classifiers
and divergence need.

The paper trains "a LDA classifier model and a C4.5 classifier model, respectively", which
can be read in two ways; here every release meets both classifiers, and in place of C4.5
stands a pruned entropy tree.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from papers.adult import ADULT
from papers.jiang2013.settings import Contender, Settings
from papers.outcome import Outcome, Outcomes
from sfumato.inspection import Score, classification, entropy, kl_divergence
from sfumato.publishing.table import publish

__all__ = [
    "BEST",
    "ENTROPY",
    "KL",
    "LOWEST",
    "ORIGINAL",
    "accuracy",
    "auc",
    "generalised",
    "run",
    "text_entropy",
]

BEST, LOWEST, ORIGINAL = "best achievable", "lowest achievable", "original"
ENTROPY, KL = "entropy, bits", "KL divergence, bits"


def accuracy(model: str) -> str:
    """The measure of that name, as results call it."""
    return f"accuracy, {model}"


def auc(model: str) -> str:
    """The measure of that name, as results call it."""
    return f"AUC, {model}"


def generalised(name: str) -> str:
    """A diffgen whose release shows intervals and sets, as results call it."""
    return f"{name} values=generalised"


def text_entropy(table: pa.Table) -> float:
    """Bits per record, summed over columns, where each text counts as one value.

    >>> text_entropy(pa.table({"age": ["[0, 40)", "[40, 99]"] * 2, "ward": ["any"] * 4}))
    1.0
    """
    total = 0.0
    for name in table.column_names:
        counts = pc.value_counts(table.column(name)).field("counts").to_numpy()
        p = counts / counts.sum()
        total -= float(p @ np.log2(p))
    return total + 0.0  # never -0.0


def run(table: pa.Table, settings: Settings, found: Outcomes, tick: Callable[[str], None]) -> None:
    """Every trial has its own split; all contenders and budgets of a trial share it."""
    scored, informed = "3" in settings.figures, "4" in settings.figures

    def score(contender: str, epsilon: float | None, trial: int, model: str, it: Score) -> None:
        found.add(Outcome("3", contender, epsilon, trial, accuracy(model), it.accuracy))
        found.add(Outcome("3", contender, epsilon, trial, auc(model), it.auc))

    for trial in range(settings.trials):
        train, test = _split(table, settings.seed_of("split", trial))
        if scored:
            real = classification(train, test, ADULT, models=settings.models)
            for model, it in real.scores.items():
                score(BEST, None, trial, model, it)
                score(LOWEST, None, trial, model, real.lowest)
        if informed:
            found.add(Outcome("4", ORIGINAL, None, trial, ENTROPY, entropy(train, ADULT)))
        for epsilon in settings.epsilons:
            for contender in settings.classes:
                seed = settings.seed_of("3", contender.name, epsilon, trial)
                released = _released(train, contender, epsilon, seed)
                if scored:
                    ours = classification(released, test, ADULT, models=settings.models)
                    for model, it in ours.scores.items():
                        score(contender.name, epsilon, trial, model, it)
                if informed:
                    bits, gap = entropy(released, ADULT), kl_divergence(released, train, ADULT)
                    found.add(Outcome("4", contender.name, epsilon, trial, ENTROPY, bits))
                    found.add(Outcome("4", contender.name, epsilon, trial, KL, gap))
                if informed and contender.method == "diffgen":
                    texts = _released(train, contender, epsilon, seed, values="generalised")
                    name, bits = generalised(contender.name), text_entropy(texts)
                    found.add(Outcome("4", name, epsilon, trial, ENTROPY, bits))
                tick(f"figures 3 and 4, trial {trial + 1}, ε = {epsilon:g}, {contender.name}")


def _released(
    table: pa.Table, contender: Contender, epsilon: float, seed: int, **more: str
) -> pa.Table:
    options = {"fit": False, **contender.options, **more}  # all of the budget is the method's
    made = publish(
        table, schema=ADULT, method=contender.method, epsilon=epsilon, seed=seed, **options
    )
    return made.table


def _split(table: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
    """Two thirds to publish, one third held out."""
    order = np.random.default_rng(seed).permutation(table.num_rows)
    cut = 2 * table.num_rows // 3
    return table.take(order[:cut]), table.take(order[cut:])
