"""`sfumato accuracy` on answers that records gave by themselves; and on noisy coordinates."""

import json

import pyarrow as pa
import pytest

import sfumato as sf
from cli.accuracy_runner import run
from sfumato.errors import ParameterError, ReleaseError
from sfumato.example import CLINIC, clinic
from sfumato.publishing.page import report_page

pytestmark = pytest.mark.usefixtures("wide")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("answers") / "release"
    schema = sf.Schema.parse(CLINIC)
    sf.publish(clinic(2_000), schema=schema, method="local", epsilon=20, seed=4, folder=place)
    return place


def test_without_options_every_count_and_mean_is_listed(folder):
    shown = run(folder)
    assert shown.exit_code == 0
    assert "mean of age" in shown.output
    assert "ward is surgery" in shown.output
    assert "Counts are right on average" in shown.output
    assert "For all 14 together: " in shown.output


def test_a_confidence_may_be_a_fraction_and_long_lists_are_cut(tmp_path):
    many = {"name": "t", "columns": {"ward": {"kind": "category", "values": list(range(70))}}}
    wards = pa.table({"ward": list(range(70)) * 3})
    sf.publish(wards, schema=many, method="local", epsilon=3, folder=tmp_path / "r")
    shown = run(tmp_path / "r", "--confidence", "19/20")
    assert shown.exit_code == 0
    assert "and 10 more: --json lists them" in shown.output
    assert len(json.loads(run(tmp_path / "r", "--json").output)["answers"]) == 70


def test_each_question_is_answered_in_a_sentence(folder):
    shown = run(
        folder, "--sum", "ward=surgery", "--mean", "age", "--greater", "sex=female:male",
        "--max", "ward", "--min", "ward", "--column", "sex",
    )  # fmt: skip
    assert shown.exit_code == 0
    for words in ("ward is surgery:", "mean of age:", "more than", "largest count", "smallest"):
        assert words in shown.output


def test_json_has_the_figures(folder):
    told = json.loads(run(folder, "--sum", "ward=surgery", "--json").output)
    (answer,) = told["answers"]
    assert told["method"] == "local"
    assert answer["low"] <= answer["value"] <= answer["high"]
    assert answer["share between"][1] <= 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sum", "ward=nowhere"), "column ward has no value 'nowhere'"),
        (("--sum", "age=40"), "for a number ask for its mean"),
        (("--mean", "ward"), "no number that was asked"),
        (("--pair", "age", "ward"), "leave out --pair"),
        (("--thesis",), "leave out --thesis"),
        (("--confidence", "1"), "above 0 and below 1"),
    ],
)
def test_wrong_questions_are_refused_in_a_line(folder, options, said):
    refused = run(folder, *options)
    assert isinstance(refused.exception, ParameterError)
    assert said in str(refused.exception)


@pytest.mark.slow
def test_the_page_of_a_local_release_says_so_and_states_intervals():
    schema = sf.Schema.parse(CLINIC)
    local = sf.publish(clinic(200), schema=schema, method="local", epsilon=2)
    page = report_page(local).decode()
    assert "whoever holds one can do it and need trust nobody" in page
    assert "The rows are noisy themselves" in page
    assert "each within ±" in page
    central = sf.publish(clinic(200), schema=schema, method="modips", epsilon=1)
    assert "need trust nobody" not in report_page(central).decode()


def coordinates(place, schema):
    asked = {"basis": clinic(100, seed=9), "epsilon": 8, "space": "components"}
    sf.publish(clinic(400), schema=schema, method="lop", folder=place, **asked)
    return place


def test_the_label_beside_coordinates_is_counted(tmp_path):
    told = json.loads(run(coordinates(tmp_path / "r", sf.Schema.parse(CLINIC)), "--json").output)
    truth = clinic(400)["outcome"].to_pylist()
    for answer in told["answers"]:
        assert answer["low"] <= answer["high"] <= 400
        # Seven deviations: a false alarm has a chance below 1e-10.
        due = truth.count(answer["question"].removeprefix("outcome is "))
        assert abs(answer["value"] - due) < 7 * answer["deviation"] + 1


def test_coordinates_without_a_label_are_refused_with_what_reads_them(tmp_path):
    plain = sf.Schema.parse(CLINIC.replace(", role: label", ""))
    refused = run(coordinates(tmp_path / "r", plain))
    assert isinstance(refused.exception, ReleaseError)
    assert "sfumato.accuracy.noisy_records" in str(refused.exception)
