"""Every registered method, with the budgets and schemas its promises are tested on."""

from dataclasses import dataclass, field
from typing import Any

from neighbours import schema
from sfumato.methods import METHODS

SMALL = {
    "name": "small",
    "columns": {
        "level": {"kind": "integer", "low": 0, "high": 2},
        "sick": {"kind": "boolean", "role": "label"},
    },
}


@dataclass(frozen=True)
class Case:
    """A method under one budget and one neighbour relation."""

    method: str
    budget: dict[str, str]
    neighbours: str = "replace-one"
    options: dict[str, Any] = field(default_factory=dict)
    additive: bool = True  # else choices, whose scores are brute-forced in tests of their own

    def __str__(self):
        figures = ",".join(f"{key}={value}" for key, value in self.given.items())
        return f"{self.method}-{figures}-{self.neighbours}"

    @property
    def given(self):
        return self.budget | self.options

    @property
    def schema(self):
        return schema(neighbours=self.neighbours)


CASES = [
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
    Case("exponential", {"epsilon": "1"}, additive=False),
    Case("diffgen", {"epsilon": "1"}, additive=False),
    Case(
        "diffgen",
        {"epsilon": "1"},
        neighbours="add-remove",
        options={"score": "infogain", "steps": 3},
        additive=False,
    ),
]


def test_every_registered_method_has_a_case():
    assert {case.method for case in CASES} == set(METHODS)
