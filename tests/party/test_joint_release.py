"""The release that parties made: what its certificate says, and what its readers make of it."""

import json
import shutil
from fractions import Fraction

import pytest

import sfumato as sf
from party_world import World, schema
from sfumato.accuracy import published
from sfumato.errors import ReleaseError
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.publishing.joint import check_agreement
from sfumato.publishing.verify import verify
from sfumato.release.certificate import Certificate
from sfumato.release.release import Release


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """All parties contributed, each of which is relied on; north keeps a ledger."""
    place = tmp_path_factory.mktemp("joint")
    made = World(place, dropouts=0, colluders=0).joined()
    with Ledger.create(place / "north.db") as ledger:
        ledger.grant("study", PureDP(3), reason="approved")
        made.contribute("north", seeds={}, ledger=ledger)
    made.contribute("south", "west", seeds={}).open()
    made.combined(folder=place / "release")
    return made


def certificate(world):
    return Release.load(world.path / "release").certificate


def failed(checks):
    return {check.name: check.detail for check in checks if not check.passed}


def test_a_party_finds_the_release_in_its_own_ledger(world, tmp_path):
    with Ledger(world.path / "north.db") as ledger:
        assert failed(verify(world.path / "release", ledger=ledger)) == {}
    with Ledger.create(tmp_path / "other.db") as other:
        found = failed(verify(world.path / "release", ledger=other))
        assert "no charge" in found["ledger"]
        other.grant("study", PureDP(3), reason="approved")
        about = certificate(world).unit + "; replace-one"
        other.reserve("study-1", "study", PureDP(1), plan="c0ffee00", protects=about)
        other.draw("study-1", None)
        found = failed(verify(world.path / "release", ledger=other))
        assert "another agreement" in found["ledger"]


def forged(world, tmp_path, parties):
    """The release with other parties, sealed as whoever forges it would."""
    record = certificate(world).to_json()
    files = record.pop("files")
    record.pop("seal")
    made = Certificate.of({**record, "parties": {**record["parties"], **parties}}).sealed(files)
    folder = tmp_path / "forged"
    shutil.copytree(world.path / "release", folder)
    (folder / "release.json").write_text(json.dumps(made.to_json()))
    return folder


def test_a_certificate_tells_which_agreement_it_is_of(world, tmp_path):
    names = ["north", "south", "east"]
    other = forged(world, tmp_path, {"names": names, "contributed": names})
    with Ledger(world.path / "north.db") as ledger:
        found = failed(verify(other, ledger=ledger))
    assert set(found) == {"plan", "ledger"}
    assert all("agreed on something else" in said for said in found.values())


def test_the_promise_that_was_charged_is_the_one_that_is_stated(world, tmp_path):
    with Ledger.create(tmp_path / "cheap.db") as cheap:
        cheap.grant("study", PureDP(3), reason="approved")
        plan = certificate(world).parties.agreement
        cheap.reserve("study-1", "study", PureDP("1/2"), plan=plan, protects="x")
        cheap.draw("study-1", None)
        found = failed(verify(world.path / "release", ledger=cheap))
    assert "charged another promise" in found["ledger"]


def test_a_ledger_says_charged_and_not_who_contributed(world):
    with Ledger(world.path / "north.db") as ledger:
        said = [c.detail for c in verify(world.path / "release", ledger=ledger)][-1]
    assert said.startswith("charged once")
    assert "it cannot say" in said


def test_a_method_that_parties_cannot_run_has_no_parties(world, tmp_path):
    """The release of one owner, with parties written into its certificate."""
    asked = {"method": "identity-laplace", "epsilon": 1, "fit": False}
    owner = sf.publish(world.tables["north"], schema=schema(), release="own", **asked)
    owner.save(tmp_path / "own")
    mine = json.loads((tmp_path / "own" / "release.json").read_text())
    files = mine.pop("files")
    mine.pop("seal")
    stated = certificate(world).to_json()["parties"]
    made = Certificate.of({**mine, "parties": stated}).sealed(files)
    (tmp_path / "own" / "release.json").write_text(json.dumps(made.to_json()))
    assert "cannot add up" in failed(verify(tmp_path / "own"))["plan"]


def test_only_whole_tables_have_parties(world):
    record = certificate(world).to_json()
    with pytest.raises(ReleaseError, match="whole tables"):
        Certificate.of({**record, "ledger": {"id": "x", "head": "y"}})
    with pytest.raises(ReleaseError, match="whole tables"):
        Certificate.of({**record, "part": {"ward": "a"}})


@pytest.mark.parametrize("method", ["dp-lda", "dca", "modips", "lap-pca", "analyze-gauss"])
def test_the_agreement_follows_from_the_certificate(method, tmp_path):
    delta = "1e-6" if method == "analyze-gauss" else None
    made = World(tmp_path, method=method, epsilon=1, delta=delta).joined()
    made.contribute().open()
    found = made.combined(folder=tmp_path / "release")
    assert failed(verify(tmp_path / "release")) == {}
    check_agreement(found.certificate, found.certificate.parties)


def test_the_limits_do_not_say_that_ledgers_were_charged(world):
    said = " ".join(certificate(world).limits)
    assert "Whether each party counts the release in a ledger is not known here" in said


def test_the_limits_say_where_lists_had_to_be_compared(world, tmp_path):
    loose = World(tmp_path).joined().contribute().open().combined().certificate
    assert any("the same list of contributions" in line for line in loose.limits)
    assert not any("the same list" in line for line in certificate(world).limits)


FORGED = {
    "in order": {"contributed": ["south", "north", "west"]},
    "each once": {"names": ["north", "south", "south"]},
    "fewer parties contributed": {"contributed": ["north"]},
    "more shares are relied on": {"honest": 4},
    "the threshold": {"threshold": 3},
}


@pytest.mark.parametrize("said", FORGED)
def test_a_certificate_that_contradicts_itself_is_refused(world, said):
    record = certificate(world).to_json()
    with pytest.raises(ReleaseError, match=said):
        Certificate.of({**record, "parties": {**record["parties"], **FORGED[said]}})


def test_the_limits_say_whom_the_promise_holds_against(world):
    found = certificate(world)
    assert any("whoever is none of the parties" in line for line in found.limits)
    assert not any("times what the mechanism" in line for line in found.limits)


def test_intervals_are_computed_where_the_noise_is_that_of_one_owner(world):
    found = published(Release.load(world.path / "release"))
    assert found.count("ward", ["a"]).interval(0.95)


def test_more_shares_than_were_relied_on_are_that_many_noises(tmp_path, world):
    one = published(Release.load(world.path / "release")).count("ward", ["a"])
    made = World(tmp_path, dropouts=0, colluders=1).joined()
    more = published(made.contribute().open().combined()).count("ward", ["a"])
    assert (one.entries.often, more.entries.often) == (1, Fraction(3, 2))
    assert more.variance == pytest.approx(1.5 * one.variance)
    wide, wider = (high - low for low, high in (one.interval(0.9), more.interval(0.9)))
    assert wider > wide


def test_the_sum_of_gaussian_shares_has_no_law_that_is_known(tmp_path):
    made = World(tmp_path, rho="0.1", epsilon=None, dropouts=0, colluders=1).joined()
    with pytest.raises(ReleaseError, match="3 parties' shares of Gaussian noise, divided for 2"):
        published(made.contribute().open().combined())
