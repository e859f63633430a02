"""The service over HTTP: public facts, keys, and answers that cost the budget.

    GET  /facts    length, epsilon per answer, answers left: public, like everything it says
    GET  /keys     the public list of keys
    POST /answer   a question, as JSON or bytes (`sfumato.retrieval.protocol`)
    GET  /health   whether it works, for whoever watches over it

Refusals are JSON, {"error": "…"}: 400 a question that does not fit, 401 no token of a client, 403
the budget is spent, 408 a message that came too slowly, 409 an id that was used for another
question, 413 a message that is too long, 415 another content type, 429 too many requests or
answers (with Retry-After), 431 a head that is too long, 503 the ledger or the disk does not work,
or there is no room.  No answer ever depends on how a question came.

Who may ask.  Once the ledger names a client for the counts, all but /health needs a token, and
what a client asks is charged to that client.  Before, whoever reaches the port can ask, and the
service stays on a loopback address.
Web pages.  No cross-origin header is sent, other content types than the two are refused, and on
a loopback address so are other host names: a page in the owner's browser cannot spend the budget.
Limits.  Whoever can open connections faster than one computer can close them shuts others out.
"""

from sfumato.errors import MissingExtra

try:
    import h11  # noqa: F401  which the connections are built on
    import starlette  # noqa: F401
    import uvicorn  # noqa: F401
except ImportError:
    raise MissingExtra("the service needs starlette: pip install 'sfumato[service]'") from None

from sfumato.retrieval.service.application import application
from sfumato.retrieval.service.limits import Limits
from sfumato.retrieval.service.place import encryption, listening, listening_at, require_protection
from sfumato.retrieval.service.request_log import RequestLog
from sfumato.retrieval.service.serving import require_room, serve

__all__ = [
    "Limits",
    "RequestLog",
    "application",
    "encryption",
    "listening",
    "listening_at",
    "require_protection",
    "require_room",
    "serve",
]
