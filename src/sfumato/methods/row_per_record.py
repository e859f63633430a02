"""What every method that releases one row per record has to refuse."""

from sfumato.errors import SchemaError
from sfumato.schema.domain import Domain

__all__ = ["check_neighbours"]


def check_neighbours(method: str, domain: Domain) -> None:
    """Refuse add-remove: the number of rows is the number of records, which it would hide."""
    if domain.schema.neighbours != "replace-one":
        raise SchemaError(
            f"{method} releases one row per record, so the number of records shows: declare "
            "neighbours: replace-one, or choose another method"
        )
