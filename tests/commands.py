"""A command as a process of its own that need not import everything again: a forked child.

How the program itself starts is tested elsewhere, by starting it; this is for the many that only
want to know what a command says and how it ends.
"""

import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from killing import in_child

__all__ = ["run"]

# Imported once, here, and not again in every child.
for heavy in ("cli.application", "party", "publishing", "publishing.verify"):
    import_module(f"sfumato.{heavy}")

_WORLD = {"COLUMNS": "200", "NO_COLOR": "1"}


def run(words: str, *, cwd: Path) -> subprocess.CompletedProcess[str]:
    """What a command line printed, and its exit code."""
    given = words.split()
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as aside:

        def act() -> NoReturn:
            os.chdir(cwd)
            os.environ.pop("SFUMATO_LEDGER", None)
            os.environ.update(_WORLD)
            os.dup2(printed.fileno(), 1)
            os.dup2(aside.fileno(), 2)
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            # What looked at the terminal when it was imported looks again.
            for name in [name for name in sys.modules if name.startswith("sfumato.cli")]:
                del sys.modules[name]
            os._exit(_code(given))

        code = in_child(act)
        texts = []
        for page in (printed, aside):
            page.seek(0)
            texts.append(page.read().decode())
    return subprocess.CompletedProcess(given, code, *texts)


def _code(given: list[str]) -> int:
    from sfumato.cli import main

    sys.argv = ["sfumato", *given]
    code = 0
    try:
        main()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return code
