"""The signature of a certificate: that the holder of a key made this release.

Two texts are signed.  One covers every field but the files, the seal and the signature itself: the
digest by which ledgers know the release, and the order in which its columns and other names stand,
which that digest does not see.  Data and synopsis are bound by the digests of their values that
the certificate states, so a release that is saved in another format keeps this signature.

The other covers the files byte by byte.  Formats leave room beside the values that is read by some
programs and not by others (a second copy of a column, types, ends of values), so only whoever
signs can say that a file means nothing else: what others have written anew lacks it.
"""

import hashlib
import json
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from sfumato.errors import ReleaseError
from sfumato.release.section import Section
from sfumato.signature import PrivateKey, is_signed
from sfumato.signature.key import KEY_ID, SIGNATURE

if TYPE_CHECKING:
    from sfumato.release.certificate import Certificate

__all__ = [
    "UNSIGNED",
    "SignatureFacts",
    "check_signature",
    "files_are_signed",
    "signed",
    "with_signed_files",
]

UNSIGNED = ("files", "seal", "signature")  # fields of a certificate
_USE = "sfumato release"  # so that nothing else that is signed with the key fits here


class SignatureFacts(Section):
    """Who signed, and the signature."""

    algorithm: Literal["ed25519"]
    key: Annotated[str, Field(pattern=KEY_ID)]
    value: Annotated[str, Field(pattern=SIGNATURE)]
    files: Annotated[str, Field(pattern=SIGNATURE)] | None = None  # of files as they were written


def signed(certificate: "Certificate", key: PrivateKey) -> "Certificate":
    """The certificate with a signature by this key, in place of one it may have had.

    >>> import sfumato as sf
    >>> schema = {"name": "t", "columns": {"a": {"kind": "boolean"}}}
    >>> plain = sf.publish({"a": [True] * 9}, schema=schema, epsilon=1).certificate
    >>> made, key = signed(plain, key := PrivateKey.new()), key
    >>> made.digest == plain.digest, check_signature(made) == key.id
    (True, True)
    """
    facts = {"algorithm": "ed25519", "key": key.id, "value": key.signature(_stated(certificate))}
    return certificate.of({**certificate.to_json(), "signature": facts})


def with_signed_files(certificate: "Certificate", key: PrivateKey) -> "Certificate":
    """The certificate of a folder, whose files this key signs as well."""
    record = signed(certificate, key).to_json()
    record["signature"]["files"] = key.signature(_listed(certificate))
    return certificate.of(record)


def files_are_signed(certificate: "Certificate") -> bool:
    """Whether the files are those that were signed; refused where they are signed otherwise."""
    found = certificate.signature
    if found is None or found.files is None:
        return False
    if not is_signed(found.key, _listed(certificate), found.files):
        raise ReleaseError(
            "the signature of its files does not fit: a file was written anew after it was signed, "
            "or the signature is that of another folder"
        )
    return True


def check_signature(certificate: "Certificate") -> str:
    """The id of the key that signed this certificate; refused where the signature does not fit."""
    found = certificate.signature
    if found is None:
        raise ReleaseError("the release is not signed")
    if not is_signed(found.key, _stated(certificate), found.value):
        raise ReleaseError(
            "the signature does not fit: the certificate was changed after it was signed, or the "
            "signature is that of another release"
        )
    return found.key


def _listed(certificate: "Certificate") -> bytes:
    """The text that is signed of the files: their digests, and the release that they are of."""
    files = json.dumps(certificate.files, sort_keys=True)
    return f"{_USE} files\ndigest {certificate.digest}\n{files}\n".encode()


def _stated(certificate: "Certificate") -> bytes:
    """The text that is signed."""
    core = {name: fact for name, fact in certificate.to_json().items() if name not in UNSIGNED}
    order = hashlib.sha256(json.dumps(core).encode()).hexdigest()
    return f"{_USE}\ndigest {certificate.digest}\nin order {order}\n".encode()
