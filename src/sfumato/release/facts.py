"""What a certificate states, in a few lines: for whoever looks at a release in a notebook."""

from collections.abc import Iterator

from sfumato.release.certificate import Certificate

__all__ = ["facts_of"]


def facts_of(certificate: Certificate) -> Iterator[tuple[str, str]]:
    """A name and a text for each; all of it stands in `release.json`."""
    yield "promise", certificate.statement
    yield "protects", f"{certificate.unit}; {certificate.neighbours}"
    yield "rows", f"{certificate.rows:,} {certificate.kind.rows} by {certificate.method}"
    for column, values in (certificate.part or {}).items():
        yield "part", f"only records with {column}={values or '(missing)'} were used"
    for event in (bought.in_units for bought in certificate.events):
        yield "measured", f"{event.statistic}: {event.law}"
    for warning in certificate.warnings:
        yield "warning", warning
    if certificate.invariants:
        yield "not hidden", ", ".join(certificate.invariants)
    charged = certificate.ledger is not None
    yield "ledger", f"charged as {certificate.release}" if charged else "none stated"
