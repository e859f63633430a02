"""A made-up clinic: a table of every kind of column, for the demo, the docs and tests.

The records come from a formula, so they may be shown beside their release.
"""

import numpy as np
import pyarrow as pa

__all__ = ["CLINIC", "clinic"]

CLINIC = """\
name: clinic
neighbours: replace-one          # the number of patients is public
columns:
  patient:   {kind: id}          # never read, never released
  age:       {kind: integer, low: 18, high: 98}
  sex:       {kind: category, values: [female, male], other: none}
  weight:    {kind: number, low: 40, high: 160, step: 0.1, missing: allowed}
  pressure:  {kind: integer, low: 80, high: 220}
  smoker:    {kind: boolean}
  ward:      {kind: category, values: [cardiology, surgery, oncology], other: elsewhere}
  admitted:  {kind: date, low: 2024-01-01, high: 2025-12-31, step: day}
  outcome:   {kind: category, values: [home, care], other: none, role: label}
"""


def clinic(rows: int = 20_000, *, seed: int = 1) -> pa.Table:
    """Patients that never were.

    >>> clinic(3).column_names
    ['patient', 'age', 'sex', 'weight', 'pressure', 'smoker', 'ward', 'admitted', 'outcome']
    """
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(58, 16, rows), 18, 98).round().astype(int)
    male = rng.random(rows) < 0.48
    weight = np.clip(rng.normal(68 + 12 * male, 13, rows), 40, 160).round(1)
    smoker = rng.random(rows) < np.where(age < 60, 0.31, 0.17)
    raised = 0.55 * (age - 58) + 0.35 * (weight - 74) + 6 * smoker
    pressure = np.clip(rng.normal(128 + raised, 11), 80, 220).round().astype(int)
    odds = 0.05 * (age - 60) + 0.03 * (pressure - 128) + 0.5 * smoker - 0.6
    care = rng.random(rows) < 1 / (1 + np.exp(-odds))
    wards = np.array(["cardiology", "surgery", "oncology", "hospice"])
    ward = wards[np.minimum((pressure < 128) + rng.choice(3, rows, p=[0.6, 0.3, 0.1]), 3)]
    day = np.datetime64("2024-01-01") + rng.integers(0, 731, rows)
    unweighed = rng.random(rows) < 0.04
    return pa.table(
        {
            "patient": [f"P{number:06}" for number in range(rows)],
            "age": age,
            "sex": np.where(male, "male", "female"),
            "weight": pa.array(weight, mask=unweighed),
            "pressure": pressure,
            "smoker": smoker,
            "ward": ward,
            "admitted": day,
            "outcome": np.where(care, "care", "home"),
        }
    )
