"""The five steps on top: links where they lead somewhere, plain text where they do not."""

import re

import pytest

from jobs_world import World
from release_world import RELEASE, published
from studio_world import studio

HERE = "/d/visits"


def links(reply):
    """The steps by name, and where each leads; and which one is the page itself."""
    line = re.search('<nav class="steps".*?</nav>', reply.text, re.DOTALL)[0]
    steps = re.findall(r"<li(.*?)>(?:<a href=\"(.*?)\">)?<span>\d </span>(\w+)(?:</a>)?</li>", line)
    (now,) = [name for how, _, name in steps if how == ' aria-current="step"']
    return now, {name: address for _, address, name in steps if address}


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def test_a_step_leads_to_its_page_once_there_is_something_on_it(world):
    file, columns, promise = f"{HERE}/file", f"{HERE}/schema", f"{HERE}/budget"
    begun = {"File": file, "Columns": columns}
    with studio(world.project.folder) as visitor:
        assert links(visitor.get("/new")) == ("File", {})
        assert links(visitor.get(columns)) == ("Columns", {"File": file, "Promise": promise})
        assert links(visitor.get(promise)) == ("Promise", begun)
        world.choose()
        review = f"{HERE}/review"
        later = {"Promise": promise, "Review": review}
        assert links(visitor.get(columns)) == ("Columns", {"File": file, **later})
        assert links(visitor.get(file)) == ("File", {"Columns": columns, **later})
        assert links(visitor.get(review)) == ("Review", {**begun, "Promise": promise})
        world.draft.declared = False
        world.project.keep(world.draft)
        assert links(visitor.get(columns)) == ("Columns", {"File": file})


def test_from_a_release_the_steps_lead_back_to_its_data_set(world):
    asked = world.choose().asked()
    assert world.jobs().folder.begin(asked)
    with studio(world.project.folder) as visitor:
        now, found = links(visitor.get(f"/jobs/{asked.job}"))
        assert (now, list(found)) == ("Release", ["File", "Columns", "Promise", "Review"])
        (world.project.folder / "datasets/visits").rename(world.project.folder / "away")
        assert links(visitor.get(f"/jobs/{asked.job}")) == ("Release", {})


def test_a_release_that_was_made_elsewhere_leads_nowhere_and_a_received_one_has_no_steps(tmp_path):
    project = published(tmp_path, rows=300)
    with studio(project.folder) as visitor:
        assert links(visitor.get(f"/r/{RELEASE}")) == ("Release", {})
    with studio(project.releases / RELEASE, received=True) as visitor:
        assert 'class="steps"' not in visitor.get("/r/received").text
