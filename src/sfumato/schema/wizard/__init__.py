"""A schema by questions: the header of a file, a person's public knowledge, and no record."""

from sfumato.schema.wizard.interview import Header, Interviewed, interview
from sfumato.schema.wizard.kept import KeptAnswers
from sfumato.schema.wizard.session import Asker, Quit, Session, WrongAnswer
from sfumato.schema.wizard.writing import next_steps, written

__all__ = [
    "Asker",
    "Header",
    "Interviewed",
    "KeptAnswers",
    "Quit",
    "Session",
    "WrongAnswer",
    "interview",
    "next_steps",
    "written",
]
