"""What all parts of a certificate have in common."""

from pydantic import BaseModel, ConfigDict

__all__ = ["Section"]


class Section(BaseModel):
    """Frozen, with the fields it has and no others, each of its own type."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")
