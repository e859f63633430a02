"""Two parties hold different columns of the same people; each perturbs its own, and they join.

    python examples/collaborating_vertical.py

A clinic and a laboratory know the same 4,096 made-up patients in the same order.  Each takes
small wavelet details off its own columns.  The transformation is a fixed rule, so they need
no common seed and see nothing of each other's values; shape and order stay, so the parts
can be put side by side.  NOT PRIVATE by any proof: `docs/proofs/perturbation.md`.
What a proof would take is in `docs/proofs/party.md`.
"""
# ruff: noqa: T201  an example shows what happened

import numpy as np

import sfumato as sf

PATIENTS, TRAINED = 4_096, 3_072
RULE = {"basis": "haar", "share": 0.15}


def patients(rng):
    """Four columns of the clinic, four of the laboratory, in shares of their ranges; a label."""
    severity = rng.normal(size=(PATIENTS, 1))
    loads = np.array([[0.16, 0.12, 0.05, 0.0, 0.14, -0.12, 0.05, 0.0]])
    A = np.clip(severity * loads + 0.1 * rng.normal(size=(PATIENTS, 8)), -0.5, 0.5)
    return A, (severity[:, 0] + 0.3 * rng.normal(size=PATIENTS)) > 0


def accuracy(X, y, test, truth):
    """Least squares on X, tried on unperturbed held-out patients."""

    def with_one(Z):
        return np.column_stack([Z, np.ones(len(Z))])

    weights = np.linalg.lstsq(with_one(X), np.where(y, 1.0, -1.0), rcond=None)[0]
    return np.mean((with_one(test) @ weights > 0) == truth)


def main():
    """Perturb apart, join, and compare with the original and with each part alone."""
    A, sick = patients(np.random.default_rng(0))
    (mine, yours), y = np.split(A[:TRAINED], 2, axis=1), sick[:TRAINED]
    parts = [sf.perturb.wavelet(part, **RULE) for part in (mine, yours)]
    joined = np.hstack(parts)
    print(f"clinic: {mine.shape}, laboratory: {yours.shape}, joined: {joined.shape}")

    rule = (RULE["basis"], RULE["share"])
    together = sf.perturb.wavelet_multi(A[:TRAINED], cut="vertical", parts=[rule, rule])
    print(f"as one owner of both would publish it: {np.array_equal(joined, together)}")
    away = np.linalg.norm(joined - A[:TRAINED]) / np.linalg.norm(A[:TRAINED])
    print(f"distance from the original, as a share of its size: {away:.2f}")

    print("accuracy on held-out real patients")
    test, truth = A[TRAINED:], sick[TRAINED:]
    for name, X, columns in (
        ("original, joined", A[:TRAINED], slice(None)),
        ("perturbed, joined", joined, slice(None)),
        ("perturbed, clinic alone", parts[0], slice(4)),
        ("perturbed, laboratory alone", parts[1], slice(4, 8)),
    ):
        print(f"  {name:28} {accuracy(X, y, test[:, columns], truth):.3f}")


if __name__ == "__main__":
    main()
