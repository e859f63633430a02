"""A grant is said in the words of `publish`, or given as a guarantee."""

import pytest

import sfumato as sf


@pytest.fixture
def ledger(tmp_path):
    with sf.Ledger.create(tmp_path / "budget.db") as made:
        yield made


@pytest.mark.parametrize(
    ("said", "guarantee"),
    [
        ({"epsilon": 2}, sf.PureDP(2)),
        ({"epsilon": "0.5", "delta": "1e-9"}, sf.ApproxDP("0.5", "1e-9")),
        ({"rho": "0.1"}, sf.ZCDP("0.1")),
        ({"heuristic": True}, sf.Heuristic("none")),
    ],
)
def test_budget_words_grant_what_the_guarantee_grants(ledger, said, guarantee):
    ledger.grant("words", **said, reason="data board")
    ledger.grant("value", guarantee, heuristic="heuristic" in said, reason="data board")
    assert ledger.balance("words") == ledger.balance("value")


def test_delta_by_itself_stands_beside_epsilon_that_was_granted_before(ledger):
    ledger.grant("apart", epsilon=2, reason="data board")
    ledger.grant("apart", delta="1e-9", reason="a second thought")
    ledger.grant("together", sf.ApproxDP(2, "1e-9"), reason="data board")
    assert ledger.balance("apart") == ledger.balance("together")
    with pytest.raises(sf.ParameterError, match="one ledger unit"):
        ledger.grant("apart", delta="1e-13", reason="too little")


def test_a_budget_is_said_once(ledger):
    with pytest.raises(sf.ParameterError, match="either a guarantee, or epsilon"):
        ledger.grant("clinic", sf.PureDP(1), epsilon=1, reason="data board")


def test_a_grant_of_nothing_is_refused(ledger):
    with pytest.raises(sf.ParameterError, match="a budget is needed"):
        ledger.grant("clinic", reason="data board")
    assert ledger.datasets() == []


@pytest.mark.parametrize("reason", ["…", "...", "?", "-"])
def test_an_example_that_was_left_as_it_was_is_no_reason(ledger, reason):
    with pytest.raises(sf.errors.ParameterError, match="in words who decided and when"):
        ledger.grant("adult", epsilon=1, reason=reason)
    assert not ledger.datasets()
    ledger.grant("adult", epsilon=1, reason="4")
