"""dp-lda: labels are private, classes are kept, the published division is caught."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError, SchemaError
from sfumato.example import CLINIC, clinic
from sfumato.measure.moments import Moments
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentLayout
from sfumato.table.records import Records
from sfumato.table.source import open_source

SCHEMA = Schema.parse(CLINIC)


def label_counts(release):
    return {v["values"]: v["counts"] for v in release.table["outcome"].value_counts().to_pylist()}


@pytest.mark.parametrize("sampler", ["gauss", "greedy"])
def test_with_a_large_budget_class_means_are_kept(sampler):
    original = clinic(6_000)
    release = sf.publish(original, schema=SCHEMA, method="dp-lda", epsilon=1_000, sampler=sampler)
    for name, width in (("age", 80), ("pressure", 140)):
        for outcome in ("home", "care"):
            before, after = (
                np.mean(t.filter(pa.compute.equal(t["outcome"], outcome))[name].to_numpy())
                for t in (original, release.table)
            )
            assert abs(before - after) < 0.02 * width


@pytest.mark.parametrize("sampler", ["gauss", "greedy"])
def test_a_classifier_trained_on_the_release_ranks_real_records(sampler):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.metrics import roc_auc_score

    train, test = clinic(20_000, seed=1), clinic(5_000, seed=2)
    release = sf.publish(train, schema=SCHEMA, method="dp-lda", epsilon=2, sampler=sampler)

    def numbers(table):
        columns = (table[name].to_numpy() for name in ("age", "pressure", "smoker"))
        return np.column_stack([np.asarray(c, float) for c in columns]), np.asarray(
            table["outcome"]
        ) == "care"

    def auc(table):
        model = LinearDiscriminantAnalysis().fit(*numbers(table))
        X, y = numbers(test)
        return roc_auc_score(y, model.decision_function(X))

    assert auc(release.table) > auc(train) - 0.03


def test_classes_come_in_their_noisy_sizes():
    original = clinic(20_000)
    release = sf.publish(original, schema=SCHEMA, method="dp-lda", epsilon=1, seed=1)
    found = label_counts(release)
    true = {v["values"]: v["counts"] for v in original["outcome"].value_counts().to_pylist()}
    assert sum(found.values()) == 20_000
    assert found != true
    assert abs(found["home"] - true["home"]) < 2_000


def test_a_class_that_the_data_does_not_contain_is_no_error():
    columns = SCHEMA.to_json()["columns"]
    columns["outcome"]["values"] = ["home", "care", "died"]
    known = Schema.of({"name": "clinic", "columns": columns})
    release = sf.publish(clinic(5_000), schema=known, method="dp-lda", epsilon=1)
    assert label_counts(release).get("died", 0) < 1_500


def test_without_a_label_it_is_refused_before_anything_is_read():
    columns = SCHEMA.to_json()["columns"]
    del columns["outcome"]["role"]
    with pytest.raises(SchemaError, match="needs a label"):
        sf.publish(
            "nowhere.csv", schema={"name": "c", "columns": columns}, method="dp-lda", epsilon=1
        )


def test_an_unknown_sampler_is_refused():
    with pytest.raises(ParameterError, match="sampler must be gauss or greedy"):
        sf.price(SCHEMA, method="dp-lda", epsilon=1, sampler="gibbs")


def test_only_the_label_is_refused():
    known = {"name": "l", "columns": {"y": {"kind": "boolean", "role": "label"}}}
    with pytest.raises(SchemaError, match="besides the label"):
        sf.price(known, method="dp-lda", epsilon=1)


TWO = Schema.of(
    {
        "name": "c",
        "columns": {
            "x": {"kind": "number", "low": 0, "high": 1},
            "y": {"kind": "boolean", "role": "label"},
        },
    }
)


def zeros(sick, well):
    """The exact entries of a table of zeros, as dp-lda measures it, and its noise."""
    domain = Domain.of(TWO)
    features = Features.of(domain, without=(domain.label,))
    moments = Moments(MomentLayout(features, "replace-one", 2), PureDP(1), domain.label)
    table = pa.table({"x": [0.0] * (sick + well), "y": [True] * sick + [False] * well})
    entries = moments.query(Records(open_source(table), domain))
    return entries / moments.layout.units, float(moments.noise.event.noise)


def test_dividing_by_exact_class_sizes_has_unbounded_loss_and_ours_has_not():
    """Ten zeros in a class, or nine and one moved: the published noisy mean gives it away."""
    (before, scale), (after, _) = zeros(10, 10), zeros(9, 11)
    assert np.abs(before - after).sum() == 1  # the count moves, sums and squares do not
    # Ours: every entry under noise of one scale; the largest loss of any outcome is below epsilon.
    assert np.abs(before - after).sum() / scale <= 1

    def published_loss(y):
        """Log density ratio of the mean of the class at y: noise of scale 3 over the exact size."""
        well, fewer = (20 - entries[0] for entries in (before, after))
        sizes = 20 - well, 20 - fewer
        densities = [np.log(n / 6) - n * abs(y) / 3 for n in sizes]
        return abs(densities[1] - densities[0])

    assert published_loss(30) > 9
    assert published_loss(300) > 90  # it grows with the distance: no epsilon bounds it
