"""small-database beside other methods on tiny domains: the largest error of a share, and seconds.

    python benchmarks/small_database.py

Tables of booleans, replace-one; the mean over ten of them of the largest error of a share of one
value or of a pair of values.  Everything is seeded.
"""

import time
from itertools import combinations, product

import numpy as np
import pyarrow as pa

import sfumato as sf

METHODS = ("small-database", "mosaic", "modips", "exponential")
REPEATS = 10


def made_up(rows, columns, seed):
    rng = np.random.default_rng(seed)
    often = rng.random(rows) > 0.6
    chance = [0.15 + 0.7 * often * (j % 2 == 0) + 0.2 * (j % 3 == 0) for j in range(columns)]
    return pa.table({f"b{j}": rng.random(rows) < p for j, p in enumerate(chance)})


def shares(table):
    X = np.stack([column.to_numpy(zero_copy_only=False) for column in table.columns], axis=1)
    both = [
        ((X[:, a] == first) & (X[:, b] == second)).mean()
        for a, b in combinations(range(X.shape[1]), 2)
        for first, second in product((False, True), repeat=2)
    ]
    return np.array([*X.mean(axis=0), *both])


def main():
    for columns, rows, epsilon in product((2, 3), (200, 1_000, 10_000), ("0.1", "1")):
        facts = {f"b{j}": {"kind": "boolean"} for j in range(columns)}
        cells = []
        for method in METHODS:
            errors, started = [], time.perf_counter()
            for seed in range(REPEATS):
                table = made_up(rows, columns, seed)
                known = {"name": "t", "columns": facts}
                made = sf.publish(
                    table, schema=known, method=method, epsilon=epsilon, seed=seed, fit=False
                )
                errors.append(np.abs(shares(made.table) - shares(table)).max())
            each = (time.perf_counter() - started) / REPEATS
            cells.append(f"{method} {np.mean(errors):.3f} ({each:.2f} s)")
        print(f"{columns} booleans, {rows:,} rows, epsilon {epsilon}: " + ", ".join(cells))


if __name__ == "__main__":
    main()
