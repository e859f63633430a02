"""Where the service listens, and what it needs before others may reach it there.

On a loopback address and a Unix socket only this machine can ask.  Anywhere else, and behind a
proxy that lets others in, a service needs encryption and clients with tokens: without the first
everybody on the way reads the tokens, and without the second everybody spends the budget.
"""

import errno
import os
import socket
import ssl
import stat
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

from sfumato.errors import ParameterError
from sfumato.untrusted.plain_file import opened

__all__ = ["encryption", "is_local", "listening", "listening_at", "require_protection"]

_ADD_CLIENTS = (
    "name who may ask: sfumato query client add NAME --ledger LEDGER --dataset DATASET --epsilon …"
)


def is_local(address: str) -> bool:
    """Whether only this machine reaches the address; the empty one is a Unix socket.

    >>> is_local("127.0.0.2"), is_local("::1"), is_local(""), is_local("0.0.0.0")
    (True, True, True, False)
    """
    return not address or ip_address(address).is_loopback


def require_protection(
    host: str | None, *, encrypted: bool, behind_proxy: bool, tokens: bool
) -> None:
    """Refuse to let others in without encryption and tokens; no host is a Unix socket.

    >>> require_protection("0.0.0.0", encrypted=True, behind_proxy=False, tokens=False)
    Traceback (most recent call last):
    sfumato.errors.ParameterError: host 0.0.0.0 lets other machines ask, and no client has \
a token: name who may ask: sfumato query client add NAME --ledger LEDGER --dataset DATASET --epsilon …
    """  # noqa: E501
    local = host is None or all(is_local(address) for address in _addresses(host))
    if behind_proxy:
        if not local:
            raise ParameterError(
                f"host {host} can be reached past the proxy: with --behind-proxy listen on "
                "127.0.0.1, or on a Unix socket with --socket"
            )
        if not tokens:
            raise ParameterError(
                f"--behind-proxy lets other machines ask, and no client has a token: {_ADD_CLIENTS}"
            )
        return
    if host is None:
        raise ParameterError("--socket is for a proxy on this machine: add --behind-proxy")
    if local:
        return
    if not tokens:
        raise ParameterError(
            f"host {host} lets other machines ask, and no client has a token: {_ADD_CLIENTS}"
        )
    if not encrypted:
        raise ParameterError(
            f"host {host} lets other machines ask, and whoever is between could read the tokens: "
            "give --tls-cert and --tls-key, or listen on 127.0.0.1 with --behind-proxy"
        )


def encryption(certificate: str | Path, key: str | Path) -> ssl.SSLContext:
    """TLS 1.2 or later, with this certificate chain and its key (both PEM)."""
    made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    for name, path in (("--tls-cert", certificate), ("--tls-key", key)):
        try:
            with opened(Path(path), follow=True):
                pass
        except OSError as error:
            raise ParameterError(f"{name} {path} cannot be read: {error.strerror}") from None
    try:
        # A key that asks for a password is refused: nobody is there to type it at a restart.
        made.load_cert_chain(certificate, key, password=lambda: b"")
    except (ssl.SSLError, OSError, ValueError):
        raise ParameterError(
            f"--tls-cert {certificate} and --tls-key {key} must be a certificate and its key in "
            "PEM, the key without a password"
        ) from None
    return made


def listening(host: str, port: int) -> socket.socket:
    """A socket on this address; port 0 takes a free one.

    >>> with listening("127.0.0.1", 0) as taken:
    ...     taken.getsockname()[1] > 0
    True
    """
    if not isinstance(port, int) or not 0 <= port < 2**16:
        raise ParameterError(f"port must be from 0 to 65535, got {port!r}")
    if not host:  # which the system takes for all addresses of this machine
        raise ParameterError("host must be an address or a name, got none: give 127.0.0.1")
    try:
        host.encode("idna")  # here, because no socket is made yet
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        taken = socket.create_server((host, port), family=family)
        # Connections inherit it; with it off a reply of two packets waits for the client's 40 ms.
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return taken
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None) or 0  # names that are not found have it below 0
        reason = os.strerror(number) if number > 0 else "no such address"
        other = "--port" if number in (errno.EADDRINUSE, errno.EACCES) else "--host"
        raise ParameterError(
            f"port {port} of {host} cannot be used: {reason}; choose another with {other}"
        ) from None


def listening_at(path: str | Path) -> socket.socket:
    """A Unix socket that its owner and their group can use; one that was left over is replaced."""
    place, made = str(path), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with suppress(FileNotFoundError):
            if stat.S_ISSOCK(os.lstat(place).st_mode) and not _answers(place):
                Path(place).unlink()
        before = os.umask(0o117)
        try:
            made.bind(place)
        finally:
            os.umask(before)
        made.listen(2048)
    except (OSError, ValueError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or "no such place"
        raise ParameterError(
            f"--socket {place} cannot be used: {reason}; name a file that is not there"
        ) from None
    return made


def _answers(place: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(place)
        except OSError:
            return False
    return True


def _addresses(host: str) -> list[str]:
    """What a host name stands for here; what stands for nothing is refused when it is bound."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return [""]
    return [str(entry[4][0]).partition("%")[0] for entry in found]
