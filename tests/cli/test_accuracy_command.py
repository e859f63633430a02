"""`sfumato accuracy` as its user meets it."""

import json

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from cli.accuracy_runner import run
from sfumato.errors import ParameterError, ReleaseError
from sfumato.example import CLINIC, clinic
from sfumato.publishing.counts import publish_counts
from sfumato.publishing.stream import publish_stream

pytestmark = pytest.mark.usefixtures("wide")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("accuracy") / "release"
    schema = sf.Schema.parse(CLINIC)
    sf.publish(clinic(2_000), schema=schema, method="modips", epsilon=1, seed=4, folder=place)
    return place


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables") / "release"
    schema = sf.Schema.parse(CLINIC)
    sf.publish(clinic(2_000), schema=schema, method="mosaic", rho="0.1", seed=4, folder=place)
    return place


def test_without_options_it_lists_every_count_and_what_they_are_worth_together(folder):
    done = run(folder)
    assert done.exit_code == 0, done.output
    for word in ("ward is elsewhere", "sex is male", "noise at most", "--confidence 0.995"):
        assert word in done.output
    assert "Liu 2015" not in done.output
    assert "Liu 2015" in run(folder, "--thesis").output


def test_it_answers_in_sentences(folder):
    done = run(
        folder,
        *("--sum", "ward=surgery, oncology", "--mean", "age"),
        *("--greater", "sex=female:male", "--max", "ward", "--min", "ward"),
    )
    assert done.exit_code == 0, done.output
    for words in (
        "ward is surgery or oncology:",
        "With confidence 95 % the truth, as read, lies between",
        "the mean of the values as read lies between",
        "values as they were read",
        "mean of age:",
        "sex: is female more than male?",
        "the p-value",
        "With a flat prior",
        "largest count of ward:",
        "smallest count of ward:",
    ):
        assert words in done.output


def test_figures_come_as_json(folder):
    done = run(folder, "--sum", "sex=male", "--confidence", "0.99", "--json")
    found = json.loads(done.output)
    assert (found["dataset"], found["method"]) == ("clinic", "modips")
    (answer,) = found["answers"]
    assert answer["low"] < answer["value"] < answer["high"]
    assert answer["confidence"] == 0.99
    assert len(json.loads(run(folder, "--json").output)["answers"]) == 10


def test_a_long_list_is_cut_and_says_so(tmp_path):
    names = [f"v{i}" for i in range(70)]
    wide = {"name": "wide", "columns": {"a": {"kind": "category", "values": names}}}
    sf.publish(
        pa.table({"a": names}), schema=wide, method="modips", epsilon=1, folder=tmp_path / "r"
    )
    assert "and 10 more: --json lists them" in run(tmp_path / "r").output
    assert "published" not in json.loads(run(tmp_path / "r", "--json").output)


def test_of_very_many_counts_it_says_how_many_are_listed(tmp_path):
    keys = pa.table({"key": [f"k{i}" for i in range(1_200)], "count": range(1_200)})
    publish_counts(keys, epsilon=1, folder=tmp_path / "r")
    shown = run(tmp_path / "r").output
    assert "and 940 more: --json lists them (1,000 of 1,200)" in shown
    # Those listed are the smallest of noisy counts: only all of them hold together.
    assert "For all 1,200 together: --confidence 0.999959" in shown
    found = json.loads(run(tmp_path / "r", "--json").output)
    assert (found["listed"], found["published"], len(found["answers"])) == (1_000, 1_200, 1_000)


def test_a_table_of_numbers_alone_tells_means_then_variances(tmp_path):
    columns = {name: {"kind": "integer", "low": 0, "high": 9} for name in ("age", "dose")}
    sf.publish(
        pa.table({"age": [1, 2, 3], "dose": [4, 5, 6]}),
        schema={"name": "t", "columns": columns}, method="modips", epsilon=1,
        folder=tmp_path / "r",
    )  # fmt: skip
    asked = [one["question"] for one in json.loads(run(tmp_path / "r", "--json").output)["answers"]]
    assert asked == ["mean of age", "mean of dose", "variance of age", "variance of dose"]


@pytest.mark.slow
def test_tables_are_listed_by_column_the_widest_first(tables):
    done = run(tables)
    assert done.exit_code == 0, done.output
    for words in ("each count within", "all within", "28 tables of two columns: --pair NAME NAME"):
        assert words in done.output
    answers = json.loads(run(tables, "--json").output)["answers"]
    widths = [answer["each within"] for answer in answers]
    assert len(widths) == 8
    assert widths == sorted(widths, reverse=True)


def test_a_column_and_a_pair_come_as_tables(tables):
    done = run(tables, "--column", "ward", "--pair", "age", "sex", "--sum", "age=40 to 49")
    assert done.exit_code == 0, done.output
    for words in ("age is 40 to 49:", "│ surgery", "┃ female", "Within one class (home, care)"):
        assert words in done.output
    found = json.loads(run(tables, "--column", "ward", "--pair", "sex", "ward", "--json").output)
    column, pair = found["answers"]
    assert column["counts"][0]["value"] == "cardiology"
    assert np.shape(pair["noisy"]) == (2, 4) == np.shape(pair["by class"]["care"]["low"])
    assert (np.array(pair["low"]) <= np.array(pair["high"])).all()


