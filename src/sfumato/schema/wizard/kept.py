"""Answers that are kept beside the schema to be, so that an interview can go on later."""

import json
from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import ParameterError
from sfumato.untrusted.plain_file import content
from sfumato.untrusted.strict_json import parsed

__all__ = ["KeptAnswers"]

_LARGEST = 2**24  # bytes


class KeptAnswers:
    """The file `schema.yaml.wizard` of the schema `schema.yaml`."""

    def __init__(self, schema: Path, columns: Sequence[str]) -> None:
        self.path = schema.with_name(f"{schema.name}.wizard")
        self._columns = list(columns)

    def read(self) -> list[str]:
        """The answers of an interview about the same columns."""
        try:
            found = parsed(content(self.path, _LARGEST))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ParameterError(f"{self.path} cannot be resumed: {reason}") from None
        answers = found.get("answers") if isinstance(found, dict) else None
        if not isinstance(answers, list) or not all(isinstance(a, str) for a in answers):
            raise ParameterError(f"{self.path} holds no answers: remove it and begin again")
        if found.get("columns") != self._columns:
            raise ParameterError(
                f"{self.path} is about other columns than this file has: remove it and begin again"
            )
        return answers

    def keep(self, answers: list[str]) -> None:
        """Write them, whole or not at all."""
        text = json.dumps({"columns": self._columns, "answers": answers}, indent=1)
        aside = self.path.with_name(f"{self.path.name}.new")
        try:
            aside.write_text(text, encoding="utf-8")
            aside.replace(self.path)
        except OSError as error:
            raise ParameterError(f"{self.path} cannot be written: {error.strerror}") from None

    def remove(self) -> None:
        """Forget them."""
        self.path.unlink(missing_ok=True)
