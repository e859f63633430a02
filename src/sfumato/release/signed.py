"""The signature of a certificate: that the holder of a key made this release.

What is signed covers every field but the files, the seal and the signature itself: the digest by
which ledgers know the release, and the order in which its columns and other names stand, which
that digest does not see.  Data and synopsis are bound by the digests of their values that the
certificate states.  So a release that is saved in another format keeps its signature.
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

__all__ = ["UNSIGNED", "SignatureFacts", "check_signature", "signed"]

UNSIGNED = ("files", "seal", "signature")  # fields of a certificate
_USE = "sfumato release"  # so that nothing else that is signed with the key fits here


class SignatureFacts(Section):
    """Who signed, and the signature."""

    algorithm: Literal["ed25519"]
    key: Annotated[str, Field(pattern=KEY_ID)]
    value: Annotated[str, Field(pattern=SIGNATURE)]


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


def _stated(certificate: "Certificate") -> bytes:
    """The text that is signed."""
    core = {name: fact for name, fact in certificate.to_json().items() if name not in UNSIGNED}
    order = hashlib.sha256(json.dumps(core).encode()).hexdigest()
    return f"{_USE}\ndigest {certificate.digest}\nin order {order}\n".encode()
