"""Persons published by mosaic: how near their tables are, and what models learn from them.

    python benchmarks/people_utility.py DATA                 both panels, ten seeds each
    python benchmarks/people_utility.py DATA --seeds 3 --epsilon 1 --delta 0

DATA is the folder with nlswork and claims_long.  Distances are total variations over rows, in
twenty even bins of a number's range; models are trained on a release of four fifths of the
persons and scored on the others, beside a model of the records themselves.  Everything is seeded.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score

import sfumato as sf
from sfumato.inspection import lag_correlations, panel_distances

RANGES = {"ttl_exp": (30, 0.1), "tenure": (26, 0.1), "ln_wage": (6, 0.01)}
FILLED = {"tenure": 3, "grade": 12, "hours": 37, "wks_work": 54}
NUMBERS = ("ln_wage", "tenure", "ttl_exp", "hours", "grade", "year", "birth_yr", "wks_work")
FLAGS = ("union", "msp", "south", "collgrad", "c_city", "not_smsa")


def nlswork(data):
    """Women of a survey: yearly rows, wages, jobs; nothing is known of them but the ranges."""
    frame = pd.read_csv(data / "nlswork" / "nlswork.csv.gz").drop(columns="age")
    frame["race"] = frame["race"].str.capitalize()
    columns = {"idcode": {"kind": "id"}}
    for name in frame.columns.drop("idcode"):
        values = frame[name].dropna()
        if name == "race":
            fact = {"kind": "category", "values": ["White", "Black", "Other"]}
        elif set(values.unique()) <= {0, 1}:
            frame[name] = frame[name].map({0: "no", 1: "yes"})
            fact = {"kind": "category", "values": ["no", "yes"]}
        elif name in ("ind_code", "occ_code"):
            frame[name] = frame[name].map(lambda x: x if pd.isna(x) else str(int(x)))
            fact = {"kind": "category", "values": [str(k) for k in range(1, 14)]}
        elif name in RANGES:
            high, step = RANGES[name]
            fact = {"kind": "number", "low": 0, "high": high, "step": step}
        else:
            fact = {"kind": "integer", "low": int(values.min()), "high": int(values.max())}
        if len(values) < len(frame):
            fact["missing"] = "allowed"
        if name in ("birth_yr", "race", "grade", "collgrad"):
            fact["per"] = "person"
        columns[name] = fact
    columns["ttl_exp"]["increasing"] = True
    schema = {"name": "nlswork", "person": "idcode", "order": "year", "columns": columns}
    return frame, schema, next_wage


def next_wage(train, test):
    """R² of next year's wage."""
    (X, y), (Z, t) = _years(train), _years(test)
    return 1 - ((t - LinearRegression().fit(X, y).predict(Z)) ** 2).mean() / t.var()


def _years(frame):
    frame = frame.sort_values(["idcode", "year"], kind="stable")
    person = frame["idcode"].to_numpy()
    now = np.flatnonzero(person[1:] == person[:-1])
    numbers = {name: pd.to_numeric(frame[name]).to_numpy(float) for name in NUMBERS}
    known = [np.nan_to_num(x[now], nan=FILLED.get(name, 0)) for name, x in numbers.items()]
    known += [(frame[name].to_numpy()[now] == "yes").astype(float) for name in FLAGS]
    known.append((frame["race"].to_numpy()[now] == "Black").astype(float))
    known.append(numbers["year"][now + 1] - numbers["year"][now])
    return np.stack(known, axis=1), numbers["ln_wage"][now + 1]


def claims(data):
    """Policies of car insurance, three years each."""
    frame = pd.read_csv(data / "claims_long" / "claims_long.csv.gz")
    for name in ("agecat", "valuecat", "claim"):
        frame[name] = frame[name].astype(str)

    def category(*values, **more):
        return {"kind": "category", "values": [str(v) for v in values], **more}

    columns = {
        "policyID": {"kind": "id"},
        "agecat": category(*range(1, 11), per="person"),
        "valuecat": category(*range(1, 10), per="person"),
        "period": {"kind": "integer", "low": 1, "high": 3},
        "numclaims": {"kind": "integer", "low": 0, "high": 43},
        "claim": category(0, 1),
    }
    schema = {"name": "claims", "person": "policyID", "order": "period", "columns": columns}
    return frame[list(columns)], schema, next_claim


def next_claim(train, test):
    """Area under the curve of a claim in the third year."""
    (X, y), (Z, t) = _policies(train), _policies(test)
    return roc_auc_score(t, LogisticRegression(max_iter=300).fit(X, y).predict_proba(Z)[:, 1])


def _policies(frame):
    frame = frame.sort_values(["policyID", "period"], kind="stable")
    frame = frame[frame.groupby("policyID")["period"].transform("size") >= 3]
    frame = frame.groupby("policyID").head(3)
    of = {c: pd.to_numeric(frame[c]).to_numpy(float).reshape(-1, 3) for c in frame.columns[1:]}
    age = of["agecat"][:, :1] == np.arange(1, 11)
    known = [of["claim"][:, :2], np.log1p(of["numclaims"][:, :2]), age]
    known.append(of["valuecat"][:, :1] == 9)
    return np.hstack(known), of["claim"][:, 2]


def scored(frame, schema, model, seed, asked):
    """The measures of one release, and the model of another one that saw four fifths."""
    person = schema["person"]
    release = sf.publish(frame, schema=schema, seed=seed, **asked).data
    found = panel_distances(release, frame, schema)
    scores = {
        "one-way": found.columns.mean,
        "two-way": found.pairs.mean,
        "lag": found.lags.mean,
        "rows per person": found.rows_per_person,
    }
    for one in lag_correlations(release, frame, schema):
        if one.column in ("ln_wage", "numclaims") and not np.isnan(one.records):
            scores[f"{one.column} lag {one.lag} ({one.records:.2f})"] = one.release
    persons = np.sort(frame[person].unique())
    out = np.random.default_rng(seed).choice(persons, len(persons) // 5, replace=False)
    held = frame[person].isin(out)
    trained = sf.publish(frame[~held], schema=schema, seed=seed + 1_000, **asked).data
    scores["model"] = model(trained, frame[held])
    scores["model of the records"] = model(frame[~held], frame[held])
    return scores


def main(data, seeds, asked):
    for load in (nlswork, claims):
        frame, schema, model = load(data)
        found = pd.DataFrame([scored(frame, schema, model, seed, asked) for seed in range(seeds)])
        persons = frame[schema["person"]].nunique()
        print(f"{schema['name']}: {persons:,} persons, {len(frame):,} rows, {seeds} seeds")
        for name in found:
            print(f"  {name:24} {found[name].mean():.4f} ± {found[name].std(ddof=1):.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="persons published by mosaic")
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--delta", default="1e-9")
    given = parser.parse_args()
    budget = {"epsilon": given.epsilon}
    if float(given.delta):
        budget["delta"] = given.delta
    main(given.data, given.seeds, {**budget, "on_doubt": lambda _: None})
