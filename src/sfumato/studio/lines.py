"""All columns as lines of text: what the fields of a page say, and back.

    age: 0..110
    weight: number 30..200; may lack
    ward: cardiology, surgery; other: elsewhere
    smoker: yes or no
    patient: never released
    all columns: may lack

What a column is follows from how its facts are written, unless its words stand before them.

>>> draft = Draft("", "a", "a.csv", [TypedColumn("age", "integer", "0..110"), TypedColumn("ward")])
>>> print(written_lines(draft))
age: 0..110
ward:
>>> said = read_lines(draft, "ward  home, care; other: none; predicted").said[1]
>>> said.kind, said.facts, said.predicted
('category', 'home, care; other: none', True)
"""

import re
from dataclasses import dataclass, field
from zlib import crc32

from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.header import shown_name
from sfumato.studio.typed import kind_of
from sfumato.studio.words import KINDS, SPOKEN
from sfumato.untrusted.visible import visible

__all__ = ["Lines", "Said", "marks", "read_lines", "written_line", "written_lines"]

_FLAGS = {"missing": "may lack", "per_person": "per person", "predicted": "predicted"}
_KIND = re.compile(rf"({'|'.join(sorted(SPOKEN, key=len, reverse=True))})(?=[\s;]|$)[\s;]*", re.I)
_ALL = re.compile(r"(all|every) columns?\s*[:=]?\s*may lack", re.I)
_MOST_SHOWN = 60  # characters of a line that nobody can place


@dataclass(frozen=True)
class Said:
    """What a line says of its column."""

    kind: str
    facts: str
    missing: bool = False
    per_person: bool = False
    predicted: bool = False


@dataclass
class Lines:
    """What was read, by the position of the column, and what could not be."""

    said: dict[int, Said] = field(default_factory=dict)
    marks: dict[int, str] = field(default_factory=dict)  # which tell whether a line was changed
    faults: list[str] = field(default_factory=list)
    all_may_lack: bool = False  # a value


def written_lines(draft: Draft) -> str:
    """A line for each column, as a person would type it; `read_lines` reads the same again."""
    return "\n".join(written_line(draft, place) for place in range(len(draft.columns)))


def marks(written: str) -> str:
    """A mark for each line as it was written: whoever sends lines back tells which were changed."""
    return " ".join(_mark(line) for line in written.split("\n"))


def _mark(line: str) -> str:
    return f"{crc32(line.strip().encode()):x}"


def written_line(draft: Draft, place: int) -> str:
    """The line of one column."""
    column = draft.columns[place]
    known = column.facts
    if column.kind in KINDS and (_KIND.match(known) or kind_of(known) != column.kind):
        known = f"{KINDS[column.kind]} {known}".rstrip()
    said = [known] if known else []
    said += [_FLAGS[flag] for flag in ("missing", "per_person") if getattr(column, flag)]
    said += [_FLAGS["predicted"]] if draft.predicts == column.name else []
    return f"{_name(column, place)}: {'; '.join(said)}".rstrip()


def _name(column: TypedColumn, place: int) -> str:
    return shown_name(column.name, place).strip()


def read_lines(draft: Draft, text: str) -> Lines:
    """What lines say of the columns of a draft; columns that have no line are left as they are."""
    found = Lines()
    names = [_name(column, place) for place, column in enumerate(draft.columns)]
    lines = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        if _ALL.fullmatch(line) and not _places(line, names):
            found.all_may_lack = True
        else:
            lines.append(line)
    if len(lines) > len(draft.columns):
        found.faults.append("There are more lines than columns: write one line for each column.")
        return found
    for line in lines:
        places = _places(line, names)
        free = [place for place in places if place not in found.said]
        if not free:
            why = "names a column a second time" if places else "begins with no column's name"
            found.faults.append(f"This line {why}: {_short(line)}")
            continue
        found.marks[free[0]] = _mark(line)
        found.said[free[0]] = _read(line[len(names[free[0]]) :])
    if sum(one.predicted for one in found.said.values()) > 1:
        found.faults.append("Only one column can be the one that is predicted.")
    return found


def _places(line: str, names: list[str]) -> list[int]:
    """Which columns a line may name: "age group" is not "age", and large letters may be small."""
    found = [place for place, name in enumerate(names) if _begins(line, name)]
    longest = max((len(names[place]) for place in found), default=0)
    alike = [place for place in found if len(names[place]) == longest]
    return sorted(alike, key=lambda place: not line.startswith(names[place]))


def _begins(line: str, name: str) -> bool:
    end = len(name)
    return line[:end].casefold() == name.casefold() and line[end : end + 1] in ("", *":=\t ")


def _short(line: str) -> str:
    return visible(line[:_MOST_SHOWN]) + "…" * (len(line) > _MOST_SHOWN)


def _read(rest: str) -> Said:
    rest = re.sub(r"^\s*[:=]?\s*", "", rest)
    parts, flags = rest.split(";"), set()
    while parts and (flag := parts[-1].strip().lower()) in _FLAGS.values():
        flags.add(flag)
        parts.pop()
    rest = ";".join(parts).rstrip()
    kind = _KIND.match(rest)
    facts = rest[kind.end() :] if kind else rest
    return Said(
        SPOKEN[kind[1].lower()] if kind else kind_of(facts),
        facts,
        **{flag: words in flags for flag, words in _FLAGS.items()},
    )
