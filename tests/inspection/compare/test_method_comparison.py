"""Methods side by side: who is run, who is refused, what is scored, what is recommended."""

import numpy as np
import pytest

from sfumato.errors import DataError, ParameterError, Refused
from sfumato.example import CLINIC, clinic
from sfumato.inspection.compare import comparison as module
from sfumato.inspection.compare.comparison import Cell, Comparison, compare
from sfumato.inspection.compare.contender import Contender, contenders
from sfumato.inspection.compare.recommendation import leading_measure, recommended
from sfumato.inspection.compare.table import shown
from sfumato.inspection.compare.trial import Parts, Trial, run_trial
from sfumato.inspection.compare.worker import Stopped, Worker
from sfumato.inspection.page import WARNING, html
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

PATIENTS = clinic(400)
SCHEMA = Schema.parse(CLINIC)
DOMAIN = Domain.of(SCHEMA)
LDA = Contender("dp-lda", "1", None, "1-differential privacy", True)


def made(scores, *, framed=(0.9, 0.5), wanted=3, epsilons=("0.1", "1")):
    """A comparison with these AUCs: by method, by budget, one per trial."""
    trials = tuple(
        Trial(
            Contender(name, epsilon, None, "promise", name != "unproved"),
            number,
            0.1,
            {"auc": value, "two-way": 0.5 if name == "first" else 0.3},
        )
        for name, by_budget in scores.items()
        for epsilon, values in zip(epsilons, by_budget, strict=True)
        for number, value in enumerate(values)
    )
    frames = {"auc": framed, "two-way": (0.1, None)}
    return Comparison(
        "t", 10, 5, 3, epsilons, None, wanted, trials, {"lop": "no <basis>"}, {}, frames, False
    )


@pytest.fixture(scope="module")
def found():
    return compare(
        PATIENTS, SCHEMA, epsilons=["1", "0.5"], methods=["dp-lda", "lap-pca", "lop"], trials=2
    )


# Who is run


def test_a_method_of_pure_noise_runs_without_the_delta_and_keeps_the_stronger_promise():
    names = ["diffgen", "dp-lda", "analyze-gauss"]
    entered, refused = contenders(DOMAIN, names, ["1"], "1e-6", accept_no_guarantee=False)
    assert {one.method: one.delta for one in entered} == {
        "diffgen": None,
        "dp-lda": "1e-6",
        "analyze-gauss": "1e-6",
    }
    assert refused == {}


def test_what_promises_nothing_runs_only_if_that_is_accepted_and_is_marked():
    columns = {name: {"kind": "number", "low": 0, "high": 1} for name in "ab"}
    numbers = Domain.of(Schema.of({"name": "t", "columns": columns}))
    entered, refused = contenders(numbers, ["svd"], ["1", "2"], None, accept_no_guarantee=False)
    assert entered == ()
    assert "promises nothing" in refused["svd"]
    (one,), _ = contenders(numbers, ["svd"], ["1", "2"], None, accept_no_guarantee=True)
    assert (one.epsilon, one.proved, one.promise) == (None, False, "none: no proof")


@pytest.mark.slow
def test_a_comparison_scores_releases_and_says_why_others_were_not_run(found):
    assert found.methods == ("dp-lda", "lap-pca")
    assert found.epsilons == ("0.5", "1")
    assert "basis" in found.refused["lop"]
    assert (found.records, found.held_out) == (280, 120)
    assert set(found.framed) == {"auc", "accuracy", "one-way", "two-way"}
    for measure in ("auc", "accuracy", "one-way", "two-way"):
        assert 0 <= found.cell("dp-lda", measure, "1").mean <= 1
    assert found.cell("lap-pca", "auc", "1") is None
    assert 0 < found.cell("lap-pca", "variance", "1").mean <= 1
    assert len(found.trials) == 2 * 2 * 2


def test_the_same_seed_gives_the_same_scores_whichever_worker_runs_it(found):
    parts = Parts.of(PATIENTS, DOMAIN, seed=0)
    order = list(dict.fromkeys(trial.contender for trial in found.trials))
    first = found.trials[0]
    seed = 1000 * order.index(first.contender) + first.number
    again = run_trial(parts, first.contender, first.number, seed)
    assert dict(again.scores) == pytest.approx(dict(first.scores))


