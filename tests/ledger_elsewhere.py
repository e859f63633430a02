"""Tests of a ledger in a file, run once more on ledgers in PostgreSQL."""

import importlib.util
import sys
from itertools import count
from pathlib import Path

from sfumato.ledger import Ledger

__all__ = ["PLACES", "in_postgres"]

_NUMBERS = count(1)
_FOLDER = Path(__file__).parent / "ledger"


class _Places:
    """Stands for the class `Ledger` in those tests: each path is a schema of the server."""

    def __init__(self):
        self.people, self.schemas = None, {}

    def address(self, path):
        if str(path).startswith("postgresql:"):  # as a ledger names itself
            return self.people.url("maker", str(path).rpartition("schema=")[2])
        if str(path) not in self.schemas:
            self.schemas[str(path)] = f"c{next(_NUMBERS)}"
        return self.people.url("maker", self.schemas[str(path)])

    def create(self, path, **how):
        made = Ledger.create(self.address(path), **how)
        schema = self.schemas[str(path)]
        with self.people.raw() as raw:
            raw.execute(f"GRANT {schema}_publisher TO maker")
        return made

    def __call__(self, path):
        return Ledger(self.address(path))

    def clear(self):
        for schema in self.schemas.values():
            self.people.clear(schema)
        self.schemas = {}


PLACES = _Places()


def in_postgres(name, *, without=()):
    """What is in that module of tests, its ledgers in PostgreSQL, but for tests of files."""
    told = importlib.util.spec_from_file_location(f"{name}_in_postgres", _FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(told)
    sys.modules[told.name] = module
    told.loader.exec_module(module)
    module.Ledger = PLACES
    if hasattr(module, "quick_ledger"):
        module.quick_ledger = lambda **how: PLACES.create(object(), **how)
    missing = set(without) - set(vars(module))
    assert not missing, f"tests that are no longer there: {missing}"
    return {
        what: thing
        for what, thing in vars(module).items()
        if not what.startswith("__") and what not in without
    }
