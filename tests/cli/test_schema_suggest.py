"""`sfumato schema suggest` as its user meets it."""

import json

import pyarrow as pa
import pytest
import yaml
from typer.testing import CliRunner

import sfumato as sf
from relations_world import LAPLACE, STAYS, stays
from sfumato.cli.schema import app
from sfumato.errors import ParameterError, ReleaseError
from sfumato.render.rules import Rules
from sfumato.schema import Schema
from sfumato.schema.domain import Domain


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("suggest") / "release"
    sf.publish(stays(), schema=STAYS, seed=3, fit=False, folder=place, rows=10, **LAPLACE)
    return place


def run(*arguments):
    return CliRunner().invoke(app, ["suggest", *map(str, arguments)])


def test_what_is_printed_can_be_put_into_the_schema(folder):
    done = run(folder)
    assert done.exit_code == 0, done.output
    found = yaml.safe_load(done.output)
    assert list(found) == ["constraints"]
    assert "part <= whole" in found["constraints"]
    schema = Schema.of(STAYS | found)
    assert len(schema.constraints) == 2
    assert Rules.of(Domain.of(schema)).bind


def test_evidence_stands_beside_each_line_and_what_no_constraint_says_below(folder):
    lines = run(folder).output.splitlines()
    order = lines.index("  - part <= whole")
    assert lines[order - 3] == "  # part is at most whole"
    assert "%) break it" in lines[order - 2]
    assert "in bins that overlap nothing is told" in lines[order - 1]
    unsaid = lines.index("# Seen as well, but no constraint can say it:")
    assert lines[unsaid + 1] == "#   since is -1 exactly where visits is 0"
    assert "relations were tried" in lines[-1]
    assert "chance of 0.001" in lines[-1]


def test_json_holds_the_same_for_programs(folder):
    found = json.loads(run(folder, "--json", "--share", "0.5").output)
    assert (found["share"], found["chance"]) == (0.5, 0.001)
    one = next(c for c in found["constraints"] if c["constraint"] == "part <= whole")
    assert one["at most"] < one["expected by chance at least"]
    assert found["not constraints"][0]["constraint"] is None


def test_nothing_found_is_no_error(folder):
    done = run(folder, "--share", "0.000001")
    assert done.exit_code == 0
    assert yaml.safe_load(done.output) == {"constraints": []}


def test_names_that_break_lines_stay_comments_and_come_back_as_they_are(tmp_path):
    odd = "a\n  - part <= whole\u202e"
    sex = ["f", "m"] * 5_000
    schema = {
        "name": "odd",
        "columns": {
            odd: {"kind": "category", "values": ["yes", "no"]},
            "sex": {"kind": "category", "values": ["f", "m"]},
        },
    }
    table = pa.table({odd: ["yes" if s == "f" else "no" for s in sex], "sex": sex})
    sf.publish(table, schema=schema, epsilon=4, seed=1, fit=False, folder=tmp_path / "r", rows=10)
    found = yaml.safe_load(run(tmp_path / "r").output)
    (one,) = found["constraints"]
    assert one["columns"] == [odd, "sex"]
    assert ["yes", "m"] in one["forbidden"]


def test_other_methods_damaged_folders_and_odd_shares_are_refused(folder, tmp_path):
    sf.publish(stays(), schema=STAYS, method="modips", epsilon=1, folder=tmp_path / "m", rows=10)
    found = run(tmp_path / "m").exception
    assert isinstance(found, ReleaseError)
    assert "only a release by mosaic" in str(found)
    assert isinstance(run(tmp_path / "none").exception, ReleaseError)
    assert isinstance(run(folder, "--share", "2").exception, ParameterError)
    assert isinstance(run(folder, "--chance", "often").exception, ParameterError)
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for file in folder.iterdir():
        (damaged / file.name).write_bytes(file.read_bytes())
    (damaged / "synopsis.json").write_text('{"kind": "tables"}')
    assert isinstance(run(damaged).exception, ReleaseError)
