"""benchmarks/peers: any table is read, binned and scored alike, and what cannot be is refused."""

import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn")
HARNESS = Path(__file__).parents[2] / "benchmarks" / "peers"
ROWS = 240
SCHEMA = """
name: visits
file: {delimiter: ";", decimal: ",", format: "%d.%m.%Y", missing_words: [n/a]}
columns:
  patient: {kind: id}
  cost: {kind: number, low: 0, high: 4000000, missing: allowed}
  day: {kind: date, low: 2020-01-01, high: 2021-12-31, missing: allowed}
  ward: {kind: category, values: [a, b, "NA"], other: rest}
  urgent:
    kind: boolean
    missing: allowed
    true: [ja]
    false: [nein]
  stay: {kind: integer, low: -5, high: 2000000}
  outcome: {kind: category, values: [home, died, moved], other: none, role: label}
"""


@pytest.fixture
def harness(monkeypatch):
    """The modules of the harness by name; their names are free again afterwards."""
    names = {file.stem for file in HARNESS.glob("*.py")}
    before = {name: sys.modules.pop(name, None) for name in names}
    monkeypatch.syspath_prepend(HARNESS)
    yield import_module
    for name, module in before.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module


@pytest.fixture
def files(tmp_path):
    """A table with everything in it, written as its schema says."""
    rng = np.random.default_rng(0)
    cost, outcome = rng.gamma(2, 300, ROWS).round(2), rng.choice(["home", "died", "moved"], ROWS)
    frame = pd.DataFrame(
        {
            "patient": np.arange(ROWS),
            "cost": [f"{x:.2f}".replace(".", ",") for x in cost],
            "day": pd.Series(pd.date_range("2020-01-01", periods=ROWS)).dt.strftime("%d.%m.%Y"),
            "ward": rng.choice(["a", "b", "NA", "unheard of"], ROWS),
            "urgent": rng.choice(["ja", "nein", ""], ROWS),
            "stay": rng.integers(0, 1_000_000, ROWS),
            "outcome": outcome,
        }
    )
    frame.loc[::7, "cost"] = "n/a"
    frame.loc[::11, "day"] = ""
    frame.loc[3, "stay"] = 3_000_000
    records, schema = tmp_path / "visits.csv.gz", tmp_path / "visits.yaml"
    frame.to_csv(records, sep=";", index=False)
    schema.write_text(SCHEMA)
    return records, schema


def test_records_of_every_kind_are_read_as_declared_and_numbers_stay_off_the_grid(harness, files):
    table = harness("own").own_table(*files, None, None)
    assert (table.name, table.label, table.target) == ("visits", "outcome", None)
    assert list(table.frame) == ["cost", "day", "ward", "urgent", "stay", "outcome"]
    assert table.frame["cost"].isna().sum() == len(range(0, ROWS, 7))
    assert table.frame["day"].isna().sum() == len(range(0, ROWS, 11))
    assert set(table.frame["ward"]) == {"a", "b", "NA", "rest"}
    assert set(table.frame["urgent"].dropna()) == {"true", "false"}
    assert table.frame["stay"][3] == 2_000_000  # clipped, as the schema says
    # The grid of the release has a point every 122: these are the numbers of the file.
    assert len(set(table.frame["stay"] % 122)) > 80
    assert (table.frame["cost"].dropna() * 100 % 1).round(6).isin([0, 1]).all()


@pytest.mark.parametrize("scaled", [False, True])
def test_levels_come_back_as_values_of_the_same_level(harness, files, scaled):
    table = harness("own").own_table(*files, None, None)
    levels = harness("discrete").Levels(table.schema, scaled=scaled)
    codes = levels.encode(table.frame)
    assert all(codes[name].between(0, size - 1).all() for name, size in levels.sizes.items())
    drawn = levels.decode(codes, seed=0)
    assert (drawn.isna().to_numpy() == table.frame.isna().to_numpy()).all()
    again = levels.encode(drawn)
    # Numbers that are rounded to their step after they were drawn may cross the edge of a bin.
    assert (again != codes).to_numpy().mean() < (0.01 if scaled else 1e-9)


def test_records_survive_the_files_between_harness_and_peer(harness, files, tmp_path):
    table = harness("own").own_table(*files, None, None)
    harness("task").Task(1.0, None, 0, ROWS, {}).set(tmp_path / "x", table.frame, table.schema)
    read = harness("public").read_records(tmp_path / "x" / "train.csv", table.schema)
    levels = harness("discrete").Levels(table.schema)
    pd.testing.assert_frame_equal(levels.encode(read), levels.encode(table.frame))


def test_real_records_score_nothing_and_columns_torn_apart_do(harness, files):
    table, score = harness("own").own_table(*files, None, None), harness("scores").score
    train, test = table.split(0)
    same = score(table, train, train, test)
    assert all(same[key] == 0 for key in same if key not in ("auc", "r2"))
    torn = train.assign(ward=np.roll(train["ward"].to_numpy(), 1))
    apart = score(table, torn, train, test)
    assert apart["one_way"] == 0
    assert apart["two_way"] > 0.02
    assert apart["three_way"] > 0.02


def numbers(harness, **columns):
    """A table of numbers from 0 to 1,000,000."""
    fact = {"kind": "integer", "low": 0, "high": 1_000_000}
    schema = {"name": "numbers", "columns": dict.fromkeys(columns, fact)}
    return harness("tables").Table("numbers", pd.DataFrame(columns), schema, target="y")


