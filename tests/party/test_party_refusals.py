"""What does not belong to an exchange is refused, by its name and before anything is charged."""

import json

import pyarrow as pa
import pytest

from party_world import COLUMNS, NAMES, World, schema
from sfumato import party
from sfumato.errors import BudgetError, DataError, ParameterError, PartyError
from sfumato.ledger import Ledger
from sfumato.party.document import ContributionFile, KeyFile, OpeningFile, SharesFile, encoded
from sfumato.party.mask import sealed
from sfumato.party.state import locked
from sfumato.privacy.guarantee import PureDP

KINDS = {"key": KeyFile, "shares": SharesFile, "contribution-1": ContributionFile}
KINDS["opening-1"] = OpeningFile


def changed(path, **fields):
    """Some other file in its place, as its own party could have made it."""
    record = json.loads(path.read_text()) | fields
    name, what, _ = path.name.split(".")
    if what != "key":
        with locked(path.parents[1] / f"{name}.state") as state:
            record = KINDS[what].of(record, str(path)).signed(state.signing).to_json()
    path.write_text(json.dumps(record))


def wide(neighbours):
    """So many columns that Laplace noise leaves a choice of pairs."""
    more = {f"c{k}": {"kind": "category", "values": ["a", "b"]} for k in range(8)}
    known = schema(neighbours)
    return known | {"columns": known["columns"] | more}


AGREEMENTS = {
    "none is left": {"dropouts": 2, "colluders": 1},
    "release must be one printable line": {"release": ""},
    "same name": {"parties": ("north", "north", "west")},
    "small letters": {"parties": ("north", "South")},
    "from 2 to 100": {"parties": ("north",)},
    "colluders must be from 0": {"colluders": -1},
    "dropouts must be from 0": {"dropouts": True},
    "measures something else than sums": {"method": "identity-laplace"},
    "choose dp-lda": {"method": "dp-pca"},
    "set neighbours: add-remove": {"method": "mosaic", "epsilon": None, "rho": "1/10"},
    "mosaic with rho": {"method": "mosaic", "schema": wide("add-remove")},
    "promises nothing": {"method": "rotation"},
    "no option rank": {"rank": 3},
    "too small to be divided": {
        "method": "mosaic",
        "schema": schema("add-remove"),
        "epsilon": None,
        "rho": 500,
        "dropouts": 0,
        "colluders": 0,
    },
    "two-way tables is too small to be divided": {
        "method": "mosaic",
        "schema": schema("add-remove", {name: COLUMNS[name] for name in ("age", "ward")}),
        "epsilon": None,
        "rho": "7/10",
        "dropouts": 0,
        "colluders": 1,
    },
}


@pytest.mark.parametrize("said", AGREEMENTS)
def test_agreements_that_no_exchange_could_follow_are_refused(tmp_path, said):
    with pytest.raises((ParameterError, PartyError), match=said):
        World(tmp_path, **AGREEMENTS[said])


def test_an_agreement_is_not_read_from_anything_else(tmp_path):
    (tmp_path / "agreement.json").write_text("{}")
    with pytest.raises(PartyError, match="damaged, or no such file"):
        party.Exchange(tmp_path)
    with pytest.raises(PartyError, match="sfumato party agree"):
        party.Exchange(tmp_path / "nowhere")


def test_an_agreement_states_all_options(tmp_path):
    world = World(tmp_path, method="mosaic", schema=schema("add-remove"), delta="1e-6")
    path = world.folder / "agreement.json"
    record = json.loads(path.read_text())
    assert record["options"]["model"] == "latent"
    path.write_text(json.dumps(record | {"options": {}}))
    with pytest.raises(ParameterError, match="does not state all options"):
        party.Exchange(world.folder)


def test_only_parties_of_the_agreement_join_and_each_with_its_own_state(tmp_path):
    world = World(tmp_path)
    with pytest.raises(PartyError, match="east is none of the parties"):
        party.join(world.exchange, "east", world.state("east"))
    assert not world.state("east").exists()
    party.join(world.exchange, "north", world.state("north"))
    with pytest.raises(PartyError, match="the state of north"):
        party.join(world.exchange, "south", world.state("north"))


