"""A stream: a running count of visits that hides every single one of them.

    python examples/visits.py [PICTURE.svg]

One charge covers everything that is ever published of the stream, up to its horizon.
"""
# ruff: noqa: T201  an example shows what happened

import sys

import numpy as np

import sfumato as sf

HORIZON, EVERY = 100_000, 2_000


def main(picture=None):
    """A count after every 2,000 bits, under pure and under approximate privacy."""
    rng = np.random.default_rng(1)
    chance = 0.3 + 0.2 * np.sin(np.arange(HORIZON) / 12_000)
    visits = (rng.random(HORIZON) < chance).astype(int)  # made up: may be shown
    truth = visits.cumsum()[EVERY - 1 :: EVERY]
    series = {}
    for title, budget in (
        ("epsilon 1", {"epsilon": 1}),
        ("epsilon 1, delta 1e-9", {"epsilon": 1, "delta": "1e-9"}),
    ):
        release = sf.publish_stream(visits, horizon=HORIZON, every=EVERY, **budget)
        series[title] = np.asarray(release.data["value"], float)
        error = np.sqrt(np.mean((series[title] - truth) ** 2))
        print(f"{release.certificate.statement}: typical error {error:.1f} of {truth[-1]:,}")
    print("\n   bits     true " + " ".join(f"{title:>22}" for title in series))
    for k in range(9, len(truth), 10):
        noisy = " ".join(f"{values[k]:22,.0f}" for values in series.values())
        print(f"{(k + 1) * EVERY:7,}  {truth[k]:7,} {noisy}")
    if picture:
        draw(truth, series, picture)


def draw(truth, series, path):
    """How far each published count is off."""
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "visits"
    figure, axes = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
    times = np.arange(1, len(truth) + 1) * EVERY
    for (title, values), colour in zip(series.items(), ("#0072B2", "#D55E00"), strict=True):
        axes.step(times, values - truth, where="post", color=colour, label=title)
    axes.axhline(0, color="0.6", linewidth=0.8)
    axes.set(xlabel="bits so far", ylabel="published − true count")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
