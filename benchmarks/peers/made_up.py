"""Two tables that nobody has seen: a bank's campaign, and accounts with skewed sums of money.

Both are made up from a seed, after the manner of well-known ones: curves and interactions rather
than straight lines, codes that go together, heavy tails, and sums of which most are nought.
"""

from typing import Any

import numpy as np
import pandas as pd
from declared import one_of, whole

__all__ = ["ACCOUNTS", "CAMPAIGN", "accounts", "campaign"]

JOBS = ["clerk", "craft", "manager", "service", "technician", "retired"]
JOBS += ["self-employed", "student", "idle"]
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
STATUS = [str(code) for code in range(-2, 9)]
HALF_YEAR = range(1, 7)


CAMPAIGN = {
    "name": "campaign",
    "columns": {
        "age": whole(18, 95),
        "job": one_of(*JOBS),
        "marital": one_of("single", "married", "divorced"),
        "education": one_of("primary", "secondary", "tertiary", missing="allowed"),
        "arrears": {"kind": "boolean"},
        "balance": whole(-10_000, 120_000),
        "mortgage": {"kind": "boolean"},
        "loan": {"kind": "boolean"},
        "contact": one_of("mobile", "landline", "unknown"),
        "day": whole(1, 31),
        "month": one_of(*MONTHS),
        "seconds": whole(0, 5_000),
        "calls": whole(1, 60),
        "days_since": whole(-1, 900),
        "previous": whole(0, 60),
        "outcome": one_of("none", "failure", "other", "success"),
        "subscribed": one_of("no", "yes", role="label"),
    },
}
ACCOUNTS = {
    "name": "accounts",
    "columns": {
        "limit": whole(10_000, 1_000_000, step=10_000),
        "sex": one_of("f", "m"),
        "education": one_of("school", "college", "university", "other"),
        "marital": one_of("single", "married", "other"),
        "age": whole(18, 90),
        **{f"status_{m}": one_of(*STATUS) for m in HALF_YEAR},
        **{f"bill_{m}": whole(-500_000, 2_000_000) for m in HALF_YEAR},
        **{f"paid_{m}": whole(0, 10_000_000) for m in HALF_YEAR},
        "default": {"kind": "boolean", "role": "label"},
    },
}


