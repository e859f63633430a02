"""Counts, published once, so that whoever asks computes the answer and sends no question.

    python examples/counts.py

Few keys are answered by the histogram, long ranges by the wavelet; which one follows from the
question and public facts, and so does how far the answer can be off.
"""
# ruff: noqa: T201  an example shows what happened

import numpy as np
import pyarrow as pa

import sfumato as sf


def main():
    """Visitors by age: one age, a few, all adults."""
    rng = np.random.default_rng(1)
    ages = pa.table({"key": [str(a) for a in range(100)], "count": rng.poisson(50, 100)})
    release = sf.publish_counts(ages, epsilon=1, ways="both", name="visitors")
    published = sf.PublishedCounts.of(release)
    truth = np.asarray(ages["count"])
    print(release.certificate.statement, "for all questions together\n")
    print("question     true  answer  interval (95 %)")
    for title, query in (
        ("30", published.keys.chosen(["30"])),
        ("30, 40, 50", published.keys.chosen(["30", "40", "50"])),
        ("18 to 64", published.keys.span("18", "64")),
    ):
        found = published.answer(query)
        true = int(truth @ np.asarray(query))
        interval = f"{found.low:.0f} to {found.high:.0f}"
        print(f"{title:11} {true:5}  {found.value:6.0f}  {interval}")


if __name__ == "__main__":
    main()
