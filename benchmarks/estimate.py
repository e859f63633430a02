"""Bought ranges and categories: how much lies outside, how wide, how much of the mass is found.

    python benchmarks/estimate.py DATA             all of it (a few minutes)
    python benchmarks/estimate.py DATA --quick     fewer repetitions, no synthetic tables

DATA is the folder with adult, covtype, nlswork and gfe.  Widths are relative to the distance
between the 0.1 % and the 99.9 % quantile.  Everything is seeded.
"""

import argparse
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

import sfumato as sf

MADE_UP = 20_000


def tables(data: Path) -> dict[str, pd.DataFrame]:
    """Real tables and made-up nasty ones; whole numbers are integers, others numbers."""
    adult = pd.read_csv(data / "adult" / "adult.csv.gz")
    covtype = pd.read_parquet(data / "covtype" / "covtype.parquet").iloc[:, :10]
    panel = pd.read_csv(data / "nlswork" / "nlswork.csv.gz")
    names = [
        "age",
        "grade",
        "ttl_exp",
        "tenure",
        "hours",
        "wks_work",
        "ln_wage",
        "birth_yr",
        "wks_ue",
        "year",
    ]
    faces = [f"p{k}_{axis}" for k in (0, 50, 99) for axis in "xyz"]
    numbers = adult.select_dtypes("number")
    return {
        "adult": numbers,
        "adult, 20,000 records": numbers.sample(MADE_UP, random_state=2),
        "covtype, 20,000 records": covtype.sample(MADE_UP, random_state=1),
        "covtype, 100,000 records": covtype.sample(100_000, random_state=1),
        "nlswork": panel[names],
        "gfe": pd.read_parquet(data / "gfe" / "gfe.parquet", columns=faces).astype("float64"),
        "nasty": nasty(),
        "nasty too": nasty_too(),
    }


def nasty(n: int = MADE_UP) -> pd.DataFrame:
    g = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "mostly zero": np.where(g.random(n) < 0.95, 0, g.gamma(3, 700, n).round()).astype(int),
            "lognormal": np.exp(g.normal(8, 1.5, n)),
            "negative": -g.gamma(2, 30, n),
            "tiny": g.normal(3e-6, 1e-6, n),
            "constant": np.full(n, 5),
            "years": g.integers(1995, 2025, n),
            "latitude": g.normal(52.2, 0.05, n),
            "epoch": (1.7e9 + g.random(n) * 3e7).astype(int),
            "temperature": g.normal(36.8, 0.6, n).round(1),
            "likert": g.integers(1, 6, n),
        }
    )


def nasty_too(n: int = MADE_UP) -> pd.DataFrame:
    g = np.random.default_rng(6)
    return pd.DataFrame(
        {
            "cauchy": g.standard_cauchy(n),
            "all missing": np.full(n, np.nan),
            "half missing": np.where(g.random(n) < 0.5, np.nan, g.normal(100, 15, n)),
            "percent": g.random(n) * 100,
            "salary": g.lognormal(10.5, 0.6, n).round(-2).astype(int),
            "count": g.poisson(2, n),
            "99 for missing": np.where(g.random(n) < 0.03, -99, g.integers(20, 80, n)),
            "signed": g.normal(0, 1, n),
            "large": g.normal(5e8, 2e7, n),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(g.integers(0, 366, n), "D"),
        }
    )


def kinds(frame: pd.DataFrame) -> dict[str, object]:
    def kind(column: pd.Series) -> str:
        if column.dtype.kind == "M":
            return "date"
        whole = column.dropna().apply(float.is_integer).all() if column.dtype.kind == "f" else None
        return "number" if whole is False or not column.notna().any() else "integer"

    return {"name": "t", "columns": {name: {"kind": kind(frame[name])} for name in frame}}


def ranges(data: Path, repeats: int, shown: bool) -> None:
    print("ranges, epsilon 0.1 for all columns, replace-one")
    for name, frame in tables(data).items():
        blank, found = kinds(frame), {column: [] for column in frame}
        for seed in range(repeats):
            made = sf.estimate_schema(frame, schema=blank, epsilon="0.1", seed=seed).schema
            for column in frame:
                values, facts = frame[column].dropna(), made.columns[column]
                if len(values):
                    found[column].append(judged(values, facts))
        every = {column: np.array(one) for column, one in found.items() if one}
        outside = np.mean([one[:, 0].mean() for one in every.values()])
        widths = {column: np.median(one[:, 1]) for column, one in every.items()}
        print(
            f"  {name}: {len(frame):,} records, {frame.shape[1]} ranges: {outside:.3%} outside, "
            f"median width {np.median(list(widths.values())):.2f}"
        )
        for column, one in every.items() if shown else ():
            told = f"{one[:, 0].mean():.3%} outside (at most {one[:, 0].max():.2%})"
            print(f"    {column}: {told}, width {np.median(one[:, 1]):.2f}")


