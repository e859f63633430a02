"""How much of the budget the directions of dp-pca deserve: error of the release by split.

    python examples/split.py docs/guide/figures/split.svg

The table is made up (`sfumato.example.clinic`), so its error may be shown.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import sfumato as sf

SPLITS = ("0.02", "0.05", "0.1", "0.2", "0.35", "0.5", "0.7", "0.9")
COLOURS = ("#0072B2", "#D55E00", "#009E73")


def errors(rows, epsilon, trials):
    """Squared error per record for each split, averaged over trials; rank 2."""
    schema, original = sf.Schema.parse(sf.example.CLINIC), sf.example.clinic(rows)
    found = []
    for split in SPLITS:
        asked = {"method": "dp-pca", "epsilon": epsilon, "rank": 2, "split": split}
        tables = (sf.publish(original, schema=schema, **asked).table for _ in range(trials))
        errors = [sf.inspection.squared_error(original, table, schema) for table in tables]
        found.append(np.mean([error.per_record for error in errors]))
    return found


def main(path, trials=8):
    """Draw the curve for three tables."""
    figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    shares = [float(split) for split in SPLITS]
    for (rows, epsilon), colour in zip(
        ((2_000, 4), (20_000, 4), (20_000, 16)), COLOURS, strict=True
    ):
        label = f"{rows:,} records, ε = {epsilon}"
        axes.plot(shares, errors(rows, epsilon, trials), "o-", color=colour, label=label)
    axes.axvline(0.2, color="0.6", linestyle=":", label="default")
    axes.set(
        xlabel="share of the budget for the directions",
        ylabel="squared error per record",
        title="dp-pca on the made-up clinic, rank 2",
        ylim=(0, None),
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "split.svg"))
