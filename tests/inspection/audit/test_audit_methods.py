"""Every registered method is audited, and every audit could have failed.

A correct method fails one of these tests with a chance of at most 1e-6: all bounds are at
that confidence.  Seeded runs repeat; the night run takes another seed.
"""

import os

import pytest

from sfumato.errors import ParameterError, SchemaError
from sfumato.inspection.audit import audit
from sfumato.methods import METHODS
from slowness import in_turn

FALSE_ALARM = 1e-6
SEED = int(os.environ.get("SFUMATO_TEST_SEED", "0"))
PRIVATE = [name for name, method in METHODS.items() if method.budgeted]
# One or two numbers move by their whole sensitivity: nearly all of ε can be seen.
TIGHT = ("modips", "identity-laplace", "lop", "dp-lda")
# Budgets in many parts, or with little to see at this size: a night's runs catch their control.
NIGHTLY = ("diffgen", "jl-gauss", "lip", "pca-gauss-mixture", "pca-gauss-regression")
# Runs and budget with which the control of each is seen, whatever the seed (by five standard
# deviations over seeds, or nearly); a method that is not here gets what its case says.
SIZES = {
    **dict.fromkeys(TIGHT, (2_500, {"epsilon": "2"})),
    "mosaic": (800, {"epsilon": "2"}),
    "pca-gauss": (1_500, {"epsilon": "1.5"}),
    "compressive": (1_000, {"epsilon": "1.5"}),
    "lap-pca": (1_200, {"epsilon": "1.5"}),
    "dp-pca": (1_000, {"epsilon": "1.5"}),
    "exponential": (2_000, {"epsilon": "2"}),  # a choice shows half of its budget
    "analyze-gauss": (600, {"rho": "1"}),
    "power-method": (400, {"rho": "0.5"}),
}


def judged(name, runs, **budget):
    """The runs alone; `test_audit_faults` has the search for tables."""
    return audit(name, runs=runs, effort=0, confidence=1 - FALSE_ALARM, seed=SEED, **budget)


@pytest.mark.parametrize("name", PRIVATE)
def test_every_method_that_takes_a_budget_can_be_audited(name):
    assert METHODS[name].audit is not None, (
        f"{name} says of no table that it is to be audited on: give its METHOD an AuditCase with "
        "the smallest schema that it accepts, the options that it needs, a budget of its kind"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", in_turn(2, PRIVATE))
def test_no_method_is_contradicted_and_its_control_is(name):
    case = METHODS[name].audit
    runs, budget = SIZES.get(name, (150 if name in NIGHTLY else case.runs, case.budget))
    found = judged(name, runs, **budget)
    assert not found.caught, str(found)
    assert found.worst is None or found.worst <= 1 + 1e-9
    for proof in found.finding.proofs:
        assert proof.found <= proof.figure.claimed
    if name not in NIGHTLY:
        assert found.verdict == "not contradicted", str(found.control)
    if name in TIGHT:
        assert found.finding.best.share > 0.5


@pytest.mark.slow
def test_gaussian_noise_shows_a_quarter_of_its_rho():
    """A threshold can show 64 % at best, and 99.9999 % confidence takes its share."""
    found = judged("modips", 1_500, rho="2")
    assert 2 / 4 < found.rho <= 2
    assert found.epsilon is None
    assert found.delta is None


def test_an_approximate_promise_is_judged_in_both_currencies():
    found = judged("modips", 700, epsilon="4", delta="0.01")
    assert [proof.figure.name for proof in found.finding.proofs] == ["rho", "epsilon"]
    assert 0 < found.rho <= found.finding.claim.rho
    assert 0 <= found.epsilon <= 4
    assert found.verdict == "not contradicted"


def test_an_audit_that_could_not_have_told_says_so():
    found = audit("dp-lda", epsilon=1, runs=20, effort=0, seed=SEED)
    assert found.verdict == "no power"
    assert not found.control.caught
    assert "was found, not above 1: not caught" in str(found)
    assert "more runs" in str(found)


def test_an_audit_repeats_with_its_seed_and_not_without():
    first, again, other = (
        audit("identity-laplace", epsilon=1, runs=40, effort=0, seed=seed) for seed in (3, 3, 4)
    )
    assert (first.finding.runs[0] == again.finding.runs[0]).all()
    assert not (first.finding.runs[0] == other.finding.runs[0]).all()
    fresh = [
        audit("identity-laplace", epsilon=1, runs=40, effort=0).finding.runs[0] for _ in range(2)
    ]
    assert not (fresh[0] == fresh[1]).all()


def test_a_schema_of_ones_own_is_audited_in_its_relation():
    schema = {
        "name": "own",
        "neighbours": "add-remove",
        "columns": {"ward": {"kind": "category", "values": ["a", "b", "c"]}},
    }
    found = audit("modips", epsilon=2, schema=schema, runs=100, seed=SEED)
    assert found.neighbours == "add-remove"
    assert found.pair[0] == "(no such record)"
    assert found.pair[1].startswith("ward=")


@pytest.mark.slow
def test_a_method_is_searched_in_every_setting_and_under_both_relations():
    found = audit("modips", epsilon=1, runs=40, effort=8, seed=SEED)
    where = {(str(part.setting), part.neighbours) for part in found.scrutinies}
    assert len(where) == len(found.scrutinies) == 10
    assert {relation for _, relation in where} == {"replace-one", "add-remove"}
    assert all(part.tables > 2 and part.seen for part in found.scrutinies)
    assert sum(part.tables for part in found.scrutinies) > 800
    assert found.unseen == ()


def test_progress_hears_of_every_run():
    heard = {}
    audit(
        "modips",
        epsilon=1,
        runs=30,
        effort=0,
        seed=SEED,
        progress=lambda phase, runs: heard.update({phase: heard.get(phase, 0) + runs}),
    )
    assert heard == {"frozen noise": 2, "runs": 60, "control": 60}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"runs": 19}, "runs must be a whole number of at least 20"),
        ({"runs": True}, "runs must be"),
        ({"runs": 100.0}, "runs must be"),
        ({"confidence": 1.0}, "confidence must be above 0 and below 1"),
        ({"confidence": 0.0}, "confidence must be"),
        ({"epsilon": 0}, "epsilon must be"),
        ({"epsilon": None}, "a budget is needed"),
        ({"magic": 1}, "no option magic"),
        ({"seed": -1}, "seed must be"),
        ({"effort": -1}, "effort must be a whole number"),
        ({"effort": 1.5}, "effort must be"),
        ({"epsilon": "1e12"}, "epsilon must be at most 100 in an audit"),
        ({"epsilon": None, "rho": 101}, "rho must be at most 100 in an audit"),
    ],
)
def test_wrong_parameters_are_refused_by_name(changes, said):
    with pytest.raises(ParameterError, match=said):
        audit("modips", **({"epsilon": 1, "runs": 20, "effort": 0} | changes))


def test_methods_and_schemas_that_do_not_fit_are_refused():
    from dataclasses import replace

    with pytest.raises(ParameterError, match="no method 'magic'"):
        audit("magic", epsilon=1)
    with pytest.raises(SchemaError, match="needs a label"):
        audit("dp-lda", epsilon=1, schema=METHODS["modips"].audit.schema)
    unknown = replace(METHODS["modips"], name="mine", audit=None)
    with pytest.raises(ParameterError, match="no table is known on which to audit mine"):
        audit(unknown, epsilon=1)
    promising_nothing = replace(METHODS["modips"], budgeted=False)
    with pytest.raises(ParameterError, match="no claim to be tested"):
        audit(promising_nothing, epsilon=1)