def judged(values: pd.Series, facts: object) -> tuple[float, float]:
    """The share outside, and the width relative to that of the values."""
    if values.dtype.kind == "M":
        day = pd.Timedelta(days=1)
        low, high = ((pd.Timestamp(end) - values.min()) / day for end in (facts.low, facts.high))
        values = (values - values.min()) / day
    else:
        low, high = facts.low, facts.high
    ends = np.quantile(values, [0.001, 0.999])
    true = ends[1] - ends[0] or 1.0
    return float(((values < low) | (values > high)).mean()), (high - low) / true


def categories(data: Path, repeats: int) -> None:
    adult = pd.read_csv(data / "adult" / "adult.csv.gz").select_dtypes(exclude="number")
    print(f"categories of adult, {adult.shape[1]} columns, delta 1e-9")
    blank = {"name": "t", "columns": {name: {"kind": "category"} for name in adult}}
    for epsilon in ("0.05", "0.1", "0.25"):
        masses = []
        for seed in range(repeats):
            asked = {"schema": blank, "epsilon": epsilon, "delta": "1e-9", "seed": seed}
            made = sf.estimate_schema(adult, **asked).schema
            masses.append([adult[c].isin(made.columns[c].values).mean() for c in adult])
        each = np.mean(masses, axis=0)
        print(f"  epsilon {epsilon}: mass {each.mean():.4f}, least of a column {each.min():.3f}")


def two_way(data: Path, repeats: int) -> None:
    """Mosaic with everything declared, and with nothing declared but kinds; 1 in all."""
    sys.path.insert(0, str(Path(__file__).parent))
    from peers.protocol import NUMBERS, SCHEMA, adult, binned

    frame = adult(data)
    names = [name for name in SCHEMA["columns"]]

    def codes(table: pd.DataFrame) -> list[np.ndarray]:
        found = []
        for name in names:
            if name in NUMBERS:
                found.append(binned(table[name].to_numpy(float), *NUMBERS[name]))
            else:
                values = [*SCHEMA["columns"][name]["values"], "other"]
                found.append(pd.Categorical(table[name], values).codes.astype(int) % len(values))
        return found

    def distance(made: pd.DataFrame) -> float:
        first, second = codes(made), codes(frame)
        apart = []
        for a, b in combinations(range(len(names)), 2):
            tables = [
                np.bincount(32 * one[a] + one[b], minlength=1024) / len(one[a])
                for one in (first, second)
            ]
            apart.append(np.abs(tables[0] - tables[1]).sum() / 2)
        return float(np.mean(apart))

    blank = {
        name: {k: v for k, v in facts.items() if k not in ("low", "high", "values")}
        for name, facts in SCHEMA["columns"].items()
    }
    print("two-way distance of mosaic on adult, (1, 1e-9) in all")
    for label, asked, spent in (
        ("all declared", None, None),
        (
            "ranges bought",
            {n: c if c["kind"] == "integer" else SCHEMA["columns"][n] for n, c in blank.items()},
            "0.1",
        ),
        ("ranges and categories bought", blank, "0.15"),
    ):
        found = []
        for seed in range(repeats):
            schema, epsilon, delta = SCHEMA, 1.0, 1e-9
            if asked is not None:
                delta = 5e-10
                kinds = {"name": "adult", "columns": asked}
                schema = sf.estimate_schema(
                    frame, schema=kinds, epsilon=spent, delta="5e-10", seed=seed
                ).schema
                epsilon = round(1 - float(spent), 6)
            made = sf.publish(frame, schema=schema, epsilon=epsilon, delta=delta, seed=seed)
            found.append(distance(made.data))
        print(f"  {label}: {np.mean(found):.4f} ± {np.std(found) / np.sqrt(repeats):.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--columns", action="store_true", help="figures of every column")
    asked = parser.parse_args()
    repeats = 5 if asked.quick else 20
    ranges(asked.data, repeats, asked.columns)
    categories(asked.data, repeats)
    two_way(asked.data, 2 if asked.quick else 5)


if __name__ == "__main__":
    main()
