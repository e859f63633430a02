"""The folder of a project: data, drafts, releases, and the ledger, which is the only database.

PROJECT/budget.db                 the ledger
PROJECT/data/                     the files with records: never written, copied or listed by size
PROJECT/datasets/NAME/            a draft, its schema, its notes
PROJECT/releases/ID/              what was published
PROJECT/internal/                 what only its owner may see
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from sfumato.errors import ParameterError
from sfumato.schema.schema import Schema
from sfumato.studio.draft import Draft
from sfumato.studio.place import inside, is_slug, make_folder, slug_of, write_whole
from sfumato.table.file.opening import is_table
from sfumato.untrusted.plain_file import content

if TYPE_CHECKING:
    from sfumato.ledger import Ledger

__all__ = ["Project"]

_LARGEST = 2**24  # bytes of a draft


class Project:
    """An open project."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = make_folder(Path(folder)).resolve()
        if not os.access(self.folder, os.W_OK | os.X_OK):
            raise ParameterError(f"folder {folder} cannot be written to: choose another")
        self.data, self.releases = self._folder("data"), self._folder("releases")
        self._datasets, self.internal = self._folder("datasets"), self._folder("internal")
        self._making = Lock()

    def _folder(self, name: str) -> Path:
        return make_folder(inside(self.folder, name))

    @property
    def files(self) -> list[str]:
        """The names of what lies in the data folder and leads nowhere else."""
        found = []
        for name in _names(self.data):
            try:
                inside(self.data, name)
            except ParameterError:
                continue
            if not name.startswith(".") and not name.casefold().startswith("readme"):
                found.append(name)
        return found

    @property
    def astray(self) -> list[str]:
        """Names of tables that lie beside the data folder and not in it; some may be code books."""
        return [
            name
            for name in _names(self.folder)
            if is_table(name) and not name.startswith(".") and name != self.ledger_path.name
        ]

    def file(self, name: str) -> Path:
        """One file of the data folder."""
        if name not in self.files:
            if name in _names(self.data) and (self.data / name).is_symlink():
                raise ParameterError(
                    f"there is no file {name!r} in the data folder, but a link, and links are not "
                    "followed: put the file itself there"
                )
            raise ParameterError(
                f"there is no file {name!r} in the data folder: put it there, and try again"
            )
        return inside(self.data, name)

    @property
    def ledger_path(self) -> Path:
        """Where the ledger lies, or will lie."""
        return inside(self.folder, "budget.db")

    @contextmanager
    def ledger(self) -> Iterator["Ledger | None"]:
        """The ledger, open; None while there is none."""
        from sfumato.ledger import Ledger

        if not self.ledger_path.exists():
            yield None
            return
        with Ledger(self.ledger_path) as opened:
            yield opened

    @property
    def datasets(self) -> list[Draft]:
        """All that were begun, by name; those that cannot be read are among the `complaints`."""
        return self._begun()[0]

    @property
    def complaints(self) -> list[str]:
        """Why drafts cannot be read that lie in the folder."""
        return self._begun()[1]

    def _begun(self) -> tuple[list[Draft], list[str]]:
        drafts, complaints = [], []
        try:
            names = _names(self._datasets)
        except ParameterError as refusal:  # the folder is another person's: the ledger may be ours
            return [], [str(refusal)]
        for name in filter(is_slug, names):
            try:
                text = self._text(name)
                drafts += [] if text is None else [Draft.from_json(name, text)]
            except ParameterError as refusal:
                complaints.append(str(refusal))
        return drafts, complaints

    def dataset(self, slug: str) -> Draft:
        """One draft, by its name in addresses."""
        if not is_slug(slug) or (text := self._text(slug)) is None:
            raise ParameterError("there is no such data set here: begin at the start page")
        return Draft.from_json(slug, text)

    def _text(self, slug: str) -> str | None:
        """A draft as it was kept; None where there is none."""
        try:
            return content(self._place(slug, "draft.json"), _LARGEST).decode()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError):
            raise ParameterError(f"datasets/{slug}/draft.json cannot be read") from None

    def begin(self, draft: Draft) -> Draft:
        """Keep a new draft in a folder of its own; its name in addresses is chosen here."""
        with self._making:
            taken = {one.slug for one in self.datasets}
            if any(one.name == draft.name for one in self.datasets):
                raise ParameterError(
                    f"there is a data set {draft.name} already: go on there, or choose another "
                    "name for other data. The questions about its file can be answered anew at "
                    "its first step: what was typed of its columns stays"
                )
            wished, count = slug_of(draft.name), 2
            draft.slug = wished
            while draft.slug in taken or (self._datasets / draft.slug).exists():
                draft.slug, count = f"{wished}-{count}", count + 1
            make_folder(inside(self._datasets, draft.slug))
            self.keep(draft)
        return draft

    def keep(self, draft: Draft) -> None:
        """Write a draft, whole or not at all."""
        write_whole(self._place(draft.slug, "draft.json"), draft.to_json())

    def declare(self, draft: Draft, schema: Schema, notes: str) -> None:
        """Write the schema that came of a draft, and where it is known from."""
        write_whole(self.schema_path(draft.slug), schema.to_yaml())
        write_whole(self._place(draft.slug, "notes.yaml"), notes)
        draft.declared = True
        self.keep(draft)

    def redeclare(self, draft: Draft, schema: Schema) -> None:
        """Write a schema that says something else of the whole, and the same of every column."""
        write_whole(self.schema_path(draft.slug), schema.to_yaml())
        self.keep(draft)

    def schema_path(self, slug: str) -> Path:
        """Where the schema of a data set lies, or will lie."""
        return self._place(slug, "schema.yaml")

    def schema_text(self, slug: str) -> str:
        """The schema of a data set as it lies there; others may have changed it since."""
        try:
            return content(self.schema_path(slug), _LARGEST).decode("utf-8-sig")
        except (OSError, ValueError):
            raise ParameterError(
                f"datasets/{slug}/schema.yaml is missing or no text in UTF-8: go to the columns, "
                "and on from there, to write it anew"
            ) from None

    def _place(self, slug: str, name: str) -> Path:
        return inside(self._datasets, slug, name)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise ParameterError(f"folder {folder} cannot be read: {error.strerror}") from None
