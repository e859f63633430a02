"""Fields of the promise that are odd, and wishes that cannot be: no words of commands."""

import re
from time import sleep
from urllib.parse import urlencode

import pytest

from jobs_world import World
from studio_world import studio

HERE = "/d/visits/budget"


@pytest.fixture
def visitor(tmp_path):
    World(tmp_path)
    with studio(tmp_path) as found:
        yield found


def test_a_wish_that_cannot_be_is_told_without_the_option_of_a_command(visitor):
    fields = {"records": "5000", "epsilon": "1", "find": "1", "what": "counts", "within": "200"}
    for _ in range(100):
        text = visitor.get(f"{HERE}?{urlencode(fields)}").text
        if "data-again" not in text:
            break
        sleep(0.2)
    said = re.search(r'id="wish".*?</div>', text, re.DOTALL)[0]
    assert "want &#39;" not in said
    assert "<p>What you want (counts within 200%): a limit above 100% asks for nothing" in said


@pytest.mark.parametrize("number", ["odd", "secret"])
def test_an_odd_answer_about_the_number_is_taken_for_the_careful_one(visitor, number):
    text = visitor.get(f"{HERE}?{urlencode({'records': '5000', 'number': number})}").text
    assert 'name="number" value="secret" checked' in text
