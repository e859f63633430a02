"""What `verify` found: the checks in their order, and whether all of them passed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import overload

from sfumato.untrusted.fact_table import fact_table
from sfumato.untrusted.visible import visible

__all__ = ["Check", "Verification"]


@dataclass(frozen=True, slots=True)
class Check:
    """One question asked of a release, and its answer."""

    name: str
    passed: bool
    detail: str


class Verification(Sequence[Check]):
    """The checks of a release, in order; false as soon as one of them failed, or none was made.

    >>> found = Verification([Check("files", True, "as released"), Check("data", False, "changed")])
    >>> found.passed, bool(found), [check.name for check in found.failed], len(found)
    (False, False, ['data'], 2)
    >>> found
    <Verification: FAILED
      files  passed  as released
      data   FAILED  changed>
    """

    def __init__(self, checks: Iterable[Check]) -> None:
        self._checks = tuple(checks)

    @property
    def passed(self) -> bool:
        """Whether there were checks and all of them passed."""
        return bool(self._checks) and not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """Those that did not pass."""
        return tuple(check for check in self._checks if not check.passed)

    @overload
    def __getitem__(self, place: int) -> Check: ...
    @overload
    def __getitem__(self, place: slice) -> "Verification": ...
    def __getitem__(self, place: int | slice) -> "Check | Verification":
        if isinstance(place, slice):
            return Verification(self._checks[place])
        return self._checks[place]

    def __len__(self) -> int:
        return len(self._checks)

    def __bool__(self) -> bool:
        return self.passed

    def __add__(self, more: Iterable[Check]) -> "Verification":
        return Verification((*self._checks, *more))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Verification | list | tuple):
            return list(self) == list(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._checks)

    def __repr__(self) -> str:
        wide = max((len(check.name) for check in self), default=0)
        lines = (
            f"\n  {check.name:{wide}}  {_said(check)}  {visible(check.detail)}" for check in self
        )
        return f"<Verification: {self._verdict}{''.join(lines)}>"

    def _repr_html_(self) -> str:
        rows = [(check.name, _said(check), check.detail) for check in self]
        return fact_table(f"Verification: {self._verdict}", rows, headings=("check", "", "finding"))

    @property
    def _verdict(self) -> str:
        return "passed" if self.passed else "FAILED"


def _said(check: Check) -> str:
    return "passed" if check.passed else "FAILED"
