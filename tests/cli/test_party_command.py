"""`sfumato party`: the whole exchange as it is typed, and what is said when it goes wrong."""

import json
from pathlib import Path

import pytest
import yaml

from commands import run
from killing import quick_folder
from party_world import NAMES, schema, table

AGREE = "party agree exchange --schema study.yaml --method dp-lda --release study-1 --epsilon 1"
WHO = " ".join(f"--party {name}" for name in NAMES)


@pytest.fixture
def place():
    with quick_folder() as folder:
        yield Path(folder)


@pytest.fixture
def typed(place):
    (place / "study.yaml").write_text(yaml.safe_dump(schema()))
    for number, name in enumerate(NAMES):
        table(number).to_pandas().to_csv(place / f"{name}.csv", index=False)

    def command(words, code=0):
        found = run(words, cwd=place)
        assert found.returncode == code, found.stdout + found.stderr
        assert "Traceback" not in found.stderr
        return found.stdout if code == 0 else found.stderr

    return command


def each(typed, words):
    return [typed(words.format(name=name)) for name in NAMES]


@pytest.mark.slow
def test_the_whole_exchange_as_it_is_typed(typed, place):
    said = typed(f"{AGREE} {WHO} --dropouts 1")
    assert "made whole by 1 honest of 3 shares" in said
    each(typed, "party join exchange --as {name} --state {name}.state")
    shared = each(typed, "party share exchange --state {name}.state")
    prints = {line for said in shared for line in said.splitlines() if "of all keys" in line}
    assert len(prints) == 1  # what people compare is the same for all
    typed("ledger create --ledger north.db")
    typed("ledger grant study --epsilon 1 --reason approved --ledger north.db")
    words = "party contribute exchange north.csv --state north.state --ledger north.db"
    assert "charged: 1-differential privacy as study-1" in typed(words)
    assert "the same file was written again" in typed(words)
    typed("party contribute exchange south.csv --state south.state")
    known = typed("party status exchange")
    assert typed("party status exchange --without west") == known  # it has not arrived
    wrong = "party open exchange --state north.state --list 0123"
    assert "not the one that was given" in typed(wrong, code=1)
    assert known.count("yes") == 8
    opened = typed("party open exchange --state north.state")
    [listed] = [line for line in opened.splitlines() if "of this list" in line]
    assert listed.split(": ")[1] in known  # what was compared before is what was opened
    assert "opened: north, south; without west" in opened
    assert "already opened" in typed("party open exchange --state north.state")
    typed("party open exchange --state south.state")
    made = typed("party combine exchange -o release")
    assert "north, south (of 3)" in made
    assert "charged" not in made
    assert "whether each party counts it" in made
    assert "passed" in typed("verify release --ledger north.db")
    facts = json.loads((place / "release" / "release.json").read_text())["parties"]
    assert facts["contributed"] == ["north", "south"]


@pytest.mark.slow
def test_two_rounds_are_charged_once_and_a_list_of_its_own_is_not_used(typed, place):
    (place / "study.yaml").write_text(yaml.safe_dump(schema("add-remove")))
    budget = AGREE.replace("--method dp-lda", "--method mosaic").replace("--epsilon 1", "--rho 0.1")
    typed(f"{budget} {WHO} --dropouts 1")
    each(typed, "party join exchange --as {name} --state {name}.state")
    each(typed, "party share exchange --state {name}.state")
    typed("ledger create --ledger north.db")
    typed("ledger grant study --rho 1 --reason approved --ledger north.db")
    words = "party contribute exchange north.csv --state north.state --ledger north.db"
    assert "charged: " in typed(words)
    typed("party contribute exchange south.csv --state south.state")
    said = typed("party open exchange --state west.state")
    assert "next, when enough have opened, for round 2: sfumato party contribute" in said
    hidden = (place / "exchange" / "west.opening-1.json").rename(place / "hidden")
    typed("party contribute exchange west.csv --state west.state")
    typed("party open exchange --state north.state")
    typed("party open exchange --state south.state")
    hidden.rename(place / "exchange" / "west.opening-1.json")
    assert "charged in the first round, as study-1: nothing more now" in typed(words)
    typed("party contribute exchange south.csv --state south.state")
    typed("party contribute exchange west.csv --state west.state")
    typed("party open exchange --state north.state")
    typed("party open exchange --state south.state")
    made = typed("party combine exchange -o release")
    assert "not used: the opening of round 1 by west, which has another list" in made
    assert "passed" in typed("verify release --ledger north.db")


@pytest.mark.slow
def test_refusals_are_one_line_and_leave_nothing_behind(typed, place):
    assert "none is left" in typed(f"{AGREE} {WHO} --dropouts 3", code=1)
    assert not (place / "exchange").exists()
    assert "telephone" not in typed(f"{AGREE} {WHO}")
    several = AGREE.replace("exchange", "loose")
    assert "by telephone" in " ".join(typed(f"{several} {WHO} --dropouts 1").split())
    assert "holds an agreement" in typed(f"{AGREE} {WHO}", code=1)
    assert "east is none" in typed("party join exchange --as east --state east.state", code=1)
    assert not (place / "east.state").exists()
    said = typed("party share exchange --state east.state", code=1)
    assert "sfumato party join" in said
    assert said.count("\n") == 1
    assert "east is none" in typed("party status exchange --without east", code=1)
    unnamed = several.replace("loose", "unnamed").replace("--release study-1", "--release=")
    assert "release must be one printable line" in typed(f"{unnamed} {WHO}", code=1)
    assert not (place / "unnamed").exists()
    assert "agreement.json is missing" in typed("party status nowhere", code=1)
    assert "dropouts is not an option" in typed(f"{AGREE} {WHO} --option dropouts=1", code=1)


@pytest.mark.slow
def test_a_test_run_says_that_it_promises_nothing(typed):
    typed(f"{AGREE} {WHO}")
    each(typed, "party join exchange --as {name} --state {name}.state")
    each(typed, "party share exchange --state {name}.state")
    for _ in range(2):
        said = typed("party contribute exchange north.csv --state north.state --seed 1")
        assert "test run: the noise is from a seed and protects nobody" in said
        assert "ledger" not in said
