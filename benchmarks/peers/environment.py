"""A virtual environment for each peer: what they require cannot live together."""

import subprocess
import sys
import venv
from pathlib import Path

__all__ = ["interpreter"]

HERE = Path(__file__).parent


def interpreter(name: str | None, work: Path) -> Path:
    """The Python of a peer's environment, made anew whenever its requirements have changed."""
    if name is None:
        return Path(sys.executable)
    wanted = HERE / "requirements" / f"{name}.txt"
    folder = work / "environments" / name
    python, made = folder / "bin" / "python", folder / "requirements.txt"
    if not made.exists() or made.read_text() != wanted.read_text():
        print(f"installing {name}", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", wanted], check=True)
        made.write_text(wanted.read_text())
    return python
