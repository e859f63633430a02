"""The number of records that replace-one publishes does not depend on where a record is counted."""

import numpy as np
import pyarrow as pa
import pytest

from query_world import funded
from sfumato.errors import DataError
from sfumato.ledger import Ledger
from sfumato.publishing.counts import publish_counts
from sfumato.retrieval.counts import LARGEST_COUNT, Counts
from sfumato.retrieval.desk import Desk
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.store import AnswerStore


def published(values, **options):
    table = pa.table({"key": [f"k{place}" for place in range(len(values))], "count": values})
    try:
        release = publish_counts(table, epsilon=1, seed=0, **options)
    except DataError as refusal:
        return str(refusal)
    return release.certificate.counts.model_dump()


@pytest.mark.parametrize("beyond", [LARGEST_COUNT + 1, LARGEST_COUNT + 5, 2.0**60, np.inf])
def test_a_record_that_leaves_a_count_beyond_the_range_does_not_show_in_the_total(beyond):
    before, after = [beyond, 3.0], [beyond - 1, 4.0]
    assert published(before, neighbours="replace-one") == published(after, neighbours="replace-one")


@pytest.mark.parametrize("places", [(0, 1), (1, 0), (2, 0)])
def test_a_record_that_moves_up_to_the_end_of_the_range_is_published_with_the_same_total(places):
    before = np.array([LARGEST_COUNT - 7, 4.0, 3.0])
    after = before.copy()
    after[list(places)] += -1, 1
    facts = published(before.tolist(), neighbours="replace-one")
    assert facts == {"keys": 3, "records": LARGEST_COUNT}
    assert facts == published(after.tolist(), neighbours="replace-one")


def test_too_many_records_are_refused_under_replace_one_with_a_remedy_and_not_otherwise():
    values = [LARGEST_COUNT, 1]
    assert "choose add-remove" in published(values, neighbours="replace-one")
    assert published(values, neighbours="add-remove") == {"keys": 2, "records": None}
    assert Counts.of(("a", "b"), [np.inf, 1]).values.tolist() == [LARGEST_COUNT, 1]


def test_the_desk_refuses_too_many_records_before_it_answers(tmp_path):
    funded(tmp_path)
    counts = Counts.of(("a", "b"), [LARGEST_COUNT + 1, 3])
    with Ledger(tmp_path / "budget.db") as ledger, AnswerStore(tmp_path / "a.db") as store:
        with pytest.raises(DataError, match="add-remove"):
            Desk(counts, Answering(2, "replace-one", "1/100"), ledger, store, "words")
        Desk(counts, Answering(2, "add-remove", "1/100"), ledger, store, "words").close()