def test_nothing_is_shared_before_all_keys_are_there(tmp_path):
    world = World(tmp_path)
    party.join(world.exchange, "north", world.state("north"))
    with pytest.raises(PartyError, match=r"south\.key\.json is missing"):
        party.share(world.exchange, world.state("north"))


def test_nothing_is_measured_before_all_shares_are_there(tmp_path, ledger):
    world = World(tmp_path)
    for name in NAMES:
        party.join(world.exchange, name, world.state(name))
    with pytest.raises(PartyError, match=r"shares\.json is missing"):
        world.contribute("north", seeds={}, ledger=ledger)
    assert ledger.entry("study-1") is None


def test_a_state_of_another_agreement_is_refused(world, tmp_path):
    (tmp_path / "other").mkdir()
    other = World(tmp_path / "other", epsilon=2).joined()
    with pytest.raises(PartyError, match="belongs to another agreement"):
        party.share(world.exchange, other.state("north"))


@pytest.mark.parametrize("what", ["key", "shares"])
def test_a_file_of_another_agreement_is_refused(world, tmp_path, what):
    (tmp_path / "other").mkdir()
    other = World(tmp_path / "other", epsilon=2).joined()
    name = f"south.{what}.json"
    (world.folder / name).write_bytes((other.folder / name).read_bytes())
    with pytest.raises(PartyError, match=f"{name} belongs to another agreement"):
        world.contribute("north")


def test_a_file_under_the_name_of_another_party_is_refused(world):
    (world.folder / "south.key.json").write_bytes((world.folder / "west.key.json").read_bytes())
    with pytest.raises(PartyError, match="is the file of west: ask south"):
        world.contribute("north")


def test_a_key_that_was_exchanged_afterwards_is_noticed(world, tmp_path):
    (world.folder / "south.key.json").unlink()  # join itself puts no key in place of another
    party.join(world.exchange, "south", tmp_path / "impostor.state")
    with pytest.raises(PartyError, match="made with other keys"):
        world.contribute("north")
    with pytest.raises(PartyError, match="somebody replaced it"):
        world.contribute("south")


def test_two_parties_with_one_key_are_refused(world):
    copied = json.loads((world.folder / "west.key.json").read_text())
    changed(world.folder / "south.key.json", channel=copied["channel"])
    with pytest.raises(PartyError, match="the same key"):
        world.contribute("north")


def test_sealed_shares_that_were_changed_are_found_before_anything_is_charged(world, ledger):
    path = world.folder / "south.shares.json"
    letters = json.loads(path.read_text())["sealed"]
    letter = letters["north"]
    letters["north"] = letter[:60] + ("A" if letter[60] != "A" else "B") + letter[61:]
    changed(path, sealed=letters)
    with pytest.raises(PartyError, match="do not open"):
        world.contribute("north", seeds={}, ledger=ledger)
    assert ledger.entry("study-1") is None


@pytest.mark.parametrize("what", ["shares", "contribution-1", "opening-1"])
def test_whatever_its_party_did_not_sign_is_refused(world, what):
    world.contribute().open()
    path = world.folder / f"south.{what}.json"
    record = json.loads(path.read_text())
    field, other = {
        "shares": ("commitments", ["0" * 64]),
        "contribution-1": ("rows", 7),
        "opening-1": ("selves", {}),
    }[what]
    path.write_text(json.dumps(record | {field: other}))
    with pytest.raises(PartyError, match=f"the {what[:-2]}.* of south was changed"):
        world.combined()
    path.write_text(json.dumps(record | {"signature": "0" * 128}))
    with pytest.raises(PartyError, match="south was changed"):
        world.combined()
    path.write_text(json.dumps(record))
    assert world.combined().synopsis == world.owner()


