"""Whatever is typed, the wizard asks again or writes YAML that can be read; it never breaks."""

from contextlib import suppress
from datetime import date
from pathlib import Path
from random import Random

from sfumato.schema import Schema
from sfumato.schema.blank import read_or_partial
from sfumato.schema.strict_yaml import load
from sfumato.schema.wizard import Header, Quit, Session, interview, written

COLUMNS = ("age", "x", "sex", "cost", "x y", "back", "no: #", "day")
WORDS = (
    *("", "", "", "", "back", "?", "y", "no", "n", "w", "c", "d", "i", "buy", "all", "none", "1,2"),
    *("same x", "same as age", "same", "age", "code", "code nace-2", "code x.csv", "co", "money"),
    *("0 1", "1 0", "-1e999 1e999", "0 1e300", "1e-300 2e-300", "9" * 40, "w 0 99999999999999999"),
    *("2020-01-01 2020-12-31", "d 0001-01-01 9999-12-31", "c a,b", "c a,a", "c 1,01", 'c "', "c ,"),
    *("\x00", "\ud800", "c \ud800,b", "\u202e", "ü", "½", "١ ٢", "n ١ ٢", "x" * 300, "c" * 300),
    *(
        "no",
        "comma",
        "point",
        "tab",
        "d dd.mm.yyyy",
        "d %d",
        "y ja,nein",
        "utf-16",
        "NA,-99,1",
        "%",
    ),
    *("value", "missing", "other", "ja,nein", "2020 2025"),
    *("true", "c true,false", "c yes,no", "c ~,null", "c 2020-01-01,1e5", "c a: b,# c", "{", "[1"),
)


class Typist:
    """Types words at random, as many as there are."""

    def __init__(self, seed, most=400):
        self.rng, self.left = Random(seed), most

    def ask(self, question):
        assert question.endswith(": ")
        self.left -= 1
        if not self.left:
            raise EOFError
        return self.rng.choice(WORDS)

    def tell(self, line):
        assert line


def test_any_answers_end_in_a_schema_or_in_nothing():
    header = Header("t", COLUMNS, {"day": "date"}, date(2025, 6, 1), Path("absent"))
    finished = sound = 0
    for seed in range(60):
        with suppress(EOFError, Quit):
            found = Session(Typist(seed)).run(lambda asking: interview(header, asking))
            text = written(found, Path("t.csv"), Path("s.yaml"))
            loaded = load(text, where="schema")
            assert list(loaded["columns"]) == list(COLUMNS)
            finished += 1
            usable = read_or_partial(loaded)  # by the command that is next
            sound += isinstance(usable, Schema)
    assert finished > 20
    assert sound > 2
