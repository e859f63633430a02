"""A first release: a table, its schema, a budget, a folder that may be published.

    python examples/first_release.py [PICTURE.svg]

The clinic is made up, so the example may show what nobody should see otherwise: the
records beside their release.
"""
# ruff: noqa: T201  an example shows what happened

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent

import sfumato as sf


def main(picture=None):
    """Publish 5,000 patients at epsilon 1, verify the folder, look at what came out."""
    patients, schema = sf.example.clinic(5_000), sf.Schema.parse(sf.example.CLINIC)
    with TemporaryDirectory() as place:
        ledger = sf.Ledger.create(Path(place) / "budget.db")
        ledger.grant("clinic", epsilon=2, reason="the data board, 4 May")

        plan = sf.price(schema, epsilon=1)  # from the schema alone
        print("it will promise:", plan.guarantee)

        release = sf.publish(
            patients,
            schema=schema,
            epsilon=1,
            ledger=ledger,
            folder=Path(place) / "release",
        )
        print(release)
        print("in the folder:", ", ".join(sorted(path.name for path in release.folder.iterdir())))
        for check in sf.verify(release.folder, ledger=ledger):
            print(f"verified {check.name}: {'yes' if check.passed else check.detail}")

        released = release.table
        ledger.close()

    print("\nthe first rows that may be published")
    print(indent(released.slice(0, 3).to_pandas().to_string(index=False), "    "))
    print("\nmeans, original and released")
    for name in ("age", "pressure"):
        means = [sum(t.column(name).to_pylist()) / t.num_rows for t in (patients, released)]
        print(f"    {name:9} {means[0]:6.1f} {means[1]:6.1f}")
    if picture:
        draw(patients, released, picture)


def by_ward(table, wards):
    """Patients in each ward as the schema reads them: one that it does not list is the last."""
    found = [ward if ward in wards else wards[-1] for ward in table.column("ward").to_pylist()]
    return [found.count(ward) for ward in wards]


def draw(patients, released, path):
    """Ages and wards, before and after."""
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "first_release"
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(7.2, 2.9), width_ratios=(5, 6), layout="constrained"
    )
    shown = {"records": (patients, "#0072B2"), "release": (released, "#D55E00")}
    for label, (table, colour) in shown.items():
        ages = table.column("age").to_pylist()
        left.hist(ages, bins=range(18, 104, 5), histtype="step", color=colour, label=label)
    left.set(xlabel="age", ylabel="patients")
    left.legend(frameon=False)
    wards = ("cardiology", "surgery", "oncology", "elsewhere")
    for shift, table, colour in ((-0.2, patients, "#0072B2"), (0.2, released, "#D55E00")):
        counts = by_ward(table, wards)
        right.bar([k + shift for k in range(4)], counts, 0.38, color=colour)
    right.set(xticks=range(4), xticklabels=wards)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
