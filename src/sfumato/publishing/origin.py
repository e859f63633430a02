"""Who made a release: what its signature says, and what the keys of a recipient say to that."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from sfumato.errors import ReleaseError
from sfumato.release.certificate import Certificate
from sfumato.release.signed import check_signature, files_are_signed
from sfumato.signature import KeyList, key_list, known_keys
from sfumato.signature.key import brief

__all__ = ["ANYBODY", "Trust", "signer"]


class Trust(NamedTuple):
    """Whom a recipient takes a release from, and from whom no more."""

    keys: KeyList | None = None  # None: anybody
    revoked: KeyList = KeyList({}, ())

    @classmethod
    def of(
        cls,
        key: str | Path | Iterable[str | Path] | None,
        revoked: str | Path | Iterable[str | Path] | None,
    ) -> "Trust":
        """From files of public keys and of revoked ones; refused where one cannot be read."""
        keys = None if key is None else key_list(key)
        lists = [revoked] if isinstance(revoked, str | Path) else list(revoked or ())
        found: dict[str, str] = {}
        for file in lists:
            found |= dict.fromkeys(known_keys(file), Path(file).name)
        return cls(keys, KeyList(found, tuple(Path(file).name for file in lists)))


ANYBODY = Trust()


def signer(certificate: Certificate, trust: Trust) -> str:
    """Who made it, in a sentence; refused where that is not who it should be."""
    keys = trust.keys
    if certificate.signature is None:
        if keys is None:
            return "origin unknown: not signed"
        raise ReleaseError(
            f"not signed, so nothing shows that it was made with the key in {keys.named}: ask for "
            "a signed release"
        )
    found = check_signature(certificate)
    if found in trust.revoked.keys:
        raise ReleaseError(
            f"signed by key {brief(found)}, which {trust.revoked.keys[found]} revokes"
        )
    whole = files_are_signed(certificate)
    if keys is None:
        what = "signed" if whole else "its figures are signed, not its files:"
        return (
            f"{what} by key {brief(found)}; whether that is the publisher's key, --key "
            "publisher.key.pub says"
        )
    if found not in keys.keys:
        raise ReleaseError(f"signed by another key: {brief(found)} is not in {keys.named}")
    if not whole:
        raise ReleaseError(
            f"its figures are signed by key {brief(found)}, its files are not: they were "
            "written anew, and a file can show other figures to some programs. Take the release as "
            "the publisher has it, or have it signed again"
        )
    return f"signed by key {brief(found)}, which is in {keys.keys[found]}"
