"""How a whole file writes its values: said once, above the columns.

>>> draft = Draft("clinic", "clinic", "patients.csv")
>>> take_writing(draft, Form({"numbers": ["1.234,5"], "dates": ["31.12.2024"], "absent": ["k.A."]}))
>>> draft.beyond["file"] == {
...     "decimal": ",", "thousands": ".", "format": "%d.%m.%Y", "missing_words": ["k.A."]}
True
>>> Writing.of(draft)
Writing(numbers='1.234,5', dates='31.12.2024', absent='k.A.')
"""

from dataclasses import dataclass
from typing import Any

from sfumato.studio.draft import Draft
from sfumato.studio.forms import Form

__all__ = ["DATES", "NUMBERS", "OTHERWISE", "Writing", "idle_words", "take_writing"]

NUMBERS: dict[str, dict[str, str]] = {
    "1234.5": {},
    "1,234.5": {"thousands": ","},
    "1234,5": {"decimal": ","},
    "1.234,5": {"decimal": ",", "thousands": "."},
    "1 234,5": {"decimal": ",", "thousands": " "},
}
DATES: dict[str, dict[str, str]] = {
    "2024-12-31": {},
    "31.12.2024": {"format": "%d.%m.%Y"},
    "31/12/2024": {"format": "%d/%m/%Y"},
    "12/31/2024": {"format": "%m/%d/%Y"},
}
OTHERWISE = "as the code book says"  # which may say more than these lists
_LONGEST = 2_000  # characters of words for missing


@dataclass(frozen=True)
class Writing:
    """What the page shows as chosen."""

    numbers: str
    dates: str
    absent: str

    @classmethod
    def of(cls, draft: Draft) -> "Writing":
        """What is known of this file so far."""
        said = draft.beyond.get("file", {})
        words = said.get("missing_words") or []
        return cls(
            _chosen(NUMBERS, said, ("decimal", "thousands")),
            _chosen(DATES, said, ("format",)),
            ", ".join(map(str, words)),
        )


def idle_words(draft: Draft) -> bool:
    """Whether words for missing are said of the file, and no column may lack a value.

    >>> idle_words(Draft("a", "a", "a.csv", beyond={"file": {"missing_words": ["NA"]}}))
    True
    """
    said = draft.beyond.get("file", {}).get("missing_words")
    return bool(said) and not any(one.missing for one in draft.columns if one.kind != "id")


def _chosen(known: dict[str, dict[str, str]], said: dict[str, Any], facts: tuple[str, ...]) -> str:
    now = {fact: said[fact] for fact in facts if said.get(fact) is not None}
    return next((shown for shown, one in known.items() if one == now), OTHERWISE)


def take_writing(draft: Draft, form: Form) -> None:
    """What the fields say now; one that is absent, or was left as it is, changes nothing."""
    now, said = Writing.of(draft), dict(draft.beyond.get("file", {}))
    for name, known, facts in (
        ("numbers", NUMBERS, ("decimal", "thousands")),
        ("dates", DATES, ("format",)),
    ):
        typed = form.text(name, _LONGEST)
        if typed in known and typed != getattr(now, name):
            said = {fact: one for fact, one in said.items() if fact not in facts} | known[typed]
    typed = form.text("absent", _LONGEST)
    if form.flag("absent") and typed != now.absent:
        said.pop("missing_words", None)
        if words := [word.strip() for word in typed.split(",") if word.strip()]:
            said["missing_words"] = words
    draft.beyond.pop("file", None)
    if said:
        draft.beyond["file"] = said
