"""Data dictionaries: public, and written by strangers; a schema is drafted, or they are refused."""

import json
from pathlib import Path
from random import Random

from fuzz.changes import bytes_changed, nested_changed, words_changed
from fuzz.judge import Trial
from sfumato.schema.dictionary import schema_from
from sfumato.schema.strict_yaml import load

__all__ = ["make"]

_REDCAP = """\
field_name,form_name,field_type,field_label,select_choices_or_calculations,\
text_validation_type_or_show_slider_number,text_validation_min,text_validation_max,identifier
record_id,one,text,Record,,,,,
age,one,text,"Age, in years",,integer,18,99,
born,one,text,Birth,,date_dmy,1900-01-01,2020-12-31,y
sex,one,radio,Sex,"1, Female | 2, Male",,,,
ill,two,checkbox,Ill,"1, a | -9, b",,,,
"""
_FIELDS = [
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 110}},
    {"name": "cost", "type": "number", "decimalChar": ",", "groupChar": "."},
    {"name": "day", "type": "date", "format": "%d/%m/%Y"},
    {"name": "ok", "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]},
    {"name": "ward", "constraints": {"enum": ["a", "b"], "required": True}},
]
_PACKAGE = {
    "resources": [
        {
            "name": "visits",
            "encoding": "latin1",
            "dialect": {"delimiter": ";"},
            "schema": {"fields": _FIELDS, "missingValues": ["", "NA"], "primaryKey": "id"},
        }
    ]
}
_CSVW = {
    "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
    "url": "t.csv",
    "null": ["-"],
    "dialect": {"delimiter": "\t"},
    "tableSchema": {
        "columns": [
            {"titles": {"en": ["Age"]}, "datatype": {"base": "integer", "minimum": 0}},
            {"name": "day", "datatype": {"base": "date", "format": "dd.MM.yyyy"}},
            {"name": "ok", "datatype": {"base": "boolean", "format": "Y|N"}, "required": True},
        ]
    },
}


def make(rng: Random, folder: Path) -> Trial:
    """A dictionary that is drafted from; the draft is YAML that can be read."""
    good = rng.choice((_REDCAP, _PACKAGE, _CSVW))
    text = good if isinstance(good, str) else json.dumps(good)
    level = rng.choice(("bytes", "words", "nested", "nested"))
    if level == "bytes":
        content = bytes_changed(rng, text.encode())
    elif level == "words" or isinstance(good, str):
        content = words_changed(rng, text).encode("utf-8", "surrogatepass")
    else:
        content = json.dumps(nested_changed(rng, good), default=str).encode()
    file = folder / ("d.csv" if isinstance(good, str) else "d.json")
    file.write_bytes(content)
    return Trial(lambda: load(schema_from(file), where="draft"), f"{level}: {content!r}")
