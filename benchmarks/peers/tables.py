"""The tables that are released: built in, or brought along with a schema of Sfumato."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import made_up
import numpy as np
import pandas as pd
from declared import one_of, whole
from protocol import SCHEMA as ADULT
from public import Listed, Ordered, facts

__all__ = ["BUILT_IN", "Table", "built_in"]


@dataclass(frozen=True)
class Table:
    """Records, what is public about them, and what is predicted from them."""

    name: str
    frame: pd.DataFrame
    schema: dict[str, Any]
    label: str | None = None
    target: str | None = None

    @property
    def facts(self) -> dict[str, Listed | Ordered]:
        """The public facts of each column."""
        return facts(self.schema)

    def described(self) -> dict[str, Any]:
        """What the results say of the table, and what it is known again by."""
        columns, roles = self.schema["columns"], ("label", "target")
        told = [name for name, column in columns.items() if column.get("role") in roles]
        text = self.frame.to_csv(index=False) + json.dumps(self.schema)
        return {
            "rows": len(self.frame),
            "columns": len(self.facts),
            "label": self.label,
            "target": self.target,
            "declared": told,
            "digest": hashlib.sha256(text.encode()).hexdigest()[:16],
        }

    def split(self, trial: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Two thirds to release, one third to test with."""
        order = np.random.default_rng(trial).permutation(len(self.frame))
        cut = 2 * len(self.frame) // 3
        return self.frame.iloc[order[:cut]], self.frame.iloc[order[cut:]]


COVTYPE = {
    "name": "covtype",
    "columns": {
        "elevation": whole(1_500, 4_400, role="target"),
        "aspect": whole(0, 360),
        "slope": whole(0, 90),
        "horizontal_distance_to_hydrology": whole(0, 2_000),
        "vertical_distance_to_hydrology": whole(-300, 700),
        "horizontal_distance_to_roadways": whole(0, 8_000),
        "hillshade_9am": whole(0, 255),
        "hillshade_noon": whole(0, 255),
        "hillshade_3pm": whole(0, 255),
        "horizontal_distance_to_fire_points": whole(0, 8_000),
    },
}
SOMETIMES = {"missing": "allowed"}
NLSWORK = {
    "name": "nlswork",
    "columns": {
        "year": whole(68, 88),
        "birth_yr": whole(41, 54),
        "age": whole(14, 50, **SOMETIMES),
        "race": one_of("Black", "Other", "White"),
        **{name: {"kind": "boolean"} | SOMETIMES for name in ("msp", "nev_mar")},
        "grade": whole(0, 18, **SOMETIMES),
        "collgrad": {"kind": "boolean"},
        **{
            name: {"kind": "boolean"} | SOMETIMES
            for name in ("not_smsa", "c_city", "south", "union")
        },
        "ind_code": one_of(*map(str, range(1, 13)), **SOMETIMES),
        "occ_code": one_of(*map(str, range(1, 14)), **SOMETIMES),
        "wks_ue": whole(0, 104, **SOMETIMES),
        "ttl_exp": {"kind": "number", "low": 0, "high": 30},
        "tenure": {"kind": "number", "low": 0, "high": 30} | SOMETIMES,
        "hours": whole(1, 168, **SOMETIMES),
        "wks_work": whole(0, 104, **SOMETIMES),
        "ln_wage": {"kind": "number", "low": 0, "high": 5.5, "role": "target"},
    },
}


@dataclass(frozen=True)
class Source:
    """Where a built-in table comes from: a file of the data folder, or nothing but a seed."""

    schema: dict[str, Any]
    read: Callable[[Path], pd.DataFrame]
    file: str | None = None
    undeclared: str | None = None


def _adult(file: Path) -> pd.DataFrame:
    return pd.read_csv(file, skipinitialspace=True)


def _covtype(file: Path) -> pd.DataFrame:
    return pd.read_parquet(file).sample(30_000, random_state=0)


def _nlswork(file: Path) -> pd.DataFrame:
    frame = pd.read_csv(file)
    for name, column in NLSWORK["columns"].items():
        if column["kind"] == "boolean":
            frame[name] = frame[name].map({0: "false", 1: "true"})
        elif column["kind"] in ("category", "integer") and frame[name].dtype == float:
            frame[name] = frame[name].astype("Int64")
    return frame


def _undeclared(schema: dict[str, Any]) -> dict[str, Any]:
    plain = {n: {k: v for k, v in c.items() if k != "role"} for n, c in schema["columns"].items()}
    return schema | {"columns": plain}


ADULT_FILE = "adult/adult.csv.gz"
BUILT_IN = {
    "adult": Source(ADULT, _adult, ADULT_FILE),
    "adult-unlabelled": Source(_undeclared(ADULT), _adult, ADULT_FILE, "income"),
    "campaign": Source(made_up.CAMPAIGN, lambda _: made_up.campaign()),
    "accounts": Source(made_up.ACCOUNTS, lambda _: made_up.accounts()),
    "covtype": Source(COVTYPE, _covtype, "covtype/covtype.parquet"),
    "nlswork": Source(NLSWORK, _nlswork, "nlswork/nlswork.csv.gz"),
}


def built_in(name: str, folder: Path | None) -> Table:
    """One of the tables above; those that are not made up lie in `folder`."""
    source = BUILT_IN[name]
    frame = source.read((folder or Path()) / (source.file or ""))[list(source.schema["columns"])]
    roles = {c.get("role"): n for n, c in source.schema["columns"].items()}
    label = source.undeclared or roles.get("label")
    return Table(name, frame, source.schema, label, roles.get("target"))
