"""What a newcomer does, page by page, as far as there are pages."""

from sfumato.schema import Schema

FIELDS = ("patient", "age", "ward", "seen", "note")
TYPED = {
    "k0": "id",
    "k1": "integer",
    "f1": "0..110",
    "m1": "on",
    "k2": "category",
    "f2": "cardiology, surgery; other: elsewhere",
    "k3": "date",
    "f3": "2020-01-01..2025-12-31",
    "k4": "id",
    "known": "code book",
    "source": "manual, page 12",
    "unread": "on",
}
BOOK = "age\twhole number\t0..120\nward\tone of a list\tcardiology, surgery; other: none\n"


def first_release(visitor, file="patients.csv"):
    """Every page that is there, in order, with mistakes on the way."""
    answers = {"file": file, "header": "yes", "unit": "several", "person": "nobody", "rows": "8"}
    answers |= {"held": "secret", "name": "registry"}
    here = "/d/registry/schema"
    visitor.get("/")
    visitor.get("/new")
    visitor.post("/new", {"file": file})
    visitor.post("/new", answers)
    visitor.post("/new", answers | {"person": "patient"})
    visitor.get("/")
    visitor.get(here)
    visitor.send(here, {"do": "check", "k1": "integer", "f1": "9..1"})
    visitor.post(here, {"do": "propose"})
    visitor.post(here, {"do": "import", "pasted": "nonsense"})
    visitor.post(here, {"do": "import", "book": "../data/patients.csv"})
    visitor.send(here, {"do": "import", "pasted": BOOK})
    visitor.send(here, TYPED | {"do": "check", "who": "0", "rows": "8"})
    visitor.send(here, TYPED | {"do": "next", "who": "0", "rows": "8"})
    visitor.get(
        "/d/registry/budget?records=5000&number=secret&epsilon=0.5&delta=1e-9&find=1&do=show"
    )
    visitor.post("/d/registry/budget", {"records": "some", "epsilon": "0"})
    visitor.post("/d/registry/budget", {"records": "5 000", "epsilon": "1"})
    visitor.get("/")
    visitor.get("/nowhere")
    visitor.post("/d/registry/publish", {"name": "registry"})  # which shows the review
    assert Schema.read(visitor.folder / "datasets/registry/schema.yaml").person == "patient"
    return visitor.seen
