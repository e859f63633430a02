"""Clinics publish together: three have the same columns of different people, and there is a proof.

    python examples/collaborating_parties.py

Three made-up clinics agree on a schema, a method and a budget.  Each measures its own records, adds
its share of the noise and masks, and sends a file.  One of them drops out before it contributes.
The other two open the sum: the release is that of one owner of their records, and no file
that was sent shows a clinic's figures.  Proof and limits: `docs/proofs/party.md`.
"""
# ruff: noqa: T201  an example shows what happened

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

import sfumato as sf

SCHEMA = {
    "name": "study",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 110},
        "dose": {"kind": "number", "low": 0, "high": 10},
        "ill": {"kind": "boolean", "role": "label"},
    },
}
SIZES = {"north": 4_000, "south": 3_000, "west": 5_000}


def clinic(rng, rows):
    """Records in which the ill are older and get more."""
    ill = rng.random(rows) < 0.4
    age = np.clip(rng.normal(np.where(ill, 65, 45), 15), 0, 110).astype(int)
    dose = np.clip(rng.normal(np.where(ill, 6, 3), 1.5), 0, 10)
    return pa.table({"age": age, "dose": dose, "ill": ill})


def means(table):
    """Mean age and dose of the ill."""
    ill = np.asarray(table["ill"])
    return [float(np.asarray(table[name])[ill].mean()) for name in ("age", "dose")]


def exchange(home, tables):
    """All steps, each of which a clinic would run by itself, and the release."""
    folder, state = home / "exchange", {name: home / f"{name}.state" for name in tables}

    def so_far():
        return sf.party.Exchange(folder)

    agreement = sf.party.agree(
        SCHEMA, list(tables), method="dp-lda", release="study-1", epsilon=1, dropouts=1
    )
    agreement.save(folder)
    print(f"parties: {len(tables)}, of whom may drop out: 1, may collude: 1")
    print(f"honest shares that make the noise whole: {agreement.honest}")
    for name in tables:
        sf.party.join(so_far(), name, state[name])
    for name in tables:
        sf.party.share(so_far(), state[name])
    left = [name for name in tables if name != "west"]  # which drops out here
    for name in left:
        sf.party.contribute(so_far(), state[name], tables[name])
    for name in left:
        sf.party.open_round(so_far(), state[name])
    return sf.party.combine(so_far())


def main():
    """Publish together, and compare with the records that nobody ever had in one place."""
    rng = np.random.default_rng(0)
    tables = {name: clinic(rng, rows) for name, rows in SIZES.items()}
    with TemporaryDirectory() as home:
        release = exchange(Path(home), tables)
    joint = release.certificate.parties
    print(f"contributed: {', '.join(joint.contributed)}; promise: {release.guarantee}")
    print("mean age and dose of the ill")
    owner = pa.concat_tables([tables[name] for name in joint.contributed])
    for name, table in (("north and south", owner), ("the release", release.table)):
        age, dose = means(table)
        print(f"    {name:18} {age:.1f} {dose:.2f}")


if __name__ == "__main__":
    main()
