"""For the owner's eyes: how good a release is, judged beside the records it came from.

NOT PRIVATE, all of it.  Every score here is computed from the records without noise, so it
tells something about them: from the similarity scores of private releases, outlying
records have been rebuilt (Ganev and De Cristofaro 2023), and even one score, such as the
accuracy of a model, can betray whether a known person was among the records.  Choosing a
release by its scores leaks in the same way.  So: look, decide on public or made-up data
where possible, keep the scores where the records are kept, and never put them into a
release, a report or a paper unless the records themselves are public.

>>> from sfumato.example import CLINIC, clinic
>>> from sfumato.schema import Schema
>>> patients, schema = clinic(200), Schema.parse(CLINIC)
>>> squared_error(patients, patients, schema).per_record
0.0
>>> total_variation(patients, patients, schema).mean
0.0
"""

from importlib import import_module
from typing import Any

from sfumato.inspection.as_read import as_read
from sfumato.inspection.classify import MODELS, Classification, Score, classification
from sfumato.inspection.clustering import Clustering, clustering
from sfumato.inspection.distortion import Distortion, distortion, matrix_distortion
from sfumato.inspection.exposure import Exposed, Exposure, exposure
from sfumato.inspection.information import (
    Distances,
    entropy,
    kl_divergence,
    total_variation,
)
from sfumato.inspection.panel.distances import PanelDistances, panel_distances
from sfumato.inspection.panel.lags import LagCorrelation, lag_correlations
from sfumato.inspection.ratio import error_ratio, noise_ratio, sensitivity_gain, sir
from sfumato.inspection.regression import Regression, regression
from sfumato.inspection.subspace import CapturedVariance, captured_variance, subspace_angle
from sfumato.inspection.utility import SquaredError, squared_error

__all__ = [
    "MODELS",
    "CapturedVariance",
    "Classification",
    "Clustering",
    "Distances",
    "Distortion",
    "Exposed",
    "Exposure",
    "LagCorrelation",
    "PanelDistances",
    "Regression",
    "Score",
    "SquaredError",
    "as_read",
    "captured_variance",
    "classification",
    "clustering",
    "distortion",
    "entropy",
    "error_ratio",
    "exposure",
    "kl_divergence",
    "lag_correlations",
    "matrix_distortion",
    "noise_ratio",
    "panel_distances",
    "regression",
    "sensitivity_gain",
    "sir",
    "squared_error",
    "subspace_angle",
    "total_variation",
]


def __getattr__(name: str) -> Any:
    if name not in ("attack", "audit"):  # packages of their own, imported when asked for
        raise AttributeError(f"module 'sfumato.inspection' has no attribute {name!r}")
    return import_module(f"sfumato.inspection.{name}")
