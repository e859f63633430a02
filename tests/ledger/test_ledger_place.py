"""Where a ledger may lie: local file systems by name, no file that is mounted by itself."""

import os
import subprocess

import pytest

from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.sqlite import place as ledger_place
from sfumato.privacy.guarantee import PureDP

LINE = "36 35 8:1 / {point} rw,noatime shared:1 - {kind} source rw\n"


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "a share"
    folder.mkdir()
    path = folder / "budget.db"
    Ledger.create(path).close()
    return path


@pytest.fixture
def mounts(tmp_path_factory, monkeypatch):
    """Write a made-up table of mounts."""
    file = tmp_path_factory.mktemp("proc") / "mountinfo"
    monkeypatch.setattr(ledger_place, "MOUNTS", file)

    def write(*mounted):
        lines = [LINE.format(point=str(p).replace(" ", r"\040"), kind=k) for p, k in mounted]
        file.write_text("".join(lines))

    return write


KINDS = ["nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "fuse.anything", "virtiofs", "a-new-one"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_known_to_be_local_is_refused_by_name(path, mounts, kind):
    mounts(("/", "ext4"), (path.parent, kind))
    for use in (lambda: Ledger(path), lambda: Ledger.create(path.with_name("new.db"))):
        with pytest.raises(LedgerError, match=rf"\({kind}\) that is not known to be local"):
            use()


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "zfs", "ntfs3"])
def test_a_local_disk_is_taken_without_a_word(path, mounts, kind):
    mounts(("/", "nfs4"), (path.parent, kind), (path.parent / "deeper", "nfs4"))
    with Ledger(path) as ledger:
        assert ledger.place == ledger_place.Place(kind)


@pytest.mark.parametrize("kind", ["tmpfs", "overlay"])
def test_what_does_not_last_is_taken_with_a_caution(path, mounts, kind):
    mounts(("/", "ext4"), (path.parent, kind))
    with Ledger(path) as ledger:
        assert "is lost w" in ledger.place.caution


def test_of_two_mounts_on_one_folder_the_later_counts(path, mounts):
    mounts(("/", "ext4"), (path.parent, "ext4"), (path.parent, "nfs"))
    with pytest.raises(LedgerError, match="nfs"):
        Ledger(path)


def test_a_folder_whose_name_only_begins_alike_is_another_one(path, mounts):
    mounts(("/", "ext4"), (str(path.parent)[:-1], "nfs"))
    Ledger(path).close()


def test_where_the_mounts_cannot_be_read_it_is_said_what_is_assumed(path, tmp_path, monkeypatch):
    monkeypatch.setattr(ledger_place, "MOUNTS", tmp_path / "nowhere")
    with Ledger(path) as ledger:
        assert "is assumed" in ledger.place.caution


def test_a_file_that_is_mounted_by_itself_is_refused(path, mounts):
    mounts(("/", "ext4"), (path, "ext4"))
    with pytest.raises(LedgerError, match=r"mounted by itself.*mount its folder instead"):
        Ledger(path)


def test_two_names_by_a_bind_mount_cannot_both_spend(path, tmp_path):
    with Ledger(path) as ledger:
        ledger.grant("d", PureDP(1), reason="board")
    twin = tmp_path / "twin.db"
    twin.touch()
    mount = ["mount", "--bind", str(path), str(twin)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a bind mount needs root")
    try:
        with pytest.raises(LedgerError, match="mounted by itself"):
            Ledger(twin)
        Ledger(path).close()
    finally:
        subprocess.run(["umount", str(twin)], check=True)
