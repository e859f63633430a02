"""In place of the folder of jobs lies a file, while the studio runs: pages say so in words."""

from jobs_world import PUBLISH, REVIEW, World, release_in
from studio_world import studio


def test_a_folder_of_jobs_that_is_none_is_said_in_words(tmp_path):
    world = World(tmp_path).choose()
    place = tmp_path / "jobs"
    with studio(tmp_path) as visitor:
        job = release_in(visitor.get(REVIEW))
        place.rename(tmp_path / "elsewhere")
        place.write_text("")
        replies = [visitor.get(path) for path in (REVIEW, f"/jobs/{job}")]
        replies.append(visitor.post(PUBLISH, {"release": job, "name": "visits"}))
        replies.append(visitor.post(f"/jobs/{job}/stop"))
        assert [reply.status for reply in replies] == [409] * len(replies)
        for reply in replies:
            assert "Folder jobs cannot be read" in reply.text
            assert "put it back as it was" in reply.text
        assert visitor.get("/").status == 200
        place.unlink()
        (tmp_path / "elsewhere").rename(place)
        assert release_in(visitor.get(REVIEW)) == job
    assert world.said == visitor.said == []
