"""A certificate: read as it was written, and refused where we would have written otherwise."""

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError, ReleaseError
from sfumato.privacy.mechanism import Event
from sfumato.release import Certificate
from sfumato.release.certificate import stated
from sfumato.release.kind import KINDS

SCHEMA = {"name": "t", "columns": {"a": {"kind": "integer", "low": 18, "high": 98}}}


@pytest.fixture(scope="module")
def record():
    table = pa.table({"a": [20, 30, 40]})
    return sf.publish(table, schema=SCHEMA, epsilon=1).certificate.to_json()


def changed(record, where, value):
    """The same with one thing at one place."""
    key, *rest = where
    inner = value if not rest else changed(record[key], rest, value)
    if isinstance(record, list):
        return [inner if k == key else part for k, part in enumerate(record)]
    return {**record, key: inner}


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("events", 0, "noise", "scale"), "1"),  # and approximately says something else
        (("events", 0, "sensitivity", "norm"), "L2 squared"),
        (("events", 0, "mechanism"), "dice"),
        (("events", 0, "more"), 1),
        (("schema", "neighbours"), "replace-one"),  # which goes without saying
        (("schema", "columns", "a", "low"), 18.0),
        (("budget", "epsilon"), "1.0"),
        (("budget", "epsilon"), "9" * 5_000),
        (("rows",), 3.0),
        (("rows",), True),
        (("content", "more"), 1),
        (("more",), "a field that no certificate has"),
        (("format",), 1),  # which had another digest
        (("format",), 3),
        (("stream",), {"horizon": 8, "continues": None}),
    ],
)
def test_what_we_would_have_written_otherwise_is_refused(record, where, value):
    with pytest.raises(ReleaseError):
        Certificate.of(changed(record, where, value))


def test_a_field_that_we_do_not_have_is_named_in_a_line(record):
    with pytest.raises(ReleaseError, match="note: a field that no certificate has") as short:
        Certificate.of({**record, "note": "hello"})
    assert "hello" not in str(short.value)
    with pytest.raises(ReleaseError) as long:
        Certificate.of({**record, "x" * 10**6: 1})
    assert len(str(long.value)) < 300
    with pytest.raises(ReleaseError) as figure:
        Certificate.of(changed(record, ("budget", "epsilon"), "-" + "9" * 3_000))
    assert len(str(figure.value)) < 300


def test_what_we_wrote_is_read_as_it_was(record):
    found = Certificate.of(record)
    assert list(found.to_json().items()) == list(record.items())
    assert found.kind.name == "table"
    assert all(isinstance(event, Event) for event in found.events)
    assert hash(found.guarantee) == hash(sf.PureDP(1))


def test_a_certificate_cannot_be_changed_and_says_how_it_is_read(record):
    found = Certificate.of(record)
    with pytest.raises(ValueError, match="frozen"):
        found.rows = 4
    with pytest.raises(TypeError, match=r"certificate\.rows"):
        found["rows"]


def test_what_is_about_another_kind_of_data_is_refused(record):
    with pytest.raises(ReleaseError, match="another kind of data"):
        stated(Certificate.of(record).network)
    assert len({kind.name for kind in KINDS}) == len(KINDS)


def test_an_event_that_lacks_its_figures_is_refused():
    event = {"statistic": "sums", "mechanism": "discrete-laplace", "noise": {}, "cost": {}}
    with pytest.raises(ParameterError, match="scale"):
        Event.from_json(event | {"sensitivity": {"norm": "L1", "value": "1"}})


def test_what_no_certificate_could_state_is_refused_in_the_words_of_its_writer():
    table = pa.table({"a": [20, 30, 40]})
    with pytest.raises(ParameterError, match=r"no certificate can state this: release: .* 500"):
        sf.publish(table, schema=SCHEMA, epsilon=1, release="x" * 501)


def test_what_no_certificate_could_state_is_refused_before_the_charge(tmp_path):
    with sf.Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("t", sf.PureDP(1), reason="test")
        table = pa.table({"a": [20, 30, 40]})
        with pytest.raises(sf.Refused):
            sf.publish(table, schema=SCHEMA, epsilon=1, ledger=ledger, release="x" * 501)
        assert ledger.balance("t").releases == 0
