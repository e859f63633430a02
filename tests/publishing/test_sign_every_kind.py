"""Whatever is published can be signed, by a key that is found sound before anything is charged."""

import json
from functools import partial

import pyarrow as pa
import pytest

import sfumato as sf
from forging import changed, read, sealed
from parts_world import published
from party_world import World
from sfumato import party
from sfumato.errors import ParameterError, ReleaseError
from sfumato.ledger import Ledger
from sfumato.release.release import Release
from sfumato.release.signed import check_signature, signed, with_signed_files
from sfumato.signature import create_key, private_key
from visits_world import LINKED_PANEL, PANEL, linked_panel, panel

SCHEMA = {"name": "t", "columns": {"a": {"kind": "integer", "low": 0, "high": 30}}}
TABLE = pa.table({"a": [3, 14, 25] * 9})
EDGES = pa.table({"source": ["a", "b", "a"], "target": ["b", "c", "c"], "weight": [1.0, 2.0, 4.0]})
COUNTS = pa.table({"key": ["flu", "cold", "cough"], "count": [12, 30, 9]})
BLANK = {"name": "t", "columns": {"a": {"kind": "integer"}}}
BITS = [0, 1, 1, 0] * 8


def estimated(**given):
    return sf.estimate_schema(pa.table({"a": [1, 2, 3] * 900}), schema=BLANK, **given).release


KINDS = {
    "table": partial(sf.publish, TABLE, schema=SCHEMA),
    "parquet": partial(sf.publish, TABLE, schema=SCHEMA, format="parquet"),
    "own columns": partial(sf.publish, TABLE, schema=SCHEMA, method="identity-laplace"),
    "persons": partial(sf.publish, panel(), schema=PANEL),
    "two files": partial(sf.publish, linked_panel(), schema=LINKED_PANEL),
    "network": partial(sf.publish_network, EDGES, directed=False, high=10, name="t"),
    "stream": partial(sf.publish_stream, BITS, horizon=32, every=8, name="t"),
    "counts": partial(sf.publish_counts, COUNTS, name="t"),
    "estimate": estimated,
}
each_kind = pytest.mark.parametrize("publish", KINDS.values(), ids=KINDS)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    place = tmp_path_factory.mktemp("keys")
    for name in ("publisher", "stranger"):
        create_key(place / f"{name}.key")
    return place


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        for name in ("t", "panel"):
            ledger.grant(name, epsilon=9, reason="test")
        yield ledger


def failed(folder, **given):
    return [check.name for check in sf.verify(folder, **given).failed]


@each_kind
def test_every_kind_of_release_is_signed_charged_and_verified(publish, keys, ledger, tmp_path):
    sign, known = keys / "publisher.key", keys / "publisher.key.pub"
    publish(epsilon=1, ledger=ledger, folder=tmp_path / "r", sign=sign)
    assert failed(tmp_path / "r", key=known, ledger=ledger) == []
    assert failed(tmp_path / "r", key=keys / "stranger.key.pub") == ["origin"]
    paper = read(tmp_path / "r")
    sealed(tmp_path / "r", changed(paper, ("release",), "another"))
    assert "origin" in failed(tmp_path / "r")
    sealed(tmp_path / "r", {**paper, "rows": paper["rows"] + 1})
    assert "origin" in failed(tmp_path / "r")


@each_kind
def test_what_is_signed_in_memory_is_signed_when_it_is_saved(publish, keys, tmp_path):
    made = publish(epsilon=1, sign=str(keys / "publisher.key"))
    assert check_signature(made.certificate) == private_key(keys / "publisher.key").id
    for format in ("csv", "parquet"):
        made.save(tmp_path / format, format=format)
        assert failed(tmp_path / format, key=keys / "publisher.key.pub") == []
    loaded = Release.load(tmp_path / "csv")
    same = loaded.save(tmp_path / "same")  # to the byte, where the format is the same
    assert failed(same, key=keys / "publisher.key.pub") == []
    anew = loaded.save(tmp_path / "anew", format="parquet")
    assert failed(anew) == []
    assert failed(anew, key=keys / "publisher.key.pub") == ["origin"]
    again = loaded.save(tmp_path / "again", format="parquet", sign=keys / "publisher.key")
    assert failed(again, key=keys / "publisher.key.pub") == []


@each_kind
def test_a_key_that_is_none_is_refused_before_anything_is_charged(publish, keys, ledger, tmp_path):
    for sign in (keys / "none.key", keys / "publisher.key.pub", __file__):
        with pytest.raises(ParameterError, match="key"):
            publish(epsilon=1, ledger=ledger, folder=tmp_path / "r", sign=sign)
    assert not (tmp_path / "r").exists()
    assert all(str(ledger.balance(name).spent) == "nothing" for name in ledger.datasets())
    assert ledger.unfinished() == []


