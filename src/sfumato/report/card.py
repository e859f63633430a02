"""A picture with its words, and pictures that belong together."""

from dataclasses import dataclass

__all__ = ["Card", "Group"]


@dataclass(frozen=True)
class Card:
    """A picture (inline SVG, which carries its text alternative), its title and a note."""

    title: str
    picture: str
    kind: str = ""
    note: str = ""
    wide: bool = False


@dataclass(frozen=True)
class Group:
    """Pictures under one heading, with how to read them and what was left out."""

    title: str
    reading: str
    cards: tuple[Card, ...]
    left_out: str = ""
    every: str = ""  # all of which that names only the first: folded on a screen, printed in full
