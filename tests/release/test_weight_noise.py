"""The noise on weights: told in their unit, with a warning where it is about their range."""

from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Event
from sfumato.release.weight_noise import weights_drowned

EDGES = pa.table({"source": ["a", "b"], "target": ["b", "c"], "weight": [7.0, 3.0]})


def published(**options):
    return sf.publish_network(EDGES, directed=False, **({"high": 10} | options)).certificate


@pytest.mark.parametrize(
    ("options", "figure"),
    [
        ({"epsilon": 1}, 10),
        ({"epsilon": 2, "distance": 1, "step": "0.1"}, 0.5),
        ({"epsilon": 1, "step": 5}, 10),
    ],
)
def test_the_noise_is_told_in_the_unit_of_the_weights(options, figure):
    event = published(**options).events[0]
    assert event.in_units.statistic == "weights"
    assert event.in_units.size == figure != event.size
    variance = published(rho="0.5", distance=2, step="0.1").events[0].in_units
    assert variance.size == 4
    assert variance.deviation == 2


def test_what_names_no_step_is_told_as_it_is():
    event = Event("sums", "discrete-laplace", Fraction(2), Fraction(4), PureDP("1/2"))
    assert event.in_units is event


@pytest.mark.parametrize(
    ("options", "drowned"),
    [
        ({"epsilon": 1}, True),
        ({"epsilon": 1, "high": 1000, "step": 1}, True),
        ({"epsilon": 1, "low": -10}, True),
        ({"rho": "0.5"}, True),
        ({"epsilon": 6}, False),
        ({"epsilon": 1, "distance": 1}, False),
    ],
)
def test_noise_about_as_wide_as_the_range_is_warned_of(options, drowned):
    said = weights_drowned(published(**options))
    assert (said is not None) == drowned
    assert said is None or "mostly noise" in said


def test_nothing_is_said_where_nothing_is_promised():
    release = sf.publish_network(
        EDGES, directed=False, method="edge-gaussian", accept_no_guarantee=True
    )
    assert weights_drowned(release.certificate) is None
