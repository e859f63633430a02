"""A ledger goes from a file to a database and back, killed or refused on the way."""

import pytest

pytest.importorskip("psycopg")

from killing import kill_at_every_line
from ledger_world import ABOUT, DIGEST, PLAN
from postgres_ledger import made
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.making import place_name
from sfumato.ledger.postgres.address import LedgerAddress
from sfumato.privacy.guarantee import PureDP

FILES = ("ledger/moving.py", "ledger/session.py", "ledger/making.py", "postgres/building.py",
         "sqlite/file.py")  # fmt: skip


def begun(place):
    """A ledger with releases that came to each state."""
    with Ledger.create(place) as ledger:
        ledger.grant("adult", PureDP(3), reason="approved")
        for release in ("reserved", "drawn", "released"):
            ledger.reserve(release, "adult", PureDP("0.5"), plan=PLAN, protects=ABOUT)
        ledger.draw("drawn", b"fingerprint of it")
        ledger.draw("released", b"fingerprint of it")
        ledger.settle("released", DIGEST)
        return ledger.head, ledger.ledger_id, [line.nonce for line in ledger.history()]


@pytest.fixture
def spender(people, address, schema):
    """May spend there once the ledger is there."""

    def let_in():
        with people.raw() as raw:
            raw.execute(f"GRANT {schema}_publisher TO maker")

    return let_in


def test_there_and_back_the_chain_and_what_is_under_way_stay(tmp_path, address, spender):
    head, ledger_id, nonces = begun(tmp_path / "one.db")
    with Ledger(tmp_path / "one.db") as ledger:
        ledger.move(address)
        with pytest.raises(LedgerError, match="was moved to postgresql:"):
            ledger.grant("adult", PureDP(1), reason="approved")
    spender()
    with Ledger(address) as ledger:
        assert (ledger.ledger_id, ledger.verify(head=head)) == (ledger_id, ledger.head)
        ledger.draw("reserved", b"fingerprint of it")
        with pytest.raises(LedgerError, match="its noise"):
            ledger.draw("drawn", b"fingerprint of it")
        ledger.settle("drawn", DIGEST)
        between = ledger.head
        ledger.move(tmp_path / "two.db")
        with pytest.raises(LedgerError, match="was moved to"):
            ledger.settle("reserved", DIGEST)
    with Ledger(tmp_path / "two.db") as ledger:
        assert (ledger.ledger_id, ledger.verify(head=between)) == (ledger_id, ledger.head)
        assert ledger.verify(head=head)
        ledger.settle("reserved", DIGEST)
        assert {ledger.entry(r).state for r in ("reserved", "drawn", "released")} == {"released"}
        assert [line.nonce for line in ledger.history()][: len(nonces)] == nonces
        assert ledger.balance("adult").spent.micro_epsilon == 1_500_000


@pytest.mark.slow
@pytest.mark.parametrize("stride", [23])
@pytest.mark.parametrize("back", [False, True])
def test_killed_on_the_way_the_same_move_finishes_and_never_two_are_open(
    people, tmp_path, back, stride
):
    state = {"number": 0}

    def prepare():
        state["number"] += 1
        file = tmp_path / f"{state['number']}.db"
        schema = f"move{int(back)}x{stride}x{state['number']}"
        there = people.url("maker", schema)
        state["from"], state["to"] = (there, file) if back else (file, there)
        state["schema"] = schema
        state["head"], state["id"], _ = begun_cheaply(people, state["from"], schema)

    def begun_cheaply(people, place, schema):
        with Ledger.create(place) as ledger:
            ledger.grant("adult", PureDP(3), reason="approved")
            return ledger.head, ledger.ledger_id, None

    def action():
        with Ledger(state["from"]) as ledger:
            ledger.move(state["to"])

    def open_places():
        found = 0
        for place in (state["from"], state["to"]):
            try:
                with Ledger(place) as ledger:
                    ledger.grant("adult", PureDP(1), reason="whether it is open")
                    found += 1
            except LedgerError:
                pass
        return found

    def check(_):
        assert open_places() <= 1
        action()
        with Ledger(state["to"]) as ledger:
            assert ledger.ledger_id == state["id"]
            assert ledger.verify(head=state["head"])
        assert open_places() == 1
        people.clear(state["schema"])

    assert kill_at_every_line(action, FILES, check, prepare, stride=stride) > 60


