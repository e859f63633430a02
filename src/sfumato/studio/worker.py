"""A worker as the studio sees it: a process, what it has said, and its end.

It is a session of its own, so that neither Ctrl-C nor the end of the studio ends it: what was
charged is finished, and the next studio finds it in the ledger and the folder.
"""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread

from sfumato.studio.asked import PAGE, PHASES

__all__ = ["COMMAND", "Worker"]

# With -P the folder that the studio was started in is not on its path: a file called `numpy.py`
# in there would run beside the records.
COMMAND = (sys.executable, "-P", "-m", "sfumato.studio.work")
_PATIENCE = 10.0  # seconds for a killed process to be gone


class Worker:
    """A worker that this studio has started."""

    def __init__(
        self, command: Sequence[str], project: Path, job: str, ended: Callable[[int], None]
    ) -> None:
        self.done, self.page = 0, b""
        self._ended = ended
        self._process = subprocess.Popen(  # noqa: S603  this very Python
            [*command, str(project), job],
            stdin=subprocess.PIPE,  # for a look to know when the studio has gone
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._listening = Thread(target=self._listen, daemon=True)
        self._listening.start()

    @property
    def alive(self) -> bool:
        """Whether it is at work, or its last words are still being read."""
        return self._listening.is_alive()

    def kill(self) -> None:
        """End it at once, wherever it is."""
        self._process.kill()
        self._listening.join(_PATIENCE)

    def wait(self, seconds: float) -> bool:
        """Whether it ended by itself within this time."""
        self._listening.join(seconds)
        return not self.alive

    def _listen(self) -> None:
        assert self._process.stdout is not None  # noqa: S101  it was asked for
        with self._process.stdout as pipe:
            for line in pipe:
                word = line.strip().decode("ascii", "replace")
                if word == PAGE:
                    self.page = pipe.read()
                elif word in PHASES:
                    self.done = max(self.done, PHASES.index(word) + 1)
        code = self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._ended(code)
