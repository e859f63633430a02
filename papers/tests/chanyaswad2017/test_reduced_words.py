"""What the page says of its own run."""

from papers.chanyaswad2017.facts import Fact
from papers.chanyaswad2017.settings import Settings
from papers.chanyaswad2017.writing import write_up
from papers.outcome import Outcomes


def page(rows):
    fact = Fact(150, 30, 30, 6, "public ranges", "Complete.")
    settings = Settings(figures=("2",), rows=rows)
    return write_up(Outcomes(), settings, [], [], {"II": fact})


def test_rows_that_are_clustered_are_those_that_there_are():
    assert "150 rows are clustered" in page(150)


def test_a_part_of_the_data_is_called_a_quick_look():
    assert "A quick look: of each data set at most 150 records" in page(150)
    assert "quick look" not in page(None)
