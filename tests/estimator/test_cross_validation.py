"""F17: whatever happens in cross-validation, each fit is charged once and none is given back."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

from killing import in_child, kill_at_every_line, quick_folder
from sfumato.errors import BudgetError
from sfumato.estimator import Publisher, SyntheticTrained
from sfumato.example import CLINIC, clinic
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from slowness import slow

SCHEMA = Schema.parse(CLINIC)
PATIENTS = clinic(240).to_pandas()
X, Y = PATIENTS.drop(columns="outcome"), PATIENTS["outcome"]
some_scores_missing = pytest.mark.filterwarnings("ignore:One or more of the test scores")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


class Moody(ClassifierMixin, BaseEstimator):
    """Guesses the first class, unless its mood says otherwise."""

    def __init__(self, mood="calm"):
        self.mood = mood

    def fit(self, X, y):
        if self.mood == "angry":
            raise RuntimeError("not today")
        if self.mood == "deadly":
            os.kill(os.getpid(), signal.SIGKILL)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def granted(path, epsilon):
    with Ledger.create(path) as ledger:
        ledger.grant("clinic", PureDP(epsilon), reason="test")
    return path


@pytest.fixture
def budget(tmp_path):
    return granted(tmp_path / "budget.db", 3)


def fits(path):
    """Epsilon spent at one per fit, after every line of the ledger was checked."""
    with Ledger(path) as ledger:
        ledger.verify()
        return ledger.balance("clinic").spent.micro_epsilon / 10**6


def trained(path, model=None, **changes):
    given = {"method": "dp-lda", "epsilon": 1, "ledger": path} | changes
    return SyntheticTrained(model or Moody(), Publisher(SCHEMA, **given))


def test_every_fold_is_charged_once(budget):
    scores = cross_val_score(trained(budget), X, Y, cv=3)
    assert len(scores) == 3
    assert fits(budget) == 3


def test_a_fold_too_many_is_refused_and_nothing_is_granted(budget):
    with pytest.warns(FitFailedWarning, match="has epsilon 0 left"):
        scores = cross_val_score(trained(budget), X, Y, cv=4)
    assert np.isnan(scores).sum() == 1
    assert fits(budget) == 3


@some_scores_missing
def test_a_model_that_fails_leaves_the_charge_of_its_fit_and_no_other(budget):
    with pytest.raises(RuntimeError, match="not today"):
        cross_val_score(trained(budget, Moody("angry")), X, Y, cv=3, error_score="raise")
    assert fits(budget) == 1
    search = GridSearchCV(
        trained(budget, Moody()), {"estimator__mood": ["calm", "angry"]}, cv=2, refit=False
    )
    with pytest.warns(FitFailedWarning, match="2 fits failed"):
        search.fit(X, Y)
    assert fits(budget) == 3  # two folds of the calm one: the angry one found no budget


def test_a_search_pays_for_every_candidate_fold_and_the_last_fit(tmp_path):
    budget = granted(tmp_path / "five.db", 5)
    grid = {"estimator__mood": ["calm", "serene"]}
    search = GridSearchCV(trained(budget), grid, cv=2).fit(X, Y)
    assert fits(budget) == 5
    assert search.best_estimator_.publisher_.release_.guarantee == PureDP(1)
    assert not hasattr(clone(search.best_estimator_), "publisher_")
    assert fits(budget) == 5  # a clone spends nothing and carries nothing over
    with pytest.raises(BudgetError):
        search.best_estimator_.fit(X, Y)


@pytest.mark.slow
@some_scores_missing
def test_two_processes_on_one_ledger_spend_exactly_what_was_granted(budget):
    search = GridSearchCV(
        trained(budget), {"publisher__method": ["dp-lda", "modips"]}, cv=3, n_jobs=2, refit=False
    )
    with pytest.warns(FitFailedWarning, match="3 fits failed"):
        search.fit(X, Y)
    folds = np.stack([search.cv_results_[f"split{k}_test_score"] for k in range(3)])
    assert np.isnan(folds).sum() == 3
    assert fits(budget) == 3
    with Ledger(budget) as ledger:
        assert ledger.unfinished() == []


@needs_fork
def test_a_killed_loop_has_paid_for_the_fit_it_was_in_and_those_before(budget):
    grid = {"estimator__mood": ["calm", "deadly"]}
    search = GridSearchCV(trained(budget, Moody()), grid, cv=2, refit=False)
    assert in_child(lambda: search.fit(X, Y)) == -signal.SIGKILL
    assert fits(budget) == 3  # both folds of the calm one, and the fold that killed
    with Ledger(budget) as ledger:
        assert ledger.unfinished() == []  # it was published; only the model died


@needs_fork
@pytest.mark.parametrize("stride", [31, slow(9)])
def test_killed_at_every_line_of_a_fit_no_more_than_that_fit_is_charged(stride):
    with quick_folder() as place:
        path = Path(place) / "budget.db"

        def prepare():
            for found in Path(place).iterdir():
                found.unlink()
            granted(path, 3)
            trained(path).fit(X[:40], Y[:40])

        seen = set()

        def check(_):
            seen.add(fits(path))

        files = (
            "estimator/publisher.py",
            "estimator/trained.py",
            "sfumato/publishing/transaction.py",
        )
        survived = kill_at_every_line(
            lambda: trained(path).fit(X[:40], Y[:40]), files, check, prepare, stride=stride
        )
    assert survived > 60
    assert seen == {1, 2}
