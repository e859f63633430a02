"""Schemas: public, so a refusal may name what they say; it may not be a traceback."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random

import yaml

from fuzz.changes import bytes_changed, nested_changed, words_changed
from fuzz.judge import Trial, command
from sfumato.example import CLINIC
from sfumato.facts.found import Found
from sfumato.facts.plan import planned
from sfumato.facts.writing import Facts, facts_of, read_facts, rows_of
from sfumato.privacy.guarantee import ApproxDP
from sfumato.publishing.table import price
from sfumato.schema.partial import PartialSchema

__all__ = ["COLUMNS", "SCHEMA", "make"]

COLUMNS = {
    "who": {"kind": "id"},
    "age": {"kind": "integer", "low": 0, "high": 110},
    "weight": {"kind": "number", "low": 0.5, "high": 250.0, "missing": "allowed"},
    "ward": {"kind": "category", "values": ["a", "b", "c"], "other": "else"},
    "smoker": {"kind": "boolean", "role": "label"},
    "seen": {"kind": "date", "low": "2020-01-01", "high": "2024-12-31", "step": "day"},
}
SCHEMA = {"name": "people", "columns": COLUMNS}
BLANK = {
    "name": "people",
    "columns": {
        "who": {"kind": "id"},
        "age": {"kind": "integer", "low": 0, "high": None},
        "weight": {"kind": "number", "step": 0.5},
        "height": {"kind": "number", "step": 0.5, "same_range_as": "weight"},
        "ward": {"kind": "category", "role": "label"},
        "seen": {"kind": "date", "high": "2024-12-31"},
    },
}
_GROWS = {"kind": "integer", "low": 0, "high": 40, "increasing": True, "missing": "allowed"}
_ONCE = {**COLUMNS, "age": {**COLUMNS["age"], "per": "person"}, "tenure": _GROWS}
PANEL = {
    **SCHEMA,
    "person": "who",
    "rows_per_person": 8,
    "order": "seen",
    "columns": _ONCE,
    "constraints": ["age != tenure"],
}
LINKED = {
    "name": "people",
    "tables": {"persons": {"key": "who"}, "events": {"person": "who", "order": "seen"}},
    "columns": _ONCE,
}
_METHODS = ("mosaic", "modips", "dp-pca", "dp-lda", "diffgen", "pca-gauss", "lip", "jl-gauss")


def _estimated(file: Path, place: int) -> None:
    """A partial schema, completed with windows and steps from anywhere."""
    plan = planned(PartialSchema.read(file), ApproxDP(9, "1e-6"), records=2_000)
    found = Found.empty()
    for one in plan.ranges:
        windows = len(one.windows.costs(Fraction(1), 2_000))
        step = None if one.step_draw is None else place % len(one.steps.names)
        found = found.with_range(place % windows, step)
    named = dict.fromkeys(plan.asked.categories, ("a", "b"))
    facts = facts_of(plan, found.with_values(named))
    plan.asked.completed(read_facts(plan.asked, _rows(facts)))


def _rows(facts: Facts) -> Iterator[dict[str, str]]:
    for column, fact, value in rows_of(facts):
        yield {"column": column, "fact": fact, "value": value}


def make(rng: Random, folder: Path) -> Trial:
    """A schema file that is checked, or priced for a method."""
    goods = (CLINIC, *(yaml.safe_dump(s, sort_keys=False) for s in (SCHEMA, BLANK, PANEL, LINKED)))
    good = rng.choice((*goods, json.dumps(SCHEMA)))
    level = rng.choice(("bytes", "words", "nested", "nested"))
    if level == "bytes":
        content = bytes_changed(rng, good.encode())
    elif level == "words":
        content = words_changed(rng, good).encode("utf-8", "surrogatepass")
    else:
        changed = nested_changed(rng, yaml.safe_load(good))
        text = yaml.dump(changed) if rng.random() < 0.5 else json.dumps(changed, default=str)
        content = text.encode("utf-8", "surrogatepass")
    file = folder / "schema.yaml"
    file.write_bytes(content)
    method = rng.choice(_METHODS)
    budget = rng.choice(({"epsilon": 1}, {"epsilon": 1, "delta": "1e-6"}, {"rho": "0.1"}))
    acts = {
        "check": command("schema", "check", str(file)),
        "price": lambda: price(file, method=method, **budget),
        "estimate": lambda: _estimated(file, rng.randrange(10**6)),
    }
    chosen = rng.choice(list(acts))
    return Trial(acts[chosen], f"{chosen} {method} {budget}, {level}: {content!r}")
