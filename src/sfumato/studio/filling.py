"""What the page of the columns says, put into the draft."""

from sfumato.studio.declaring import KNOWN_FROM, SAYS_ITSELF
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.forms import Form
from sfumato.studio.lines import read_lines
from sfumato.studio.typed import kind_of
from sfumato.studio.words import KINDS
from sfumato.studio.writing import take_writing

__all__ = ["LONGEST", "take_fields", "take_lines"]

LONGEST = 2**20  # characters, as many as a form has: a fault is told beside its field


def take_fields(draft: Draft, form: Form) -> None:
    """What the fields say now."""
    for place, column in enumerate(draft.columns):
        _put(column, form.text(f"k{place}", LONGEST), form.text(f"f{place}", LONGEST))
        column.missing, column.per_person = form.flag(f"m{place}"), form.flag(f"p{place}")
    take_writing(draft, form)
    draft.predicts = _named(draft, form.text("y", LONGEST))
    if draft.several:
        draft.person = _named(draft, form.text("who", LONGEST))
        draft.rows_per_person = form.text("rows", LONGEST)
    draft.known_from, typed = form.text("known", LONGEST), form.text("source", LONGEST)
    said = KNOWN_FROM.get(draft.known_from, "")
    if not typed or typed in [KNOWN_FROM[one] for one in SAYS_ITSELF]:
        typed = said if draft.known_from in SAYS_ITSELF else ""
    draft.source = typed
    draft.unread = form.flag("unread")


def _put(column: TypedColumn, kind: str, facts: str) -> None:
    """What is known of a column; what was said of it before holds for nothing else."""
    kind = kind if kind in KINDS else kind_of(facts)
    if kind != column.kind:
        column.beyond = {}
    if (kind, facts) != (column.kind, column.facts):
        column.proposed, column.source = False, ""
    column.kind, column.facts = kind, facts


def take_lines(draft: Draft, typed: str, before: str) -> list[str]:
    """What the lines say that were changed on the page, and what of them could not be read."""
    found, was = read_lines(draft, typed), dict(enumerate(before.split()))
    for place, said in found.said.items():
        if found.marks[place] == was.get(place):
            continue
        column = draft.columns[place]
        _put(column, said.kind, said.facts)
        column.missing, column.per_person = said.missing, said.per_person
        if said.predicted:
            draft.predicts = column.name
        elif draft.predicts == column.name:
            draft.predicts = ""
    if found.all_may_lack:
        for column in draft.columns:
            column.missing |= column.kind != "id"
    return found.faults


def _named(draft: Draft, place: str) -> str:
    known = place.isdecimal() and len(place) < 9 and int(place) < len(draft.columns)
    return draft.columns[int(place)].name if known else ""
