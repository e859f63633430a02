"""A stream is charged once, published in parts if need be, and every part verifies."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import sfumato as sf
from ledger_world import ABOUT
from sfumato.cli import main
from sfumato.errors import BudgetError, DataError, LedgerError, ParameterError, ReleaseError
from sfumato.privacy.guarantee import PureDP
from sfumato.release.digest import digest
from sfumato.release.folder import CERTIFICATE
from sfumato.stream.methods import METHODS, stream_method
from sfumato.stream.series_terms import series_terms

BITS = np.random.default_rng(4).integers(0, 2, 4_000).astype(np.uint8)
ASKED = {
    name: {"horizon": 4_000} | case.budget | case.options
    for name, method in METHODS.items()
    for case in method.contract[:1]
}


def publish(method="counter", bits=BITS, **asked):
    return sf.publish_stream(bits, method=method, **(ASKED[method] | asked))


def test_every_registered_method_is_tested_here():
    assert list(METHODS) == list(ASKED)


@pytest.mark.parametrize("method", METHODS)
class TestEveryMethod:
    def test_writes_a_folder_that_verifies(self, method, tmp_path):
        made = publish(method, folder=tmp_path / "out")
        assert made.guarantee == PureDP(1)
        assert all(check.passed for check in sf.verify(tmp_path / "out"))

    def test_a_forged_promise_is_found(self, method, tmp_path):
        publish(method, folder=tmp_path / "out")
        paper = json.loads((tmp_path / "out" / CERTIFICATE).read_text())
        paper["stream"]["horizon"] *= 1_000
        paper["seal"] = digest(paper)
        (tmp_path / "out" / CERTIFICATE).write_text(json.dumps(paper))
        found = {check.name: check.passed for check in sf.verify(tmp_path / "out")}
        # The noise of a mean does not depend on the horizon, so that one stays true.
        assert found["plan"] == (method == "reservoir-mean")

    def test_has_a_proof_page_with_its_name(self, method, request):
        page = request.config.rootpath / "docs" / stream_method(method).proof
        assert method in page.read_text("utf-8")

    def test_refuses_what_is_no_bits_without_a_value_and_leaves_nothing(self, method, tmp_path):
        with pytest.raises(DataError, match="values 0 and 1") as refused:
            publish(method, np.full_like(BITS, 7), folder=tmp_path / "out")
        assert "7" not in str(refused.value)
        assert not list(tmp_path.iterdir())

    def test_refuses_an_option_it_has_not(self, method):
        with pytest.raises(ParameterError, match="no option wrong"):
            publish(method, wrong=1)


def test_the_figures_are_near_the_truth_where_epsilon_is_large():
    values = np.asarray(publish(epsilon=1_000).table["value"])
    assert np.array_equal(values, np.cumsum(BITS)[499::500])


@pytest.mark.parametrize("horizon", [0, -1, 1.5, "many", None])
def test_a_horizon_that_is_none_is_refused(horizon):
    with pytest.raises(ParameterError, match="horizon"):
        publish(horizon=horizon)


class TestParts:
    @pytest.fixture
    def ledger(self, tmp_path):
        ledger = sf.Ledger.create(tmp_path / "budget.db")
        ledger.grant("visits", PureDP(1), reason="approved")
        return ledger

    def test_a_series_goes_on_without_a_second_charge(self, ledger, tmp_path):
        state = tmp_path / "visits.state"
        common = {"ledger": ledger, "name": "visits", "epsilon": 1}
        first = publish(bits=BITS[:1_700], folder=tmp_path / "one", pause=state, **common)
        second = publish(folder=tmp_path / "two", resume=state, **common)
        times = [*first.table["time"].to_pylist(), *second.table["time"].to_pylist()]
        assert times == list(range(500, 4_001, 500))
        for part in ("one", "two"):
            checks = sf.verify(tmp_path / part, ledger=ledger)
            assert [check.detail for check in checks if not check.passed] == []
        assert not state.exists()
        with pytest.raises(BudgetError):
            publish(folder=tmp_path / "three", **common)

    @pytest.mark.parametrize("begun", [0, 200])
    def test_what_was_begun_is_drawn_and_never_refunded(self, ledger, tmp_path, begun):
        common = {"ledger": ledger, "name": "visits", "release": "r"}
        first = publish(bits=BITS[:begun], pause=tmp_path / "state", **common)
        assert first.table.num_rows == 0
        assert ledger.entry("r").state == "released"
        with pytest.raises(LedgerError):
            ledger.refund("r", reason="nothing was published")
        with pytest.raises(ReleaseError, match="never drawn twice"):
            publish(bits=BITS[:begun], pause=tmp_path / "second", **common)
        assert publish(resume=tmp_path / "state", **common).table.num_rows == 8

    def test_a_release_that_was_refunded_does_not_go_on(self, ledger, tmp_path):
        state = tmp_path / "state"
        publish(bits=BITS[:200], pause=state, name="visits", release="r")  # not charged
        plan = stream_method("counter").price(4_000, PureDP(1), {"every": 500})
        account = series_terms("visits", plan, counted=True)
        ledger.reserve("r", "visits", PureDP(1), plan=account.digest(), protects=ABOUT)
        ledger.refund("r", reason="never made")
        paper = json.loads(state.read_text())
        paper["belongs to"]["ledger"] = ledger.ledger_id
        state.write_text(json.dumps({**paper, "seal": digest(paper)}))
        with pytest.raises(LedgerError, match="was not started in this ledger"):
            publish(resume=state, name="visits", ledger=ledger)

    @pytest.mark.parametrize(
        ("facts", "check"), [({"release": "x+1"}, "ledger"), ({"rows": "early"}, "data")]
    )
    def test_a_part_that_is_none_is_found(self, ledger, tmp_path, facts, check):
        state, common = tmp_path / "s", {"ledger": ledger, "name": "visits"}
        publish(bits=BITS[:1_700], pause=state, folder=tmp_path / "one", **common)
        part = tmp_path / "two"
        publish(resume=state, folder=part, **common)
        paper = json.loads((part / CERTIFICATE).read_text())
        if "rows" in facts:
            paper["stream"]["continues"]["from"] = 2_500
        else:
            paper |= facts
        paper["seal"] = digest(paper)
        (part / CERTIFICATE).write_text(json.dumps(paper))
        found = {c.name: c.passed for c in sf.verify(part, ledger=ledger)}
        assert not found[check]

    def test_a_stream_known_to_be_too_long_is_refused_before_the_charge(self, ledger):
        with pytest.raises(DataError, match="longer than its horizon"):
            publish(ledger=ledger, name="visits", horizon=3_000, release="r")
        assert ledger.entry("r") is None

    @pytest.mark.parametrize("given", [lambda bits: bits, lambda bits: iter(bits.tolist())])
    def test_a_stream_that_is_too_short_leaves_the_state_for_another_try(self, tmp_path, given):
        state = tmp_path / "visits.state"
        publish(bits=BITS[:1_700], pause=state)
        with pytest.raises(DataError, match="shorter than what was counted"):
            publish(bits=given(BITS[:900]), resume=state)
        assert publish(resume=state).table["time"].to_pylist()[0] == 2_000

    def test_the_parts_add_up_to_the_whole(self, tmp_path):
        state = tmp_path / "visits.state"
        publish(bits=BITS[:1_700], pause=state, epsilon=1_000)
        rest = publish(resume=state, epsilon=1_000)
        assert np.array_equal(rest.table["value"], np.cumsum(BITS)[1_999::500])

    def test_a_state_fits_no_other_settings_and_is_left_alone(self, ledger, tmp_path):
        state = tmp_path / "visits.state"
        publish(bits=BITS[:1_700], pause=state)
        with pytest.raises(ReleaseError):
            publish(resume=state, every=100)
        with pytest.raises(ReleaseError, match="begun without a ledger"):
            publish(resume=state, ledger=ledger, name="visits")
        assert state.exists()

    def test_a_foreign_continuation_is_found_by_its_ledger(self, ledger, tmp_path):
        state = tmp_path / "visits.state"
        publish(bits=BITS[:1_700], pause=state, name="visits")  # never charged
        publish(folder=tmp_path / "two", resume=state, name="visits")
        checks = {c.name: c.passed for c in sf.verify(tmp_path / "two", ledger=ledger)}
        assert not checks["ledger"]

    def test_a_mean_cannot_be_paused(self, tmp_path):
        with pytest.raises(ParameterError, match="cannot be paused"):
            publish("reservoir-mean", pause=tmp_path / "state")

    def test_the_ledger_needs_a_name_for_bits_without_a_file(self, ledger):
        with pytest.raises(ParameterError, match="name"):
            publish(ledger=ledger)


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.txt").write_text("".join(map(str, BITS)))

    def run(words, code=0):
        monkeypatch.setattr(sys, "argv", ["sfumato", "stream", *words.split()])
        with pytest.raises(SystemExit) as leaving:
            main()
        said = capsys.readouterr()
        assert (leaving.value.code or 0) == code, said.err
        return said.out if code == 0 else said.err

    return run


def test_a_count_is_published_from_the_command_line(command, tmp_path):
    said = command("count visits.txt --horizon 4000 --every 1000 --epsilon 1 -o out")
    assert "4 figures by counter" in said
    assert all(check.passed for check in sf.verify(tmp_path / "out"))


def test_a_mean_is_published_from_the_command_line(command, tmp_path):
    said = command("mean visits.txt --times 1000,4000 --size 300 --epsilon 1 -o out")
    assert "2 figures by reservoir-mean" in said
    assert all(check.passed for check in sf.verify(tmp_path / "out"))


def test_pausing_says_how_to_go_on(command):
    common = "--horizon 8000 --every 1000 --epsilon 1"
    assert "--resume s" in command(f"count visits.txt {common} --pause s -o one")
    Path("visits.txt").write_text("".join(map(str, BITS)) + "1")
    assert "passed over the first 4,000 bits" in command(
        f"count visits.txt {common} --resume s -o two"
    )
    assert "resumed before" in command(f"count visits.txt {common} --resume s -o three", code=1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("count visits.txt --epsilon 1 -o out", "horizon"),
        ("count visits.txt --horizon 10 -o out", "epsilon"),
        ("count nowhere.txt --horizon 10 --epsilon 1 -o out", "nowhere.txt"),
        ("mean visits.txt --times 4000,1000 --size 10 --epsilon 1 -o out", "times"),
        ("mean visits.txt --times 1000,1000 --size 10 --epsilon 1 -o out", "times"),
        ("mean visits.txt --times 9000 --size 10 --epsilon 1 -o out", "ended after 4000"),
    ],
)
def test_wrong_use_is_refused_and_leaves_nothing(command, tmp_path, words, message):
    assert message in command(words, code=1)
    assert not (tmp_path / "out").exists()
