"""The questions about how the file writes its values: one, where it writes them plainly.

>>> date_form("dd.mm.yyyy"), date_form("%d %b %Y"), date_form("iso"), two_words("ja, nein")
('%d.%m.%Y', '%d %b %Y', 'iso', ('ja', 'nein'))
"""

import re
from typing import Any

from pydantic import ValidationError

from sfumato.schema.date_format import check_format
from sfumato.schema.formats import FileFormat
from sfumato.schema.wizard.answer import listed, truth
from sfumato.schema.wizard.session import Question, Session, WrongAnswer

__all__ = ["ask_file", "date_form", "is_date_form", "two_words"]

_CODES = {"yyyy": "%Y", "yy": "%y", "mm": "%m", "dd": "%d"}
_LETTERS = re.compile("|".join(_CODES))
_MARKS = {
    "point": ".",
    "comma": ",",
    "semicolon": ";",
    "tab": "\t",
    "space": " ",
    "apostrophe": "'",
    "bar": "|",
}
_AS = "dd.mm.yyyy, dd/mm/yyyy, mm/dd/yyyy, or in codes such as %d.%m.%Y %H:%M"


def ask_file(session: Session) -> dict[str, Any]:
    """What the schema says under `file`; nothing where all is plain."""
    plain = session.ask(
        Question(
            "are values written plainly",
            "yes",
            "yes: decimal point, dates as YYYY-MM-DD, yes/no or true/false or 1/0, empty where "
            "missing, UTF-8. no: each of them is asked for. A file that stores numbers and dates "
            "as such (Parquet, SPSS) is plain.",
            truth,
            shown="yes: decimal point, dates as YYYY-MM-DD, UTF-8",
        )
    )
    facts: dict[str, Any] = {}
    if plain:
        return facts

    def ask(fact: str, text: str, default: str, help_: str) -> None:
        def read(answer: str) -> dict[str, Any]:
            if answer.lower() == default:
                return {}
            said = _facts(fact, answer)
            if said.get("thousands") == facts.get("decimal", "."):
                raise WrongAnswer("another mark than the decimal one, please, or none")
            try:
                FileFormat.model_validate({**facts, **said})
            except ValidationError as error:
                told = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
                raise WrongAnswer(told) from None
            return said

        facts.update(session.ask(Question(f"  {text}", default, help_, read)))

    ask("decimal", "decimal mark", "point", "point or comma: 3.14 or 3,14.")
    ask("thousands", "mark between thousands", "none", "none, point, comma, space or apostrophe.")
    ask("format", "dates", "yyyy-mm-dd", f"How dates are written: {_AS}.")
    ask("truths", "words for yes and no", "usual", "Two words such as ja,nein; usual: yes/no, 1/0.")
    ask("missing_words", "words for missing", "none", "A list such as NA,-99; empty is missing.")
    ask("encoding", "encoding", "utf-8", "Such as latin-1, windows-1252 or utf-16.")
    ask("delimiter", "mark between columns", "by the header", "comma, semicolon, tab or bar.")
    return facts


def _facts(fact: str, answer: str) -> dict[str, Any]:
    """What an answer says, in the words of a schema."""
    if fact in ("decimal", "thousands", "delimiter"):
        mark = _MARKS.get(answer.lower(), answer)
        if fact == "decimal" and mark not in (".", ","):
            raise WrongAnswer("point or comma, please")
        if fact == "thousands" and mark not in (".", ",", " ", "'"):
            raise WrongAnswer("none, point, comma, space or apostrophe, please")
        return {fact: mark}
    if fact == "format":
        return {fact: date_form(answer)}
    if fact == "truths":
        true, false = two_words(answer)
        return {"true": [true], "false": [false]}
    if fact == "missing_words":
        return {fact: listed(answer)}
    return {fact: answer}


def is_date_form(word: str) -> bool:
    """Whether a word of an answer is meant to be how dates are written."""
    return "%" in word or word.lower() == "iso" or bool(_LETTERS.search(word.lower()))


def date_form(answer: str) -> str:
    """A format of dates, in codes or in letters."""
    if answer.lower() in ("iso", "yyyy-mm-dd"):
        return "iso"
    form = answer if "%" in answer else _LETTERS.sub(_code, answer.lower())
    try:
        check_format(form, "day")
    except ValueError as error:
        raise WrongAnswer(f"{error}; or in letters: dd.mm.yyyy") from None
    return form


def _code(letters: re.Match[str]) -> str:
    return _CODES[letters[0]]


def two_words(answer: str) -> tuple[str, str]:
    """The word for yes and the word for no."""
    words = [str(word) for word in listed(answer)]
    if len(words) != 2 or words[0].lower() == words[1].lower():
        raise WrongAnswer("two words, please, the one for yes first: ja,nein")
    return words[0], words[1]
