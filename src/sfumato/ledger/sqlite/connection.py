"""A connection to a ledger file that knows who uses it."""

import getpass
import os
import sqlite3
import time
from functools import cache

__all__ = ["FileConnection"]

_LAST = 253_402_300_799  # the last second of the year 9999


@cache
def _user(number: int) -> str:
    """Asked for once: the list of users may lie on another machine."""
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


class FileConnection(sqlite3.Connection):
    """SQLite's own, with the operating system's word on who writes and when."""

    @property
    def who(self) -> str:
        """The user of this process; not what its environment says, where the system can tell."""
        if not hasattr(os, "getuid"):  # no such list of users on this system
            return getpass.getuser()
        return _user(os.getuid())

    @property
    def clock(self) -> int:
        """This machine's clock, which may be wrong, as far as there are dates for it."""
        return int(min(max(time.time(), 0), _LAST))
