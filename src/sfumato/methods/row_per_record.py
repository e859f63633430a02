"""What every method that releases one row per record has to refuse."""

from sfumato.domain import Domain
from sfumato.errors import SchemaError

__all__ = ["check_neighbours"]


def check_neighbours(method: str, domain: Domain) -> None:
    """Refuse add-remove: the number of rows is the number of records, which it would hide."""
    if domain.schema.neighbours != "replace-one":
        raise SchemaError(
            f"{method} releases one row per record, so the number of records shows: declare "
            "neighbours: replace-one, or choose another method"
        )
