"""The questions of a page: what can be chosen next, and the answer once all of it is chosen."""

from pathlib import Path

from starlette.requests import Request

from sfumato.errors import Refused
from sfumato.release import Release
from sfumato.studio.answered import Answered, answered
from sfumato.studio.page import studio_of
from sfumato.studio.question import MOST_BOXES, Askable, Question
from sfumato.studio.shelf import Shelf
from sfumato.studio.shown_release import ShownRelease

__all__ = ["Asking", "asking"]


class Asking:
    """The questions of the page, and what was chosen of them."""

    def __init__(
        self, shelf: Shelf, folder: Path, question: Question, *, pressed: bool = False
    ) -> None:
        self.question, self.fault, self.answer = question, "", None
        self.askable: Askable | None = None
        self.why_not = ""
        try:
            self.askable = shelf.kept(folder, "askable", lambda: Askable(Release.load(folder)))
        except Refused as refusal:
            self.why_not = str(refusal)
            return
        self.kinds = self.askable.kinds
        self.kind = question.kind if question.kind in self.kinds else next(iter(self.kinds), "")
        self.columns = self.askable.columns(self.kind)
        self.column = question.column if question.column in self.columns else None
        self.answer = self._answer()
        if pressed and self.column is not None and not self.askable.whole(question):
            self.fault = self.askable.lacking(question)

    def _answer(self) -> Answered | None:
        if self.askable is None or not self.askable.whole(self.question):
            return None
        try:
            return answered(self.askable.answer(self.question))
        except Refused as refusal:
            self.fault = str(refusal)
            return None

    @property
    def values(self) -> list[str]:
        """Values to choose from, one by one; none where there are too many."""
        if self.askable is None or self.column is None or self.kind not in ("count", "more"):
            return []
        found = self.askable.values(self.column)
        return found if len(found) <= MOST_BOXES else []

    @property
    def example(self) -> str:
        """A value as it can be typed."""
        found = [] if self.askable is None or self.column is None else self.askable.values(
            self.column)  # fmt: skip
        return found[len(found) // 2] if found else ""

    @property
    def partners(self) -> list[int]:
        """Columns that a table can be made with."""
        if self.askable is None or self.column is None:
            return []
        return self.askable.partners(self.column)


def asking(found: ShownRelease, request: Request) -> Asking:
    """The questions of a release, with what the address of this request chose."""
    fields = {name: request.query_params.getlist(name) for name in request.query_params}
    shelf = studio_of(request).shelf
    question = Question.of(fields if request.method == "GET" else {})
    return Asking(shelf, found.folder, question, pressed="go" in fields)
