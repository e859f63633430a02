"""What a published head tells about the lines behind it: nothing, whatever is guessed."""

import getpass
import time

import pyarrow as pa
import pytest

from ledger_world import lines_in
from sfumato import publish
from sfumato.ledger import Ledger, chain
from sfumato.ledger.chain import Balance, hash_of, next_line, written
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP, to_json
from sfumato.publishing.table import price

SCHEMA = {
    "name": "clinic",
    "neighbours": "add-remove",
    "columns": {"s": {"kind": "boolean"}, "t": {"kind": "boolean"}},
}


def certificates(path, records):
    table = pa.table({name: [i % 2 == 0 for i in range(records)] for name in ("s", "t")})
    with Ledger.create(path) as ledger:
        ledger.grant("clinic", PureDP(2), reason="a reason that nobody knows")
        return [
            publish(table, schema=SCHEMA, epsilon=1, ledger=ledger, release=name).certificate
            for name in ("r1", "r2")
        ]


def guessed(first, second, now, seconds=8):
    """Whether the second head is that of lines without a fingerprint, from the first head on."""
    account = price(second.public_schema, method=second.method, epsilon=1).terms
    said = {"guarantee": to_json(second.guarantee), "first": to_json(account.fit.cost)}
    asked = written({**said, "plan": account.digest()})
    spent = Balance(Charge(2_000_000), Charge(1_000_000), 1, protects=account.protects)
    told = written({"digest": first.digest})
    who = getpass.getuser()
    amount = Charge(1_000_000)
    for before in range(3, 8):
        for clock in range(now - seconds, now + 1):
            settled = next_line(
                (before, first.ledger.head), spent, "settle", "clinic", told,
                clock=clock, who=who, release="r1",
            )  # fmt: skip
            for later in range(clock, now + 1):
                reserved = next_line(
                    (before + 1, hash_of(settled)), spent, "reserve", "clinic", asked,
                    clock=later, who=who, release="r2", amount=amount, protects=account.protects,
                )  # fmt: skip
                for last in (later, later + 1):
                    drawn = next_line(
                        (before + 2, hash_of(reserved)), reserved.balance, "draw", "clinic",
                        written({}), clock=last, who=who, release="r2",
                    )  # fmt: skip
                    if hash_of(drawn) == second.ledger.head:
                        return True
    return False


@pytest.mark.parametrize("nonces", ["random", "known"])
def test_from_one_head_the_next_cannot_be_guessed(tmp_path, monkeypatch, nonces):
    monkeypatch.setattr(Ledger, "draw", _without_fingerprint(Ledger.draw))
    if nonces == "known":  # the control: what would be guessed without them
        monkeypatch.setattr(chain.secrets, "token_hex", lambda size: "0" * 2 * size)
    first, second = certificates(tmp_path / "budget.db", 19)
    assert guessed(first, second, int(time.time())) == (nonces == "known")


def _without_fingerprint(draw):
    return lambda ledger, release, _: draw(ledger, release, None)


def test_every_line_has_a_nonce_of_its_own(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        for _ in range(50):
            ledger.grant("clinic", PureDP(1), reason="again")
        nonces = [event.nonce for event, _ in lines_in(ledger)]
    assert len({*nonces}) == 51
    assert {len(nonce) for nonce in nonces} == {32}


@pytest.mark.parametrize("records", [0, 1, 19, 20])
def test_the_data_is_known_again_however_few_records_there_are(tmp_path, records):
    path = tmp_path / "budget.db"
    certificates(path, records)
    with Ledger(path) as ledger:
        marks = [e.fingerprint for e, _ in lines_in(ledger) if e.kind == "draw"]
    assert len(marks) == 2
    assert len({*marks}) == 1
    assert marks[0] is not None
