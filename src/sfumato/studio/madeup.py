"""A clinic that never was, in a project: to try all pages with."""

import os

from sfumato.errors import ParameterError
from sfumato.schema.schema import Schema
from sfumato.studio.draft import Draft
from sfumato.studio.project import Project
from sfumato.studio.typed import typed_column

__all__ = ["begin_example"]

_FILE = "made-up-clinic.csv"
_ROWS = 5_000


def begin_example(project: Project) -> Draft:
    """Write the made-up records beside the others, and declare their columns."""
    import pyarrow.csv as pacsv

    from sfumato.example import CLINIC, clinic

    schema = Schema.parse(CLINIC)
    draft = Draft(
        slug="",
        name="made-up-clinic",
        file=_FILE,
        columns=[
            typed_column(name, column.model_dump(exclude_defaults=True) | {"kind": column.kind})
            for name, column in schema.columns.items()
        ],
        predicts=schema.label or "",
        made_up=True,
        known_from="other",
        source="made up by Sfumato",
        unread=True,
    )
    path = project.data / _FILE
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            pacsv.write_csv(clinic(_ROWS), file)
    except OSError as error:
        raise ParameterError(f"{_FILE} cannot be written: {error.strerror}") from None
    return project.begin(draft)
