"""`sfumato graph`: what a person types and what comes back."""

import json
import sys

import pyarrow.csv as pacsv
import pytest

from sfumato.cli import main
from sfumato.publishing.verify import verify

LINES = ["source,target,weight", "a,b,7", "a,c,9", "b,c,3", "c,d,2", "b,d,8"]


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text("\n".join(LINES) + "\n")
    return path


@pytest.fixture
def run(monkeypatch, capsys, wide):
    """A command in this process: what it printed, or its refusal."""

    def command(*words, code=0):
        monkeypatch.setattr(sys, "argv", ["sfumato", "graph", *map(str, words)])
        with pytest.raises(SystemExit) as leaving:
            main()
        said = capsys.readouterr()
        assert (leaving.value.code or 0) == code, said.err
        return said.out if code == 0 else said.err

    return command


def test_a_network_is_published_with_a_promise(run, edges, tmp_path):
    said = run(
        "publish",
        edges,
        "--undirected",
        "--epsilon",
        1,
        "--option",
        "high=10",
        "-o",
        tmp_path / "r",
    )
    assert "1-differential privacy" in said
    assert "5 edges by edge-laplace" in said
    assert all(check.passed for check in verify(tmp_path / "r"))
    paper = json.loads((tmp_path / "r" / "release.json").read_text())
    assert paper["dataset"] == "roads"
    assert pacsv.read_csv(tmp_path / "r" / "data.csv").num_rows == 5


def test_paths_are_kept_where_no_promise_is_wanted(run, edges, tmp_path):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("source,target\na,d\n")
    words = ("publish", edges, "--undirected", "--method", "edge-greedy", "--preserve", pairs)
    assert "accept-no-guarantee" in run(*words, "-o", tmp_path / "r", code=1)
    said = run(*words, "--accept-no-guarantee", "-o", tmp_path / "r")
    assert "NOT PRIVATE" in said
    assert all(check.passed for check in verify(tmp_path / "r"))


@pytest.mark.parametrize(
    ("line", "words", "message"),
    [
        ("a,a,1", (), "to itself"),
        ("b,a,1", (), "edges 1 and 6 both join"),
        ("a,,1", (), "edge 6"),
        (None, ("--method", "edge-magic"), "no network method"),
        (None, ("--option", "high=-3"), "high"),
        (None, ("--preserve", "0.5"), "keeps no shortest paths"),
    ],
)
def test_wrong_use_is_refused_and_leaves_nothing(run, edges, tmp_path, line, words, message):
    if line:
        edges.write_text("\n".join([*LINES, line]) + "\n")
    common = ("publish", edges, "--undirected", "--epsilon", 1, "--option", "high=10")
    assert message in run(*common, *words, "-o", tmp_path / "r", code=1)
    assert [path.name for path in tmp_path.iterdir()] == ["roads.csv"]


@pytest.mark.parametrize("words", [("--preserve", "2"), ("--preserve", "0")])
def test_a_share_that_is_none_is_refused(run, edges, tmp_path, words):
    common = ("publish", edges, "--undirected", "--method", "edge-greedy", "--accept-no-guarantee")
    assert "share" in run(*common, *words, "-o", tmp_path / "r", code=1)


def test_a_file_without_edges_is_refused(run, tmp_path):
    empty = tmp_path / "empty.csv"
    empty.write_text(LINES[0] + "\n")
    words = ("--undirected", "--epsilon", 1, "--option", "high=1", "-o", tmp_path / "r")
    assert "no edges" in run("publish", empty, *words, code=1)


def test_the_direction_must_be_said(run, edges, tmp_path):
    run("publish", edges, "--epsilon", 1, "-o", tmp_path / "r", code=2)


def test_parties_perturb_apart_and_merge_without_a_weight(run, edges, tmp_path):
    for party in "abcd":
        own = [LINES[0], *(line for line in LINES[1:] if party in line.split(",")[:2])]
        mine = tmp_path / f"mine_{party}.csv"
        mine.write_text("\n".join(own) + "\n")
        run("share", mine, "--party", party, "--undirected", "-o", tmp_path / f"{party}.csv")
    shares = [tmp_path / f"{party}.csv" for party in "abcd"]
    assert "NOT PRIVATE" in run("merge", *shares, "-o", tmp_path / "all.csv")
    merged = pacsv.read_csv(tmp_path / "all.csv")
    assert merged.num_rows == 5
    assert all(0 < weight < 30 for weight in merged["weight"].to_pylist())
    assert "one of its ends only" in run("merge", *shares[:2], "-o", tmp_path / "x.csv", code=1)
    assert not (tmp_path / "x.csv").exists()


def test_a_direction_that_was_not_said_is_asked_for_by_both_words(run, edges, tmp_path):
    said = run("publish", edges, "--epsilon", 1, "-o", tmp_path / "r", code=2)
    assert "Missing option '--directed' or '--undirected'." in said


def test_both_directions_are_merged_when_that_is_said(run, edges, tmp_path):
    edges.write_text("\n".join([*LINES, "b,a,1"]) + "\n")
    words = ("publish", edges, "--undirected", "--epsilon", 1, "--option", "high=10")
    assert "--merge-directions mean or sum" in run(*words, "-o", tmp_path / "r", code=1)
    said = run(*words, "--merge-directions", "mean", "-o", tmp_path / "r")
    assert "5 edges by edge-laplace" in said
    compared = run("compare", edges, tmp_path / "r", "--merge-directions", "mean")
    assert "5 undirected edges" in compared


def test_noise_is_told_in_the_unit_of_the_weight_and_warned_of_where_it_is_their_range(
    run, edges, tmp_path
):
    words = ("publish", edges, "--undirected", "--option", "high=10", "--epsilon")
    said = run(*words, 1, "-o", tmp_path / "r")
    assert "weights: discrete laplace noise, scale 10" in said
    assert "mostly noise" in said
    assert "mostly noise" not in run(*words, 9, "-o", tmp_path / "q")


def test_weights_of_both_signs_are_published_with_a_negative_low(run, edges, tmp_path):
    edges.write_text("\n".join([*LINES, "a,d,-4"]) + "\n")
    words = ("publish", edges, "--undirected", "--option", "high=10", "--option", "low=-10")
    run(*words, "--epsilon", 1000, "-o", tmp_path / "r")
    weights = pacsv.read_csv(tmp_path / "r" / "data.csv")["weight"].to_pylist()
    assert weights == pytest.approx([7, 9, 3, 2, 8, -4], abs=1)  # missed once in e^-50
    assert all(check.passed for check in verify(tmp_path / "r"))
    refused = run(
        *("publish", edges, "--undirected", "--method", "edge-gaussian", "--accept-no-guarantee"),
        *("-o", tmp_path / "q"),
        code=1,
    )
    assert "weights of both signs by edge-laplace with a negative low" in refused
