"""Adult: ranges and values that are public knowledge of the survey."""

__all__ = ["SCHEMA"]

NUMBERS = {
    "age": (17, 90),
    "education_num": (1, 16),
    "capital_gain": (0, 99999),
    "capital_loss": (0, 4356),
    "hours_per_week": (1, 99),
}
CATEGORIES = {
    "workclass": [
        "Federal-gov",
        "Local-gov",
        "Private",
        "Self-emp-inc",
        "Self-emp-not-inc",
        "State-gov",
        "Without-pay",
    ],
    "marital_status": [
        "Divorced",
        "Married-AF-spouse",
        "Married-civ-spouse",
        "Married-spouse-absent",
        "Never-married",
        "Separated",
        "Widowed",
    ],
    "relationship": [
        "Husband",
        "Not-in-family",
        "Other-relative",
        "Own-child",
        "Unmarried",
        "Wife",
    ],
    "race": ["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"],
    "sex": ["Female", "Male"],
    "income": ["<=50K", ">50K"],
}
SCHEMA = {
    "name": "adult",
    "columns": {
        **{name: {"kind": "integer", "low": a, "high": b} for name, (a, b) in NUMBERS.items()},
        **{name: {"kind": "category", "values": v} for name, v in CATEGORIES.items()},
    },
}
SCHEMA["columns"]["income"]["role"] = "label"
