"""A data set whose file is asked about anew: what was typed of columns that are still there stays.

Its name in the ledger and in addresses, its budget and its releases stay in any case.  Ranges that
were read off the records of a file that everybody might read do not, once it holds secrets.

>>> old = Draft("a", "a", "a.csv", [TypedColumn("age", "integer", "0..9"), TypedColumn("sex")])
>>> new = Draft("", "b", "b.csv", [TypedColumn("ward"), TypedColumn("age")])
>>> found = anew(old, new)
>>> found.slug, found.file, [(column.name, column.facts) for column in found.columns]
('a', 'b.csv', [('ward', ''), ('age', '0..9')])
>>> lost(old, new), lost(new, old)
([], [])
"""

from dataclasses import replace

from sfumato.studio.codebook import OF_COLUMNS
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.header import shown_name

__all__ = ["anew", "lost"]


def lost(old: Draft, new: Draft) -> list[str]:
    """Columns of which something was typed that does not stay, as pages call them."""
    kept = _kept(old, new)
    return [
        shown_name(one.name, place)
        for place, one in enumerate(old.columns)
        if one.name not in kept and (one.kind or one.facts) and not _by_name_alone(one, old)
    ]


def anew(old: Draft, new: Draft) -> Draft:
    """What the new answers and the header begin, with what was typed before."""
    kept = _kept(old, new)
    beyond = old.beyond
    if any(one.name not in kept for one in old.columns):  # rules between columns name them
        beyond = {fact: said for fact, said in beyond.items() if fact not in OF_COLUMNS}
    found = replace(
        new,
        slug=old.slug,
        name=old.name,
        columns=[_column(one, kept, new) for one in new.columns],
        predicts=old.predicts if old.predicts in kept else "",
        known_from=old.known_from,
        source=old.source,
        read_records=old.read_records and new.public,
        made_up=old.made_up and new.file == old.file,
        beyond=beyond,
    )
    # What was confirmed and written down holds for what it was about, and for nothing else.
    same = replace(found, unread=old.unread, declared=old.declared)
    return same if same == old else found


def _kept(old: Draft, new: Draft) -> dict[str, TypedColumn]:
    """What stays of what was typed, by name."""
    if old.read_records and not new.public:
        return {}
    there = new.positions
    return {one.name: one for one in old.columns if one.name in there}


def _by_name_alone(one: TypedColumn, old: Draft) -> bool:
    """Whether what stands there was proposed, and would be again."""
    return one.proposed and not old.read_records


def _column(one: TypedColumn, kept: dict[str, TypedColumn], new: Draft) -> TypedColumn:
    if one.name not in kept or (new.several and one.name == new.person):
        return one
    before = kept[one.name]
    return replace(before, per_person=before.per_person and new.several)