def campaign(rows: int = 30_000, seed: int = 1) -> pd.DataFrame:
    """Calls of a bank: one in eight subscribes; who was never called before has -1 days."""
    rng = np.random.default_rng(seed)
    age = np.clip(np.round(18 + 75 * rng.beta(1.9, 3.6, rows)), 18, 95).astype(int)
    # How likely each job is rises and falls with age: students are young, pensioners old.
    peak = np.array([38, 36, 45, 35, 36, 68, 44, 22, 40])
    width = np.array([14, 13, 11, 14, 12, 9, 12, 4, 16])
    share = np.array([2.0, 2.2, 1.9, 1.2, 1.8, 1.6, 0.8, 0.9, 0.5])
    job = _drawn(np.log(share) - ((age[:, None] - peak) / width) ** 2 / 2, rng)
    schooling = np.array([0.1, -0.9, 1.2, -0.7, 0.3, -0.6, 0.4, 0.5, -0.5])[job]
    taught = schooling + 0.6 * (age < 40) + rng.logistic(0, 0.7, rows)
    education = np.digitize(taught, [-0.8, 0.7])
    marital = _drawn(_columns((35 - age) / 7, 0.7, np.minimum(age - 38, 20) / 18), rng)
    wealth = 0.45 * education + 0.018 * (age - 40) + 0.35 * (job == 2) - 0.6 * (job == 8)
    arrears = rng.random(rows) < _chance(-4.2 - 1.1 * wealth)
    wealth = wealth + rng.normal(0, 1, rows)
    balance = 450 * np.exp(1.15 * wealth) - 400 * (rng.random(rows) < 0.3) - 900 * arrears
    balance = np.where(rng.random(rows) < 0.07, 0, balance)
    balance = np.clip(np.round(balance), -10_000, 120_000).astype(int)
    middle = np.exp(-(((age - 37) / 12) ** 2))
    mortgage = rng.random(rows) < _chance(-1.6 + 2.6 * middle - 0.5 * (job == 7))
    loan = rng.random(rows) < _chance(-1.9 - 0.35 * wealth + 0.5 * mortgage)
    season = np.array([3.0, 5.5, 1.2, 6.5, 30, 12, 15, 14, 1.3, 1.6, 9, 0.5])
    month = _drawn(np.log(season) + mortgage[:, None] * 0.9 * (np.arange(12) == 4), rng)
    day = 1 + rng.binomial(30, rng.choice([0.15, 0.45, 0.8], rows, p=[0.3, 0.4, 0.3]))
    contact = _drawn(_columns(1.2 + 0.3 * education, (age - 60) / 12, 1.0 * (month < 6)), rng)
    before = rng.random(rows) < _chance(-1.9 + 0.3 * wealth - 1.5 * (contact == 2))
    previous = np.where(before, np.minimum(1 + rng.negative_binomial(0.9, 0.33, rows), 60), 0)
    spell = np.where(rng.random(rows) < 0.55, rng.normal(182, 22, rows), rng.gamma(3, 85, rows))
    days_since = np.where(before, np.clip(np.round(spell), 1, 900), -1).astype(int)
    earlier = _drawn(_columns(np.zeros(rows), -1, 0.6 * (wealth > 0.7) - 0.8 * loan), rng) + 1
    outcome = np.where(before, earlier, 0)
    calls = np.minimum(rng.geometric(_chance(0.2 - 0.25 * (month > 5)), rows), 60)
    seconds = np.exp(rng.normal(5.15 - 0.06 * np.minimum(calls, 8), 0.85, rows))
    seconds = np.clip(np.round(seconds), 0, 5_000).astype(int)
    # A long call counts for less where there is a mortgage; only the young and the old save.
    length = np.log1p(seconds) - 5.3
    edge = ((age < 27) | (age > 60)) * 1.1
    offseason = np.isin(month, [2, 8, 9, 11])
    will = (
        *(-3.4, 1.9 * length * np.where(mortgage, 0.6, 1.4), 0.5 * np.maximum(length, 0) ** 2),
        *(edge * np.where(loan, 0.2, 1.0), 2.0 * offseason * (length > -0.5)),
        -0.7 * (contact == 2),
        *(2.3 * (outcome == 3) * np.where(days_since < 250, 1.2, 0.5), 0.4 * (balance > 1_500)),
        *(0.5 * (education == 2) * (job != 1), -0.35 * np.log(calls) * ~offseason),
    )
    subscribed = rng.random(rows) < _chance(sum(will))
    schools = np.array(["primary", "secondary", "tertiary", None], dtype=object)
    columns = CAMPAIGN["columns"]
    listed = {name: np.array(c["values"]) for name, c in columns.items() if "values" in c}
    return pd.DataFrame(
        {
            "age": age,
            "job": listed["job"][job],
            "marital": listed["marital"][marital],
            "education": schools[np.where(rng.random(rows) < 0.04, 3, education)],
            "arrears": _truth(arrears),
            "balance": balance,
            "mortgage": _truth(mortgage),
            "loan": _truth(loan),
            "contact": listed["contact"][contact],
            "day": day,
            "month": listed["month"][month],
            "seconds": seconds,
            "calls": calls,
            "days_since": days_since,
            "previous": previous,
            "outcome": listed["outcome"][outcome],
            "subscribed": np.where(subscribed, "yes", "no"),
        }
    )


