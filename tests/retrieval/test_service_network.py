"""The service where others can reach it: encryption, a proxy, and what it refuses to do without."""

import datetime
import os
import socket
import ssl
import time
from contextlib import suppress
from ipaddress import ip_address

import numpy as np
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from query_world import LENGTH, desk, funded, lines, named, raw, running, spent
from sfumato.errors import ParameterError, Refused
from sfumato.retrieval.client import QueryClient
from sfumato.retrieval.service import encryption, listening, listening_at, require_protection
from sfumato.retrieval.service import serve as serve_here


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), True)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    for file, protection in (
        ("key.pem", plain),
        ("locked.pem", serialization.BestAvailableEncryption(b"word")),
    ):
        (folder / file).write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, protection
            )
        )
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture
def folder(tmp_path):
    return funded(tmp_path)


def test_over_https_a_client_that_trusts_the_certificate_is_answered(folder, tls):
    token = named(folder, "anna")
    with running(folder, tls=tls) as (url, process):
        with QueryClient(url, token=token, ca=tls[0]) as client:
            asked = client.ask(np.ones(LENGTH), epsilon=1)
            assert isinstance(asked.value, float)
        with pytest.raises(Refused, match=r"certificate is not trusted .* --ca FILE"):
            QueryClient(url, token=token).facts()
        with pytest.raises(Refused, match="check the address"):
            QueryClient(url.replace("https", "http"), token=token, attempts=2).facts()
        process.terminate()
        assert (process.communicate(timeout=60), process.returncode) == (("stopped\n", ""), 0)
    assert spent(folder) == 10_000


def test_no_tls_below_1_2_is_spoken(tls):
    assert encryption(*tls).minimum_version == ssl.TLSVersion.TLSv1_2


@pytest.mark.slow
def test_a_handshake_that_does_not_end_is_cut_off_and_counted_like_any_connection(folder, tls):
    with running(folder, tls=tls, head_seconds=2, per_address=4) as (url, process):
        port = int(url.rpartition(":")[2])
        place, source = ("127.0.0.1", port), ("127.0.0.2", 0)
        begun = [socket.create_connection(place, 60, source) for _ in range(6)]
        start = time.monotonic()
        assert begun[0].recv(1) == begun[1].recv(1) == b""  # they made room
        assert time.monotonic() - start < 2
        with QueryClient(url, ca=tls[0], attempts=1) as client:
            assert client.facts().answers_left == 100
        begun[5].sendall(b"\x16\x03\x01\x02\x00")  # as a handshake begins
        for line in begun[2:]:
            assert line.recv(1) == b""
            line.close()
        assert time.monotonic() - start < 8  # the usual limit is longer
        with socket.create_connection(place, 60) as line:
            line.sendall(b"GET /facts HTTP/1.1\r\n\r\n")  # no handshake at all
            line.recv(1)
        for line in begun[:2]:
            line.close()
        process.terminate()
        assert process.communicate(timeout=60)[1] == ""
    refusals = {line.get("refusal") for line in lines(folder)}
    assert {"no room", "head too late"} <= refusals


def test_the_head_over_https_has_its_own_deadline(folder, tls):
    with running(folder, tls=tls, head_seconds=1) as (url, _):
        trusting = ssl.create_default_context(cafile=tls[0])
        port, start = int(url.rpartition(":")[2]), time.monotonic()
        with (
            socket.create_connection(("127.0.0.1", port), 60) as line,
            trusting.wrap_socket(line, server_hostname="127.0.0.1") as wrapped,
        ):
            wrapped.sendall(b"GET /facts HTTP/1.1\r\n")
            with suppress(ConnectionResetError):
                assert wrapped.recv(1) == b""
        assert 0.5 < time.monotonic() - start < 8  # the usual limit is longer


def until_refused(url, address):
    """Statuses of requests whose addresses differ, to the first that came too early."""
    statuses = []
    while 429 not in statuses and len(statuses) < 100:
        addresses = address.format(len(statuses))
        statuses.append(raw(url, "GET", "/facts", X_Forwarded_For=addresses)[0])
    return statuses


def test_behind_a_proxy_the_address_is_what_the_proxy_saw(folder):
    """Names that come from the asker stand before the proxy's own, and are not believed."""
    token = named(folder, "anna")
    with running(folder, behind_proxy=True, rate=1) as (url, _):
        statuses = until_refused(url, "198.51.100.{}, 192.0.2.1")
        assert (statuses[:2], statuses[-1]) == ([401, 401], 429)
        assert raw(url, "GET", "/facts", X_Forwarded_For="192.0.2.2")[0] == 401
        assert raw(url, "GET", "/facts", X_Forwarded_For="rubbish\t")[0] == 401
        found = raw(url, "GET", "/facts", token=token, X_Forwarded_For="192.0.2.1", Host="a.b")
        assert found[0] == 200


