"""The file that opens the studio: a page that only its owner can read, with the key in it.

On a command line the key would be seen by everybody on the machine.  The file leads to a page with
one button: a cookie that is set there is kept, one that is set at once would be lost, because the
way began outside.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sfumato.errors import ParameterError

__all__ = ["opening_file"]

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Sfumato studio</title>
<meta http-equiv="refresh" content="0;url={address}">
<p>This file opens the studio once, for whoever can read it. <a href="{address}">Open it</a></p>
</html>
"""


@contextmanager
def opening_file(port: int, token: str) -> Iterator[Path]:
    """The file, gone again at the end."""
    home = os.environ.get("XDG_RUNTIME_DIR")
    try:
        folder = Path(tempfile.mkdtemp(prefix="sfumato-", dir=home if _usable(home) else None))
        path = folder / "open.html"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(_PAGE.format(address=f"http://127.0.0.1:{port}/open?token={token}"))
    except OSError as error:
        raise ParameterError(
            f"the file that opens the studio cannot be written: {error.strerror}"
        ) from None
    try:
        yield path
    finally:
        forget(path)


def forget(path: Path) -> None:
    """Remove the file and its folder, if they are still there."""
    path.unlink(missing_ok=True)
    if path.parent.is_dir():
        path.parent.rmdir()


def _usable(folder: str | None) -> bool:
    return folder is not None and os.access(folder, os.W_OK)
