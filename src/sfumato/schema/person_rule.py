"""What must go together where a schema says that a person is the unit."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sfumato.schema.person import ROWS, People, Tables
from sfumato.untrusted.misspelt import did_you_mean

__all__ = ["people_of"]

_ORDERED = ("integer", "number", "date")


class _Said(NamedTuple):
    """What a schema says of persons, and the words in which it says so."""

    person: str
    order: str | None
    key: str | None
    person_word: str
    order_word: str


def people_of(
    columns: Mapping[str, Any],
    *,
    person: str | None,
    order: str | None,
    rows: int | None,
    tables: Tables | None,
) -> People | None:
    """What a schema says of persons, or None where one row is the unit.

    `rows` is None where no bound is stated.  What does not go together is refused, by the column,
    the rule and the remedy.
    """
    said = _said(person, order, tables)
    for name, column in columns.items():
        _check_column(name, column, said)
    if said is None:
        if order is not None:
            raise ValueError(
                f"order: {order} orders the rows of a person: name the id column that says whose "
                "row it is (person: …), or leave out order"
            )
        if rows is not None:
            raise ValueError(
                "rows_per_person: bounds the rows of a person: name the id column that says whose "
                "row it is (person: …), or leave it out"
            )
        return None
    _check_id(said.person, said.person_word, columns)
    if said.key is not None:
        _check_id(said.key, "tables: persons: key", columns)
    if said.order is not None:
        _check_order(said.order, said.order_word, columns)
    released = {name: column for name, column in columns.items() if column.kind != "id"}
    constant = tuple(name for name, column in released.items() if column.per == "person")
    varying = tuple(name for name in released if name not in constant)
    _check_shares(constant, varying, said)
    return People(
        said.person, said.order, ROWS if rows is None else rows, constant, varying, said.key
    )


def _said(person: str | None, order: str | None, tables: Tables | None) -> _Said | None:
    if tables is None:
        return None if person is None else _Said(person, order, None, "person", "order")
    for word, fact in (("person", person), ("order", order)):
        if fact is not None:
            raise ValueError(
                f"{word}: {fact} stands beside tables: of one file say person and order, of two "
                f"say tables: {{persons: {{key: …}}, events: {{person: …, order: …}}}}; keep one"
            )
    events = tables.events
    return _Said(
        events.person,
        events.order,
        tables.persons.key,
        "tables: events: person",
        "tables: events: order",
    )


def _check_column(name: str, column: Any, said: _Said | None) -> None:
    """Refuse what a column says of persons or of an order where there is none."""
    if column.kind == "id":
        return
    if column.per is not None and said is None:
        raise ValueError(
            f"column {name}: per: person: no column says who a person is: name an id column "
            "(person: …), or leave out per"
        )
    if said is not None and column.provenance != "declared":
        raise ValueError(
            f"column {name}: provenance: what was bought was paid for by row, and that price says "
            "nothing of persons: declare its range or values from public knowledge"
        )
    if not getattr(column, "increasing", False):
        return
    if said is None or said.order is None:
        raise ValueError(
            f"column {name}: increasing: no column says how the rows of a person follow: name one "
            "(order: …), or leave out increasing"
        )
    if column.per is not None:
        raise ValueError(
            f"column {name}: increasing, and one value for each person: leave out one of per and "
            "increasing"
        )
    if name == said.order:
        raise ValueError(
            f"column {name}: increasing: rows follow by it, so that it never falls: leave out "
            "increasing"
        )


def _check_id(name: str, word: str, columns: Mapping[str, Any]) -> None:
    if name not in columns:
        hint = did_you_mean(name, columns)
        raise ValueError(
            f"{word}: no column {name}{hint} is declared: correct its name, or declare it "
            f"({name}: {{kind: id}})"
        )
    if columns[name].kind != "id":
        raise ValueError(
            f"{word}: column {name} is of kind {columns[name].kind}: who a person is says a column "
            "of kind id, which is never released: declare kind: id, or name another"
        )


def _check_order(name: str, word: str, columns: Mapping[str, Any]) -> None:
    if name not in columns:
        hint = did_you_mean(name, columns)
        raise ValueError(f"{word}: no column {name}{hint} is declared: correct its name")
    column = columns[name]
    if column.kind not in _ORDERED:
        raise ValueError(
            f"{word}: column {name} is of kind {column.kind}: rows follow by an integer, a number "
            "or a date that is released: name another column, or leave out order"
        )
    if column.per is not None:
        raise ValueError(
            f"{word}: column {name} has one value for each person, and orders nothing: name "
            "another column, or leave out its per"
        )
    if column.missing is not None:
        raise ValueError(
            f"{word}: column {name} may be missing, and a row without it has no place: leave out "
            "missing: allowed there, or name another column"
        )


def _check_shares(constant: tuple[str, ...], varying: tuple[str, ...], said: _Said) -> None:
    if not varying:
        raise ValueError(
            f"column{'s' * (len(constant) > 1)} {', '.join(constant)}: all have one value for each "
            "person, and nothing is left to differ between rows: leave out per where values "
            f"differ, or publish one row for each person without {said.person_word.split(':')[0]}"
        )
    if said.key is not None and not constant:
        raise ValueError(
            "tables: the file of persons has no released column: give those that are in it per: "
            "person, or publish the file of events alone (person: …)"
        )
