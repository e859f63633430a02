"""Damage to any file of a ledger that was killed in the middle of a charge.

Whatever is flipped, cut or removed in the ledger or beside it, what `reserve` had returned for
is never lost in silence: the ledger is refused, or it still holds it.
"""

import os
from pathlib import Path

import pytest

from killing import CAN_TRACE, quick_folder, trace
from ledger_world import ABOUT, PLAN, forget_heads, lines_in
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP
from slowness import slow

pytestmark = pytest.mark.long  # kills and races

RETURNED = Charge(1_200_000)  # what twelve finished releases were charged


@pytest.fixture(scope="module", params=[4, slow(1)], ids="every {}".format)
def killed(request, tmp_path_factory):
    """The files that a kill left behind, at every so many system calls of the last charge."""
    if not CAN_TRACE:
        pytest.skip("system calls are traced on Linux x86-64 only")
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    with quick_folder() as name:
        path = Path(name) / "budget.db"
        with Ledger.create(path) as ledger:
            ledger.grant("d", PureDP(10), reason="x")
            for i in range(12):
                ledger.reserve(f"r{i}", "d", PureDP("0.1"), plan=PLAN, protects=ABOUT)
                ledger.draw(f"r{i}", None)
                ledger.settle(f"r{i}", "0123456789abcdef")
        whole = path.read_bytes()

        def charge():
            ledger = Ledger(path)
            ledger.reserve("last", "d", PureDP("0.1"), plan=PLAN, protects=ABOUT)
            os._exit(0)

        states, stop = {}, 0
        while True:
            stop += request.param
            for file in path.parent.iterdir():
                file.unlink()
            path.write_bytes(whole)
            try:
                _, stops = trace(charge, kill_at=stop)
            except OSError as error:
                pytest.skip(f"this host forbids tracing a child: {error}")
            left = {file.name: file.read_bytes() for file in path.parent.iterdir()}
            states.setdefault(tuple(sorted(left.items())), left)
            if len(stops) < stop:
                return list(states.values())


@pytest.fixture
def folder():
    with quick_folder() as name:
        yield Path(name)


def history(folder, files):
    """The lines and what is spent, or None where the ledger is refused."""
    for file in folder.iterdir():
        file.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    forget_heads()  # what is found without the note is found anywhere
    try:
        with Ledger(folder / "budget.db") as ledger:
            ledger.verify()
            return lines_in(ledger), ledger.balance("d").spent
    except LedgerError:
        return None


def fate(folder, files):
    found = history(folder, files)
    if found is None:
        return "refused"
    spent = found[1].micro_epsilon - RETURNED.micro_epsilon
    return {0: "as before", 100_000: "charged"}.get(spent, "LOST")


@pytest.mark.slow
def test_a_kill_during_a_charge_leaves_what_was_before_or_the_charge(killed, folder):
    fates = [fate(folder, files) for files in killed]
    assert {*fates} == {"as before", "charged"}
    assert any(set(files) == {"budget.db", "budget.db-journal"} for files in killed)


@pytest.mark.parametrize(("killed", "flips"), [(4, 2), slow(1, 6)], indirect=["killed"])
def test_a_flipped_bit_in_any_file_never_loses_what_was_charged(killed, folder, rng, flips):
    outcomes = []
    for files in killed:
        for name, content in files.items():
            for _ in range(flips if content else 0):
                damaged = bytearray(content)
                damaged[rng.integers(len(damaged))] ^= 1 << int(rng.integers(8))
                outcomes.append(fate(folder, files | {name: bytes(damaged)}))
    assert "LOST" not in outcomes
    assert outcomes.count("refused") > len(outcomes) // 10


def test_a_cut_or_removed_journal_never_loses_what_was_charged(killed, folder):
    outcomes = []
    for files in killed:
        for name in set(files) - {"budget.db"}:
            rest = {other: content for other, content in files.items() if other != name}
            outcomes.append(fate(folder, rest))
            for keep in (0.25, 0.5, 0.9):
                content = files[name][: int(keep * len(files[name]))]
                outcomes.append(fate(folder, files | {name: content}))
    assert outcomes
    assert "LOST" not in outcomes


def test_the_journal_of_another_ledger_put_beside_is_refused_or_changes_nothing(killed, folder):
    journals = [files["budget.db-journal"] for files in killed if len(files) > 1]
    whole = next(files["budget.db"] for files in reversed(killed) if len(files) == 1)
    outcomes = {
        fate(folder, {"budget.db": whole, "budget.db-journal": journal}) for journal in journals
    }
    assert "LOST" not in outcomes


def test_a_write_ahead_log_beside_the_ledger_is_refused_and_left_alone(killed, folder):
    """The control: in write-ahead mode a removed log loses charges, and nothing shows it."""
    (folder / "budget.db").write_bytes(killed[0]["budget.db"])
    stray = folder / "budget.db-wal"
    stray.write_bytes(b"\x37\x7f\x06\x82" + bytes(60))
    forget_heads()
    with pytest.raises(LedgerError, match=r"budget\.db-wal beside .* would change its history"):
        Ledger(folder / "budget.db")
    assert stray.exists()
