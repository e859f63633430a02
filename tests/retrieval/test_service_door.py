"""Who has to go when there is no more room: whoever keeps the service waiting, the oldest first."""

import pytest

from sfumato.retrieval.service.door import Door
from sfumato.retrieval.service.limits import Limits


class Visitor:
    def __init__(self, stage, address="192.0.2.1"):
        self.stage, self.address, self.refusals = stage, address, []

    def drop(self, refusal):
        self.refusals.append(refusal)


def door(connections=9, per_address=9, **named):
    noted = []
    limits = Limits(connections=connections, per_address=per_address)
    return Door(limits, **({"by_address": True, "note": noted.append} | named)), noted


@pytest.mark.parametrize("limit", ["connections", "per_address"])
def test_room_is_made_by_heads_and_bodies_then_the_idle_then_the_stuck_and_never_by_who_waits(
    limit,
):
    entrance, noted = door(**{limit: 6})
    stages = ["reply", "stuck", "idle", "body", "head", "reply"]
    inside = [Visitor(stage) for stage in stages]
    assert all(map(entrance.admit, inside))
    for place in (3, 4, 2, 1):
        assert entrance.admit(Visitor("reply"))
        assert [k for k, one in enumerate(inside) if one.refusals] == sorted(
            {3: [3], 4: [3, 4], 2: [2, 3, 4], 1: [1, 2, 3, 4]}[place]
        )
        assert len(entrance) == 6
    assert not entrance.admit(Visitor("reply"))
    assert len(entrance) == 6
    assert noted == ["connections" if limit == "connections" else "connections of one address"]


def test_an_address_that_is_full_takes_nothing_from_the_others():
    entrance, _ = door(per_address=2)
    others = [Visitor("head", "192.0.2.9") for _ in range(2)]
    assert all(map(entrance.admit, [*others, Visitor("reply"), Visitor("reply")]))
    assert not entrance.admit(Visitor("head"))
    assert not any(one.refusals for one in others)


def test_behind_a_proxy_all_come_from_one_address_and_that_is_no_limit():
    entrance, _ = door(per_address=1, by_address=False)
    assert all(entrance.admit(Visitor("reply")) for _ in range(5))


def test_whoever_left_makes_room():
    entrance, _ = door(connections=1)
    first = Visitor("reply")
    assert entrance.admit(first)
    assert not entrance.admit(Visitor("head"))
    entrance.leave(first)
    entrance.leave(first)
    assert entrance.admit(Visitor("head"))


def test_when_the_service_stops_only_who_waits_for_a_reply_stays():
    entrance, _ = door()
    inside = [Visitor(stage) for stage in ("head", "body", "idle", "reply", "leaving", "stuck")]
    for one in inside:
        entrance.admit(one)
    entrance.close()
    assert [bool(one.refusals) for one in inside] == [True, True, True, False, True, True]
