"""Schemas: public, so a refusal may name what they say; it may not be a traceback."""

import json
from pathlib import Path
from random import Random

import yaml

from fuzz.changes import bytes_changed, nested_changed, words_changed
from fuzz.judge import Trial, command
from sfumato.example import CLINIC
from sfumato.publishing.table import price

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
_METHODS = ("mosaic", "modips", "dp-pca", "dp-lda", "diffgen", "pca-gauss", "lip", "jl-gauss")


def make(rng: Random, folder: Path) -> Trial:
    """A schema file that is checked, or priced for a method."""
    good = rng.choice((CLINIC, yaml.safe_dump(SCHEMA, sort_keys=False), json.dumps(SCHEMA)))
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
    }
    chosen = rng.choice(list(acts))
    return Trial(acts[chosen], f"{chosen} {method} {budget}, {level}: {content!r}")