def accounts(rows: int = 20_000, seed: int = 2) -> pd.DataFrame:
    """Six months of bills and payments: 22 in 100 fail to pay the next."""
    rng = np.random.default_rng(seed)
    sex = rng.random(rows) < 0.4
    age = np.clip(np.round(rng.gamma(7, 2.6, rows) + 19), 18, 90).astype(int)
    education = _drawn(_columns(-0.6 + (age - 45) / 15, 0.9, 0.7, -3.0), rng)
    marital = _drawn(_columns((33 - age) / 6, 0.2, -4.0), rng)
    means = 0.5 * (education == 2) + 0.25 * (education == 1) + 0.012 * (age - 35)
    limit = np.exp(rng.normal(11.5 + means, 0.8, rows))
    limit = np.clip(np.round(limit / 10_000) * 10_000, 10_000, 1_000_000).astype(int)
    # How much of the limit is used moves slowly; some hardly use the card, some are always full.
    habit = rng.choice([-3.2, -0.6, 1.9], rows, p=[0.33, 0.37, 0.3]) - 0.25 * means
    strain = rng.normal(0, 1, rows) + 0.35 * (habit > 1) - 0.3 * means
    used, behind = habit + rng.normal(0, 0.6, rows), np.zeros(rows)
    table: dict[str, Any] = {"limit": limit, "sex": np.where(sex, "m", "f")}
    table["education"] = np.array(ACCOUNTS["columns"]["education"]["values"])[education]
    table["marital"] = np.array(ACCOUNTS["columns"]["marital"]["values"])[marital]
    table["age"] = age
    bills, payments, codes = {}, {}, {}
    for month in reversed(HALF_YEAR):
        used = 0.93 * used + 0.07 * habit + rng.normal(0, 0.35, rows)
        shock = np.exp(np.where(rng.random(rows) < 0.03, rng.normal(1.2, 0.5, rows), 0))
        bill = limit * _chance(used) * 1.05 * shock
        idle = (habit < -2) & (rng.random(rows) < 0.45)
        credit = rng.random(rows) < np.where(habit < -2, 0.09, 0.015)
        bill = np.where(credit, -np.exp(rng.normal(6.2, 1.6, rows)), np.where(idle, 0, bill))
        late = rng.random(rows) < _chance(-2.3 + 0.95 * strain + 1.5 * (behind > 0))
        behind = np.where(late & ~idle, np.minimum(behind + 1, 8), np.maximum(behind - 2, 0))
        whole = ~late & (rng.random(rows) < _chance(-1.7 - 1.1 * used))
        pays = ~late & (rng.random(rows) < np.where(idle, 0.12, 0.58))
        part = np.exp(rng.normal(np.log(0.035 * np.maximum(bill, 4_000)), 0.75, rows))
        paid = np.where(pays, np.where(whole & (bill > 0), bill, part), 0)
        large = pays & (rng.random(rows) < 0.004)
        paid = np.where(large, np.exp(rng.normal(11.2, 0.9, rows)), paid)
        code = np.where(behind > 0, behind, np.where(idle, -2, np.where(whole, -1, 0))).astype(int)
        codes[f"status_{month}"] = np.array(STATUS)[code + 2]
        bills[f"bill_{month}"] = np.clip(np.round(bill), -500_000, 2_000_000).astype(int)
        payments[f"paid_{month}"] = np.clip(np.round(paid), 0, 10_000_000).astype(int)
    for columns in (codes, bills, payments):
        table |= {name: columns[name] for name in sorted(columns)}
    # Being behind matters most on a full card; a large payment heals, unless the limit is small.
    full = np.clip(bills["bill_1"] / limit, 0, 1.5)
    lately = np.log1p(payments["paid_1"] + payments["paid_2"])
    healed = lately * np.where(limit > 50_000, 0.11, 0.03)
    will = (
        *(-1.72, 1.8 * (behind >= 2) + 0.5 * (behind == 1), 1.7 * (behind > 0) * (full > 0.75)),
        *(1.7 * np.exp(-(((full - 0.95) / 0.18) ** 2)), 0.9 * ((age < 26) | (age > 58)) * ~sex),
        *(-healed, 0.45 * strain, 0.5 * (limit < 40_000) * (marital == 1)),
    )
    table["default"] = _truth(rng.random(rows) < _chance(sum(will)))
    return pd.DataFrame(table)


def _chance(score: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-score))


def _columns(*scores: Any) -> np.ndarray:
    """Scores of several values side by side, numbers repeated for every row."""
    return np.stack(np.broadcast_arrays(*scores), axis=1).astype(float)


def _drawn(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One value for each row, with odds that are the exponentials of its scores."""
    return (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def _truth(flags: np.ndarray) -> np.ndarray:
    return np.where(flags, "true", "false")
