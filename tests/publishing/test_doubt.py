"""A release that would be hardly better than guessing says so before it is charged."""

import json
import warnings

import pyarrow as pa
import pytest

import sfumato as sf
from party_world import World
from party_world import schema as party_schema
from sfumato.example import CLINIC, clinic
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.publishing.doubt import unheard
from sfumato.publishing.table import price
from sfumato.release.digest import digest
from sfumato.schema import Schema

SCHEMA = Schema.parse(CLINIC)
FEW = clinic(40)
SAID = "expected to be hardly better than guessing"


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("clinic", PureDP(9), reason="test")
        yield ledger


class Stopped(Exception):
    pass


def stop(doubt):
    raise Stopped(doubt)


def told(data, **changes):
    """What is said of a release before it would be charged, or nothing."""
    given = {"schema": SCHEMA, "epsilon": 1, "model": "forest", "on_doubt": stop} | changes
    try:
        sf.publish(data, **given)
    except Stopped as stopped:
        return str(stopped)
    return None


def test_a_program_is_warned_and_gets_its_release(ledger, tmp_path):
    given = {"schema": SCHEMA, "epsilon": 1, "ledger": ledger, "model": "forest"}
    with pytest.warns(sf.DoubtWarning, match=SAID) as caught:
        release = sf.publish(FEW, **given, folder=tmp_path / "r")
    [warning] = caught
    assert warning.filename == __file__
    assert release.certificate.warnings == (str(warning.message),)
    assert sf.verify(tmp_path / "r", ledger=ledger).passed


def test_what_is_worth_its_price_is_not_doubted():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = sf.publish(clinic(300), schema=SCHEMA, epsilon=1, model="forest")
    assert release.certificate.warnings == ()


def test_a_warning_that_is_made_an_error_stops_before_anything_is_charged(ledger, tmp_path):
    before = sorted(tmp_path.iterdir()), ledger.head
    with warnings.catch_warnings():
        warnings.simplefilter("error", sf.DoubtWarning)
        with pytest.raises(sf.DoubtWarning, match=SAID):
            sf.publish(FEW, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "r")
    assert (sorted(tmp_path.iterdir()), ledger.head) == before


def test_records_are_counted_before_the_doubt_and_not_looked_at():
    """The plan alone assumes ten thousand; of the records no more than their number is known."""
    assert price(SCHEMA, epsilon=1).doubt is None
    other = clinic(40, seed=9)
    constant = pa.table({name: [FEW[name][3].as_py()] * 40 for name in FEW.column_names})
    first, *others = (told(data) for data in (FEW, other, constant))
    assert others == [first, first]
    assert "(of 40 records)" in first
    assert "(of 41 records)" in told(clinic(41))


def test_a_private_number_of_records_leads_to_no_doubt():
    """Only what was stated does: two tables of different sizes are told the same."""
    schema = Schema.parse(CLINIC.replace("replace-one", "add-remove"))
    assert told(clinic(2), schema=schema, rows=10) is None
    few, many = (told(data, schema=schema, rows=10, records=20) for data in (FEW, clinic(400)))
    assert few == many
    assert "(of about 20 records, as was stated)" in few


@pytest.mark.parametrize("changes", [{}, {"fit": False}, {"seed": 3}], ids=str)
def test_the_doubt_is_that_of_the_plan_for_these_records(changes):
    plan = price(SCHEMA, epsilon=1, fit=changes.get("fit", True)).sized(40)
    assert told(FEW, **changes) == plan.doubt
    assert plan.doubt in plan._repr_html_()


def test_a_part_is_doubted_by_the_number_that_was_stated():
    schema = Schema.parse(CLINIC.replace("replace-one", "add-remove"))
    said = told(FEW, schema=schema, part="sex=female", records=15, rows=9)
    assert "(of about 15 records, as was stated)" in said


def test_what_is_there_already_is_not_doubted_again(ledger, tmp_path):
    given = {"ledger": ledger, "folder": tmp_path / "r", "release": "autumn"}
    assert told(FEW, **given, on_doubt=unheard) is None
    assert told(FEW, **given) is None
    assert ledger.balance("clinic").releases == 1


@pytest.mark.parametrize("heard", [3, None, "ask"])
def test_what_cannot_be_told_of_a_doubt_is_refused_before_anything_is_charged(heard, ledger):
    before = ledger.head
    for data in (FEW, clinic(300)):  # one doubted, one not
        with pytest.raises(sf.ParameterError, match="on_doubt must be a function"):
            sf.publish(data, schema=SCHEMA, epsilon=1, ledger=ledger, on_doubt=heard)
    assert ledger.head == before


@pytest.fixture(scope="module", params=[1, 2])
def doubted(request, tmp_path_factory):
    """A release that promises and tells little, of the first revision and the second."""
    folder, options = tmp_path_factory.mktemp("doubted") / "r", {"revision": request.param}
    sf.publish(clinic(2), schema=SCHEMA, epsilon=11, model="forest", folder=folder, **options)
    return folder


def verified(folder, warnings):
    """Whether the plan of a release verifies that warns of this."""
    place = folder / "release.json"
    paper = json.loads(place.read_text()) | {"warnings": warnings}
    del paper["seal"]
    place.write_text(json.dumps(paper | {"seal": digest(paper)}))
    return {check.name: check.passed for check in sf.verify(folder)}["plan"]


def test_what_a_certificate_warns_of_is_recomputed(doubted):
    paper = json.loads((doubted / "release.json").read_text())
    weakness, doubt = paper["warnings"]
    assert "An epsilon above 10" in weakness
    assert SAID in doubt
    assert verified(doubted, [weakness, doubt])
    # Releases without a revision may have been made when there were no doubts.
    assert verified(doubted, [weakness]) == ("revision" not in paper["options"])
    for said in (
        [doubt],
        [],
        [weakness, doubt, doubt],
        [weakness, doubt.replace("hardly", "much")],
    ):
        assert not verified(doubted, said)


def test_an_estimator_warns_as_publish_does():
    with pytest.warns(sf.DoubtWarning, match=SAID):
        sf.estimator.Publisher(SCHEMA, epsilon=1, options={"model": "forest"}).fit(FEW)


def test_parties_see_the_doubt_before_they_join_and_in_their_certificate(tmp_path):
    asked = {"method": "mosaic", "schema": party_schema("add-remove"), "epsilon": "0.1"}
    world = World(tmp_path, **asked, records=40)
    doubt = world.exchange.agreement.plan.doubt
    assert "(of about 40 records, as was stated)" in doubt
    world.joined()
    for _ in range(world.exchange.agreement.rounds):
        world.contribute().open()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what was contributed is charged
        release = world.combined(folder=tmp_path / "r", rows=20)
    assert doubt in release.certificate.warnings
    assert sf.verify(tmp_path / "r").passed