def test_deciles_means_and_quantiles_see_what_equal_bins_do_not(harness):
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 1_000, 500), rng.integers(0, 1_000, 500)
    table = numbers(harness, x=x, y=y)
    moved = table.frame.assign(x=table.frame["x"] + 20_000)
    found = harness("scores").score(table, moved, table.frame, table.frame)
    assert found["one_way"] == found["two_way"] == found["three_way"] == 0
    assert found["deciles"] > 0.8
    assert found["mean_worst"] == pytest.approx(20_000 / x.mean())
    assert found["quantile_worst"] > 20


def test_trees_learn_a_curve_that_no_line_follows(harness):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 1_000_000, 900)
    table = numbers(harness, x=x, y=np.abs(x - 500_000))
    train, test = table.split(0)
    learners, facts = harness("learners"), table.facts
    assert learners.best_r2(facts, "y", train, test) > 0.95
    torn = train.assign(x=np.roll(train["x"].to_numpy(), 1))
    assert learners.best_r2(facts, "y", torn, test) < 0.2


def test_each_of_several_classes_counts_alike_and_guessing_is_a_half(harness, files):
    table, learners = harness("own").own_table(*files, None, None), harness("learners")
    told = table.frame.assign(ward=table.frame["outcome"].map({"home": "a", "died": "b"}))
    told = told.assign(ward=told["ward"].fillna("rest"))
    assert learners.best_area(table.facts, "outcome", told, told) > 0.99
    one = told.assign(outcome="home")
    assert learners.best_area(table.facts, "outcome", one, told) == 0.5


@pytest.mark.parametrize(
    ("label", "target", "said"),
    [
        ("cost", None, "the schema declares outcome as label: leave out --label"),
        (None, "ward", "target ward is no number or date: name it with --label"),
        (None, "nothing", "--target nothing: the schema has no column of that name"),
    ],
)
def test_what_cannot_be_predicted_is_refused(harness, files, label, target, said):
    with pytest.raises(SystemExit, match=f"^{said}$"):
        harness("own").own_table(*files, label, target)


def test_a_file_that_does_not_fit_its_schema_is_refused_in_one_sentence(harness, files):
    records, schema = files
    schema.write_text(SCHEMA.replace("stay:", "length_of_stay:"))
    with pytest.raises(SystemExit, match="column length_of_stay of the schema is not in the data"):
        harness("own").own_table(records, schema, None, None)
    schema.write_text(SCHEMA.replace("kind: number", "kind: real"))
    with pytest.raises(SystemExit, match="column cost: kind must be one of"):
        harness("own").own_table(records, schema, None, None)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("--csv a.csv", "--csv and --schema go together"),
        ("--csv a.csv --schema b.yaml", "a.csv is not there"),
        ("--csv a.csv --tables campaign", "give one of them"),
        ("--target x", "for a table of your own"),
        ("--tables adult", "--data must name the folder that holds adult/adult.csv.gz"),
        ("--tables adlut", "none is called adlut"),
        ("--epsilon 0", "write positive numbers"),
        ("--trials none", "write a whole number from 1"),
    ],
)
def test_wrong_options_are_refused_with_the_remedy(harness, monkeypatch, capsys, asked, said):
    monkeypatch.setattr(sys, "argv", ["run.py", *asked.split(), "-o", "out"])
    with pytest.raises(SystemExit):
        harness("options").options("")
    assert said in capsys.readouterr().err


def test_another_table_of_the_same_name_does_not_join_the_results(harness, tmp_path):
    results = harness("results").Results(tmp_path)
    results.describe(numbers(harness, x=[1, 2], y=[3, 4]))
    results.describe(numbers(harness, x=[1, 2], y=[3, 4]))
    with pytest.raises(SystemExit, match="results of another table called numbers"):
        results.describe(numbers(harness, x=[1, 2], y=[3, 5]))


def test_results_say_neighbours_trials_and_standard_error(harness, tmp_path):
    results = harness("results").Results(tmp_path)
    results.describe(numbers(harness, x=[1, 2], y=[3, 4]))
    for trial, distance in enumerate((0.1, 0.2)):
        row = {"table": "numbers", "peer": "mst", "epsilon": 1.0, "trial": trial}
        results.append(row | {"delta": 1e-9, "two_way": distance, "cpu_seconds": 60.0})
    assert results.done("numbers") == {("mst", 1.0, 0), ("mst", 1.0, 1)}
    facts = {"numbers": numbers(harness, x=[1, 2], y=[3, 4]).described()}
    told = harness("figures").report(pd.read_csv(tmp_path / "results.csv"), facts, "none of ours")
    assert "| SmartNoise MST, repaired | add-remove | 1e-9 | 0.150 ± 0.050 | 60 |" in told


def test_made_up_tables_keep_what_they_promise(harness):
    made_up, levels = harness("made_up"), harness("discrete").Levels
    campaign, accounts = made_up.campaign(4_000), made_up.accounts(4_000)
    levels(made_up.CAMPAIGN).encode(campaign)
    levels(made_up.ACCOUNTS).encode(accounts)
    never = campaign["days_since"] == -1
    assert (never == (campaign["previous"] == 0)).all()
    assert (never == (campaign["outcome"] == "none")).all()
    assert (campaign["balance"] < 0).any()
    bills = accounts[[f"bill_{month}" for month in range(1, 7)]]
    assert all(bills[a].corr(bills[b], "spearman") > 0.8 for a, b in pairwise(bills))
    assert 0.5 < (accounts.filter(like="paid_") == 0).to_numpy().mean() < 0.65
    for frame, label, rate in ((campaign, "subscribed", 0.12), (accounts, "default", 0.22)):
        # The seed is fixed, so the share is the same every time.
        assert abs(frame[label].isin(["yes", "true"]).mean() - rate) < 0.03
