"""Signed releases: whatever a forger changes and seals again is caught by name."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from forging import OUTSIDE, changed, leaves, others, read, sealed, with_synopsis
from sfumato.errors import ParameterError, ReleaseError
from sfumato.publishing.origin import ANYBODY, signer
from sfumato.release import Certificate
from sfumato.release.reading import read_certificate
from sfumato.release.signed import signed
from sfumato.signature import create_key, private_key

SCHEMA = {
    "name": "clinic",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 30},
        "smoker": {"kind": "boolean"},
        "ward": {"kind": "category", "values": ["a", "b", "c"]},
    },
}
TABLE = pa.table(
    {"age": [3, 14, 25] * 9, "smoker": [True, False, True] * 9, "ward": list("abc") * 9}
)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Keys, a ledger, a signed release, another one of the same kind and an unsigned one."""
    place = tmp_path_factory.mktemp("signed")
    for name in ("publisher", "stranger"):
        create_key(place / f"{name}.key")
    with sf.Ledger.create(place / "budget.db") as ledger:
        ledger.grant("clinic", epsilon=9, reason="test")
        for name, sign in (("own", "publisher"), ("twin", "publisher"), ("plain", None)):
            sf.publish(
                TABLE,
                schema=SCHEMA,
                epsilon=1,
                ledger=ledger,
                folder=place / name,
                sign=None if sign is None else place / f"{sign}.key",
                release=name,
            )
    return place


@pytest.fixture
def own(world, tmp_path):
    return shutil.copytree(world / "own", tmp_path / "r")


@pytest.fixture
def plain(world, tmp_path):
    return shutil.copytree(world / "plain", tmp_path / "plain")


def failed(folder, **given):
    """Names and findings of what did not pass."""
    return {check.name: check.detail for check in sf.verify(folder, **given).failed}


def origin(folder, **given):
    (check,) = [check for check in sf.verify(folder, **given) if check.name == "origin"]
    return check


def test_a_signed_release_passes_under_the_key_of_its_publisher(world, own):
    found = sf.verify(own, key=world / "publisher.key.pub", ledger=world / "budget.db")
    assert [check.name for check in found] == ["files", "plan", "data", "origin", "ledger"]
    assert found.passed
    assert found[3].detail.endswith("which is in publisher.key.pub")


def test_without_a_key_it_says_which_signed_and_not_that_this_is_the_publisher(world, own):
    check, key = origin(own), private_key(world / "publisher.key").id
    assert check.passed
    assert check.detail == (
        f"signed by key {key[:32]}…; whether that is the publisher's key, --key publisher.key.pub "
        "says"
    )


def test_an_unsigned_release_passes_only_as_of_unknown_origin(world, plain):
    assert origin(plain).detail == "origin unknown: not signed"
    assert sf.verify(plain).passed
    found = failed(plain, key=world / "publisher.key.pub")
    assert list(found) == ["origin"]
    assert found["origin"].startswith("not signed")


def test_a_release_signed_by_another_key_is_caught_by_name(world, own):
    """By somebody who changed it, sealed it and signed it anew: all else passes."""
    paper = read(own)
    paper["release"] = "mine"
    del paper["signature"]
    sealed(own, paper)
    forged = signed(read_certificate(own), private_key(world / "stranger.key"))
    sealed(own, forged.to_json())
    assert failed(own) == {}
    found = failed(own, key=world / "publisher.key.pub")
    stranger = private_key(world / "stranger.key").id
    assert found == {
        "origin": f"signed by another key: {stranger[:32]}… is not in publisher.key.pub"
    }


def test_a_stripped_signature_is_caught_by_whoever_asks_for_the_key(world, own):
    paper = read(own)
    del paper["signature"]
    sealed(own, paper)
    assert origin(own).detail == "origin unknown: not signed"
    assert list(failed(own, key=world / "publisher.key.pub")) == ["origin"]


def test_the_signature_of_another_release_does_not_fit(world, own):
    paper = read(own)
    paper["signature"] = read(world / "twin")["signature"]
    sealed(own, paper)
    assert "that of another release" in failed(own)["origin"]


def test_every_field_of_a_certificate_is_signed(own):
    """All values, in every field, each changed and sealed again as a forger would."""
    paper, refused, caught, fields = read(own), 0, 0, set()
    for where in leaves(paper):
        if where[0] in OUTSIDE:
            continue
        inner = paper
        for key in where:
            inner = inner[key]
        for value in others(inner):
            forged = changed(paper, where, value)
            try:
                certificate = Certificate.of(forged)
            except ReleaseError:  # which nobody reads
                refused += 1
                continue
            with pytest.raises(ReleaseError, match="signature does not fit"):
                signer(certificate, ANYBODY)
            caught += 1
            fields.add(where[0])
    assert caught > 60
    assert {"release", "dataset", "schema", "ledger", "versions", "content", "synopsis"} <= fields