def test_sealed_shares_for_another_party_do_not_open(world):
    path = world.folder / "south.shares.json"
    letters = json.loads(path.read_text())["sealed"]
    changed(path, sealed=letters | {"north": letters["west"]})
    with pytest.raises(PartyError, match="do not open"):
        world.contribute("north")


def test_data_that_does_not_fit_the_schema_is_refused_before_the_charge(world, ledger):
    world.tables["north"] = pa.table({"age": [1]})
    with pytest.raises(DataError, match="ill, ward"):
        world.contribute("north", seeds={}, ledger=ledger)
    assert ledger.entry("study-1") is None


def test_a_ledger_that_does_not_grant_it_lets_nothing_out(world, tmp_path):
    with Ledger.create(tmp_path / "poor.db") as poor:
        poor.grant("study", PureDP("1/2"), reason="little")
        with pytest.raises(BudgetError):
            world.contribute("north", seeds={}, ledger=poor)
    assert not (world.folder / "north.contribution-1.json").exists()


def test_the_charge_is_made_once_and_the_same_file_is_written_again(world, ledger):
    world.contribute("north", seeds={}, ledger=ledger)
    path = world.folder / "north.contribution-1.json"
    first = path.read_bytes()
    path.unlink()
    world.tables["north"] = world.tables["west"]  # other records would be under the same masks
    world.contribute("north", seeds={}, ledger=ledger)
    assert path.read_bytes() == first
    assert ledger.balance("study").spent.micro_epsilon == 1_000_000
    assert ledger.entry("study-1").state == "released"


def test_too_few_contributions_are_never_opened(world):
    world.contribute("north")
    with pytest.raises(PartyError, match="1 of 3 parties contributed to round 1, and 2 must"):
        world.open("north")
    assert not (world.folder / "north.opening-1.json").exists()


def test_a_party_opens_once_for_one_list(world):
    world.contribute("north", "south").open("north")
    first = (world.folder / "north.opening-1.json").read_bytes()
    hidden = (world.folder / "north.opening-1.json").rename(world.path / "hidden")
    world.contribute("west")
    hidden.unlink()
    world.open("north")  # the list has grown meanwhile
    assert (world.folder / "north.opening-1.json").read_bytes() == first


def test_a_name_of_no_party_is_refused_also_when_the_round_was_opened(world):
    world.contribute()
    for _ in range(2):
        with pytest.raises(PartyError, match="east is none of the parties: north, south, west"):
            world.open("north", without=["east"])
        world.open("north", without=["west"])


def test_an_opening_never_reveals_both_secrets_of_a_party(world):
    world.contribute("north", "south").open()
    for name in NAMES:
        found = json.loads((world.folder / f"{name}.opening-1.json").read_text())
        assert set(found["selves"]) == {"north", "south"}
        assert set(found["keys"]) == {"west"}


def test_a_contribution_that_somebody_replaced_is_noticed(world):
    world.contribute()
    changed(world.folder / "north.contribution-1.json", rows=7)
    with pytest.raises(PartyError, match="not what you sent"):
        world.open("north")
    world.open("south", "west")
    changed(world.folder / "south.contribution-1.json", rows=7)
    with pytest.raises(PartyError, match="contribution of south is not the one that was opened"):
        world.combined()


def test_too_few_openings_open_nothing(world):
    world.contribute().open("north")
    with pytest.raises(PartyError, match="1 openings of round 1 have arrived, and 2 are needed"):
        world.combined()


@pytest.mark.parametrize("secret", ["selves", "keys"])
def test_a_share_that_was_changed_is_found_out(world, secret):
    world.contribute("north", "south").open("north", "west")
    path = world.folder / "north.opening-1.json"
    found = json.loads(path.read_text())[secret]
    changed(path, **{secret: dict.fromkeys(found, "1")})
    with pytest.raises(PartyError, match="do not fit together"):
        world.combined()
    changed(path, **{secret: {}})
    with pytest.raises(PartyError, match="do not fit together"):
        world.combined()


def test_a_test_run_is_not_opened_with_real_contributions(world):
    world.contribute("north", seeds={}).contribute("south")
    with pytest.raises(PartyError, match="test runs"):
        world.open("north")


