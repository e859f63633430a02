"""The hooks that write pages of the site, imported from where they lie: beside the pages."""

import sys
from importlib import import_module
from pathlib import Path

HOME = Path(__file__).parents[1]
sys.path.insert(0, str(HOME / "docs" / "hooks"))

_NAMES = ("contents", "gallery", "layers", "methods", "proofs", "reference", "method_tables")
contents, gallery, layers, methods, proofs, reference, tables = map(import_module, _NAMES)