def test_a_column_of_another_method_comes_as_a_table_too(folder):
    assert "│ surgery" in run(folder, "--column", "ward").output


def test_a_higher_confidence_is_wider(folder):
    def width(confidence):
        done = run(folder, "--sum", "sex=male", "--confidence", confidence, "--json")
        answer = json.loads(done.output)["answers"][0]
        return answer["high"] - answer["low"]

    assert width("0.5") < width("0.95") < width("0.999")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--sum", "ward"),
        ("--sum", "=surgery"),
        ("--sum", "ward="),
        ("--sum", "ward=a:b"),
        ("--greater", "ward=surgery"),
        ("--greater", "ward=a:b:c"),
        ("--pair", "age"),
        ("--nonsense",),
    ],
)
def test_wrong_usage_leaves_with_two(folder, arguments):
    assert run(folder, *arguments).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "kind", "rule"),
    [
        (("--sum", "ward=morgue"), ParameterError, "no value 'morgue'"),
        (("--sum", 'ward="a,b:c"'), ParameterError, "no value 'a,b:c'"),
        (("--mean", "sex"), ParameterError, "no sum of sex"),
        (("--max", "age"), ParameterError, "ask for its mean"),
        (("--pair", "age", "sex"), ParameterError, "modips publishes no tables of two columns"),
        (("--column", "shoe"), ParameterError, "no counts of shoe"),
        (("--sum", "sex=male", "--confidence", "95"), ParameterError, "below 1, got 95"),
    ],
)
def test_what_cannot_be_answered_is_refused(folder, arguments, kind, rule):
    done = run(folder, *arguments)
    assert isinstance(done.exception, kind)
    assert rule in str(done.exception)


def test_a_folder_without_a_release_or_without_sums_is_refused(folder, tmp_path):
    assert isinstance(run(tmp_path).exception, ReleaseError)
    schema, place = sf.Schema.parse(CLINIC), tmp_path / "rows"
    table = clinic(50)
    sf.publish(table, schema=schema, method="identity-laplace", epsilon=1, folder=place)
    assert "nearest record" in str(run(place).exception)


def test_help_has_an_example():
    done = run("--help")
    assert done.exit_code == 0
    assert "sfumato accuracy release/ --sum" in " ".join(done.output.split())


@pytest.fixture(scope="module")
def areas(tmp_path_factory):
    place = tmp_path_factory.mktemp("areas") / "release"
    table = pa.table({"key": ["north", "east", "south", "west"], "count": [90, 40, 60, 5]})
    publish_counts(table, ways="both", epsilon=9, seed=1, folder=place)
    return place


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    place = tmp_path_factory.mktemp("series") / "release"
    publish_stream([0, 1] * 64, horizon=128, every=32, epsilon=9, seed=1, folder=place)
    return place


def test_published_counts_are_added_compared_and_listed(areas):
    done = run(areas, "--sum", "key=north to south", "--greater", "key=north:west", "--max", "key")
    assert done.exit_code == 0, done.output
    for words in ("key is north to south:", "so it is", "It is that of north"):
        assert words in done.output
    assert "key is west" in run(areas).output
    answer = json.loads(run(areas, "--sum", "key=north to south", "--json").output)["answers"][0]
    assert answer["low"] <= 190 <= answer["high"]


def test_stretches_of_a_stream_are_counted_and_listed(series):
    done = run(series, "--sum", "bits=33 to 96", "--greater", "bits=1 to 96:97 to 128")
    assert done.exit_code == 0, done.output
    assert "bits 33 to 96:" in done.output
    for words in ("bits 1 to 128", "share noise"):
        assert words in run(series).output


def test_covariances_are_told(folder, tmp_path):
    done = run(folder, "--covariance", "age, pressure", "--covariance", "age,age")
    assert done.exit_code == 0, done.output
    for words in ("covariance of age and pressure:", "So the standard deviation is from"):
        assert words in done.output
    assert run(folder, "--covariance", "age").exit_code == 2
    schema = sf.Schema.parse(CLINIC)
    place = tmp_path / "components"
    sf.publish(clinic(500), schema=schema, method="lap-pca", epsilon=9, seed=1, folder=place)
    assert "variance of pressure:" in run(place).output


@pytest.mark.slow
def test_a_column_is_told_within_each_group(tmp_path):
    schema = sf.Schema.parse(CLINIC.replace("[female, male]", "[female, male], role: group"))
    place = tmp_path / "grouped"
    sf.publish(clinic(500), schema=schema, epsilon=9, seed=1, folder=place)
    done = run(place, "--by-group", "outcome")
    assert done.exit_code == 0, done.output
    for words in ("│ female", "outcome by sex:", "at least"):
        assert words in done.output
    assert "--by-group COLUMN" in run(place).output
