"""Files of keys: a private one, readable by its owner alone, and lists of public ones.

The private key is PKCS 8 in PEM: programs that look for secrets in mails and repositories know
its first line, and other tools can sign with it.  A list of public keys is a text that can be put
on a page, one key a line; so is a list of revoked ones.
"""

import os
import re
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from sfumato.errors import ParameterError
from sfumato.signature.key import PrivateKey
from sfumato.untrusted.plain_file import content, is_there, opened

__all__ = [
    "KeyList",
    "create_key",
    "key_list",
    "known_keys",
    "private_key",
    "public_place",
    "shown_keys",
    "signing_key",
]

_LARGEST_KEY, _LARGEST_LIST = 2**14, 2**20  # bytes
_LINE = re.compile(r"(?:ed25519 )?([0-9a-f]{64})")
_SECRET, _PUBLIC = b"PRIVATE KEY", b"PUBLIC KEY"
_OTHERS = 0o077  # what a group and everybody else may do with a file


def public_place(path: Path) -> Path:
    """Where the public key of a private key lies.

    >>> public_place(Path("publisher.key")).name
    'publisher.key.pub'
    """
    return path.with_name(f"{path.name}.pub")


def create_key(path: str | Path) -> str:
    """Write a new private key, and its public one beside it (FILE.pub); its id.

    The file of the private key is readable by its owner alone from the first byte on.  What is
    there already is never overwritten.
    """
    path, key = Path(path), PrivateKey.new()
    if not path.name:
        raise ParameterError(f"{path} is a folder: name a file for the private key")
    public = public_place(path)
    for place in (path, public):
        if is_there(place):
            raise ParameterError(f"{place} exists and may be a key in use: choose another name")
    _write(path, key.pem(), 0o600)
    try:
        _write(public, f"ed25519 {key.id}\n".encode(), 0o644)
    except BaseException:
        path.unlink()  # made above, and used by nobody yet
        raise
    return key.id


def _write(path: Path, text: bytes, mode: int) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        raise ParameterError(
            f"{path} exists and may be a key in use: choose another name"
        ) from None
    except (OSError, ValueError) as error:
        raise ParameterError(f"{path} cannot be written: {_reason(error)}") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            if not mode & _OTHERS:
                with suppress(AttributeError):  # Windows, before Python 3.13
                    os.fchmod(descriptor, mode)  # a mask may have taken it from the owner, too
            file.write(text)
            file.flush()
            os.fsync(descriptor)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ParameterError(f"{path} cannot be written: {_reason(error)}") from None
        raise


def private_key(path: str | Path) -> PrivateKey:
    """The key in a file that nobody else can read; refused otherwise."""
    if not isinstance(path, str | Path):
        raise ParameterError(f"sign takes the path of a private key, not {type(path).__name__}")
    try:
        with opened(Path(path), follow=True) as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            text = file.read(_LARGEST_KEY + 1)
    except OSError as error:
        raise ParameterError(f"private key {path} cannot be read: {_reason(error)}") from None
    if _SECRET not in text and (_PUBLIC in text or _is_list(text)):
        raise ParameterError(f"{path} is a public key: signing takes the private one, without .pub")
    if _SECRET not in text:
        raise _no_key(path)
    if os.name == "posix" and mode & _OTHERS:
        raise ParameterError(
            f"private key {path} is open to others (mode {mode:04o}): chmod 600 it, and if anyone "
            "may have copied it, make a new one (sfumato key create)"
        )
    return PrivateKey(_parsed(text, path))


def signing_key(path: str | Path | None) -> PrivateKey | None:
    """The key that a release is to be signed with; None where it is not to be signed.

    >>> signing_key(None) is None
    True
    """
    return None if path is None else private_key(path)


def _parsed(text: bytes, path: str | Path) -> Ed25519PrivateKey:
    if b"ENCRYPTED" in text:
        raise ParameterError(
            f"private key {path} is locked with a passphrase: give one without, as sfumato key "
            "create makes it"
        )
    if text.count(b"-----BEGIN") > 1:
        raise ParameterError(f"{path} holds more than one key: give a file with one alone")
    try:
        found = load_pem_private_key(text, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):  # which may quote what they read
        found = None
    if not isinstance(found, Ed25519PrivateKey):
        raise _no_key(path)
    return found


def _no_key(path: str | Path) -> ParameterError:
    return ParameterError(
        f"{path} is no private key: give a file that sfumato key create made (Ed25519, PEM)"
    )


class KeyList(NamedTuple):
    """Ids of public keys, each with the file that it is in, and all files."""

    keys: Mapping[str, str]
    files: tuple[str, ...]

    @property
    def named(self) -> str:
        """The files, for people."""
        return ", ".join(self.files)


def key_list(files: str | Path | Iterable[str | Path]) -> KeyList:
    """The public keys of one file or of several; each must hold one at least."""
    several = [files] if isinstance(files, str | Path) else list(files)
    found: dict[str, str] = {}
    for file in several:
        keys = known_keys(file)
        if not keys:
            raise ParameterError(f"{file} holds no public key: give the .pub of sfumato key create")
        found |= dict.fromkeys(keys, Path(file).name)
    if not found:
        raise ParameterError("no public key was given: name a file (--key publisher.pub)")
    return KeyList(found, tuple(Path(file).name for file in several))


def known_keys(file: str | Path) -> tuple[str, ...]:
    """The ids in a list: one a line, after # a remark; it may be empty."""
    if not isinstance(file, str | Path):
        raise ParameterError(f"a list of keys is a file, not {type(file).__name__}")
    try:
        text = content(Path(file), _LARGEST_LIST, follow=True)
    except OSError as error:
        raise ParameterError(f"list of keys {file} cannot be read: {_reason(error)}") from None
    if _SECRET in text:
        raise ParameterError(
            f"{file} is a private key: give the public one, FILE.pub, and show this to nobody"
        )
    found: dict[str, None] = {}
    for number, line in enumerate(text.decode(errors="replace").splitlines(), 1):
        stated = line.partition("#")[0].strip()
        if stated and (key := _LINE.fullmatch(stated)) is None:
            raise ParameterError(
                f"{file} is no list of public keys: line {number} is not ed25519 and 64 "
                "hexadecimal digits, as sfumato key create writes them"
            )
        if stated and key is not None:
            found[key[1]] = None
    return tuple(found)


def shown_keys(file: str | Path) -> list[str]:
    """The ids of the keys in a file: of the private one, or of public ones in order."""
    try:
        secret = _SECRET in content(Path(file), _LARGEST_LIST, follow=True)
    except OSError as error:
        raise ParameterError(f"{file} cannot be read: {_reason(error)}") from None
    return [private_key(file).id] if secret else list(key_list(file).keys)


def _is_list(text: bytes) -> bool:
    return _LINE.fullmatch(text.decode(errors="replace").strip()) is not None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or "there is no such place"
