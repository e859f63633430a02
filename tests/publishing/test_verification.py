"""The report of `verify`: a sequence of checks that is false as soon as one failed."""

import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.example import CLINIC, clinic
from sfumato.publishing.verification import Check, Verification


@pytest.fixture
def folder(tmp_path):
    schema = sf.Schema.parse(CLINIC)
    with sf.Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("clinic", epsilon=1, reason="data board")
        place = tmp_path / "release"
        sf.publish(clinic(200), schema=schema, epsilon=1, ledger=ledger, folder=place)
    return place


def test_a_sound_release_is_true_and_can_be_gone_through(folder):
    found = sf.verify(folder)
    assert found
    assert found.passed
    assert found.failed == ()
    assert [check.name for check in found] == ["files", "plan", "data", "origin"]
    assert found[0].name == "files"
    assert len(found[1:]) == 3
    assert "passed" in repr(found)


def test_a_changed_release_is_false_and_says_which_check_failed(folder):
    with (folder / "data.csv").open("a") as file:
        file.write("1\n")
    found = sf.verify(folder)
    assert not found
    assert [check.name for check in found.failed] == ["files", "data"]
    assert repr(found).startswith("<Verification: FAILED")


def test_the_ledger_may_be_named_by_its_path(folder):
    found = sf.verify(folder, ledger=folder.parent / "budget.db")
    assert found
    assert found[-1].name == "ledger"


def test_no_check_at_all_is_no_pass():
    assert not Verification([])


def test_checks_can_be_added_and_compared():
    one, two = Check("files", True, "as released"), Check("noise", False, "too small")
    both = Verification([one])
    both += [two]
    assert both == Verification([one, two]) == [one, two]
    assert both != [one]
    assert hash(both) == hash(Verification([one, two]))
    assert not both


def test_no_detail_of_a_stranger_reaches_the_terminal_unseen():
    assert "\x1b" not in repr(Verification([Check("files", False, "\x1b[2K passed")]))


def test_the_command_fails_where_the_report_is_false(folder, monkeypatch):
    (folder / "stray.txt").write_text("x")
    monkeypatch.setattr("sys.argv", ["sfumato", "verify", str(folder)])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