def test_without_a_proxy_no_header_names_an_address(folder):
    with running(folder, rate=1) as (url, _):
        statuses = until_refused(url, "198.51.100.{}")
    assert statuses[-1] == 429


@pytest.mark.parametrize(
    ("host", "encrypted", "behind_proxy", "tokens", "said"),
    [
        ("0.0.0.0", False, False, False, "no client has a token: name who may ask"),
        ("0.0.0.0", True, False, False, "no client has a token: name who may ask"),
        ("0.0.0.0", False, False, True, "give --tls-cert and --tls-key, or listen on 127.0.0.1"),
        ("::", False, False, True, "give --tls-cert and --tls-key"),
        ("192.0.2.7", True, True, True, "reached past the proxy"),
        ("127.0.0.1", False, True, False, "--behind-proxy lets other machines ask"),
        (None, False, False, True, "add --behind-proxy"),
        (None, False, True, False, "no client has a token"),
        ("0.0.0.0", True, False, True, None),
        ("127.0.0.1", False, False, False, None),
        ("localhost", False, False, False, None),
        ("::1", False, True, True, None),
        (None, False, True, True, None),
    ],
)
def test_nobody_else_is_let_in_without_encryption_and_tokens(
    host, encrypted, behind_proxy, tokens, said
):
    stated = {"encrypted": encrypted, "behind_proxy": behind_proxy, "tokens": tokens}
    if said is None:
        require_protection(host, **stated)
    else:
        with pytest.raises(ParameterError, match=said):
            require_protection(host, **stated)


def test_the_service_itself_refuses_a_socket_that_others_reach(folder):
    with (
        desk(folder) as ours,
        listening("0.0.0.0", 0) as taken,
        pytest.raises(ParameterError, match="lets other machines ask"),
    ):
        serve_here(ours, taken)


def test_revoked_tokens_are_none(folder):
    named(folder, "anna")
    with desk(folder) as ours:
        ours._ledger.revoke_client("words", "anna", reason="a test")
        with listening_at(folder / "s") as taken, pytest.raises(ParameterError, match="no client"):
            serve_here(ours, taken, behind_proxy=True)


def test_a_certificate_or_key_that_cannot_be_used_is_refused_by_name(tls, tmp_path):
    certificate, key = tls
    with pytest.raises(ParameterError, match=r"--tls-cert .* cannot be read: No such file"):
        encryption(tmp_path / "none", key)
    with pytest.raises(ParameterError, match=r"--tls-key .* cannot be read: No such file"):
        encryption(certificate, tmp_path / "none")
    with pytest.raises(ParameterError, match="the key without a password"):
        encryption(certificate, key.with_name("locked.pem"))
    with pytest.raises(ParameterError, match="must be a certificate and its key"):
        encryption(key, certificate)


def test_an_authority_that_cannot_be_used_is_refused_by_name(tls, tmp_path):
    with pytest.raises(ParameterError, match=r"ca .* cannot be read: No such file"):
        QueryClient("https://127.0.0.1", ca=tmp_path / "none")
    with pytest.raises(ParameterError, match="must hold certificates"):
        QueryClient("https://127.0.0.1", ca=tls[1])
    with pytest.raises(ParameterError, match="ca is for https"):
        QueryClient("http://127.0.0.1", ca=tls[0])


def test_over_a_unix_socket_the_proxy_is_answered_and_a_stale_socket_is_replaced(folder):
    place, token = folder / "socket", named(folder, "anna")
    listening_at(place).close()  # left over: nobody listens any more
    (folder / "file").write_text("mine")
    with pytest.raises(ParameterError, match="name a file that is not there"):
        listening_at(folder / "file")
    with running(folder, host=place, behind_proxy=True) as (_, process):
        assert place.stat().st_mode & 0o777 == 0o660
        with pytest.raises(ParameterError, match="name a file that is not there"):
            listening_at(place)
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(60)
            line.connect(str(place))
            line.sendall(
                b"GET /facts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                b"X-Forwarded-For: 192.0.2.7\r\n"
                b"Authorization: Bearer " + token.encode() + b"\r\n\r\n"
            )
            assert line.recv(4096).startswith(b"HTTP/1.1 200 ")
        process.terminate()
        assert process.wait(60) == 0
        assert not place.exists()


@pytest.mark.parametrize("host", ["", " ", "*", "[::]", "no such host", "a" * 80, "\u3002"])
def test_what_is_no_address_is_refused_before_anything_listens(host):
    with pytest.raises(ParameterError, match=r"host must be an address|no such address; .* --host"):
        listening(host, 0)


def test_a_pipe_is_no_certificate_and_nobody_waits_for_it(tmp_path):
    os.mkfifo(tmp_path / "cert.pem")
    with pytest.raises(ParameterError, match=r"--tls-cert .* not a plain file"):
        encryption(tmp_path / "cert.pem", tmp_path / "cert.pem")
