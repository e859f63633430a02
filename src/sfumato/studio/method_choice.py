"""Which methods a promise can be kept with, and why not the others; from the schema alone.

>>> text = "{name: t, columns: {smoker: {kind: boolean}}}"
>>> found = {one.name: one for one in offered(text, strong=True)}
>>> found["mosaic"].fits, found["power-method"].why_not.partition(";")[0]
(True, 'power-method adds Gaussian noise')
>>> "rotation" in found
False
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from sfumato.errors import MissingExtra, Refused
from sfumato.plan.recipe import Family
from sfumato.plan.registry import registered
from sfumato.privacy.guarantee import Heuristic
from sfumato.publishing.table import DEFAULT_METHOD, price
from sfumato.schema import Schema

__all__ = ["DEFAULT_METHOD", "Offer", "grouped", "offered", "unpromised"]

_SOME_EPSILON, _SOME_DELTA = "1", "1e-9"
_LONGEST = 300  # characters of a reason
_FEW = 2  # methods, of which each says its reason by itself


@dataclass(frozen=True, slots=True)
class Offer:
    """A method with a promise, as the page offers it."""

    name: str
    summary: str
    use: str
    why_not: str  # for this schema; empty where it can be chosen

    @property
    def fits(self) -> bool:
        """Whether it can be chosen."""
        return not self.why_not


# Nothing in it depends on how large the budget is, so that a slider is not kept waiting.
@lru_cache(maxsize=8)
def offered(text: str, *, strong: bool) -> tuple[Offer, ...]:
    """All methods with a promise, the default first, for a schema by its text.

    A promise is strong where it may not fail.
    """
    found = _found(Schema.parse(text), None if strong else _SOME_DELTA)
    return tuple(sorted(found, key=lambda one: (one.name != DEFAULT_METHOD, not one.fits)))


def grouped(offers: Iterable[Offer]) -> list[tuple[str, str]]:
    """Methods that cannot be chosen, and why; many with the same reason together.

    >>> why = "dca needs a label", "lip needs a label", "lop needs a label", "too wide"
    >>> grouped(Offer(one.split()[0], "", "", one) for one in why)
    [('dca, lip, lop', 'each of these needs a label'), ('too', 'too wide')]
    """
    alike: dict[str, list[Offer]] = {}
    for offer in offers:
        if not offer.fits:
            bare = offer.why_not.removeprefix(f"{offer.name} ")
            said = offer.why_not if bare == offer.why_not else f"each of these {bare}"
            alike.setdefault(said, []).append(offer)
    found = []
    for said, same in alike.items():
        if len(same) > _FEW:
            found.append((", ".join(one.name for one in same), said))
        else:
            found += [(one.name, one.why_not) for one in same]
    return found


def unpromised() -> list[str]:
    """Methods that promise nothing: the studio does not offer them."""
    return [one.name for one in registered("tables").values() if one.family is Family.UNPROVED]


def _found(schema: Schema, delta: str | None) -> Iterator[Offer]:
    for recipe in registered("tables").values():
        if recipe.family is Family.UNPROVED:
            continue
        try:
            plan = price(schema, method=recipe.name, epsilon=_SOME_EPSILON, delta=delta)
            bare = isinstance(plan.guarantee, Heuristic)
            why_not = "with this schema it promises nothing" if bare else ""
        except (Refused, MissingExtra) as refusal:
            why_not = str(refusal)
            if len(why_not) > _LONGEST:
                why_not = why_not[: _LONGEST - 1].rstrip() + "…"
        yield Offer(recipe.name, recipe.summary, recipe.use, why_not)
