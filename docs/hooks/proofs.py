"""The index of the proof pages: which page proves what, by the methods that name it.

In the errata, names of tests are shown as the sentences that they are.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from methods import kinds

PROOFS = Path(__file__).parents[1] / "proofs"
TEST = re.compile(r"`test_(\w+)`")


def heading(path: Path) -> str:
    """What a page calls itself."""
    return path.read_text("utf-8").splitlines()[0].removeprefix("# ")


def page() -> str:
    """The index: pages of methods first, then those that they build on."""
    proved: dict[str, list[str]] = {path.name: [] for path in sorted(PROOFS.glob("*.md"))}
    for kind, known in kinds().items():
        for name, item in known.items():
            link = f"[`{name}`](../methods/{kind}/{name}.md)"
            proved[item.proof.removeprefix("proofs/")].append(link)
    lines = [
        "# Proofs",
        "",
        "Each page holds a statement, its proof, what the papers have instead where they differ,",
        "and the tests that hold the code to it. The code that is proved is the code that runs:",
        "tests brute-force the same functions.",
        "",
        "## Of methods",
        "",
        "| page | methods |",
        "|---|---|",
    ]
    lines += [
        f"| [{heading(PROOFS / file)}]({file}) | {', '.join(names)} |"
        for file, names in proved.items()
        if names
    ]
    lines += ["", "## That others build on", ""]
    lines += [
        f"- [{heading(PROOFS / file)}]({file})" for file, names in proved.items() if not names
    ]
    return "\n".join(lines)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the index to the pages that lie in docs/proofs."""
    files.append(File.generated(config, "proofs/index.md", content=page()))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """A test's name is a sentence that could be false: show it as one."""
    if page.file.src_uri != "errata.md":
        return markdown
    return TEST.sub(lambda found: f"*test: {found[1].replace('_', ' ')}*", markdown)
