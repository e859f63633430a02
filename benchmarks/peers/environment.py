"""A virtual environment for each peer: what they require cannot live together."""

import subprocess
import sys
import venv
from pathlib import Path

__all__ = ["HERE", "SOURCE", "interpreter", "our_version", "use_source"]

HERE = Path(__file__).resolve().parent
# Sfumato is that of the checkout in which this lies; outside of one, the one that is installed.
SOURCE = next((s for s in [HERE.parents[1] / "src"] if (s / "sfumato").is_dir()), None)


def use_source() -> None:
    """Let this process import the same Sfumato that makes the releases."""
    if SOURCE and str(SOURCE) not in sys.path:
        sys.path.insert(0, str(SOURCE))


def our_version() -> str:
    """Which Sfumato makes our releases: its version, and the commit if it is a checkout."""
    use_source()
    import sfumato

    if not SOURCE:
        return f"Sfumato {sfumato.__version__}, as installed"
    command = ["git", "-C", HERE, "describe", "--always", "--dirty"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        told = "of an unknown commit"
    return f"Sfumato {sfumato.__version__} (checkout {told})"


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
