"""Files of keys and signed heads: damaged ones are refused, and no private key is ever repeated."""

import json
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fuzz.changes import bytes_changed, nested_changed, words_changed
from fuzz.judge import Trial, command
from sfumato.ledger import Ledger
from sfumato.signature import PrivateKey, sign_head

__all__ = ["made_up_key", "make"]


def made_up_key(number: int) -> PrivateKey:
    """The same key in every run."""
    return PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32))


@cache
def _good() -> dict[str, bytes]:
    """A ledger, a signed head of it, and both halves of the key."""
    with TemporaryDirectory() as name:
        place = Path(name)
        key = made_up_key(1)
        (place / "owner.key").write_bytes(key.pem())
        with Ledger.create(place / "budget.db") as ledger:
            head = sign_head(ledger, key)
        (place / "head.json").write_text(head.text)
        more = "".join(f"{made_up_key(k).id}  # more\n" for k in range(2, 5))
        (place / "keys").write_text(f"ed25519 {key.id}\n{more}")
        return {path.name: path.read_bytes() for path in place.iterdir()}


def make(rng: Random, folder: Path) -> Trial:
    """One file changed, and everything that is read with it."""
    files = dict(_good())
    changed = rng.choice([*(name for name in files if name != "budget.db"), "head.json"])
    level = rng.choice(("bytes", "words", "nested", "none"))
    if level == "bytes":
        files[changed] = bytes_changed(rng, files[changed])
    elif level == "words":
        files[changed] = words_changed(rng, files[changed].decode()).encode(errors="replace")
    elif level == "nested":
        changed = "head.json"
        files[changed] = json.dumps(nested_changed(rng, json.loads(files[changed]))).encode()
    for name, content in files.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)
    ledger = ("--ledger", str(folder / "budget.db"))
    head, secret = str(folder / "head.json"), str(folder / "owner.key")
    acts = {
        "show": command("key", "show", secret),
        "show list": command("key", "show", str(folder / "keys")),
        "sign": command("ledger", "sign", *ledger, "--key", secret, "-o", str(folder / "new")),
        "verify": command(
            *("ledger", "verify", *ledger, "--signed-head", head, "--key", str(folder / "keys"))
        ),
    }
    chosen = rng.choice([*acts, "verify", "verify"])
    lines = _good()["owner.key"].decode().splitlines()[1:-1]
    said = f"{chosen}, {level}: {changed} {files[changed]!r}"
    return Trial(acts[chosen], said, secrets=tuple(line[16:] for line in lines))
