"""Which epsilon? What several of them promise, and how far a release is off.

    python examples/choosing_epsilon.py [PICTURE.svg]

What is promised follows from epsilon alone.  How good the released records are is tried on
data that is not secret: here the made-up clinic, in your house an old or a public table of
the same kind and size.  Trying it on the records themselves would be a release.
"""
# ruff: noqa: T201  an example shows what happened

import sys
from math import exp

import sfumato as sf

EPSILONS = (0.1, 0.3, 1, 3, 10)
RECORDS = 5_000


def main(picture=None):
    """One line for each epsilon: what it promises, what it costs in accuracy."""
    schema, patients = sf.Schema.parse(sf.example.CLINIC), sf.example.clinic(RECORDS)
    errors = []
    print("epsilon  odds change by at most  columns are off by  pairs of columns by")
    for epsilon in EPSILONS:
        release = sf.publish(patients, schema=schema, epsilon=epsilon)
        pair = (release.table, patients, schema)
        off = [sf.inspection.total_variation(*pair, ways=ways).mean for ways in (1, 2)]
        errors.append(off)
        print(f"{epsilon:7}  {f'{exp(epsilon):,.1f}':>22}  {off[0]:18.3f}  {off[1]:19.3f}")
    if picture:
        draw(errors, picture)


def draw(errors, path):
    """Errors against epsilon, with what it promises below."""
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "choosing_epsilon"
    figure, axes = plt.subplots(figsize=(5.6, 3), layout="constrained")
    for k, (label, colour) in enumerate((("columns", "#0072B2"), ("pairs", "#D55E00"))):
        axes.plot(EPSILONS, [pair[k] for pair in errors], "o-", color=colour, label=label)
    axes.set(xscale="log", ylim=(0, None), xlabel="ε, and below it e^ε")
    axes.set_ylabel("share of records out of place")
    axes.set_xticks(EPSILONS, [f"{e:g}\n{exp(e):,.1f}" for e in EPSILONS])
    axes.minorticks_off()
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
