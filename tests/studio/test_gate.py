"""The gate: who gets in, who does not, and what every answer carries."""

import select
import socket
import stat
import time
from contextlib import suppress

import pytest

from sfumato.studio import gate
from studio_world import studio

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    with studio(tmp_path_factory.mktemp("gate")) as found:
        yield found


def own(visitor):
    return {"Cookie": visitor.cookie, "Origin": f"http://127.0.0.1:{visitor.port}"}


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1", "localhost", "", "[::1]:{port}"])
def test_another_host_is_not_served_even_with_the_cookie(visitor, host):
    host = host.format(port=visitor.port)
    assert visitor.ask("GET", "/", **own(visitor), Host=host).status == 421
    assert visitor.ask("GET", "/static/studio.css", Host=host).status == 421


def test_both_names_of_this_machine_are_served(visitor):
    for name in ("127.0.0.1", "localhost"):
        reply = visitor.ask("GET", "/", **own(visitor), Host=f"{name}:{visitor.port}")
        assert reply.status == 200


@pytest.mark.parametrize("path", ["/", "/new", "/d/x/schema", "/nowhere", "/quit"])
def test_without_the_cookie_nothing_is_told_but_that(visitor, path):
    for cookie in ({}, {"Cookie": f"sfumato-{visitor.port}=guess"}, {"Cookie": "\x01=;;=="}):
        reply = visitor.ask("GET", path, **cookie)
        assert reply.status == 401
        assert str(visitor.folder) not in reply.text


@pytest.mark.parametrize(
    "path", ["/openly", "/open/x", "/open%2f..", "/static/", "/static/x", "/static/a/b", "/open"]
)
def test_what_is_open_to_all_does_not_name_the_folder(visitor, path):
    long = f"{path}?token={'x' * 300}"
    for reply in (visitor.ask("GET", path), visitor.ask("GET", long)):
        assert str(visitor.folder) not in reply.text
        assert visitor.folder.name not in reply.text
    origin = {"Origin": f"http://127.0.0.1:{visitor.port}"}
    for kind in ({}, FORM):
        reply = visitor.ask("POST", path, "a=1", **origin, **kind)
        assert visitor.folder.name not in reply.text
        assert reply.status in (401, 403, 404, 405, 409)
    assert visitor.folder.name in visitor.get("/").text


@pytest.mark.parametrize("other", ['a={"b": 1}', "a[b]=c", 'a=b"c', "a", "{own}=old"])
def test_a_cookie_of_another_program_of_this_machine_locks_nobody_out(visitor, other):
    other = other.replace("{own}", f"sfumato-{visitor.port}")
    for cookies in (f"{other}; {visitor.cookie}", f"{visitor.cookie}; {other}"):
        assert visitor.ask("GET", "/new", Cookie=cookies).status == 200
    assert visitor.ask("GET", "/new", Cookie=other).status == 401


def test_the_cookie_of_another_port_does_not_open(visitor):
    value = visitor.cookie.partition("=")[2]
    assert visitor.ask("GET", "/", Cookie=f"sfumato-1={value}").status == 401


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
    ],
)
def test_a_form_of_another_page_changes_nothing(visitor, said):
    said = {name: value.format(port=visitor.port) for name, value in said.items()}
    for path in ("/example", "/open", "/quit"):
        reply = visitor.ask("POST", path, "", Cookie=visitor.cookie, **FORM, **said)
        assert reply.status == 403
    assert not list((visitor.folder / "datasets").iterdir())


def test_an_old_browser_that_names_its_origin_may_send_forms(visitor):
    reply = visitor.ask("POST", "/new", "", **own(visitor), **FORM)
    assert reply.status == 422


def test_a_link_on_another_page_leads_nowhere(visitor):
    for site in ("cross-site", "same-site"):
        reply = visitor.ask("GET", "/", Cookie=visitor.cookie, Sec_Fetch_Site=site)
        assert reply.status == 403


@pytest.mark.parametrize("path", ["/quit", "/example"])
def test_what_changes_anything_is_not_done_by_a_get(visitor, path):
    assert visitor.get(path).status == 405
    assert visitor.get("/").status == 200
    assert not list((visitor.folder / "datasets").iterdir())


def test_the_key_opens_once_and_the_file_is_gone_with_it(tmp_path):
    with studio(tmp_path, entered=False) as visitor:
        token = visitor.token
        assert visitor.post("/open", {"token": "guess"}).status == 403
        assert visitor.opening.exists()
        assert token in visitor.ask("GET", f"/open?token={token}", Sec_Fetch_Site="cross-site").text
        reply = visitor.enter()
        cookie = reply.headers["set-cookie"]
        assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
        assert "expires" not in cookie.lower()
        assert "max-age" not in cookie.lower()
        assert not visitor.opening.exists()
        again = visitor.post("/open", {"token": token})
        assert (again.status, "set-cookie" in again.headers) == (403, False)


def test_the_file_that_opens_is_for_its_owner_alone_and_goes_when_the_studio_does(tmp_path):
    with studio(tmp_path, entered=False) as visitor:
        mode, folder = visitor.opening.stat().st_mode, visitor.opening.parent.stat().st_mode
        assert (stat.S_IMODE(mode), stat.S_IMODE(folder)) == (0o600, 0o700)
        path = visitor.opening
    assert not path.parent.exists()


def test_the_key_lies_where_the_session_keeps_its_files(tmp_path, monkeypatch):
    (tmp_path / "run").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    with studio(tmp_path / "home") as visitor:
        assert visitor.opening.is_relative_to(tmp_path / "run")


