"""What lies around the package agrees with it: README, pre-commit, citation, upgrade note."""

import re

import yaml

import sfumato as sf
from sfumato.moved import MOVED
from site_hooks import HOME

README = (HOME / "README.md").read_text("utf-8")


def test_the_readme_says_first_what_it_is_in_the_words_of_the_field():
    first = README.split("\n\n")[1]
    assert "differential privacy" in first
    assert "synthetic" in first


def test_the_readme_fits_three_screens():
    assert len(README.splitlines()) <= 160
    assert len([word for word in README.split() if word != "|"]) < 1_500


def test_every_link_of_the_readme_leads_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) > 15
    assert not [link for link in links if not (HOME / link).exists()]


def test_before_a_commit_runs_what_make_check_runs():
    makefile = (HOME / "Makefile").read_text("utf-8")
    parts = re.search(r"^check: (.+)$", makefile, flags=re.M)[1].split()
    hooks = yaml.safe_load((HOME / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert [repo["repo"] for repo in hooks] == ["local"]  # nothing is fetched
    assert [hook["entry"] for hook in hooks[0]["hooks"]] == [f"make {part}" for part in parts]


def test_the_citation_names_this_version():
    cited = yaml.safe_load((HOME / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == sf.__version__


def test_the_upgrade_note_tells_the_new_names():
    note = (HOME / "docs" / "upgrade.md").read_text("utf-8")
    told = {f"sfumato.{name}" for name in re.findall(r"`sf\.([\w.]+)`", note)}
    always = {
        "price",
        "publish",
        "publish_network",
        "publish_stream",
        "verify",
    }  # at the root before
    public = {new for new in MOVED.values() if new.removeprefix("sfumato.") in sf.__all__}
    assert not public - told - {f"sfumato.{name}" for name in always}
