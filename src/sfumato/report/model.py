"""What the page of a release says, before it is set: every figure from the release alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sfumato.accuracy.as_read import as_read
from sfumato.accuracy.fit import judged
from sfumato.privacy.guarantee import Guarantee, Heuristic, Seeded, to_json
from sfumato.release.certificate import Certificate
from sfumato.release.fit import Fit
from sfumato.release.kind import COUNTS, TABLE
from sfumato.release.release import Release, table_schemas
from sfumato.report.bought_facts import CHOSEN, bought_facts
from sfumato.report.card import Group
from sfumato.report.count_pictures import count_pictures, count_precision
from sfumato.report.declared import Fact, declared
from sfumato.report.drift import drift
from sfumato.report.fitting import Fitting, fitting
from sfumato.report.network_pictures import network_pictures
from sfumato.report.precision import Precision, precision
from sfumato.report.promise import Gain
from sfumato.report.promised import Promised, promised
from sfumato.report.quality import Headline, headline
from sfumato.report.series_pictures import series_pictures, series_precision
from sfumato.report.spending import Item, spending
from sfumato.report.svg import short
from sfumato.report.table_pictures import Look, table_pictures
from sfumato.report.unit import UnitWords, unit_words
from sfumato.schema import Schema

__all__ = ["Page", "page"]

_LONGEST = 160  # characters of an option


@dataclass(frozen=True)
class Page:
    """All that the template sets."""

    dataset: str
    certificate: Certificate
    summary: str
    things: str
    released: str  # how many of them
    holds: str  # the same, with their columns
    unit: UnitWords
    promised: Promised | None
    alarm: str  # the headline where nothing is promised
    reason: str
    spending: tuple[Item, ...]
    precision: Precision
    headline: Headline | None
    as_read: str
    fitting: Fitting | None  # None where there is no schema to fit
    declared: tuple[Fact, ...]
    groups: tuple[Group, ...]
    facts: tuple[tuple[str, str, bool], ...]  # name, text, whether it is code
    commands: tuple[tuple[str, str], ...]


def _table(release: Release) -> tuple[Precision, Iterable[Group]]:
    found = precision(release)
    look = Look.at(release, found)
    rows = drift(release.certificate, list(look.beside.items()))
    return replace(found, rows=rows), table_pictures(release, found, look)


def _network(release: Release) -> tuple[Precision, Iterable[Group]]:
    found = precision(release)
    return found, network_pictures(release, found)


def _stream(release: Release) -> tuple[Precision, Iterable[Group]]:
    return series_precision(release), series_pictures(release)


def _counts(release: Release) -> tuple[Precision, Iterable[Group]]:
    return count_precision(release), count_pictures(release)


def _estimate(release: Release) -> tuple[Precision, Iterable[Group]]:
    return Precision(reason=CHOSEN), bought_facts(release)


_PICTURES = {
    "table": _table,
    "network": _network,
    "stream": _stream,
    "counts": _counts,
    "estimate": _estimate,
}


def page(release: Release, *, summary: str = "") -> Page:
    """The page of a release.

    `summary` is the method in a sentence, from its registry, which sees no record.
    """
    certificate, guarantee = release.certificate, release.guarantee
    kind = certificate.kind
    found, groups = _PICTURES[kind.name](release)
    schema, fit = certificate.public_schema, release.fit
    alarm, reason = _alarm(guarantee)
    unit = unit_words(certificate)
    return Page(
        dataset=short(str(certificate.dataset), _LONGEST),
        certificate=certificate,
        summary=summary,
        things=kind.rows,
        released=f"{_counted(certificate)} {kind.rows}",
        holds=f"{_counted(certificate)} {_in_tables(certificate)}",
        unit=unit,
        promised=promised(guarantee, certificate.bought, unit.steps),
        alarm=alarm,
        reason=reason,
        spending=tuple(spending(certificate.events, certificate.budget)),
        precision=found,
        headline=headline(found),
        as_read=as_read(certificate, fit),
        fitting=None if schema is None else _fitting(certificate, fit, schema),
        declared=() if schema is None else tuple(declared(schema)),
        groups=tuple(groups),
        facts=tuple(_facts(certificate)),
        commands=tuple(_commands(certificate, found, Gain.under(guarantee) is not None)),
    )


def _counted(certificate: Certificate) -> str:
    """How many persons, where there are any, and how many rows or other things."""
    persons = "" if certificate.people is None else f"{certificate.people.persons:,} persons with "
    return f"{persons}{certificate.rows:,}"


def _in_tables(certificate: Certificate) -> str:
    tables = {name: len(schema) for name, schema in table_schemas(certificate).items()}
    if len(tables) > 1:
        said = " and ".join(f"{name} ({columns} columns)" for name, columns in tables.items())
        return f"{certificate.kind.rows} in two tables, {said}"
    (columns,) = tables.values()
    return f"{certificate.kind.rows} in {columns} column{'' if columns == 1 else 's'}"


def _fitting(certificate: Certificate, fit: Fit | None, schema: Schema) -> Fitting:
    return fitting(fit, schema, None if certificate.fit is None else judged(certificate))


def _alarm(guarantee: Guarantee) -> tuple[str, str]:
    match guarantee:
        case Heuristic(reason=reason):
            return "Nothing is promised", reason[:1].upper() + reason[1:]
        case Seeded():
            return (
                "A test run: nothing is promised",
                "Its noise comes from a seed: whoever knows the seed can repeat it and take it off",
            )
    return "", ""


def _commands(
    certificate: Certificate, found: Precision, promised: bool
) -> Iterator[tuple[str, str]]:
    yield "sfumato verify release/", "files, plan, noise, price and data are as certified"
    if found.answered:
        yield "sfumato accuracy release/", "how far every published number may be off"
    if certificate.kind is COUNTS:
        yield "sfumato query ask release/ --keys …", "an answer with its interval"
    yield "sfumato report release/ -o again.html", "makes this page again, byte for byte"
    rows = certificate.kind is TABLE and certificate.people is None
    if rows and promised and certificate.budget is not None:
        spent = to_json(certificate.budget)
        figures = (
            f"--{name} {spent[name]}" for name in ("epsilon", "delta", "rho") if name in spent
        )
        yield (
            f"sfumato audit {certificate.method} {' '.join(figures)}",
            "attacks the method on made-up tables",
        )


def _facts(certificate: Certificate) -> Iterator[tuple[str, str, bool]]:
    yield "Release", str(certificate.release), True
    yield "Data set", str(certificate.dataset), False
    yield "Statement", str(certificate.statement), False
    if (paid := certificate.bought) is not None:
        for name, price in paid.releases.items():
            yield "Bought before", f"ranges or values, by release {name}: {price}", False
        whole = "not stated in one figure" if paid.together is None else str(paid.together)
        yield "Together", whole, False
    yield "Unit of privacy", str(certificate.unit), False
    yield "Neighbours", str(certificate.neighbours), False
    for column, values in (certificate.part or {}).items():
        yield "Part of the table", short(f"{column}={values}", _LONGEST), False
    yield "Method", str(certificate.method), True
    for name, value in certificate.options.items():
        said = (
            "not set" if value is None else str(value).lower() if value in (True, False) else value
        )
        yield f"Option {name}", short(str(said), _LONGEST), True
    yield "Published as they are", ", ".join(certificate.invariants) or "nothing", False
    yield "Randomness", str(certificate.randomness), False
    ledger = certificate.ledger
    if ledger is None:
        yield "Ledger", "none was kept", False
    else:
        yield "Ledger", ledger.id, True
        yield "Ledger head", ledger.head, True
    tree, older = certificate.content.tree, certificate.content.blake2b
    name = "Content (BLAKE2b-256)" if tree is None else "Content (tree of SHA-256)"
    yield name, str(tree or older), True
    for name in certificate.listed:
        digest = certificate.files.get(name)
        said = ("of each is in release.json", False) if digest is None else (str(digest), True)
        yield f"SHA-256 of {name}", *said
    if certificate.seal is not None:
        yield "Seal of the certificate", str(certificate.seal), True
    if certificate.signature is not None:
        yield "Signed by key", certificate.signature.key, True
    versions = ", ".join(f"{name} {number}" for name, number in certificate.versions.items())
    yield "Made with", versions, False
