"""A column within each group: shares that hold, and refusals that say why."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest

import sfumato as sf
from sfumato.accuracy.group import about_each_group, about_group, groups_of
from sfumato.accuracy.published import published
from sfumato.errors import ParameterError

FALSE_ALARM = 1e-6  # chance that a right interval fails one statistical test
SEX = np.tile(["f", "f", "m"], 100)
ILL = np.where(SEX == "f", np.arange(300) % 4 == 0, np.arange(300) % 2 == 0)
TABLE = pa.table({"sex": SEX, "ill": ILL})


def schema(role="group", neighbours="replace-one"):
    sex = {"kind": "category", "values": ["f", "m"]} | ({"role": role} if role else {})
    ill = {"kind": "boolean", "role": "label"}
    return {"name": "t", "neighbours": neighbours, "columns": {"sex": sex, "ill": ill}}


def release(seed=1, method="mosaic", role="group", neighbours="replace-one", **budget):
    budget = budget or {"epsilon": 1}
    facts = schema(role, neighbours)
    return sf.publish(TABLE, schema=facts, method=method, seed=seed, **budget)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_without_noise_shares_are_the_true_ones(neighbours):
    found = published(release(neighbours=neighbours, epsilon=10**7))
    assert groups_of(found.certificate) == ["sex"]
    shares = about_group(found, "sex", "ill", 0.95).figures["shares"]
    told = {(s["group"], s["value"]): (s["low"], s["noisy"], s["high"]) for s in shares}
    for sex in ("f", "m"):
        true = ILL[sex == SEX].mean()
        assert told[sex, "true"] == pytest.approx((true,) * 3, abs=1e-9)
        assert told[sex, "false"] == pytest.approx((1 - true,) * 3, abs=1e-9)


@pytest.mark.slow
def test_shares_cover_over_repeated_releases_and_narrow_ones_are_caught():
    runs, true, missed, narrow = 20, ILL[SEX == "m"].mean(), 0, 0
    for seed in range(runs):
        shares = about_group(published(release(seed)), "sex", "ill", 0.9).figures["shares"]
        told = next(s for s in shares if (s["group"], s["value"]) == ("m", "true"))
        missed += not told["low"] <= true <= told["high"]
        low, high = (told["noisy"] + (told[end] - told["noisy"]) / 20 for end in ("low", "high"))
        narrow += not low <= true <= high
    assert binomtest(missed, runs, 0.1, alternative="greater").pvalue > FALSE_ALARM
    assert binomtest(narrow, runs, 0.1, alternative="greater").pvalue < FALSE_ALARM


def test_what_is_no_group_or_has_no_table_is_refused_with_the_remedy():
    found = published(release())
    with pytest.raises(ParameterError, match=r"ill is no group .* role: group: sex"):
        about_group(found, "ill", "sex", 0.95)
    with pytest.raises(ParameterError, match="sex is the group itself"):
        about_group(found, "sex", "sex", 0.95)
    with pytest.raises(ParameterError, match="marks no other column with role: group"):
        about_each_group(published(release(role=None)), "ill", 0.95)
    with pytest.raises(ParameterError, match="modips publishes no tables of two columns"):
        about_each_group(published(release(method="modips")), "ill", 0.95)