def test_no_record_is_on_both_sides_and_none_is_lost():
    parts = Parts.of(PATIENTS, DOMAIN, seed=0)
    both = [tuple(row.items()) for t in (parts.known, parts.held_out) for row in t.to_pylist()]
    released = list(SCHEMA.released)
    decoded = Parts.of(PATIENTS.select(released), DOMAIN, seed=3)
    again = [tuple(r.items()) for t in (decoded.known, decoded.held_out) for r in t.to_pylist()]
    assert sorted(map(str, both)) == sorted(map(str, again))


@pytest.mark.parametrize(
    ("changes", "refusal", "message"),
    [
        ({"epsilons": []}, ParameterError, "at least one budget"),
        ({"epsilons": ["0"]}, ParameterError, "epsilon must be a number above 0"),
        ({"trials": 0}, ParameterError, "trials must be"),
        ({"seconds": 0}, ParameterError, "seconds must be above 0"),
        ({"methods": ["nonsense"]}, ParameterError, "no method 'nonsense'"),
        ({"methods": ["svd", "svd"]}, ParameterError, "each method once"),
        ({"methods": ["svd"]}, ParameterError, "no method fits this schema"),
        ({"data": PATIENTS.drop_columns(["age"])}, DataError, "not in the data"),
        ({"data": PATIENTS.slice(0, 9)}, DataError, "at least 20 records"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(changes, refusal, message):
    asked = {"data": PATIENTS, "schema": SCHEMA, "epsilons": ["1"]} | changes
    with pytest.raises(refusal, match=message):
        compare(asked.pop("data"), asked.pop("schema"), **asked)


def test_the_look_is_counted_before_a_record_is_read(tmp_path, monkeypatch):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("clinic", PureDP(1), reason="approved")
        seen = []

        def watched(*_):
            seen.append(ledger.inspections("clinic"))
            raise KeyboardInterrupt

        monkeypatch.setattr(module.Parts, "of", watched)
        with pytest.raises(KeyboardInterrupt):
            compare(PATIENTS, SCHEMA, epsilons=["1"], methods=["dp-lda"], ledger=ledger)
        assert seen == [{None: 1}]


# Workers


@pytest.mark.slow
def test_a_trial_that_takes_too_long_is_killed_and_the_worker_goes_on():
    with Worker(Parts.of(clinic(20_000), DOMAIN, seed=0)) as worker:
        worker.start()
        with pytest.raises(Stopped):
            worker.run(Contender("exponential", "1", None, "", True), 0, seed=1, seconds=0.1)
        assert worker.run(LDA, 0, seed=1, seconds=120).scores


@pytest.mark.slow
def test_a_worker_runs_nothing_from_the_folder_that_it_is_started_in(tmp_path, monkeypatch):
    for name in ("pickle", "numpy", "sfumato"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    with Worker(Parts.of(PATIENTS, DOMAIN, seed=0)) as worker:
        assert worker.run(LDA, 0, seed=1, seconds=60).scores
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("ending", ["exit()", "import sys; sys.stdin.buffer.read(9); exit()"])
def test_a_worker_that_dies_at_its_start_is_a_plain_refusal(monkeypatch, ending):
    monkeypatch.setattr("sfumato.inspection.compare.worker._SERVE", ending)
    with Worker(Parts.of(PATIENTS, DOMAIN, seed=0)) as worker:
        with pytest.raises(Refused, match="could not be started"):
            worker.start()
        assert worker._process is None
    with pytest.raises(Refused, match="could not be started"):
        compare(PATIENTS, SCHEMA, epsilons=[1], methods=["dp-lda"], trials=1)


@pytest.mark.slow
def test_a_refusal_in_a_worker_comes_back_in_its_words():
    with (
        Worker(Parts.of(PATIENTS, DOMAIN, seed=0)) as worker,
        pytest.raises(Refused, match="basis"),
    ):
        worker.run(Contender("lop", "1", None, "", True), 0, seed=1, seconds=60)


def test_a_method_out_of_time_is_said_and_the_others_are_run(monkeypatch):
    class Slow(Worker):
        def run(self, contender, number, *, seed, seconds):
            if contender.method == "diffgen" and number:
                raise Stopped
            return Trial(contender, number, 0.1, {"auc": 0.7})

        def start(self):
            return None

    monkeypatch.setattr(module, "Worker", Slow)
    found = compare(PATIENTS, SCHEMA, epsilons=["1"], methods=["diffgen", "dp-lda"], trials=3)
    assert list(found.stopped) == ["diffgen"]
    assert "30 s" in found.stopped["diffgen"]
    assert sum(trial.contender.method == "dp-lda" for trial in found.trials) == 3


# What is recommended


def test_the_certain_gain_over_guessing_decides_and_not_luck_at_a_small_budget():
    steady = {"first": [[0.5, 0.5, 0.5], [0.8, 0.81, 0.79]]}
    lucky = {"second": [[0.9, 0.3, 0.6], [0.55, 0.56, 0.54]]}
    advice = recommended(made(steady | lucky))
    assert advice.method == "first"
    assert "Next is second" in advice.reason
    assert advice.by_budget == {"0.1": None, "1": "first"}


def test_what_has_no_proof_is_never_recommended():
    found = made({"unproved": [[0.9] * 3] * 2, "first": [[0.6, 0.61, 0.62]] * 2})
    assert recommended(found).method == "first"
    assert recommended(made({"unproved": [[0.9] * 3] * 2})) is None


def test_methods_that_the_trials_do_not_tell_apart_are_named():
    close = {"first": [[0.8, 0.82, 0.84]] * 2, "second": [[0.79, 0.82, 0.84]] * 2}
    reason = recommended(made(close)).reason
    assert "3 trials do not tell it from second" in reason
    assert "second keeps pairs of columns best" in reason


def test_where_all_is_guessing_it_says_so():
    found = made({"first": [[0.4, 0.6, 0.5]] * 2, "second": [[0.45, 0.5, 0.52]] * 2})
    assert "Not told from guessing" in recommended(found).reason
    assert set(recommended(found).by_budget.values()) == {None}


def test_a_single_trial_is_not_taken_for_certain():
    found = made({"first": [[0.6], [0.6]], "second": [[0.55], [0.55]]}, wanted=1)
    assert "luck is not ruled out" in recommended(found).reason


def test_without_a_task_pairs_of_columns_decide():
    found = made({"first": [[0.8] * 3] * 2, "second": [[0.7] * 3] * 2})
    trials = tuple(
        Trial(t.contender, t.number, t.seconds, {"two-way": t.scores["two-way"]})
        for t in found.trials
    )
    plain = Comparison(**{**vars(found), "trials": trials})
    assert leading_measure(plain) == "two-way"
    assert recommended(plain).method == "second"


def test_a_single_trial_has_no_error_and_several_have():
    assert Cell.of([0.5]) == Cell(0.5, None)
    assert Cell.of([0.4, 0.6]).error == pytest.approx(np.std([0.4, 0.6], ddof=1) / np.sqrt(2))


# The page


def test_the_page_warns_marks_what_has_no_proof_and_escapes():
    found = made({"first": [[0.8] * 3] * 2, "unproved": [[0.9] * 3] * 2})
    page = html(shown(found, pictures=True), "comparison.html")
    assert WARNING in page.splitlines()[0]
    assert "NONE" in page
    assert "no &lt;basis&gt;" in page
    assert page.count('role="img"') == 2
    assert "best with a proof are first 0.800." in page
    assert "no budget pays for" in page


def test_the_best_in_bold_has_a_proof():
    rows = shown(made({"first": [[0.8]] * 2, "unproved": [[0.9]] * 2}), pictures=False)
    auc = rows.rankings[0]
    assert [row.method for row in auc.rows] == ["first", "unproved"]
    assert [[cell.best for cell in row.cells] for row in auc.rows] == [[True] * 2, [False] * 2]
