"""What stopped on its way: the start page says how far it came, and what is lost is not open."""

import re

import pytest

from jobs_world import World, begun
from studio_world import studio


def cautions(page):
    return [re.sub("<[^>]+>", "", one) for one in re.findall('<p class="caution">.*?</p>', page)]


@pytest.mark.parametrize(
    ("fate", "said"),
    [
        ("killed before the charge", "it stopped before it was charged"),
        ("killed once charged", "it stopped after it was charged and before its noise was drawn"),
        ("killed in place", "it stopped when all of it was written, and the ledger was not told"),
    ],
)
def test_how_far_a_release_came_is_said_at_the_start(tmp_path, fate, said):
    world = World(tmp_path)
    job, _ = begun(world, fate)
    with studio(tmp_path) as visitor:
        start = visitor.get("/").text
        found = cautions(start)
        assert found == [f"Release {job} of visits is not done: {said}. See what can be done"]
        if fate == "killed before the charge":
            visitor.post(f"/jobs/{job}/stop")
            assert cautions(visitor.get("/").text) == []


@pytest.mark.parametrize("fate", ["killed once drawn", "fault once drawn"])
def test_a_lost_release_is_said_to_be_lost_and_is_not_open(tmp_path, fate):
    world = World(tmp_path)
    job, _ = begun(world, fate)
    with studio(tmp_path) as visitor:
        start, account = visitor.get("/").text, visitor.get("/ledger/visits").text
    assert cautions(start) == []
    assert job not in start
    assert "1 was lost after its noise was drawn; its charge stays" in start
    assert '<td data-of="Releases"><a href="/ledger/visits">0<' in start
    assert f"<code>{job}</code> was lost after its noise was drawn; its charge stays" in account


def test_the_start_page_stands_where_the_folder_of_jobs_is_none(tmp_path):
    world = World(tmp_path)
    job, _ = begun(world, "killed once charged")
    with studio(tmp_path) as visitor:
        (tmp_path / "jobs").rename(tmp_path / "elsewhere")
        (tmp_path / "jobs").write_text("")
        reply = visitor.get("/")
        assert visitor.get("/ledger/visits").status == 200
    assert reply.status == 200
    found = cautions(reply.text)
    assert f"Release {job} of visits is not done" in found[0]
    assert "Folder jobs cannot be read" in found[1]
