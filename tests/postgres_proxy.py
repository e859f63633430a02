"""Between a client and PostgreSQL, over sockets in a folder: what is lost on the way, on purpose.

It speaks no more of the protocol than it needs to know a COMMIT when it passes.
"""

import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from shutil import rmtree

__all__ = ["Proxy"]

_COMMIT = b"COMMIT\x00"


class Proxy:
    """Forwards all, until it is armed: then it loses the next COMMIT, or the answer to it.

    `answer`: the COMMIT arrives and its answer is lost.  `commit`: it never arrives.
    `late`: the client is cut off at once and the COMMIT arrives some time after.
    """

    def __init__(self, server):
        self.folder = Path(tempfile.mkdtemp(prefix="px"))
        self._server = str(server.folder / ".s.PGSQL.5432")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.folder / ".s.PGSQL.5432"))
        self._listener.listen(64)
        self.how, self.lost, self.delay, self.then = None, 0, 1.0, None
        self.skip = 0  # commits that pass before the one that is lost
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, address):
        """The same ledger, by way of this."""
        query = address.partition("?")[2]
        old = next(part for part in query.split("&") if part.startswith("host="))
        return address.replace(old, f"host={self.folder}")

    def close(self):
        self._listener.close()
        rmtree(self.folder, ignore_errors=True)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self._server)
            except OSError:
                client.close()
                server.close()
                continue
            lost = threading.Event(), threading.Event()
            for way in ((client, server, True, *lost), (server, client, False, *lost)):
                threading.Thread(target=self._forward, args=way, daemon=True).start()

    def _forward(self, source, target, asks, silent, answered):
        """Until it is `silent`: from there on nothing comes back; the first that would is noted."""
        with suppress(OSError):
            while found := source.recv(65_536):
                if asks and self.how and _COMMIT in found:
                    if self.skip:
                        self.skip -= 1
                    else:
                        how, self.how = self.how, None
                        silent.set()
                        self._lose(how, source, target, found, answered)
                        return
                if asks or not silent.is_set():
                    target.sendall(found)
                else:
                    answered.set()
        _end(source, target)

    def _lose(self, how, client, server, found, answered):
        self.lost += 1
        if how == "late":
            client.shutdown(socket.SHUT_RDWR)
            time.sleep(self.delay)
        if how != "commit":
            server.sendall(found)
            answered.wait(60)
        else:
            _end(server)
        if self.then is not None:
            self.then()
        _end(server, client)


def _end(*ends):
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
