"""The table of contents: `folder/*` in the navigation stands for all pages there not named before.

So a page still joins the site by lying in docs/, and those that have a place of their own
are listed in the order in which a reader meets them.
"""

from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files


def named(entries: list[Any]) -> set[str]:
    """All pages that a navigation names outright."""
    found: set[str] = set()
    for entry in entries:
        target = next(iter(entry.values())) if isinstance(entry, dict) else entry
        found |= named(target) if isinstance(target, list) else {target}
    return found


def expanded(entries: list[Any], pages: list[str], taken: set[str]) -> list[Any]:
    """The same with every `folder/*` replaced by the pages of that folder, by name.

    >>> expanded([{"A": ["a/z.md", "a/*"]}], ["a/b.md", "a/z.md"], {"a/z.md"})
    [{'A': ['a/z.md', 'a/b.md']}]
    """
    made: list[Any] = []
    for entry in entries:
        if isinstance(entry, str) and entry.endswith("/*"):
            folder = entry.removesuffix("*")
            made += sorted(p for p in pages if p.startswith(folder) and p not in taken)
        elif isinstance(entry, dict) and isinstance(next(iter(entry.values())), list):
            made.append({title: expanded(part, pages, taken) for title, part in entry.items()})
        else:
            made.append(entry)
    return made


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Write the navigation out, when all pages are known."""
    pages = [file.src_uri for file in files.documentation_pages()]
    config.nav = expanded(config.nav or [], pages, named(config.nav or []))
    return files
