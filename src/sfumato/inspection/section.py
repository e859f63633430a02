"""What a page for the owner's eyes is made of: lines, pictures, and sections that hold them."""

from dataclasses import dataclass

__all__ = ["Line", "Picture", "Section"]


@dataclass(frozen=True, slots=True)
class Line:
    """One figure: what it is, its value, and what to make of it."""

    what: str
    value: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing as inline SVG, which holds its own text alternative."""

    title: str
    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that belong together; `remark` says why some are missing."""

    title: str
    lines: tuple[Line, ...]
    remark: str = ""
    pictures: tuple[Picture, ...] = ()
    legend: str = ""  # how to read the pictures
    headings: tuple[str, str, str] = ("what", "value", "meaning")
