"""Every registered method, with the budgets and schemas that it names for tests of its promises."""

from dataclasses import dataclass, field, fields
from typing import Any

from neighbours import MIXED, schema, table
from sfumato.methods import METHODS
from sfumato.plan import ContractCase

ROWS = [
    dict(
        zip(
            ("size", "dose", "age", "sex", "ward", "site", "smoker", "seen", "outcome"),
            r,
            strict=True,
        )
    )
    for r in (
        ("0.5", "1.0", "3", "f", "a", "x", "true", "2020-01-03", "home"),
        ("-1", None, "7", "m", "3", "y", "false", "2020-01-09", "care"),
        ("3", "2.0", "0", "f", "b", "z", "true", "2020-01-01", "died"),
        ("1.5", "0.5", "4", "m", "else", "x", "false", "2020-01-05", "home"),
    )
]

PUBLIC = table([*ROWS, ROWS[0]])  # as a basis that costs nothing: not the very records


@dataclass(frozen=True, eq=False)  # a case is itself, and so a key
class Case:
    """A method under one budget and one neighbour relation, as the method says."""

    method: str
    budget: dict[str, str]
    neighbours: str = "replace-one"
    options: dict[str, Any] = field(default_factory=dict)
    frozen: bool = True
    promised: bool = True
    numbers: bool = False
    columns: tuple[str, ...] = ()
    target: str | None = None
    random: bool = True

    @classmethod
    def of(cls, method: str, said: ContractCase):
        public = {} if said.public is None else {said.public: PUBLIC}
        facts = {one.name: getattr(said, one.name) for one in fields(said)}
        del facts["public"]
        given = {"budget": dict(said.budget), "options": dict(said.options) | public}
        return cls(method, **(facts | given))

    def __str__(self):
        shown = {k: "public" if v is PUBLIC else v for k, v in self.given.items()}
        figures = ",".join(f"{key}={value}" for key, value in shown.items())
        return f"{self.method}-{figures}-{self.neighbours}"

    @property
    def given(self):
        return self.budget | self.options

    @property
    def asked(self):
        """What `publish` is given."""
        return self.given | {"accept_no_guarantee": not self.promised}

    @property
    def schema(self):
        columns = {name: dict(facts) for name, facts in MIXED["columns"].items()}
        if self.target:
            for facts in columns.values():
                facts.pop("role", None)
            columns[self.target]["role"] = "target"
            return schema(columns=columns, neighbours=self.neighbours)
        if self.columns:
            left = {name: {"kind": "id"} for name in columns if name not in self.columns}
            return schema(columns=columns | left, neighbours=self.neighbours)
        if not self.numbers:
            return schema(neighbours=self.neighbours)
        for name in ("sex", "ward", "site", "smoker"):
            columns[name] = {"kind": "id"}
        del columns["dose"]["missing"]
        return schema(columns=columns)


def registered_cases():
    """What every method for tables says of itself."""
    return [Case.of(name, said) for name, recipe in METHODS.items() for said in recipe.contract]


CASES = registered_cases()
