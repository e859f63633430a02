"""What a certificate states, in a few lines: what terminals and notebooks show of a release."""

from collections.abc import Iterator

from sfumato.release.certificate import Certificate
from sfumato.release.weight_noise import weights_drowned
from sfumato.signature.key import brief

__all__ = ["facts_of", "measured_facts", "rows_of", "warnings_of"]


def facts_of(certificate: Certificate) -> Iterator[tuple[str, str]]:
    """A name and a text for each; all of it stands in `release.json`."""
    yield "promise", certificate.statement
    yield "protects", f"{certificate.unit}; {certificate.neighbours}"
    yield "rows", f"{rows_of(certificate)} by {certificate.method}"
    yield from measured_facts(certificate)
    for warning in warnings_of(certificate):
        yield "warning", warning
    if certificate.invariants:
        yield "not hidden", ", ".join(certificate.invariants)
    charged = certificate.ledger is not None
    yield "ledger", f"charged as {certificate.release}" if charged else "none stated"
    if certificate.signature is not None:
        yield "signed", f"by key {brief(certificate.signature.key)}"


def rows_of(certificate: Certificate) -> str:
    """How much there is in a release: rows, and where a person is the unit, of how many."""
    rows = f"{certificate.rows:,} {certificate.kind.rows}"
    if certificate.people is None:
        return rows
    persons = certificate.people.persons
    return f"{rows} of {persons:,} person{'s' * (persons != 1)}"


def measured_facts(certificate: Certificate) -> Iterator[tuple[str, str]]:
    """What was bought before, of which records, what was measured, and how well they fitted."""
    if (paid := certificate.bought) is not None:
        said = ", ".join(f"{name}: {price}" for name, price in paid.releases.items())
        whole = "" if paid.together is None else f"; together {paid.together}"
        yield "bought", f"ranges or values by release {said}{whole}"
    for column, values in (certificate.part or {}).items():
        yield "part", f"only records with {column}={values or '(missing)'} were used"
    for event in (bought.in_units for bought in certificate.events):
        yield "measured", f"{event.statistic}: {event.law}"
    if certificate.fit is not None:
        import sfumato  # the front door: this layer does not know the laws of noise

        yield "fit", sfumato.accuracy.about_fit(certificate)


def warnings_of(certificate: Certificate) -> Iterator[str]:
    """What a certificate warns of, and where its noise drowns what it measures."""
    if (wide := weights_drowned(certificate)) is not None:
        yield wide
    yield from certificate.warnings
