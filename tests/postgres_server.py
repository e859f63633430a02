"""A PostgreSQL server of its own for tests: made, started and thrown away; nothing is installed."""

import os
import shutil
import subprocess
import tempfile
from contextlib import closing, contextmanager, suppress
from pathlib import Path

__all__ = ["PASSWORD", "Server", "programs", "running"]

PASSWORD = "SECRET-4711"
_HBA = "local all guarded scram-sha-256\nlocal all all trust\n"


def programs():
    """The folder of initdb and pg_ctl; None where they are not installed or cannot be run."""
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        return None
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((one for one in folders if (one / "pg_ctl").exists()), None)


class Server:
    """Reached over a socket in its own folder, by nobody else."""

    def __init__(self, folder, call, settings):
        self.folder, self._call, self._settings = folder, call, settings

    def start(self):
        self._call("pg_ctl", "-w", "-o", self._settings, "-l", self.folder / "log", "start")

    def kill(self):
        """As a crash does: nothing is finished, and what was committed is recovered at a start."""
        self._call("pg_ctl", "-w", "-m", "immediate", "stop")

    def url(self, database="postgres", user="owner"):
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def run(self, *statements, database="postgres"):
        """Each statement by itself; the rows of the last one."""
        from adbc_driver_postgresql import dbapi

        rows = None
        with closing(dbapi.connect(self.url(database), autocommit=True)) as connection:
            for statement in statements:
                with connection.cursor() as cursor:
                    cursor.execute(statement)
                    rows = cursor.fetchall() if cursor.description else None
        return rows

    def others(self):
        """How many connections there are beside the one that asks."""
        ((count,),) = self.run(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' "
            "AND pid <> pg_backend_pid()"
        )
        return count


@contextmanager
def running(*, durable=False, quick=False):
    """A server, as long as it is needed; a durable one waits for the disk, as a ledger asks.

    The disk of a quick one is in memory, where there is such a folder: it waits for no other.
    """
    memory = "/dev/shm" if quick and os.access("/dev/shm", os.W_OK) else None
    place = programs()
    folder = Path(tempfile.mkdtemp(prefix="pg", dir=memory))  # a short path: sockets ask it
    as_user = []
    if os.geteuid() == 0:  # the server refuses to run so
        user = "postgres" if _exists("postgres") else "nobody"
        shutil.chown(folder, user)
        as_user = ["setpriv", f"--reuid={user}", "--clear-groups"]

    def call(program, *words):
        subprocess.run(
            [*as_user, place / program, "-D", folder / "data", *words],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )

    try:
        call("initdb", "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        (folder / "data" / "pg_hba.conf").write_text(_HBA)
        fsync = "on" if durable else "off"
        settings = f"-k {folder} -c listen_addresses= -c fsync={fsync} -c shared_buffers=16MB"
        server = Server(folder, call, settings)
        server.start()
        try:
            yield server
        finally:
            with suppress(subprocess.CalledProcessError):  # it may be down already
                server.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _exists(user):
    import pwd

    try:
        return bool(pwd.getpwnam(user))
    except KeyError:
        return False
