"""What a column with a familiar name usually is: a proposal, by its name alone.

>>> suggested("patient_age").name, suggested("createdAt").name, suggested("phone_num").name
('age', 'date', 'id')
>>> suggested("duration")
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from unicodedata import normalize

__all__ = ["KINDS", "PRESETS", "Preset", "suggested", "words_of"]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
BUY = None  # an end of a range, or a list, that is bought from the records
_ONE_PERSONS = frozenset(
    ["ssn", "mrn", "email", "phone", "telephone", "iban", "passport", "uuid", "guid"]
)
_BIRTH = frozenset(["birth", "born"])
_AT_THE_END = frozenset(["at", "on"])  # created_at is a day, and age_at_entry is none


@dataclass(frozen=True)
class Preset:
    """Facts of a familiar kind of column; None where an end is bought or asked for."""

    name: str
    says: str
    facts: Mapping[str, Any]
    source: str | None = None
    called: frozenset[str] = frozenset()  # a name with one of these words suggests it
    signed: bool = False  # whether nobody needs to be asked if it can be negative

    @property
    def kind(self) -> str:
        """The kind of the column."""
        return str(self.facts["kind"])


def _called(words: str) -> frozenset[str]:
    return frozenset(words.split())


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "age",
            "years of life, 0 to 120",
            {"kind": "integer", "low": 0, "high": 120},
            "people live for 0 to 120 years",
            _called("age ages alter edad idade leeftijd alder"),
        ),
        Preset(
            "percent",
            "a percentage, 0 to 100 (45.1, not 0.451)",
            {"kind": "number", "low": 0, "high": 100},
            "a percentage",
            _called("percent percentage pct prozent"),
        ),
        Preset(
            "percent%",
            "a percentage written with its sign, as 45.1%, 0 to 100",
            {"kind": "number", "low": 0, "high": 100, "percent": True},
            "a percentage",
        ),
        Preset(
            "money",
            "an amount of money; its range is bought unless you know it",
            {"kind": "number", "low": BUY, "high": BUY},
            None,
            _called(
                "money price cost costs salary wage wages income amount balance fee fees revenue "
                "payment charge charges premium rent turnover budget spend preis kosten gehalt "
                "einkommen betrag"
            ),
        ),
        Preset(
            "count",
            "how many, from 0 on; its highest value is bought unless you know it",
            {"kind": "integer", "low": 0, "high": BUY},
            None,
            _called("count counts num visits children previous quantity qty times"),
        ),
        Preset(
            "year",
            "a calendar year from 1900 to next year",
            {"kind": "integer", "low": 1900, "high": "next year"},
            "calendar years from 1900 on",
            _called("year yob jahr"),
        ),
        Preset(
            "date",
            "a day; its range is bought unless you know it",
            {"kind": "date", "low": BUY, "high": BUY},
            None,
            _called("date dates day at on datum tag fecha timestamp admitted discharged"),
            signed=True,
        ),
        Preset(
            "birthdate",
            "a day of birth, from 1900 to the end of this year",
            {"kind": "date", "low": date(1900, 1, 1), "high": "end of this year"},
            "days of birth from 1900 on",
            _called("dob birthday birthdate geburtsdatum geburtstag"),
        ),
        Preset(
            "latitude",
            "degrees; its range is bought unless you know it (the whole world: -90 90)",
            {"kind": "number", "low": BUY, "high": BUY},
            None,
            _called("lat latitude"),
            signed=True,
        ),
        Preset(
            "longitude",
            "degrees; its range is bought unless you know it (the whole world: -180 180)",
            {"kind": "number", "low": BUY, "high": BUY},
            None,
            _called("lon lng longitude"),
            signed=True,
        ),
        Preset(
            "yes/no",
            "true or false",
            {"kind": "boolean"},
            None,
            _called(
                "flag smoker smokes pregnant diabetic alive deceased raucher fumeur fumador "
                "fumatore roker"
            ),
        ),
        Preset(
            "id",
            "a name or number of one record: never read, never released",
            {"kind": "id"},
            None,
            _called(
                "id ids uuid guid key ssn mrn name surname firstname lastname email mail phone "
                "telephone address street iban passport url"
            ),
        ),
        Preset(
            "country",
            "an ISO 3166 code of two letters, as DE; all else becomes other",
            {"kind": "code", "book": "iso-3166"},
            None,
            _called("country nationality land"),
        ),
    )
}

# What a column may be where no preset fits; the first letter is enough.
KINDS = {
    kind.name: kind
    for kind in (
        Preset("number", "any number", {"kind": "number", "low": BUY, "high": BUY}),
        Preset("whole", "a whole number", {"kind": "integer", "low": BUY, "high": BUY}),
        Preset(
            "category",
            "one of a list of values",
            {"kind": "category", "values": BUY},
            None,
            _called(
                "sex gender status type category class group region state city department ward "
                "job occupation profession education marital religion ethnicity race language "
                "diagnosis outcome result kind method channel product brand segment month weekday "
                "geschlecht sexe sexo sesso geslacht station abteilung beruf diagnose familienstand"
            ),
        ),
        Preset("code", "of a public code book", {"kind": "code", "book": BUY}),
    )
}


def words_of(name: str) -> list[str]:
    """The words of a column's name, in small letters and without accents.

    >>> words_of("HTTPStatus2"), words_of("birth_year"), words_of("Âge")
    (['http', 'status', '2'], ['birth', 'year'], ['age'])
    """
    plain = normalize("NFKD", name).encode("ascii", "ignore").decode()
    return [word.lower() for word in _WORD.findall(plain)]


def suggested(name: str, stored: str | None = None) -> Preset | None:
    """The preset that a column's name suggests; where the file stores a kind, one of that kind.

    The last word says what a thing is, so it is asked first: `age_date` is a date; `is` and `has`
    begin a question.

    A range is proposed where everybody knows it and most of it is used.  Days and places mostly
    lie close together: in the range of all of them, bins would be years or countries wide.
    """
    words = words_of(name)
    if _ONE_PERSONS & set(words):
        return PRESETS["id"]
    if words[:1] in (["is"], ["has"]) and stored in (None, "boolean"):
        return PRESETS["yes/no"]
    for word in (*words[-1:], *reversed([one for one in words[:-1] if one not in _AT_THE_END])):
        for preset in (*PRESETS.values(), *KINDS.values()):
            if word in preset.called and _agrees(preset, stored):
                birth = preset.name == "date" and _BIRTH & set(words)
                return PRESETS["birthdate"] if birth else preset
    fitting = [kind for kind in (*KINDS.values(), *PRESETS.values()) if kind.kind == stored]
    return fitting[0] if fitting else None


def _agrees(preset: Preset, stored: str | None) -> bool:
    if stored is None or preset.kind in ("id", stored):
        return True
    return {preset.kind, stored} in ({"number", "integer"}, {"code", "category"})
