"""A project with a release and a ledger that has a history; its schema has values to beware of."""

from html.parser import HTMLParser
from urllib.parse import urlencode

import sfumato as sf
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.project import Project

NAME, RELEASE, BOARD = "clinic", "9c1e0a7733f1b2d4", "Dr. N.: data board of 4 May"
PLAN = "c0ffee00"
HOSTILE = "<img src=x onerror=alert(1)>\"'&amp;\x1b[2K\u202e" + "long" * 40


def published(folder, *, name=NAME, rows=600, schema=None, records=None):
    """A project folder whose ledger has granted 3 and charged 1 for a release."""
    project = Project(folder)
    schema = schema or Schema.parse(sf.example.CLINIC.replace("name: clinic", f"name: {name}"))
    columns = [TypedColumn(column) for column in schema.columns]
    (project.data / "patients.csv").write_text("nothing is read of it\n")
    draft = Draft("", schema.name, "patients.csv", columns, source="manual 2024, page 12")
    project.declare(project.begin(draft), schema, "")
    with Ledger.create(project.ledger_path) as ledger:
        ledger.grant(schema.name, epsilon=3, reason=BOARD)
        sf.publish(
            sf.example.clinic(rows) if records is None else records,
            schema=schema,
            epsilon=1,
            ledger=ledger,
            release=RELEASE,
            folder=project.releases / RELEASE,
        )
    return project


def reserved(project, release, name=NAME):
    """A charge whose noise was not drawn, as a worker that was killed leaves it."""
    with Ledger(project.ledger_path) as ledger:
        protects = ledger.balance(name).protects
        ledger.reserve(release, name, PureDP("0.5"), plan=PLAN, protects=protects)


def lines(project, kind, name=NAME):
    """The lines of this kind that the ledger has."""
    with Ledger(project.ledger_path) as ledger:
        return [line for line in ledger.history(name) if line.kind == kind]


def asked(path, **fields):
    """The address of a question."""
    return f"{path}?{urlencode(fields, True)}"


class _Text(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.said, self.tags = [], []

    def handle_data(self, data):
        self.said.append(data)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def read(page):
    """The text of a page as a reader sees it, without more blanks than words need, and its tags."""
    parser = _Text()
    parser.feed(page)
    return " ".join(" ".join(parser.said).split()), parser.tags


def text(reply):
    """The text of a reply."""
    return read(reply.text)[0]