def test_a_form_of_more_than_a_mebibyte_is_refused_before_it_is_read(visitor):
    long = "a=" + "b" * 2**20
    assert visitor.ask("POST", "/new", long, **own(visitor), **FORM).status == 413
    declared = {"Content-Length": "9" * 30}
    assert visitor.ask("POST", "/new", None, **own(visitor), **FORM, **declared).status in (
        400,
        413,
    )
    chunks = (b"x" * 2**18 for _ in range(8))
    with suppress(BrokenPipeError, ConnectionResetError):  # refused while it was being sent
        assert visitor.ask("POST", "/new", chunks, **own(visitor), **FORM).status == 413
    assert visitor.get("/").status == 200


def test_many_fields_and_other_kinds_of_forms_are_refused(visitor):
    many = "&".join(f"a{k}=1" for k in range(4_001))
    assert visitor.ask("POST", "/new", many, **own(visitor), **FORM).status == 409
    json = {"Content-Type": "application/json"}
    assert visitor.ask("POST", "/new", "{}", **own(visitor), **json).status == 409
    assert visitor.ask("POST", "/new", b"a=\xff", **own(visitor), **FORM).status == 409


@pytest.mark.slow
def test_a_form_that_trickles_in_is_given_up_and_nobody_waits_for_it(visitor, monkeypatch):
    monkeypatch.setattr(gate, "_PATIENCE", 2)
    with socket.create_connection(("127.0.0.1", visitor.port), timeout=60) as slow:
        head = (
            f"POST /new HTTP/1.1\r\nHost: 127.0.0.1:{visitor.port}\r\nCookie: {visitor.cookie}\r\n"
        )
        head += f"Origin: http://127.0.0.1:{visitor.port}\r\nContent-Length: 100\r\n\r\na="
        slow.sendall(head.encode())
        assert visitor.get("/").status == 200
        assert not select.select([slow], [], [], 0)[0]  # which is not given up yet
        assert b" 408 " in slow.recv(100)


PATHS = [
    "/",
    "/new",
    "/open",
    "/static/studio.css",
    "/nowhere",
    "/d/none/schema",
    "/d/a%2e%2e/schema",
]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_carries_the_headers(visitor, path):
    for reply in (visitor.get(path), visitor.ask("GET", path), visitor.ask("POST", path)):
        assert gate.HEADERS.items() <= reply.headers.items()
        assert {"server", "date", "access-control-allow-origin"}.isdisjoint(reply.headers)
        assert "unsafe" not in reply.headers["content-security-policy"]


PLACES = [
    "..",
    "%2e%2e",
    "..%2f..",
    "a%00",
    "con",
    "nul",
    "com1",
    "A",
    "x" * 65,
    "made-up-clinic%2f..",
    "-",
]


@pytest.mark.parametrize("place", PLACES)
def test_no_address_leads_out_of_the_folder(visitor, place):
    for path in (f"/d/{place}/schema", f"/static/{place}", f"/d/x/../{place}/schema"):
        reply = visitor.get(path)
        assert reply.status in (404, 409)
        assert "Traceback" not in reply.text


def test_a_fault_of_the_program_is_placed_and_its_words_are_not_shown(tmp_path, monkeypatch):
    def broken(_):
        raise ValueError("canary")

    monkeypatch.setattr("sfumato.studio.project.Project.files", property(broken))
    with studio(tmp_path) as visitor:
        reply = visitor.get("/new")
        assert reply.status == 500
        assert "canary" not in reply.text
        assert visitor.get("/ledger").status == 200
        assert visitor.said == [visitor.said[0]]
        assert visitor.said[0].startswith("internal error: ValueError at ")


@pytest.mark.slow
def test_nobody_about_for_long_enough_ends_it(tmp_path):
    begun = time.monotonic()
    with studio(tmp_path, idle=1.5) as visitor:
        cookie = visitor.cookie
        while visitor.answers():
            assert time.monotonic() - begun < 60
            time.sleep(0.05)
        assert time.monotonic() - begun > 1.5
        assert cookie


def test_strangers_do_not_keep_it_open(tmp_path):
    with studio(tmp_path, idle=0.6) as visitor:
        until = time.monotonic() + 4
        with suppress(OSError):
            while True:
                assert visitor.ask("GET", "/static/icon.svg").status == 200
                assert time.monotonic() < until
                time.sleep(0.05)
        assert not visitor.answers()


@pytest.mark.parametrize("hosts", [("evil.example", "{own}"), ("{own}", "evil.example")])
def test_two_hosts_in_one_request_are_refused(visitor, hosts):
    lines = "".join(f"Host: {host}\r\n" for host in hosts)
    lines = lines.format(own=f"127.0.0.1:{visitor.port}")
    with socket.create_connection(("127.0.0.1", visitor.port), timeout=5) as sender:
        sender.sendall(f"GET / HTTP/1.1\r\n{lines}Cookie: {visitor.cookie}\r\n\r\n".encode())
        assert b" 400 " in sender.recv(100)


def test_what_is_said_of_a_proxy_is_not_believed(visitor):
    said = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
    reply = visitor.get("/new/", **said)
    assert reply.leads_to == f"http://127.0.0.1:{visitor.port}/new"


def test_quit_ends_it_within_two_seconds_while_somebody_still_sends(tmp_path):
    with studio(tmp_path) as visitor:
        slow = socket.create_connection(("127.0.0.1", visitor.port))
        slow.sendall(f"POST /new HTTP/1.1\r\nHost: 127.0.0.1:{visitor.port}\r\n".encode())
        begun = time.monotonic()
        assert "has stopped" in visitor.post("/quit").text
        while visitor.answers():
            assert time.monotonic() - begun < 10  # two seconds at most on a quiet machine
            time.sleep(0.02)
        slow.close()
