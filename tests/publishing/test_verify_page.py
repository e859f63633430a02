"""The page beside a release is checked against the release, whatever else was found."""

import sfumato as sf
from sfumato.example import CLINIC, clinic
from sfumato.ledger import Ledger


def test_a_page_is_the_one_of_its_release_whatever_a_ledger_holds(tmp_path):
    schema = sf.Schema.parse(CLINIC)
    folder = tmp_path / "r"
    sf.publish(clinic(80), schema=schema, epsilon=1, folder=folder).report()
    with Ledger.create(tmp_path / "other.db") as other:
        found = sf.verify(folder, ledger=other)
        assert [check.name for check in found.failed] == ["ledger"]
        assert found[-1].name == "report"
        (folder / "report.html").write_bytes(b"another page")
        assert [check.name for check in sf.verify(folder, ledger=other).failed] == [
            "ledger",
            "report",
        ]
