"""Publisher: one charge per fit, more records for nothing, nothing private carried along."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks as sklearn_checks

from contract.cases import CASES, ROWS
from neighbours import table
from sfumato.errors import BudgetError, DataError, ParameterError, ReleaseError, SchemaError
from sfumato.estimator import Publisher
from sfumato.estimator.reading import joined
from sfumato.example import CLINIC, clinic
from sfumato.inspection.utility import encoded
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP, Seeded
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from slowness import slow

SCHEMA = Schema.parse(CLINIC)
PATIENTS = clinic(200)
X, Y = PATIENTS.drop_columns(["outcome"]), PATIENTS.column("outcome").to_numpy(False)
NUMBERS = {
    "name": "numbers",
    "columns": {
        "a": {"kind": "number", "low": -4, "high": 4},
        "b": {"kind": "number", "low": -4, "high": 4},
        "y": {"kind": "boolean", "role": "label"},
    },
}


def publisher(**changes):
    return Publisher(**({"schema": SCHEMA, "method": "dp-lda", "epsilon": 1} | changes))


@pytest.fixture
def budget(tmp_path):
    path = tmp_path / "budget.db"
    with Ledger.create(path) as ledger:
        ledger.grant("clinic", PureDP(2), reason="test")
    return path


def spent(path):
    with Ledger(path) as ledger:
        return ledger.balance("clinic").spent.micro_epsilon / 10**6


def test_every_fit_is_charged_and_samples_are_not(budget):
    publishing = publisher(ledger=budget)
    publishing.fit(X, Y).sample(500)
    publishing.sample(500)
    assert spent(budget) == 1
    publishing.fit(X, Y)
    assert spent(budget) == 2
    with pytest.raises(BudgetError):
        publishing.fit(X, Y)
    assert spent(budget) == 2


def test_a_release_of_the_same_records_can_be_verified(budget, tmp_path):
    import sfumato as sf

    folder = publisher(ledger=budget).fit(X, Y).release_.save(tmp_path / "release")
    assert all(check.passed for check in sf.verify(folder, ledger=Ledger(budget)))


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (PATIENTS.to_pandas(), pd.DataFrame),
        (pl.from_arrow(PATIENTS), pl.DataFrame),
        (PATIENTS, pa.Table),
    ],
    ids=["pandas", "polars", "arrow"],
)
def test_samples_are_the_kind_of_table_that_was_given(given, kind):
    fitted = publisher().fit(given)
    drawn = fitted.sample(7)
    assert isinstance(drawn, kind)
    assert drawn.shape == (7, 8)
    assert not fitted.sample(300).equals(fitted.sample(300))


def test_a_path_can_be_published(tmp_path):
    PATIENTS.to_pandas().to_csv(tmp_path / "clinic.csv", index=False)
    assert publisher().fit(tmp_path / "clinic.csv").sample(3).num_rows == 3


DRAWN = {case.method: case for case in CASES}  # one case of every method


@pytest.mark.parametrize("name", DRAWN)
def test_every_method_publishes_and_draws_more_only_where_records_are_drawn(name):
    case = DRAWN[name]
    records = table(ROWS * 12)
    fitted = Publisher(
        case.schema,
        method=name,
        **case.budget,
        options=case.options,
        accept_no_guarantee=not case.promised,
    ).fit(records)
    assert fitted.release_.certificate.method == name
    again = pickle.loads(pickle.dumps(fitted))
    if fitted.plan().row == "drawn record":
        assert fitted.sample(5).num_rows == 5
        assert again.sample(5).schema.equals(fitted.release_.table.schema)
    else:
        with pytest.raises(ParameterError, match="one row per"):
            fitted.sample(5)


@pytest.mark.slow
@pytest.mark.parametrize("budget", [slow({"epsilon": 50}), {"rho": 20}], ids=["epsilon", "rho"])
def test_the_default_method_draws_more_records_of_the_same_kind(budget):
    """Its plan is made anew for the number of records: what that one measures is drawn from."""
    fitted = Publisher(SCHEMA, **budget).fit(clinic(1_500))
    assert fitted.plan().method == "mosaic"
    assert fitted.plan().sized is not None
    drawn, released = fitted.sample(4_000), fitted.release_.table
    assert drawn.num_rows == 4_000
    assert drawn.schema.equals(released.schema)
    for column, apart in (("age", 3), ("smoker", 0.1)):
        means = [np.mean(side.column(column).to_pylist()) for side in (drawn, released)]
        assert abs(means[0] - means[1]) < apart
    assert fitted.sample().num_rows == 1_500
    assert pickle.loads(pickle.dumps(fitted)).sample(3).num_rows == 3


def test_a_fitted_publisher_carries_neither_records_nor_a_ledger(budget):
    marked = pa.table({"who": ["a", "b"] * 40, "note": ["unheard-of"] * 80})
    schema = {
        "name": "clinic",
        "columns": {
            "who": {"kind": "category", "values": ["a", "b"]},
            "note": {"kind": "category", "values": ["plain"], "other": "else"},
        },
    }
    for method in ("modips", "identity-laplace"):  # drawn records, and rows in their place
        fitted = publisher(schema=schema, method=method, ledger=budget).fit(marked)
        assert b"unheard-of" in pickle.dumps(marked)
        assert b"unheard-of" not in pickle.dumps(fitted)
        assert not [held for held in vars(fitted).values() if isinstance(held, Ledger)]


def test_an_open_ledger_is_refused_with_the_reason(budget):
    with Ledger(budget) as ledger, pytest.raises(ParameterError, match="must be a path"):
        publisher(ledger=ledger)


def test_an_open_ledger_that_is_refused_is_not_kept(budget):
    known = publisher()
    with Ledger(budget) as ledger, pytest.raises(ParameterError, match="must be a path"):
        known.set_params(ledger=ledger, epsilon=7)
    assert known.ledger is None
    assert known.epsilon == 1


LABELS = {
    "kind": "category",
    "role": "label",
    "values": ["True", "False", "1", "0", "10000000000000001", "0.5"],
    "other": "other",
}


def label_codes(y):
    facts = NUMBERS | {"columns": NUMBERS["columns"] | {"y": LABELS}}
    schema = Schema.of(facts)
    known = joined(pa.table({"a": [0.0] * len(y), "b": [0.0] * len(y)}), y, schema)
    return encoded(known, Domain.of(schema))[:, 2].tolist()


@pytest.mark.parametrize("others", [[True, False], [1, 0], [10**16 + 1, 1], [0.5, 1], ["1", "0"]])
@pytest.mark.parametrize("hold", [list, tuple], ids=["list", "tuple"])
def test_in_a_plain_list_no_label_decides_how_others_are_encoded(others, hold):
    usual = label_codes(hold([*others, others[0]]))[:2]
    swaps = (None, float("nan"), 2.5, "x", True, 2, 10**30, b"x", np.datetime64("2020-01-01"))
    for swap in swaps:
        assert label_codes(hold([*others, swap]))[:2] == usual


@pytest.mark.parametrize(
    "column",
    [
        lambda values: pa.array(values, pa.int64()),
        lambda values: pa.chunked_array([values], pa.int64()),
        lambda values: pl.Series(values, dtype=pl.Int64),
        lambda values: pl.DataFrame({"y": pl.Series(values, dtype=pl.Int64)}),
        lambda values: pa.table({"y": pa.array(values, pa.int64())}),
    ],
    ids=["array", "chunks", "polars", "polars frame", "table"],
)
def test_a_gap_in_a_typed_column_changes_no_other_label(column):
    big = 10**16 + 1  # which no float holds
    assert label_codes(column([big, 1, 0])) == [4, 2, 3]
    assert label_codes(column([big, 1, None]))[:2] == [4, 2]


@pytest.mark.parametrize("dtype", ["int64", "float64", "Int64", "int64[pyarrow]"])
def test_labels_that_a_column_of_numbers_loses_are_refused_by_its_type(dtype):
    """pandas makes floats of whole numbers beside a gap, and may turn them back."""
    for y in (pd.Series([1, 0], dtype=dtype), pd.DataFrame({"y": [1, 0]}, dtype=dtype)):
        with pytest.raises(DataError, match="which a column of numbers loses: read it as text"):
            label_codes(y)


def test_a_clone_has_published_nothing(budget):
    fitted = publisher(ledger=budget).fit(X, Y)
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params()
    with pytest.raises(ReleaseError, match="call fit first"):
        fresh.sample(3)
    assert spent(budget) == 1


def test_settings_changed_after_a_fit_do_not_touch_what_was_released():
    fitted = publisher().fit(X, Y).set_params(method="dp-pca", epsilon=8)
    assert fitted.sample(4).num_rows == 4
    with pytest.raises(ParameterError, match="'colour' must be one of schema"):
        fitted.set_params(colour="blue", epsilon=3)
    assert fitted.epsilon == 8


def test_x_and_y_come_back_as_rows_that_belong_together(rng):
    ill = rng.random(500) < 0.5
    known = pd.DataFrame(rng.normal(size=(500, 2)), columns=["a", "b"])
    known["a"] += np.where(ill, 1.5, -1.5)
    released, labels = publisher(schema=NUMBERS, epsilon=50, seed=1).fit_resample(known, ill)
    assert list(released) == ["a", "b"]
    means = released["a"].groupby(labels).mean()
    assert means[True] > 1 > -1 > means[False]


def test_records_without_a_released_label_are_left_out(rng):
    label = {"kind": "boolean", "missing": "allowed", "role": "label"}
    schema = NUMBERS | {"columns": NUMBERS["columns"] | {"y": label}}
    some = pd.Series([True, None, False, None] * 30, dtype="boolean")
    released, labels = publisher(schema=schema, epsilon=50, seed=1).fit_resample(
        rng.normal(size=(120, 2)), some
    )
    assert released.num_rows == len(labels) < 120
    assert labels.dtype.kind == "b"


@pytest.mark.parametrize(
    ("x", "y", "error", "message"),
    [
        (np.zeros((5, 3)), np.ones(5), DataError, "2 columns, in the order of the schema: a, b"),
        (np.zeros((5, 2)), np.ones(4), DataError, "X has 5 records and y has 4"),
        (np.zeros((5, 2)), np.ones((5, 2)), DataError, "y must be one column"),
        (pa.table({"a": [1], "b": [1], "y": [True]}), [True], DataError, "X holds the column y"),
        (np.zeros((1, 2)), [True], DataError, "fewer than two records"),
    ],
)
def test_what_does_not_fit_is_refused_before_a_charge(x, y, error, message):
    with pytest.raises(error, match=message):
        publisher(schema=NUMBERS).fit(x, y)


def test_y_without_a_column_for_it_is_refused():
    schema = {"name": "t", "columns": {"a": {"kind": "number", "low": 0, "high": 1}}}
    with pytest.raises(SchemaError, match="role: label or role: target"):
        publisher(schema=schema, method="modips").fit(np.zeros((5, 1)), np.zeros(5))


@pytest.mark.parametrize("rows", [-1, 2.5, True, "7"])
def test_impossible_numbers_of_rows_are_refused(rows):
    with pytest.raises(ParameterError, match="rows must be a whole number"):
        publisher().fit(X, Y).sample(rows)


def test_a_seed_makes_a_test_run_and_says_so():
    runs = [publisher(seed=3).fit(X, Y) for _ in range(2)]
    assert isinstance(runs[0].release_.guarantee, Seeded)
    assert runs[0].sample(9).equals(runs[1].sample(9))


def test_a_pipeline_refuses_it_before_its_end_and_takes_it_there(budget):
    """Records and labels beside an earlier step would go on unprotected."""
    plain = FunctionTransformer()
    with pytest.raises(TypeError, match="should be transformers"):
        make_pipeline(publisher(ledger=budget), plain).fit(X.to_pandas(), Y)
    assert spent(budget) == 0
    line = make_pipeline(plain, publisher(ledger=budget)).fit(X.to_pandas(), Y)
    assert line[-1].sample(3).shape == (3, 8)


@pytest.mark.parametrize(
    "check",
    [
        sklearn_checks.check_get_params_invariance,
        sklearn_checks.check_set_params,
        sklearn_checks.check_no_attributes_set_in_init,
        sklearn_checks.check_estimator_cloneable,
        sklearn_checks.check_estimator_repr,
        sklearn_checks.check_valid_tag_types,
        sklearn_checks.check_do_not_raise_errors_in_init_or_set_params,
    ],
    ids=lambda check: check.__name__,
)
def test_the_checks_of_scikit_learn_that_need_no_data_of_its_own(check):
    check("Publisher", publisher(schema=NUMBERS))


@pytest.mark.slow
def test_it_needs_no_scikit_learn():
    script = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from sfumato import estimator\n"
        "import pyarrow as pa\n"
        "schema = {'name': 't', 'columns': {'a': {'kind': 'boolean'}}}\n"
        "made = estimator.Publisher(schema, method='modips', epsilon=1)\n"
        "print(made.fit(pa.table({'a': [True, False]})).sample(4).num_rows)\n"
        "from sfumato.errors import MissingExtra\n"
        "try: estimator.SyntheticTrained\n"
        "except MissingExtra as error: print(error)\n"
        "try: estimator.Painter\n"
        "except AttributeError as error: print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    said = run.stdout.splitlines()
    assert said[0] == "4", run.stderr
    assert "pip install 'sfumato[ml]'" in said[1]
    assert "no attribute 'Painter'" in said[2]