def test_every_field_left_out_or_put_in_is_signed(own):
    paper = read(own)
    for field in [name for name in paper if name not in OUTSIDE]:
        forged = {name: fact for name, fact in paper.items() if name != field}
        with pytest.raises(ReleaseError):
            signer(Certificate.of(forged), ANYBODY)
    absent = [
        name for name in Certificate.model_fields if name not in paper and name != "signature"
    ]
    assert absent
    for field in absent:
        alias = Certificate.model_fields[field].alias or field
        if alias not in paper:
            with pytest.raises(ReleaseError):
                signer(Certificate.of({**paper, alias: None}), ANYBODY)


def test_names_and_ids_that_nothing_else_binds_are_caught_in_the_folder(own, plain):
    """What passes unsigned, the control, fails by name in a signed release."""
    edits = {
        ("release",): "winter",
        ("ledger", "id"): "0" * 32,
        ("ledger", "head"): "0" * 64,
        ("versions", "numpy"): "1.0",
    }
    for where, value in edits.items():
        sealed(plain, changed(read(plain), where, value))
        assert failed(plain) == {}
        paper = read(own)
        sealed(own, changed(paper, where, value))
        assert list(failed(own)) == ["origin"]
        sealed(own, paper)
    assert failed(own) == {}


def test_a_data_set_by_another_name_is_caught(own, plain):
    for folder, found in ((plain, []), (own, ["origin"])):
        paper = read(folder)
        paper["dataset"] = paper["schema"]["name"] = "hospital"
        sealed(folder, paper)
        assert list(failed(folder)) == found


@pytest.mark.slow
def test_every_value_of_a_synopsis_is_signed(own, plain):
    passed = 0
    synopsis, bare = read(own, "synopsis.json"), read(plain, "synopsis.json")
    places = list(leaves(synopsis))
    assert len(places) > 40
    for where in places:
        value = synopsis
        for key in where:
            value = value[key]
        for other in others(value)[:1]:
            forged = changed(synopsis, where, other)
            with_synopsis(own, forged, certified=False)
            found = failed(own)
            assert found["files"] == "synopsis.json was changed after the release"
            with_synopsis(own, forged, certified=True)
            assert "signature does not fit" in failed(own)["origin"]
            sealed(own, {**read(own), "synopsis": read(own)["synopsis"]})
    for where in leaves(bare):
        value = bare
        for key in where:
            value = value[key]
        with_synopsis(plain, changed(bare, where, others(value)[0]), certified=True)
        passed += sf.verify(plain).passed
    assert passed > 10, "control: unsigned, many of these changes are seen by nobody"


def test_the_synopsis_of_another_release_is_caught(world, own):
    other = read(world / "twin", "synopsis.json")
    with_synopsis(own, other, certified=False)
    assert "files" in failed(own)
    with_synopsis(own, other, certified=True)
    assert list(failed(own)) == ["origin"]
    with_synopsis(own, read(world / "own", "synopsis.json"), certified=True)
    shutil.copy(world / "own" / "synopsis.json", own)
    sealed(own, read(own))
    assert failed(own) == {}, "control: its own passes"


@pytest.mark.parametrize("name", ["files", "seal", "note"])
def test_nothing_can_be_put_beside_the_values_of_a_synopsis(world, tmp_path, name):
    folder = tmp_path / "r"
    sf.publish(TABLE, schema=SCHEMA, epsilon=1, method="modips", folder=folder)
    with_synopsis(folder, {**read(folder, "synopsis.json"), name: "x"}, certified=False)
    assert failed(folder)["files"] == "synopsis.json was changed after the release"


def test_notes_inside_a_parquet_file_are_refused(world, tmp_path):
    """pandas takes names of columns from there."""
    folder = sf.Release.load(world / "own").save(
        tmp_path / "p", format="parquet", sign=world / "publisher.key"
    )
    assert sf.verify(folder, key=world / "publisher.key.pub").passed
    table = pq.read_table(folder / "data.parquet").replace_schema_metadata({"pandas": "{}"})
    pq.write_table(table, folder / "data.parquet")
    sealed(folder, read(folder))
    assert "notes beside its records" in failed(folder)["data"]


