"""Faults seeded into every method: frozen noise sees each of them, and nothing where there is none.

Frozen noise leaves nothing to chance but the samples of the samplers, whose false alarms have
a chance of at most 1e-6 in each setting.
"""

import pytest
from table_faults import FAULTS, PROMISING

from sfumato.inspection.audit.auditing import larger
from sfumato.inspection.audit.scrutiny import Effort, scrutinise, unseen
from sfumato.inspection.audit.settings import case, settings
from sfumato.methods import METHODS
from sfumato.privacy.budget import approx_from_zcdp, budget, rho_within
from sfumato.privacy.randomness import SeededBits
from slowness import in_turn, slow

PURE, GAUSS, APPROX = {"epsilon": "1"}, {"rho": "0.5"}, {"epsilon": "1", "delta": "1e-6"}
HONEST = [(name, GAUSS if "rho" in METHODS[name].audit.budget else PURE) for name in PROMISING]


@pytest.fixture(autouse=True)
def _no_price_is_remembered():
    yield
    approx_from_zcdp.cache_clear()
    rho_within.cache_clear()


def scrutinies(method, claim, effort, some=slice(None)):
    stated = budget(**claim)
    return scrutinise(
        METHODS[method],
        (stated, larger(stated)),
        settings(case(METHODS[method]))[some],
        {},
        Effort(effort, 0, SeededBits(0), lambda *_: None),
    )


FIRST = {fault.method: fault for fault in reversed(FAULTS)}


@pytest.mark.parametrize(
    "fault",
    [fault if fault is FIRST[fault.method] else slow(fault) for fault in FAULTS],
    ids=[f"{f.method}-{f.name}-{next(iter(f.claim))}" for f in FAULTS],
)
def test_a_seeded_fault_is_seen(fault, monkeypatch):
    fault.seed(monkeypatch)
    found = (part for part in scrutinies(fault.method, fault.claim, 120) if part.violations)
    assert next(found, None) is not None, f"{fault.name} in {fault.method} was not seen"


def nothing_is_seen(found):
    assert [part.violations for part in found if part.violations] == []
    assert all(one.ratio <= 1 + 1e-9 for part in found for one in part.measured)


@pytest.mark.parametrize(
    ("method", "claim"),
    [one if one[0] in ("modips", "dp-lda", "lap-pca") else slow(*one) for one in HONEST],
)
def test_nothing_is_seen_where_nothing_is_seeded_and_every_measurement_could_be(method, claim):
    found = list(scrutinies(method, claim, 4, slice(1)))
    nothing_is_seen(found)
    assert unseen(found) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "k", "claim"),
    in_turn(
        7,
        [
            (name, k, claim)
            for name in PROMISING
            for k in range(len(METHODS[name].audit.settings))
            for claim in (PURE, GAUSS, APPROX)
        ],
    ),
)
def test_nothing_is_seen_in_any_setting_of_an_honest_method(method, k, claim):
    nothing_is_seen(list(scrutinies(method, claim, 120, slice(k, k + 1))))


def test_every_method_with_a_promise_has_a_fault_and_a_setting():
    assert {fault.method for fault in FAULTS} == set(PROMISING)
    assert all(settings(case(METHODS[name])) for name in PROMISING)