def test_a_contribution_to_another_round_is_refused(world):
    world.contribute()
    changed(world.folder / "south.contribution-1.json", round=2)
    with pytest.raises(PartyError, match="another round"):
        world.open("north")


def test_contributions_of_another_length_are_refused(world):
    world.contribute()
    changed(world.folder / "south.contribution-1.json", lengths=[3], entries="A" * 32)
    with pytest.raises(PartyError, match="different lengths"):
        world.open("north")


@pytest.mark.parametrize(("neighbours", "rows"), [("replace-one", None), ("add-remove", 40)])
def test_a_number_of_records_is_stated_where_it_is_public_and_nowhere_else(
    tmp_path, neighbours, rows
):
    world = World(tmp_path, schema=schema(neighbours)).joined().contribute()
    changed(world.folder / "south.contribution-1.json", rows=rows)
    with pytest.raises(PartyError, match="the contribution of south states a number of records"):
        world.open("north")


def test_entries_that_are_not_there_are_not_waited_for(world):
    world.contribute()
    path = world.folder / "south.contribution-1.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"lengths": [2**40]}))
    with pytest.raises(PartyError, match="damaged"):
        world.open("north")


def test_entries_that_are_no_numbers_are_refused(world):
    world.contribute("north", "south")
    path = world.folder / "south.contribution-1.json"
    length = len(json.loads(path.read_text())["entries"])
    changed(path, entries="!" * length)
    with pytest.raises(PartyError, match="somebody replaced it"):
        world.open("south")
    party.open_round(world.exchange, world.state("west"))
    world.open("north")
    with pytest.raises(PartyError, match="the contribution of south is damaged"):
        world.combined()


@pytest.mark.parametrize(
    "letter",
    [b"[" * 5_000, b"{}", b'{"selves": ["-5"], "keys": ["1"]}', b'{"selves": [], "keys": []}'],
)
def test_a_letter_that_holds_no_shares_is_refused(world, letter):
    with locked(world.state("south")) as state:
        private = bytes.fromhex(state.file.channel)
    exchange = world.exchange
    peer = bytes.fromhex(exchange.keys["north"].channel)
    made = sealed(letter, private, peer, exchange.use("shares from south to north"))
    path = world.folder / "south.shares.json"
    letters = json.loads(path.read_text())["sealed"]
    changed(path, sealed=letters | {"north": encoded(made)})
    with pytest.raises(PartyError, match="the sealed shares of south"):
        world.contribute("north")


def test_an_agreement_does_not_choose_which_file_others_read(tmp_path):
    with pytest.raises(ParameterError, match="may name a file"):
        World(tmp_path, method="lop", basis="/etc/hostname")


def test_a_party_that_comes_too_late_is_told_so(world, ledger):
    world.contribute("north", "south").open("north", "south")
    with pytest.raises(PartyError, match="nothing was measured or charged"):
        world.contribute("west", seeds={}, ledger=ledger)
    assert ledger.entry("study-1") is None


def test_a_later_round_has_the_parties_of_the_first(tmp_path):
    mosaic = {"method": "mosaic", "schema": schema("add-remove"), "delta": "1e-6"}
    world = World(tmp_path, **mosaic).joined()
    assert world.exchange.agreement.rounds == 2
    world.contribute("north", "south").open("north", "south")
    with pytest.raises(PartyError, match="must have the parties of the first: north, south"):
        world.contribute("west")
    world.contribute("north", "south").open("north", "south")
    assert world.combined().synopsis == world.owner("north", "south")


def test_a_seed_and_a_ledger_do_not_go_together(world, ledger):
    with pytest.raises(ParameterError, match="a seeded run is a test"):
        world.contribute("north", ledger=ledger)


def test_rows_that_cannot_be_drawn_are_refused(world):
    world.contribute().open()
    with pytest.raises(ParameterError, match="rows must be"):
        world.combined(rows=-1)
    assert world.combined(rows=7).table.num_rows == 7
