"""A line to a service: HTTP with or without encryption, repeated while it fails.

A refusal is never repeated, but for one that says when: too many requests.  A token is sent over
an encrypted line, or one that does not leave this machine, and to no other address.
"""

import http.client
import ssl
import time
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sfumato.errors import BudgetError, ParameterError, Refused
from sfumato.retrieval.bearer import checked_token
from sfumato.retrieval.protocol import BYTES
from sfumato.untrusted.strict_json import parsed

__all__ = ["Line"]

_LARGEST = 2**28  # bytes of a list of keys
_KINDS: dict[int, type[Refused]] = {401: Refused, 403: BudgetError, 429: Refused}
_PATIENCE = 60.0  # seconds that are waited for at most because a service asks to


class Line:
    """A connection that is made again when it breaks; for one thread."""

    def __init__(
        self, url: str, *, token: str | None, ca: str | Path | None, timeout: float, attempts: int
    ) -> None:
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
            sound = parts.scheme in ("http", "https") and bool(host) and parts.path.isascii()
        except ValueError:
            sound = False
        if not sound:
            raise ParameterError("url must be http://HOST:PORT or https://HOST:PORT")
        self._headers = {}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {checked_token(token)}"
        self._connection: http.client.HTTPConnection
        if parts.scheme == "https":
            self._connection = http.client.HTTPSConnection(
                host, port, timeout=timeout, context=_trusting(ca)
            )
        elif ca is not None:
            raise ParameterError("ca is for https://: over http:// nothing is encrypted")
        elif token is not None and not _here(host):
            raise ParameterError(
                "url must be https://HOST:PORT: over http:// everybody on the way reads the token"
            )
        else:
            self._connection = http.client.HTTPConnection(host, port, timeout=timeout)
        self._url, self._path, self._attempts = url, parts.path.rstrip("/"), attempts

    def asked(self, verb: str, path: str, body: bytes | None = None) -> dict[str, Any]:
        """A reply, after as many attempts as it takes."""
        failure = "it does not answer"
        pause = 0.0
        for attempt in range(self._attempts):
            time.sleep(pause)
            pause = 0.05 * 2 ** (attempt + 1)
            try:
                status, found, wait = self._once(verb, path, body)
            except ssl.SSLCertVerificationError as error:
                raise Refused(
                    f"{self._url}: its certificate is not trusted ({error.verify_message}); name "
                    "the authority that signed it with --ca FILE"
                ) from None
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                failure = getattr(error, "strerror", None) or "the connection broke"
                continue
            if status == 200:
                return found
            failure = str(found.get("error", f"status {status}"))[:500]
            if status == 429 and wait <= _PATIENCE:
                pause = max(pause, wait)
            elif status != 408 and status < 500:
                raise _KINDS.get(status, ParameterError)(failure)
        raise Refused(f"{self._url}: {failure}; check the address, and whether the service runs")

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _once(self, verb: str, path: str, body: bytes | None) -> tuple[int, dict[str, Any], float]:
        """Status, content, and the seconds after which to come again."""
        kind = {"Content-Type": BYTES} if body is not None else {}
        self._connection.request(verb, self._path + path, body, self._headers | kind)
        reply = self._connection.getresponse()
        text, wait = reply.read(_LARGEST), reply.getheader("Retry-After", "")
        try:
            found = parsed(text)
        except ValueError:
            found = {}
        seconds = float(wait) if wait.isascii() and wait.isdigit() else 0.0
        return reply.status, found if isinstance(found, dict) else {}, seconds


def _here(host: str) -> bool:
    """Whether what is sent there stays on this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _trusting(ca: str | Path | None) -> ssl.SSLContext:
    if ca is None:
        return ssl.create_default_context()
    try:
        with Path(ca).open("rb"):
            pass
        return ssl.create_default_context(cafile=str(ca))
    except ssl.SSLError:
        raise ParameterError(f"ca {ca} must hold certificates in PEM") from None
    except OSError as error:
        raise ParameterError(f"ca {ca} cannot be read: {error.strerror}") from None
