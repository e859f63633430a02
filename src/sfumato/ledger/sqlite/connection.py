"""A connection to a ledger file that knows who uses it."""

import getpass
import os
import sqlite3
import time

__all__ = ["FileConnection"]


class FileConnection(sqlite3.Connection):
    """SQLite's own, with the operating system's word on who writes and when."""

    @property
    def who(self) -> str:
        """The user of this process; not what its environment says, where the system can tell."""
        try:
            import pwd
        except ImportError:  # no such list of users on this system
            return getpass.getuser()
        try:
            return pwd.getpwuid(os.getuid()).pw_name
        except KeyError:
            return f"user {os.getuid()}"

    @property
    def clock(self) -> int:
        """This machine's clock."""
        return int(time.time())
