"""Three parties hold the same columns of different people; each perturbs its own, and they join.

    python examples/collaborating_horizontal.py

Three made-up clinics each take small wavelet details off their own records and put them
under each other: a fixed rule needs no common seed.  A rotation can be joined as well, if
all use one matrix that they keep from whoever gets the result; rotations drawn apart
cannot, and the example shows what they do to distances.  NOT PRIVATE by any proof:
`docs/proofs/perturbation.md`.  With one: `python examples/collaborating_parties.py`.
"""
# ruff: noqa: T201  an example shows what happened

import numpy as np

import sfumato as sf

RULE = {"basis": "haar", "share": 0.15}


def clinics(rng, sizes=(1_000, 700, 1_300)):
    """Records of two groups of people, as shares of public ranges, for each clinic."""
    for size in sizes:
        group = rng.integers(0, 2, (size, 1))
        A = np.where(group, 0.15, -0.15) + 0.12 * rng.normal(size=(size, 6))
        yield np.clip(A, -0.5, 0.5), group[:, 0]


def nearest_mean(X, y):
    """Share of records that lie nearer to the mean of their own group."""
    means = np.stack([X[y == g].mean(axis=0) for g in (0, 1)])
    return np.mean(np.linalg.norm(X[:, None] - means, axis=2).argmin(axis=1) == y)


def main():
    """Perturb apart, join, and look at what is left of groups and distances."""
    rng = np.random.default_rng(0)
    parts, groups = zip(*clinics(rng), strict=True)
    A, y = np.vstack(parts), np.concatenate(groups)

    joined = np.vstack([sf.perturb.wavelet(part, **RULE) for part in parts])
    print(f"clinics: {[part.shape for part in parts]}, joined: {joined.shape}")
    away = np.linalg.norm(joined - A) / np.linalg.norm(A)
    print(f"distance from the original, as a share of its size: {away:.2f}")

    even = np.array_split(A, 3)
    rule = (RULE["basis"], RULE["share"])
    apart = np.vstack([sf.perturb.wavelet(part, **RULE) for part in even])
    together = sf.perturb.wavelet_multi(A, cut="horizontal", parts=[rule] * 3)
    print(f"equal parts, as one owner would publish them: {np.array_equal(apart, together)}")

    # The clinics agree on one matrix and keep it from everyone else.
    R = sf.perturb.random_orthogonal(A.shape[1], rng)
    one = np.vstack([sf.perturb.rotation(part, rng, R=R) for part in parts])
    many = np.vstack([sf.perturb.rotation(part, rng) for part in parts])
    print("records nearer to the mean of their own group")
    for name, X in (
        ("original", A),
        ("wavelet, joined", joined),
        ("rotation, one matrix", one),
        ("rotation, a matrix each", many),
    ):
        print(f"  {name:26} {nearest_mean(X, y):.3f}")


if __name__ == "__main__":
    main()