def test_a_place_that_is_taken_is_refused_and_the_ledger_stays_open(
    people, tmp_path, address, schema
):
    made(people, address)
    begun(tmp_path / "one.db")
    with Ledger(tmp_path / "one.db") as ledger:
        with pytest.raises(LedgerError, match="has a schema"):
            ledger.move(address)
        with pytest.raises(LedgerError, match="is there already"):
            ledger.move(tmp_path / "one.db")
        with pytest.raises(LedgerError, match="may not make a schema"):
            ledger.move(people.url("paul", "elsewhere"))
        (tmp_path / "file").write_text("taken")
        with pytest.raises(LedgerError, match="exists: choose another name"):
            ledger.move(tmp_path / "file")
        ledger.grant("adult", PureDP(1), reason="still open")
    with Ledger(address) as ledger:
        assert ledger.balance("adult").granted.micro_epsilon == 3_000_000


def test_who_may_only_spend_does_not_close_the_ledger(people, tmp_path, address, schema):
    made(people, address)
    for who in ("paul", "ann"):
        with Ledger(people.url(who, schema)) as ledger:
            with pytest.raises(LedgerError, match="only whoever made the ledger moves it"):
                ledger.move(tmp_path / "mine.db")
            assert not (tmp_path / "mine.db").exists()
    with Ledger(people.url("paul", schema)) as ledger:
        ledger.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT)


def test_two_servers_of_one_host_are_two_places(monkeypatch):
    def name(address):
        return LedgerAddress.of(address).name

    for one, two in (
        ("postgresql://h/d", "postgresql://h:5433/d"),
        ("postgresql://h/d?port=5433", "postgresql://h/d?port=5434"),
        ("postgresql:///d?host=/a", "postgresql:///d?host=/b"),
        ("postgresql://h/d", "postgresql://h/d?schema=other"),
    ):
        assert name(one) != name(two)
    assert name("postgresql://h:5432/d") == name("postgresql://anna@h/d")
    before = name("postgresql://h/d")
    monkeypatch.setenv("PGPORT", "5433")
    assert name("postgresql://h/d") != before


def test_a_place_is_what_the_address_leads_to_and_the_machine_that_reaches_it(
    address, monkeypatch, tmp_path
):
    """Of what is left to the environment, another user or machine would make another place."""
    place, _, settings = address.partition("?")
    server, _, database = place.rpartition("/")
    whole = place_name(address)
    assert f"/{database}?" in whole
    monkeypatch.setenv("PGDATABASE", database)
    assert place_name(f"{server}?{settings}") == whole
    monkeypatch.setenv("PGDATABASE", "template1")
    assert place_name(f"{server}?{settings}") != whole
    for place in (address, tmp_path / "budget.db"):
        here = place_name(place)
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr("sfumato.ledger.making.gethostname", lambda: "elsewhere")
            assert place_name(place) != here


def test_the_same_path_on_another_machine_does_not_open_it_a_second_time(tmp_path, monkeypatch):
    begun(tmp_path / "one.db")
    with Ledger(tmp_path / "one.db") as ledger:
        ledger.move(tmp_path / "two.db")
        (tmp_path / "two.db").rename(tmp_path / "of the first machine.db")
        monkeypatch.setattr("sfumato.ledger.making.gethostname", lambda: "elsewhere")
        with pytest.raises(LedgerError, match=r"was moved to .* on "):
            ledger.move(tmp_path / "two.db")
    assert not (tmp_path / "two.db").exists()
