"""dp-lda and dp-pca on a table of the shape of Adult: seconds, rows a second, and the limits.

    python benchmarks/component_release.py            45,222 rows, 35 features

The table is drawn at random: only shapes matter here.  The first greedy draw, which
compiles, is left out.
"""

import time

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.render.greedy import greedy
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features

ROWS = 45_222
LEVELS = (7, 7, 6, 5, 2)


def schema(numbers=5, levels=LEVELS):
    columns = {f"x{k}": {"kind": "number", "low": 0, "high": 1} for k in range(numbers)}
    for k, count in enumerate(levels):
        columns[f"c{k}"] = {"kind": "category", "values": [f"v{i}" for i in range(count)]}
    columns["label"] = {"kind": "boolean", "role": "label"}
    return Schema.of({"name": "shape", "columns": columns})


def table(known, rows=ROWS):
    rng = np.random.default_rng(0)
    data = {}
    for name, column in known.released.items():
        if column.kind == "number":
            data[name] = rng.random(rows)
        elif column.kind == "boolean":
            data[name] = rng.random(rows) < 0.25
        else:
            data[name] = np.array(column.values)[rng.integers(0, len(column.values), rows)]
    return pa.table(data)


def clock(action):
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def greedy_rate(numbers, levels, rows):
    domain = Domain.of(schema(numbers, levels))
    features = Features.of(domain, without=(domain.label,))
    means = np.full((2, len(features)), 0.3)
    within = 0.01 * (np.eye(len(features)) + 1)
    labels = np.arange(rows) % 2
    greedy(features, means, within, labels[:2])
    seconds, _ = clock(lambda: greedy(features, means, within, labels))
    return len(features), rows / seconds


def main():
    known = schema()
    data = table(known)
    sf.publish(
        data.slice(0, 100), schema=known, method="dp-lda", epsilon=1, sampler="greedy", fit=False
    )
    copied, _ = clock(lambda: [data.column(name).to_numpy() for name in data.column_names])
    for method, options in (
        ("dp-lda", {"sampler": "gauss"}),
        ("dp-lda", {"sampler": "greedy"}),
        ("dp-pca", {"rank": 5}),
        ("identity-laplace", {}),
    ):
        seconds, _ = clock(
            lambda m=method, o=options: sf.publish(
                data, schema=known, method=m, epsilon=1, fit=False, **o
            )
        )
        shown = ", ".join(f"{key} {value}" for key, value in options.items())
        print(f"{method:16} {shown:15} {seconds:6.2f} s  {ROWS / seconds:10,.0f} rows/s")
    codes = np.random.default_rng(0).random((ROWS, 31))
    limit, _ = clock(lambda: codes.T @ codes)
    print(f"limits: float Gram of the same shape {limit:.4f} s, copying the table {copied:.4f} s")
    print("greedy sampler alone, one core:")
    for numbers, levels in ((5, (*LEVELS, 3)), (5, (14, 14, 12, 10, 2, 8)), (10, (*LEVELS, 3))):
        width, rate = greedy_rate(numbers, levels, 40_000)
        print(f"  {width} features ({numbers} numbers): {rate:10,.0f} rows/s")


if __name__ == "__main__":
    main()