def test_the_order_of_columns_is_signed_where_there_are_no_rows(world, tmp_path):
    made = sf.publish(
        TABLE, schema=SCHEMA, epsilon=1, rows=0, fit=False, sign=world / "publisher.key"
    )
    record = made.certificate.to_json()
    columns = record["schema"]["columns"]
    turned = {**record, "schema": {**record["schema"], "columns": dict(reversed(columns.items()))}}
    assert Certificate.of(turned).digest == made.certificate.digest
    assert signer(made.certificate, ANYBODY)
    with pytest.raises(ReleaseError, match="signature does not fit"):
        signer(Certificate.of(turned), ANYBODY)


def test_a_page_of_a_forged_release_is_not_made(own):
    paper = read(own)
    paper["release"] = "winter"
    sealed(own, paper)
    with pytest.raises(ReleaseError, match="signature does not fit"):
        sf.Release.load(own).report()


WELL_FORMED = [
    {"value": "0" * 128},
    {"value": "f" * 128},
    {"key": "0" * 64},
    {"key": "f" * 64},
]


@pytest.mark.parametrize(
    "facts",
    [
        "x",
        [],
        {},
        {"value": "0" * 126},
        {"value": "0" * 130},
        {"value": "g" * 128},
        {"value": "0" * 10**6},
        {"value": 7},
        {"value": None},
        {"value": ["0" * 128]},
        {"value": "A" * 128},
        {"key": "0" * 62},
        {"key": "f" * 10**5},
        {"key": True},
        {"algorithm": "none"},
        {"algorithm": None},
        {"more": 1},
        *WELL_FORMED,
    ],
)
def test_a_malformed_signature_is_refused_in_a_line(own, facts):
    paper, fits = read(own), facts in WELL_FORMED
    if isinstance(facts, dict) and facts:
        facts = {**paper["signature"], **facts}
    paper["signature"] = facts
    sealed(own, paper)
    if fits:
        assert "signature does not fit" in failed(own)["origin"]
    else:
        with pytest.raises(ReleaseError, match=r"is damaged: signature") as refused:
            sf.verify(own)
        assert len(str(refused.value)) < 500


def test_a_page_keeps_the_signature_and_another_format_that_of_the_figures(world, own, tmp_path):
    sf.Release.load(own).report()
    key = private_key(world / "publisher.key").id
    assert key in (own / "report.html").read_text()
    assert sf.verify(own, key=world / "publisher.key.pub").passed
    loaded = sf.Release.load(own)
    same = loaded.save(tmp_path / "csv")
    assert sf.verify(same, key=world / "publisher.key.pub").passed
    anew = loaded.save(tmp_path / "parquet", format="parquet")
    assert origin(anew).detail.startswith(
        f"its figures are signed, not its files: by key {key[:32]}"
    )
    assert list(failed(anew, key=world / "publisher.key.pub")) == ["origin"]


def test_several_keys_are_taken_from_one_file_and_from_several(world, own, tmp_path):
    both = tmp_path / "keys.txt"
    texts = [(world / f"{name}.key.pub").read_text() for name in ("stranger", "publisher")]
    both.write_text("# since 2025\n" + texts[0] + "\n" + texts[1].rstrip() + "  # since 2026\n")
    assert origin(own, key=both).detail.endswith("which is in keys.txt")
    several = [world / "stranger.key.pub", str(world / "publisher.key.pub")]
    assert origin(own, key=several).detail.endswith("which is in publisher.key.pub")


def test_a_revoked_key_counts_no_more(world, own, plain, tmp_path):
    revoked = tmp_path / "revoked.txt"
    revoked.write_text("# none so far\n")
    assert sf.verify(own, key=world / "publisher.key.pub", revoked=revoked).passed
    revoked.write_text(f"{private_key(world / 'publisher.key').id}  # lost with a laptop\n")
    for key in (None, world / "publisher.key.pub"):
        found = failed(own, key=key, revoked=revoked)
        assert list(found) == ["origin"]
        assert found["origin"].endswith("which revoked.txt revokes")
    assert sf.verify(plain, revoked=revoked).passed
    (tmp_path / "later.txt").write_text(f"{private_key(world / 'stranger.key').id}\n")
    for several in ([revoked, tmp_path / "later.txt"], [tmp_path / "later.txt", revoked]):
        assert failed(own, revoked=several)["origin"].endswith("which revoked.txt revokes")


def test_a_list_that_cannot_be_read_is_no_empty_one(world, own, tmp_path):
    with pytest.raises(ParameterError, match="cannot be read"):
        sf.verify(own, revoked=tmp_path / "none")
    with pytest.raises(ParameterError, match="cannot be read"):
        sf.verify(own, key=tmp_path / "none")
    with pytest.raises(ParameterError, match="no public key was given"):
        sf.verify(own, key=[])
