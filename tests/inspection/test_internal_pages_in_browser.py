"""The owner's pages in a real browser: on a phone, on a screen, by night and on paper."""

import pytest

import sfumato as sf
from browser.faults import chromium, page_faults  # noqa: F401  a fixture
from sfumato.example import CLINIC, clinic
from sfumato.inspection.compare import compare
from sfumato.inspection.compare.table import shown
from sfumato.inspection.overview import inspect
from sfumato.inspection.page import write_page
from sfumato.schema import Schema

SCHEMA = Schema.parse(CLINIC)


@pytest.fixture(scope="module")
def patients():
    return clinic(600)


@pytest.mark.slow
def test_the_page_of_an_inspection_has_no_faults(chromium, patients, tmp_path):  # noqa: F811
    release = sf.publish(patients, schema=SCHEMA, epsilon=2, seed=1)
    found = inspect(release, patients, control=clinic(300), pictures=True)
    assert page_faults(chromium, write_page(found, tmp_path / "page.html")) == []


@pytest.mark.slow
def test_the_page_of_a_comparison_has_no_faults(chromium, patients, tmp_path):  # noqa: F811
    found = compare(patients, SCHEMA, epsilons=["1", "2"], methods=["mosaic", "dp-lda"], trials=1)
    page = write_page(
        shown(found, pictures=True), tmp_path / "page.html", template="comparison.html"
    )
    assert page_faults(chromium, page) == []
