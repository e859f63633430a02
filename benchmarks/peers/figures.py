"""The results as tables to read, a section for each table that was released."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from catalogue import PEERS, REFERENCES

__all__ = ["TITLES", "listed", "report"]

TITLES = {"real": "the real records", "bootstrap": "real records, drawn with replacement"}
TITLES |= {name: peer.title for name, peer in PEERS.items()}
HEADS = {
    "auc": "AUC",
    "r2": "R²",
    "one_way": "1-way",
    "two_way": "2-way",
    "three_way": "3-way",
    "deciles": "2-way, deciles",
    "mean_error": "means",
    "mean_worst": "worst mean",
    "quantile_error": "quantiles",
    "quantile_worst": "worst quantile",
}
COSTS = {"cpu_seconds": "CPU s", "peak_megabytes": "peak MB"}
NOTE = """\
Every figure is the mean over the trials, with ± its standard error where there are several. AUC
(the best of four classifiers; of several classes the mean of each against the rest) and R² (the
best of a line, a tree and boosted trees) are those of models that learnt from the release, on
records that nobody saw. Distances are total variations, means over columns, pairs or triples.
Means: error as a part of the mean absolute value; quantiles: mean error of the 10, 50 and 90 %
points as a part of the range between the outer two; the middle column, then the worst. Peers are
told no label or target; Sfumato is, unless the line or the table says otherwise.
"""


def report(results: pd.DataFrame, tables: dict[str, dict[str, Any]], source: str) -> str:
    """All results in Markdown."""
    first, last = results["date"].min(), results["date"].max()
    made = f"Releases of {first}" if first == last else f"Releases of {first} to {last}"
    parts = ["# Results", "", f"{made}; {source}.", "", NOTE]
    for name, facts in tables.items():
        rows = results[results["table"] == name]
        if len(rows):
            parts += [f"## {name}", "", _described(facts), "", *_section(rows)]
    return "\n".join(parts)


def listed(results: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The results of each synthesizer, in the order of the catalogue."""
    for name in TITLES:
        rows = results[results["peer"] == name]
        if len(rows):
            yield name, rows


def _described(facts: dict[str, Any]) -> str:
    predicted = [f"{role} {facts[role]}" for role in ("label", "target") if facts[role]]
    words = f"{facts['rows']:,} records of {facts['columns']} columns, two thirds of them released"
    if not predicted:
        return f"{words}; nothing is predicted."
    told = "declared to Sfumato" if facts["declared"] else "not declared to anybody"
    return f"{words}; {' and '.join(predicted)}, {told}."


def _section(rows: pd.DataFrame) -> Iterator[str]:
    heads = {key: head for key, head in HEADS.items() if rows[key].notna().any()}
    line = ["synthesizer", "neighbours", "δ", *heads.values(), *COSTS.values(), "trials"]
    for budget in sorted(rows["epsilon"].dropna().unique(), reverse=True):
        yield from (f"### ε = {budget:g}", "", _cells(line))
        yield _cells(["---", "---", *["--:"] * (len(line) - 2)])
        for name, found in listed(rows):
            here = found if name in REFERENCES else found[found["epsilon"] == budget]
            if len(here):
                yield _cells(_line(name, here, list(heads)))
        yield ""


def _line(name: str, rows: pd.DataFrame, keys: list[str]) -> list[str]:
    cells = [_figure(rows[key]) for key in keys]
    if name in REFERENCES:
        return [TITLES[name], "–", "–", *cells, "–", "–", str(len(rows))]
    peer = PEERS[name]
    delta = f"{peer.delta or 0:g}".replace("e-0", "e-")
    costs = [f"{rows[key].mean():,.0f}" for key in COSTS]
    return [peer.title, peer.neighbours, delta, *cells, *costs, str(len(rows))]


def _figure(values: pd.Series) -> str:
    """The mean, and its standard error where it can be told."""
    values = values.dropna()
    if values.empty or not values.any():
        return "" if values.empty else "0"
    mean = f"{values.mean():.3f}"
    return mean if len(values) < 2 else f"{mean} ± {values.sem():.3f}"


def _cells(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
