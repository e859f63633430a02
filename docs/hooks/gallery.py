"""The gallery: every example with its source, what it printed, and its picture.

The output lies in examples/output, so that building the site runs nothing; a test runs every
example and compares.  `python docs/hooks/gallery.py` runs them all and writes output and
pictures anew.
"""

import ast
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

HOME = Path(__file__).parents[2]
EXAMPLES, PICTURES = HOME / "examples", HOME / "docs" / "gallery"

# In the order in which a reader meets things.
SHOWN = (
    "first_release",
    "choosing_epsilon",
    "untidy_columns",
    "shared_budget",
    "payments",
    "visits",
    "counts",
    "pipeline",
    "collaborating_parties",
    "collaborating_vertical",
    "collaborating_horizontal",
)
LONG = ("split", "audit_all")  # minutes or a night: shown without their output


@dataclass(frozen=True)
class Example:
    """A script with a docstring: a title, how to call it, what it shows."""

    name: str

    @property
    def script(self) -> Path:
        """Where it lies."""
        return EXAMPLES / f"{self.name}.py"

    @property
    def output(self) -> Path:
        """What it printed."""
        return EXAMPLES / "output" / f"{self.name}.txt"

    @property
    def picture(self) -> Path:
        """What it drew, where it draws."""
        return PICTURES / f"{self.name}.svg"

    @property
    def draws(self) -> bool:
        """Whether it takes the path of a picture."""
        return "[PICTURE.svg]" in self.script.read_text("utf-8")

    @property
    def parts(self) -> tuple[str, str, str]:
        """The docstring's first line, what else it says, and the code."""
        source = self.script.read_text("utf-8")
        tree = ast.parse(source)
        title, _, rest = (ast.get_docstring(tree) or "").partition("\n")
        told = "\n".join(line for line in rest.splitlines() if not line.startswith("    "))
        lines = source.splitlines()[tree.body[0].end_lineno or 0 :]
        code = "\n".join(line for line in lines if not line.startswith("# ruff: noqa"))
        return title, told.strip(), code.strip()

    @property
    def name_of_page(self) -> str:
        """What comes before the first stop of the title."""
        title = self.parts[0]
        starts = (title.split(mark)[0] for mark in (":", "?", ";", ","))
        return next((start for start in starts if start != title), title)

    def page(self) -> str:
        """Explanation, picture, output, source."""
        title, told, code = self.parts
        lines = [f"# {self.name_of_page}", "", f"*{title}*", "", told, ""]
        if self.draws:
            lines += [f"![{title}]({self.name}.svg)", ""]
        if self.output.exists():
            printed = self.output.read_text("utf-8").rstrip()
            lines += ["```console", f"$ python examples/{self.name}.py", printed, "```", ""]
        return "\n".join([*lines, "```python", code, "```"])


def pages() -> dict[str, str]:
    """Every page of this section by its place in the site."""
    lines = [
        "# Gallery",
        "",
        "Scripts in `examples/`, each with what it printed. The data is made up, so that records",
        "may be shown beside their release. Tests run all but the longer ones.",
        "",
    ]
    for heading, names in (("", SHOWN), ("Longer ones, without their output:", LONG)):
        lines += [heading, ""]
        for example in map(Example, names):
            short, title = example.name_of_page, example.parts[0]
            lines.append(f"- [**{short}**]({example.name}.md){title.removeprefix(short)}")
        lines.append("")
    made = {f"gallery/{name}.md": Example(name).page() for name in (*SHOWN, *LONG)}
    return {"gallery/index.md": "\n".join(lines)} | made


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those that lie in docs/."""
    for place, content in pages().items():
        files.append(File.generated(config, place, content=content))
    return files


def refresh() -> None:
    """Run every example and keep what it prints and draws."""
    for name in SHOWN:
        example = Example(name)
        picture = [str(example.picture)] if example.draws else []
        run = subprocess.run(  # noqa: S603  our own scripts
            [sys.executable, str(example.script), *picture],
            check=True,
            capture_output=True,
            text=True,
        )
        example.output.write_text(run.stdout, encoding="utf-8")


if __name__ == "__main__":
    refresh()
