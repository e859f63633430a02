"""A studio in a thread, and a browser's part played by `http.client`."""

import http.client
import os
import re
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from sfumato.studio.project import Project
from sfumato.studio.server import IDLE, listening, serve

COMMAND = "from sfumato.cli import main; main()"


@dataclass
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self):
        return self.body.decode()

    @property
    def leads_to(self):
        return self.headers.get("location")


@dataclass
class Visitor:
    """A browser that keeps its cookie, says where its forms come from, and notes all replies."""

    port: int
    folder: Path
    opening: Path
    said: list[str]
    cookie: str | None = None
    used: str = ""  # the key, once it was
    seen: list[Reply] = field(default_factory=list)

    @property
    def token(self):
        return self.opening.read_text().partition("token=")[2].partition('"')[0]

    def ask(self, verb, path, body=None, **headers):
        """One request, with exactly these headers beside the host."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(verb, path, body, given)
            reply = connection.getresponse()
            named = {name.lower(): value for name, value in reply.getheaders()}
            found = Reply(reply.status, named, reply.read())
        finally:
            connection.close()
        self.seen.append(found)
        return found

    def get(self, path, **headers):
        return self.ask("GET", path, **self._own(), Sec_Fetch_Site="same-origin", **headers)

    def post(self, path, form=(), **headers):
        if re.fullmatch(r"/d/[^/]+/schema", path) and "columns" not in form:
            form = {**form, "columns": self._mark_of(path)}
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        site = {"Sec-Fetch-Site": "same-origin", "Origin": f"http://127.0.0.1:{self.port}"}
        return self.ask(
            "POST", path, urlencode(form, True), **self._own(), **kind, **site, **headers
        )

    def enter(self):
        """Use the key."""
        self.used = self.token
        reply = self.post("/open", {"token": self.used})
        assert reply.status == 303, reply.text
        self.cookie = reply.headers["set-cookie"].partition(";")[0]
        return reply

    def send(self, path, form=()):
        """Post a form, and follow where it leads."""
        reply = self.post(path, form)
        assert reply.status == 303, (reply.status, reply.text)
        return self.get(urlsplit(reply.leads_to)._replace(fragment="").geturl())

    def _mark_of(self, path):
        """What the page of the columns hides in its form, as it is now."""
        found = re.search('name="columns" value="([0-9a-f]*)"', self.get(path).text)
        self.seen.pop()  # a browser had opened it before
        return found[1] if found else ""

    def answers(self):
        """Whether anybody listens; not a visit."""
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def _own(self):
        return {"Cookie": self.cookie} if self.cookie else {}


@contextmanager
def studio(folder, *, idle=IDLE, entered=True, received=False):
    """A studio of this folder, a project or a received release, for one visitor."""
    ready, begun, said = threading.Event(), [], []

    def note(address, opening):
        begun.extend((urlsplit(address).port, opening))
        ready.set()

    taken = listening(0)
    server = threading.Thread(
        target=serve,
        args=(None if received else Project(folder), taken),
        kwargs={
            "ready": note,
            "say": said.append,
            "idle": idle,
            "received": folder if received else None,
        },
        daemon=True,
    )
    server.start()
    assert ready.wait(60)
    visitor = Visitor(*begun[:1], Path(folder), begun[1], said)
    try:
        if entered:
            visitor.enter()
        yield visitor
    finally:
        with suppress(OSError, http.client.HTTPException):
            if visitor.cookie is None:
                visitor.enter()
            visitor.post("/quit")
        server.join(60)
        taken.close()
    assert not server.is_alive()


@contextmanager
def running(folder, *, script=COMMAND, **world):
    """The command in a process of its own, for one visitor."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, "studio", str(folder), "--no-browser"],
        env=os.environ | world,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = [process.stdout.readline() for _ in range(3)]
        address, opening = (line.rpartition(" ")[2].strip() for line in said[:2])
        visitor = Visitor(urlsplit(address).port, Path(folder), Path(opening), said)
        visitor.enter()
        yield visitor, process
    finally:
        process.kill()
        process.wait(60)
        process.stdout.close()
        process.stderr.close()
