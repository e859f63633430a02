"""Somebody who answers the wizard, and what comes of it."""

from datetime import date
from pathlib import Path

from sfumato.schema.wizard import Header, Session, interview

GENERAL = [""] * 5  # name, one row per person, how many, is that public, plain values


class Scripted:
    """Gives these answers, one after the other, and remembers what it was asked and told."""

    def __init__(self, *answers):
        self.answers, self.asked, self.told = list(answers), [], []

    def ask(self, question):
        self.asked.append(question)
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)

    def tell(self, line):
        self.told.append(line)


def header(columns, folder=Path("absent"), **stored):
    return Header("t", columns, stored, date(2025, 6, 1), folder)


def answered(columns, *answers, **more):
    """What an interview with these answers comes to; every answer must be needed."""
    asker = Scripted(*answers)
    found = Session(asker).run(lambda asking: interview(header(columns, **more), asking))
    assert not asker.answers
    return found


def facts(column, *answers, **more):
    """The facts of one column, whose answers these are; nothing is missing."""
    return answered([column], *GENERAL, *answers, "", **more).columns[column]


def facts_typed(column, answer):
    """The facts of one column for which something was typed, without their source."""
    found = dict(answered([column], *GENERAL, answer, "", "").columns[column])
    assert found.pop("source") == "public knowledge"
    return found
