import pytest


@pytest.fixture
def wide(monkeypatch):
    """A terminal wide enough that no sentence is broken, whatever the one of the test run."""
    monkeypatch.setenv("COLUMNS", "200")
