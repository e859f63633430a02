"""Bought ranges and categories: how much lies outside, how wide, how much of the mass is found.

    python benchmarks/estimate.py DATA             all of it (a few minutes)
    python benchmarks/estimate.py DATA --quick     fewer repetitions, no synthetic tables

DATA is the folder with adult, covtype, nlswork and gfe.  Widths are relative to the distance
between the 0.1 % and the 99.9 % quantile.  Everything is seeded.
"""

import argparse
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
        **{f"plain, {k}": plain(k) for k in (1, 2, 3)},
    }


def plain(seed: int, n: int = MADE_UP) -> pd.DataFrame:
    """Columns as surveys and clinics have them, each table with spreads of its own."""
    g = np.random.default_rng(seed)
    spread = g.uniform(0.6, 1.6, 10)
    return pd.DataFrame(
        {
            "age": g.normal(45, 15 * spread[0], n).clip(0, 105).round().astype(int),
            "income": g.lognormal(10, 0.6 * spread[1], n).round().astype(int),
            "bmi": g.normal(26, 4 * spread[2], n).clip(12, 70).round(1),
            "hours": g.normal(38, 9 * spread[3], n).clip(0, 99).round().astype(int),
            "children": g.poisson(1.5 * spread[4], n),
            "pressure": g.normal(128, 16 * spread[5], n).round().astype(int),
            "distance": g.gamma(1.5, 12 * spread[6], n).round(2),
            "score": g.integers(0, int(20 * spread[7]), n),
            "change": g.normal(0, 5 * spread[8], n).round(2),
            "wait": g.exponential(30 * spread[9], n).round().astype(int),
        }
    )


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
        known = column.dropna()
        whole = column.dtype.kind != "f" or bool((known == known.round()).all() and len(known))
        return "integer" if whole else "number"

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
        own = np.mean([(one[:, 1] >= 4 * widths[column]).mean() for column, one in every.items()])
        wide = np.mean([(one[:, 1] >= 4).mean() for one in every.values()])
        print(
            f"  {name}: {len(frame):,} records, {frame.shape[1]} ranges: {outside:.3%} outside, "
            f"median width {np.median(list(widths.values())):.2f}; at least 4 times as wide as the "
            f"values {wide:.0%}, as the column's median range {own:.0%}"
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
    for name, frame in {"adult": adult, "Zipf": zipf()}.items():
        several = f"{frame.shape[1]} columns, {len(frame):,} records"
        print(f"categories of {name}, {several}, delta 1e-9")
        blank = {"name": "t", "columns": {name: {"kind": "category"} for name in frame}}
        for epsilon in ("0.05", "0.1", "0.25"):
            masses = []
            for seed in range(repeats):
                asked = {"schema": blank, "epsilon": epsilon, "delta": "1e-9", "seed": seed}
                made = sf.estimate_schema(frame, **asked).schema
                masses.append([frame[c].isin(made.columns[c].values).mean() for c in frame])
            each = np.mean(masses, axis=0)
            print(f"  epsilon {epsilon}: mass {each.mean():.4f}, least {each.min():.3f}")


def zipf(n: int = MADE_UP) -> pd.DataFrame:
    """Nine columns of 2 to 40 values, the k-th of them about 1/k as frequent as the first."""
    g, frame = np.random.default_rng(7), {}
    for several in (2, 3, 5, 8, 10, 15, 20, 30, 40):
        weights = 1 / np.arange(1, several + 1)
        frame[f"of {several}"] = g.choice(several, n, p=weights / weights.sum()).astype(str)
    return pd.DataFrame(frame)


NUMBERS = {
    "age": (17, 90),
    "education_num": (1, 16),
    "capital_gain": (0, 99_999),
    "capital_loss": (0, 4356),
    "hours_per_week": (1, 99),
}
BINS = 20


def declared(frame: pd.DataFrame) -> dict[str, dict[str, object]]:
    """All ranges and values, as if the survey's code book were at hand."""
    columns: dict[str, dict[str, object]] = {}
    for name in frame:
        if name in NUMBERS:
            low, high = NUMBERS[name]
            columns[name] = {"kind": "integer", "low": low, "high": high}
        else:
            values = sorted(frame[name].unique())
            columns[name] = {"kind": "category", "values": values, "other": "other"}
    columns["income"]["role"] = "label"
    return columns


def tables_of(
    frame: pd.DataFrame, columns: dict[str, dict[str, object]], schema: sf.Schema | None = None
) -> list[np.ndarray]:
    """Shares of pairs of values, numbers in twenty equal bins of their declared range.

    Values that a schema does not list are read as other.
    """
    codes = []
    for name, facts in columns.items():
        if name in NUMBERS:
            low, high = NUMBERS[name]
            place = (frame[name].to_numpy(float) - low) / (high - low) * BINS
            codes.append(np.clip(place.astype(int), 0, BINS - 1))
        else:
            values = [*facts["values"], "other"]
            known = values if schema is None else [*schema.columns[name].values, "other"]
            read = frame[name].where(frame[name].isin(known), "other")
            codes.append(pd.Categorical(read, values).codes.astype(int))
    pairs = combinations(codes, 2)
    return [np.bincount(64 * a + b, minlength=4096) / len(frame) for a, b in pairs]


def two_way(data: Path, repeats: int) -> None:
    """Mosaic with everything declared, and with less; 1 in all."""
    frame = pd.read_csv(data / "adult" / "adult.csv.gz").drop(columns="fnlwgt")
    full = declared(frame)
    blank = {
        name: {fact: told for fact, told in facts.items() if fact in ("kind", "role")}
        for name, facts in full.items()
    }
    print("two-way distance of mosaic on adult, 14 columns, (1, 1e-9) in all")
    for label, bought, spent in (
        ("all declared", [], None),
        ("ranges bought", list(NUMBERS), "0.1"),
        ("categories bought", [name for name in full if name not in NUMBERS], "0.1"),
        ("ranges and categories bought", list(full), "0.25"),
    ):
        found, as_read = [], []
        for seed in range(repeats):
            schema = sf.Schema.of({"name": "adult", "columns": full})
            epsilon, delta = 1.0, "1e-9"
            if spent is not None:
                asked = {name: (blank if name in bought else full)[name] for name in full}
                estimate = sf.estimate_schema(
                    frame,
                    schema={"name": "adult", "columns": asked},
                    epsilon=spent,
                    delta="5e-10",
                    seed=seed,
                )
                schema, epsilon, delta = estimate.schema, round(1 - float(spent), 6), "5e-10"
            made = sf.publish(frame, schema=schema, epsilon=epsilon, delta=delta, seed=seed)
            drawn = tables_of(made.data, full)
            found.append(distance(drawn, tables_of(frame, full)))
            as_read.append(distance(drawn, tables_of(frame, full, schema)))
        print(
            f"  {label}: {np.mean(found):.4f} ± {np.std(found) / np.sqrt(repeats):.4f}; from the "
            f"records as they were read {np.mean(as_read):.4f}"
        )


def distance(first: list[np.ndarray], second: list[np.ndarray]) -> float:
    """The mean over pairs of columns of half the absolute differences."""
    pairs = zip(first, second, strict=True)
    return float(np.mean([np.abs(a - b).sum() / 2 for a, b in pairs]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ranges", action="store_true", help="no synthetic tables")
    parser.add_argument("--two-way", action="store_true", help="synthetic tables only")
    parser.add_argument("--columns", action="store_true", help="figures of every column")
    asked = parser.parse_args()
    repeats = 5 if asked.quick else 20
    if not asked.two_way:
        ranges(asked.data, repeats, asked.columns)
        categories(asked.data, repeats)
    if not asked.ranges:
        two_way(asked.data, 2 if asked.quick else 5)


if __name__ == "__main__":
    main()
