"""The printed algorithms tell neighbours apart every time."""

from papers.outcome import Outcomes
from papers.xu2019 import leak


def test_each_event_is_certain_on_one_table_and_never_seen_on_its_neighbour():
    found = Outcomes()
    leak.run(found, seed=1, trials=50)
    for event in (leak.LIP_ZERO, leak.LOP_ZERO):
        assert found.values("leak", leak.BEFORE, 1.0, event).tolist() == [1.0] * 50
        assert found.values("leak", leak.AFTER, 1.0, event).tolist() == [0.0] * 50
