"""Tables and matrices to attack: public data, made-up records, and releases of them."""

import numpy as np
import pyarrow as pa
from sklearn.datasets import load_breast_cancer, load_wine

import sfumato as sf
from sfumato.example import CLINIC, clinic

FALSE_ALARM = 1e-6  # chance that an attack on nothing is said to succeed
CONFIDENT = 1 - FALSE_ALARM


def matrix(name):
    data = {"wine": load_wine, "cancer": load_breast_cancer}[name]()
    return np.column_stack([data.data, data.target]).astype(float)


def numbers(name):
    """The first seven columns of a data set, in a random order of rows, and their schema."""
    A = np.random.default_rng(1).permutation(matrix(name)[:, :7])
    columns = {f"x{j}": A[:, j] for j in range(A.shape[1])}
    ranges = {
        key: {"kind": "number", "low": 0, "high": float(np.ceil(1.2 * values.max()))}
        for key, values in columns.items()
    }
    return pa.table(columns), sf.Schema.of({"name": name, "columns": ranges})


def people(name):
    """A table of people, split into those in the data and a control, and its schema."""
    table, schema = (clinic(800), sf.Schema.parse(CLINIC)) if name == "clinic" else numbers(name)
    half = table.num_rows // 2
    return table.slice(0, half), table.slice(half), schema


def noised(table, schema, *, epsilon, seed=3):
    return sf.publish(
        table, schema=schema, method="identity-laplace", epsilon=epsilon, seed=seed, fit=False
    ).table


def rotation(m, rng):
    return np.linalg.qr(rng.normal(size=(m, m)))[0]
