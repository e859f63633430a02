"""Made-up copies of the UCI data sets: their columns, fewer of them, and few rows."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq


def made_up(name: str, rows: int, rng: np.random.Generator) -> pa.Table:
    """Records whose first columns depend on the label; the label is the last column."""
    y = rng.integers(0, 3, rows)
    wave = np.array([[0, 3, 6, 3, 0, 0], [0, 0, 3, 6, 3, 0], [3, 0, 0, 3, 6, 3]])[y]
    noisy = wave + rng.normal(0, 1, wave.shape)
    if name == "semeion":
        pixels = {f"p00_{j:02}": (noisy[:, j] > 2).astype(int) for j in range(6)}
        return pa.table(pixels | {"digit": y})
    if name == "waveform":
        return pa.table({f"x{j + 1}": noisy[:, j] for j in range(6)} | {"class": y})
    if name in ("musk1", "musk2"):
        whole = np.rint(40 * noisy - 100).astype(int)
        return pa.table({f"f{j + 1}": whole[:, j] for j in range(6)} | {"class": y})
    if name == "secom":
        signals = noisy * 10.0 ** np.arange(6)
        signals[rng.random(signals.shape) < 0.05] = np.nan
        columns = {f"v{j + 1}": pa.array(signals[:, j], from_pandas=True) for j in range(6)}
        return pa.table(columns | {"label": np.where(y == 0, 1, -1)})
    if name == "gfe":
        points = {f"p{j // 3}_{'xyz'[j % 3]}": 40 * noisy[:, j] + 300 for j in range(6)}
        who = {"user": ["a"] * rows, "expression": ["wh"] * rows, "timestamp": [0.0] * rows}
        return pa.table(who | points | {"label": y})
    if name == "bupa":
        tests = {f"test{j + 1}": np.rint(20 * noisy[:, j] + 60 * (j + 1)) for j in range(5)}
        drinks = {"drinks": rng.integers(0, 9, rows)}
        return pa.table(tests | drinks | {"selector": 1 + (y > 0)})
    if name == "wbc":
        grades = np.clip(np.rint(1.5 * noisy[:, [0, 1, 2, 3, 4, 5, 0, 1, 2]] + 1), 1, 10)
        missing = np.zeros(grades.shape, bool)
        missing[:, 5] = rng.random(rows) < 0.1
        columns = {
            f"g{j + 1}": pa.array(grades[:, j].astype(int), mask=missing[:, j]) for j in range(9)
        }
        return pa.table(columns | {"class": np.where(y == 2, 4, 2)})
    assert name == "covtype"
    numbers = {
        "elevation": 2500 + 100 * noisy[:, 0],
        "aspect": 30 * np.abs(noisy[:, 1]),
        "slope": 8 * np.abs(noisy[:, 2]),
        "horizontal_distance_to_hydrology": 300 * np.abs(noisy[:, 3]),
        "vertical_distance_to_hydrology": 50 * noisy[:, 4],
        "horizontal_distance_to_roadways": 900 * np.abs(noisy[:, 5]),
        "hillshade_9am": 20 * np.abs(noisy[:, 0]),
        "hillshade_noon": 20 * np.abs(noisy[:, 1]),
        "hillshade_3pm": 20 * np.abs(noisy[:, 2]),
        "horizontal_distance_to_fire_points": 900 * np.abs(noisy[:, 3]),
    }
    areas, soils = rng.integers(0, 4, rows), y + rng.integers(0, 2, rows)
    blocks = {f"wilderness_area{j + 1}": (areas == j).astype(np.int8) for j in range(4)}
    blocks |= {f"soil_type{j + 1}": (soils == j).astype(np.int8) for j in range(4)}
    plain = {column: np.rint(values).astype(np.int16) for column, values in numbers.items()}
    return pa.table(plain | blocks | {"cover_type": y + 1})


def write_uci(folder, name: str, table: pa.Table) -> None:
    """Where SFUMATO_DATA would have it."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    if name in ("covtype", "gfe"):
        pq.write_table(table, folder / name / f"{name}.parquet")
        return
    content = io.BytesIO()
    pacsv.write_csv(table, content)
    (folder / name / f"{name}.csv.gz").write_bytes(gzip.compress(content.getvalue()))


def write_uci_folder(folder, names, rows: int, rng: np.random.Generator):
    """A data folder with these data sets."""
    for name in names:
        write_uci(folder, name, made_up(name, rows, rng))
    return folder
