"""Certificates made up for a test: every field is there, those that matter are given."""

from sfumato.privacy.guarantee import PureDP, to_json
from sfumato.release import Certificate

ONE = to_json(PureDP(1))


def made_up(events, **facts):
    """A certificate of these events and facts."""
    return Certificate.of(
        {
            "format": 1,
            "release": "made-up",
            "dataset": "made up",
            "unit": "one record",
            "neighbours": "replace-one",
            "options": {},
            "guarantee": ONE,
            "statement": "1-differential privacy",
            "budget": ONE,
            "events": [event.to_json() for event in events],
            "invariants": [],
            "columns": None,
            "rows": 0,
            "content": {"blake2b-256": "0" * 64},
            "synopsis": None,
            "ledger": None,
            "randomness": "none",
            "warnings": [],
            "limits": [],
            "versions": {},
        }
        | facts
    )
