"""Made-up adults: records in the domain of Adult, for runs that need no data set."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from papers.adult import ADULT
from sfumato.schema import Category


def made_up_adults(rows: int, rng: np.random.Generator) -> pa.Table:
    """Independent columns, but for income, which follows schooling and hours."""
    columns = {}
    for name, column in ADULT.columns.items():
        if isinstance(column, Category):
            columns[name] = rng.choice([str(value) for value in column.values], rows)
        else:
            share = rng.beta(2, 4, rows)
            columns[name] = (column.low + share * (column.high - column.low)).astype(int)
    rich = columns["education_num"] + columns["hours_per_week"] / 10 > rng.normal(11, 1, rows)
    return pa.table(columns | {"income": np.where(rich, ">50K", "<=50K")})


def write_data_folder(folder, table):
    """The folder that SFUMATO_DATA would point at."""
    content = io.BytesIO()
    pacsv.write_csv(table, content)
    (folder / "adult").mkdir(parents=True)
    (folder / "adult" / "adult.csv.gz").write_bytes(gzip.compress(content.getvalue()))
    return folder
