"""Any bytes in place of a state are refused in our own words, in little memory, and stay there."""

import json
import os
import tracemalloc
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import ReleaseError
from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.release.digest import digest
from sfumato.stream.counting import Counter
from sfumato.stream.state import Series, owner
from stream_world import planned

BITS = np.arange(64) % 3 == 0
R = Series("r")
PLANS = {
    "tree": planned(64, PureDP(1), every=4, smooth="monotone"),
    "pan": planned(64, PureDP(1), intrusions=3),
    "square-root": planned(64, ApproxDP(1, "1e-6"), every=4),
}
every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
WRONG = [
    None,
    True,
    -1,
    10**30,
    2**63,
    -(2**63),
    1.5,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "7",
    [],
    [[1]],
    [0] * 1_000,
    {},
    {"steps": 1},
]


def state_of(plan, place):
    counter = Counter(plan, Purse(plan.budget, SeededBits(2)))
    counter.count(BITS[:22])
    counter.save(place, R)
    return json.loads(place.read_text())


def write(place, paper):
    place.write_text(json.dumps({**paper, "seal": digest(paper)}))


def resume(plan, place):
    counter = Counter.resume(place, plan, Purse(plan.budget, SeededBits(3)), R)
    return counter.count(BITS[counter.position :])


def leaves(content, at=()):
    """Where values lie in nested mappings and lists: every place that can be forged."""
    if at:
        yield at
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from leaves(value, (*at, key))
        else:
            yield (*at, key)


def forged(paper, at, value):
    copy = json.loads(json.dumps(paper))
    inner = copy
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    return copy


@every_plan
def test_every_value_of_a_state_may_be_forged_under_a_seal_that_fits(plan, tmp_path):
    place = tmp_path / "state"
    whole = state_of(plan, place)
    refused = accepted = 0
    for at in leaves(whole):
        if at[0] == "seal":
            continue
        for value in WRONG:
            write(place, forged(whole, at, value))
            before = place.read_bytes()
            try:
                resume(plan, place)  # what is of the right kind may be read: it is the owner's
                accepted += 1
            except ReleaseError:
                refused += 1
                assert place.read_bytes() == before  # left as it is
            with suppress(ReleaseError):
                owner(place)
    assert refused > 5 * accepted
    assert refused > 200


@every_plan
def test_a_value_that_is_left_out_is_refused(plan, tmp_path):
    place = tmp_path / "state"
    whole = state_of(plan, place)
    for at in leaves(whole):
        if at[0] in ("seal", "caution") or isinstance(at[-1], int):
            continue
        copy = json.loads(json.dumps(whole))
        inner = copy
        for key in at[:-1]:
            inner = inner[key]
        del inner[at[-1]]
        write(place, copy)
        with suppress(ReleaseError):
            owner(place)
        if at == ("belongs to", "ledger"):
            continue  # none was kept, so nothing is missing
        with pytest.raises(ReleaseError):
            resume(plan, place)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 100,
        b"\xff\xfe" + "{}".encode("utf-16-le"),
        b"\xff" * 1_000,
        b"null",
        b"[]",
        b"7",
        b"{}",
        b"[" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"kind": "sfumato stream state", "format": 2}',
        b'{"kind": "sfumato stream state", "position": ' + b"9" * 10_000 + b"}",
        b'{"kind": ["sfumato stream state"], "seal": NaN}',
        b"PK\x03\x04",
    ],
)
def test_bytes_that_are_no_state_are_refused(content, tmp_path):
    place = tmp_path / "state"
    place.write_bytes(content)
    plan = PLANS["tree"]
    for read in (lambda: resume(plan, place), lambda: owner(place)):
        with pytest.raises(ReleaseError, match="state"):
            read()
    assert place.read_bytes() == content


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.integers(0, 2_000))
def test_bytes_pasted_into_a_state_are_refused_or_change_nothing(tmp_path, pasted, at):
    plan, place = PLANS["tree"], tmp_path / "state"
    place.unlink(missing_ok=True)
    state_of(plan, place)
    whole = place.read_bytes()
    place.write_bytes(whole[:at] + pasted + whole[at + len(pasted) :])
    with suppress(ReleaseError):
        resume(plan, place)


def test_a_nest_that_fits_its_seal_is_refused(tmp_path):
    place = tmp_path / "state"
    whole = state_of(PLANS["tree"], place)
    deep = []
    for _ in range(200):
        deep = [deep]
    whole["state"]["counts"] = deep
    write(place, whole)
    with pytest.raises(ReleaseError, match="counts is not what a state holds"):
        resume(PLANS["tree"], place)


def test_a_file_of_any_size_takes_little_memory(tmp_path):
    place = tmp_path / "state"
    with place.open("wb") as file:
        file.truncate(1 << 34)  # a hole of 16 GiB
    tracemalloc.start()
    with pytest.raises(ReleaseError, match="no state"):
        owner(place)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


def test_a_pipe_in_place_of_a_state_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "state")
    with pytest.raises(ReleaseError, match="no file"):
        owner(tmp_path / "state")


def test_a_forged_state_is_refused_by_publishing_too(tmp_path):
    place = tmp_path / "state"
    asked = {"horizon": 64, "every": 4, "epsilon": 1}
    sf.publish_stream(BITS[:22].astype(np.uint8), pause=place, **asked)
    whole = json.loads(place.read_text())
    for at, value in [
        (("state", "intake", "steps"), 10**30),
        (("position",), 2**70),
        (("belongs to",), []),
        (("belongs to", "part"), -1),
        (("belongs to", "release"), ["r"]),
        (("state",), None),
    ]:
        write(place, forged(whole, at, value))
        with pytest.raises(ReleaseError):
            sf.publish_stream(BITS.astype(np.uint8), resume=place, **asked)
        assert place.exists()
