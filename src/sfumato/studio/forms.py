"""Forms as a browser sends them: urlencoded, bounded, and read without surprises.

>>> form = Form({"name": ["clinic"], "rows": [" 8 "]})
>>> form.text("name"), form.text("rows"), form.text("absent"), form.flag("secret")
('clinic', '8', '', False)
"""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request

from sfumato.errors import ParameterError
from sfumato.studio.gate import BODY

__all__ = ["Form"]

_MOST_FIELDS = 4_000
_KIND = "application/x-www-form-urlencoded"


class Form:
    """What was typed, by the names of its fields."""

    def __init__(self, fields: Mapping[str, list[str]]) -> None:
        self._fields = fields

    @classmethod
    def of(cls, request: Request) -> "Form":
        """The form of this request; of a GET, what its address says."""
        if request.method in ("GET", "HEAD"):
            return cls._parsed(request.url.query)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != _KIND:
            raise ParameterError(f"a form must be sent as {_KIND}")
        try:
            return cls._parsed(bytes(request.scope[BODY]).decode("ascii"))
        except UnicodeDecodeError:
            raise ParameterError("a form must be urlencoded ASCII") from None

    @classmethod
    def _parsed(cls, text: str) -> "Form":
        fields: dict[str, list[str]] = {}
        try:
            pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
        except ValueError:
            raise ParameterError(f"a form here has at most {_MOST_FIELDS:,} fields") from None
        for name, value in pairs:
            fields.setdefault(name, []).append(value)
        return cls(fields)

    def text(self, name: str, most: int = 10_000) -> str:
        """What was typed into a field, without blanks around it; nothing where it is absent."""
        found = self._fields.get(name, [""])[-1].strip().replace("\r\n", "\n")
        if len(found) > most:
            raise ParameterError(f"{name} must have at most {most:,} characters")
        return found

    def flag(self, name: str) -> bool:
        """Whether a box was ticked."""
        return name in self._fields
