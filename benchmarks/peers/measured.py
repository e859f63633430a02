"""Run a command; note its processor time and its largest memory.

    python measured.py NOTE SECONDS COMMAND …

A process of its own, because a child's peak starts from that of the parent: this one is small.
Beyond SECONDS of processor time the system ends the command.
"""

import json
import os
import resource
import sys
from pathlib import Path


def main() -> None:
    note, seconds, *command = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, used = os.wait4(child, 0)
    Path(note).write_text(
        json.dumps(
            {
                "status": os.waitstatus_to_exitcode(status),
                "cpu_seconds": used.ru_utime + used.ru_stime,
                "peak_megabytes": used.ru_maxrss / 1024,
            }
        )
    )


if __name__ == "__main__":
    main()
