"""Records of a file that its owner has said to be public: they are read to fill in fields.

All other records are opened by a process of its own (`sfumato.studio.work`).
"""

from sfumato.errors import ParameterError
from sfumato.schema.strict_yaml import load
from sfumato.studio.draft import Draft
from sfumato.studio.project import Project
from sfumato.studio.typed import typed_column
from sfumato.table.draft import draft as drafted

__all__ = ["propose"]


def propose(project: Project, draft: Draft) -> None:
    """Fill in what the records of a public file show, to be checked by a person all the same."""
    if not draft.public:
        raise ParameterError("the file holds secrets: its records are not read for this")
    found = load(drafted(project.file(draft.file), public=True), where=draft.file)
    columns = found["columns"] if isinstance(found, dict) else {}
    for place, column in enumerate(draft.columns):
        draft.columns[place] = typed_column(column.name, columns.get(column.name, {}))
        draft.columns[place].proposed = True
        draft.columns[place].source = "read off the records, which everybody may read"
    draft.read_records = True
