"""The notebooks as pages: their words and their code, with the file itself to download.

They are kept without outputs, and a test runs them; a page shows what would be run.
"""

import json
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def page(notebook: Path) -> str:
    """Its cells in order, and where to get it, below its title."""
    parts = []
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(f"```python\n{text}\n```" if cell["cell_type"] == "code" else text)
    title, _, rest = parts[0].partition("\n")
    offer = f"[Download this notebook]({notebook.name}). Every cell of it is run by a test."
    return "\n\n".join([title, offer, rest.strip(), *parts[1:]])


def pages() -> dict[str, str]:
    """Every page of this section by its place in the site."""
    return {f"notebooks/{path.stem}.md": page(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those that lie in docs/."""
    for place, content in pages().items():
        files.append(File.generated(config, place, content=content))
    return files
