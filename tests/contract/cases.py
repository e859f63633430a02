"""Every registered method, with the budgets and schemas its promises are tested on."""

from dataclasses import dataclass, field
from typing import Any

from neighbours import MIXED, schema, table
from sfumato.methods import METHODS

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
    """A method under one budget and one neighbour relation."""

    method: str
    budget: dict[str, str]
    neighbours: str = "replace-one"
    options: dict[str, Any] = field(default_factory=dict)
    frozen: bool = True  # else draws whose scores are brute-forced in tests of their own
    promised: bool = True  # else the method says that it has no proof
    numbers: bool = False  # whether all columns but the label must be numbers
    random: bool = True  # else the same records always give the same release

    def __str__(self):
        shown = {k: "public" if k == "basis" else v for k, v in self.given.items()}
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
        if not self.numbers:
            return schema(neighbours=self.neighbours)
        columns = {name: dict(facts) for name, facts in MIXED["columns"].items()}
        for name in ("sex", "ward", "site", "smoker"):
            columns[name] = {"kind": "id"}
        del columns["dose"]["missing"]
        return schema(columns=columns)


CASES = [
    Case("mosaic", {"epsilon": "1"}),
    Case("mosaic", {"epsilon": "1", "delta": "1e-6"}, options={"model": "forest"}),
    Case("mosaic", {"rho": "0.1"}, options={"model": "forest"}),
    Case("mosaic", {"epsilon": "1"}, neighbours="add-remove", options={"model": "forest"}),
    Case(
        "mosaic",
        {"rho": "0.1"},
        neighbours="add-remove",
        options={"model": "forest", "records": "30000"},
    ),
    Case("modips", {"epsilon": "1"}),
    Case("modips", {"epsilon": "1", "delta": "1e-6"}),
    Case("modips", {"rho": "0.1"}),
    Case("modips", {"epsilon": "1"}, neighbours="add-remove"),
    Case("modips", {"rho": "0.1"}, neighbours="add-remove"),
    Case("identity-laplace", {"epsilon": "1"}),
    Case("dp-pca", {"epsilon": "1"}),
    Case("dp-pca", {"epsilon": "1", "delta": "1e-6"}, options={"rank": 3}),
    Case("dp-pca", {"rho": "0.1"}, options={"rank": "16", "split": "0.5"}),
    Case("dp-lda", {"epsilon": "1"}),
    Case("dp-lda", {"epsilon": "1"}, options={"sampler": "greedy"}),
    Case("dp-lda", {"epsilon": "1", "delta": "1e-6"}, neighbours="add-remove"),
    Case("dp-lda", {"rho": "0.1"}),
    Case("lap-pca", {"epsilon": "1"}),
    Case("lap-pca", {"epsilon": "1"}, options={"radius": "0.8", "means": "0"}),
    Case("lap-pca", {"epsilon": "1"}, neighbours="add-remove", options={"rank": "3"}),
    Case("analyze-gauss", {"epsilon": "1", "delta": "1e-6"}),
    Case("analyze-gauss", {"rho": "0.1"}, neighbours="add-remove", options={"radius": "1.5"}),
    Case("power-method", {"epsilon": "1", "delta": "1e-6"}),
    Case("power-method", {"rho": "0.1"}, neighbours="add-remove", options={"rank": 1, "means": 0}),
    Case("lip", {"epsilon": "1"}),
    Case("lip", {"rho": "0.1"}, options={"rank": 2, "radius": "1.5"}),
    Case("lip", {"epsilon": "1"}, options={"as_published": True}, frozen=False, promised=False),
    Case("lop", {"epsilon": "1"}, options={"basis": PUBLIC}),
    Case(
        "lop",
        {"epsilon": "1"},
        options={"as_published": True, "rank": 2},
        frozen=False,
        promised=False,
    ),
    Case("compressive", {"epsilon": "1"}),
    Case("compressive", {"rho": "0.1"}, options={"rank": 14}),
    Case("jl-gauss", {"epsilon": "1", "delta": "1e-6"}, frozen=False, promised=False),
    Case("pca-gauss", {"epsilon": "1"}),
    Case("pca-gauss", {"epsilon": "1", "delta": "1e-6"}, options={"rank": 3, "radius": "1.5"}),
    Case("pca-gauss", {"rho": "0.1"}, neighbours="add-remove"),
    Case("pca-gauss-regression", {"epsilon": "1"}, options={"target": "age"}),
    Case("pca-gauss-regression", {"rho": "0.1"}, options={"target": "seen", "rank": 3}),
    Case(
        "pca-gauss-regression",
        {"epsilon": "1"},
        neighbours="add-remove",
        options={"target": "size", "rank": "2", "space": "components"},
    ),
    Case("pca-gauss-mixture", {"epsilon": "1"}),
    Case(
        "pca-gauss-mixture",
        {"epsilon": "1", "delta": "1e-6"},
        neighbours="add-remove",
        options={"rank": 4, "radius": 1},
    ),
    Case("pca-gauss-mixture", {"rho": "0.1"}, options={"space": "components"}),
    *(
        Case(
            name,
            {},
            options=options,
            frozen=False,
            promised=False,
            numbers=True,
            random=name in ("additive", "rotation", "pca-laplace"),
        )
        for name, options in (
            ("additive", {}),
            ("rotation", {"deviation": "0.05"}),
            ("svd", {"rank": 2}),
            ("wavelet", {}),
            ("wavelet-multi", {"cut": "horizontal"}),
            ("pca-laplace", {"rank": 1}),
        )
    ),
    Case("exponential", {"epsilon": "1"}, frozen=False),
    Case("diffgen", {"epsilon": "1"}, frozen=False),
    Case(
        "diffgen",
        {"epsilon": "1"},
        neighbours="add-remove",
        options={"score": "infogain", "steps": 3},
        frozen=False,
    ),
]


def test_every_registered_method_has_a_case():
    assert {case.method for case in CASES} == set(METHODS)