def test_a_private_key_is_in_no_file_of_a_release(keys, tmp_path):
    sf.publish(TABLE, schema=SCHEMA, epsilon=1, folder=tmp_path / "r", sign=keys / "publisher.key")
    Release.load(tmp_path / "r").report()
    lines = (keys / "publisher.key").read_text().splitlines()[1:-1]
    secret = private_key(keys / "publisher.key")._key.private_bytes_raw()
    for path in (tmp_path / "r").iterdir():
        text = path.read_bytes()
        assert not any(line.encode() in text for line in lines)
        assert secret not in text
        assert secret.hex().encode() not in text


def test_an_unsigned_release_is_what_it_was_before_there_were_signatures():
    made = sf.publish(TABLE, schema=SCHEMA, epsilon=1)
    assert "signature" not in made.certificate.to_json()
    assert "Signed by key" not in sf.report_page(made).decode()


def test_the_ledger_knows_a_release_by_the_same_digest_signed_or_not(keys):
    plain = sf.publish(TABLE, schema=SCHEMA, epsilon=1).certificate
    one = signed(plain, private_key(keys / "publisher.key"))
    two = signed(one, private_key(keys / "stranger.key"))
    assert plain.digest == one.digest == two.digest
    assert one.to_json() != two.to_json()
    assert check_signature(two) == private_key(keys / "stranger.key").id


def test_a_run_again_gives_the_release_as_it_was_signed_and_no_other(keys, ledger, tmp_path):
    again = partial(
        sf.publish, TABLE, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "r"
    )
    made = again(sign=keys / "publisher.key")
    assert again(sign=keys / "publisher.key").certificate == made.certificate
    assert again().certificate == made.certificate
    with pytest.raises(ReleaseError, match=r"is signed by another key: leave out sign"):
        again(sign=keys / "stranger.key")
    plain = partial(again, folder=tmp_path / "plain")
    plain()
    with pytest.raises(ReleaseError, match=r"is not signed: leave out sign"):
        plain(sign=keys / "publisher.key")
    assert str(ledger.balance("t").spent) == "epsilon 2"


def test_a_release_of_before_is_signed_as_it_is_saved_and_stays_in_the_ledger(
    keys, ledger, tmp_path
):
    made = sf.publish(TABLE, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "r")
    for name in ("stranger", "publisher"):
        Release.load(tmp_path / "r").save(tmp_path / name, sign=keys / f"{name}.key")
        known = keys / f"{name}.key.pub"
        assert failed(tmp_path / name, key=known, ledger=ledger) == []
    again = Release.load(tmp_path / "stranger")
    again.save(tmp_path / "again", sign=keys / "publisher.key", format="parquet")
    assert failed(tmp_path / "again", key=keys / "publisher.key.pub", ledger=ledger) == []
    assert made.certificate.signature is None
    with pytest.raises(ParameterError, match="is a public key"):
        again.save(tmp_path / "none", sign=keys / "publisher.key.pub")
    assert not (tmp_path / "none").exists()


def test_parts_of_a_release_are_signed(keys, tmp_path):
    """Each file of them: what is moved between two of them is not what was signed."""
    folder = published(tmp_path / "r").folder
    key = private_key(keys / "publisher.key")
    paper = with_signed_files(Release.load(folder).certificate, key).to_json()
    sealed(folder, paper)
    assert failed(folder, key=keys / "publisher.key.pub") == []
    one, two = (folder / f"data/part-0000{k}.parquet" for k in range(2))
    kept = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(kept)
    sealed(folder, paper)
    assert failed(folder, key=keys / "publisher.key.pub") == ["data", "origin"]


def test_a_later_part_of_a_series_is_signed_by_itself(keys, ledger, tmp_path):
    first = partial(
        sf.publish_stream, horizon=64, every=8, epsilon=1, name="t", ledger=ledger, release="s"
    )
    sign, state = keys / "publisher.key", tmp_path / "state"
    first(BITS, folder=tmp_path / "one", pause=state, sign=sign)
    first(BITS, folder=tmp_path / "two", resume=state, append=True, sign=sign)
    for name in ("one", "two"):
        assert failed(tmp_path / name, key=keys / "publisher.key.pub", ledger=ledger) == []
    paper = read(tmp_path / "two")
    paper["signature"] = read(tmp_path / "one")["signature"]
    sealed(tmp_path / "two", paper)
    assert "origin" in failed(tmp_path / "two")


def test_whoever_combines_what_parties_contributed_may_sign(keys, tmp_path):
    world = World(tmp_path, dropouts=0, colluders=0).joined().contribute().open()
    made = party.combine(world.exchange, tmp_path / "r", sign=keys / "publisher.key")
    assert made.certificate.signature is not None
    assert failed(tmp_path / "r", key=keys / "publisher.key.pub") == []
    paper = read(tmp_path / "r")
    names = json.loads(json.dumps(paper["parties"]["names"]).replace("north", "norse"))
    sealed(tmp_path / "r", changed(paper, ("parties", "names"), names))
    with pytest.raises(ReleaseError):
        sf.verify(tmp_path / "r")
    with pytest.raises(ParameterError, match="is a public key"):
        party.combine(world.exchange, tmp_path / "q", sign=keys / "publisher.key.pub")
