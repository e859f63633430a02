"""`sfumato query serve`: the service for counts, on this machine or in a network."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.screen import say
from sfumato.cli.whole_number import integer

if TYPE_CHECKING:
    import socket
    import ssl
    from contextlib import AbstractContextManager

    from sfumato.retrieval.service import RequestLog

__all__ = ["serve"]

_NETWORK, _LIMITS = "In a network", "Limits"


def serve(
    counts: Annotated[Path, typer.Argument(help="CSV or Parquet file with columns key and count.")],
    epsilon_per_answer: Annotated[str, typer.Option(help="Budget that each answer costs.")],
    ledger: Annotated[str, typer.Option(envvar="SFUMATO_LEDGER", help="Ledger to charge.")],
    neighbours: Annotated[
        str,
        typer.Option(
            help="add-remove, or replace-one: the number of records is public, twice the noise."
        ),
    ] = "add-remove",
    name: Annotated[
        str | None,
        typer.Option(help="Name of the data set in the ledger; default: the file's name."),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(help="File for the answers; default: beside the ledger file.")
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on; any but loopback needs --tls-cert and clients with tokens.",
            rich_help_panel=_NETWORK,
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            parser=integer, help="Port to listen on; 0 takes a free one.", rich_help_panel=_NETWORK
        ),
    ] = 8765,
    socket: Annotated[
        Path | None,
        typer.Option(
            help="Unix socket in place of host and port, for a proxy.", rich_help_panel=_NETWORK
        ),
    ] = None,
    tls_cert: Annotated[
        Path | None,
        typer.Option(help="Certificate chain (PEM): serve https.", rich_help_panel=_NETWORK),
    ] = None,
    tls_key: Annotated[
        Path | None,
        typer.Option(help="Key of the certificate (PEM, no password).", rich_help_panel=_NETWORK),
    ] = None,
    behind_proxy: Annotated[
        bool,
        typer.Option(
            "--behind-proxy",
            help="A proxy on this machine encrypts, and names addresses in X-Forwarded-For.",
            rich_help_panel=_NETWORK,
        ),
    ] = False,
    log: Annotated[
        Path | None,
        typer.Option(
            help="File for the log, readable by you alone; default: the standard error.",
            rich_help_panel=_NETWORK,
        ),
    ] = None,
    connections: Annotated[
        int, typer.Option(parser=integer, help="Connections at once.", rich_help_panel=_LIMITS)
    ] = 512,
    per_address: Annotated[
        int,
        typer.Option(
            parser=integer, help="Connections at once from one address.", rich_help_panel=_LIMITS
        ),
    ] = 32,
    head_seconds: Annotated[
        float,
        typer.Option(
            help="Time for a TLS handshake, and for the head of a request.", rich_help_panel=_LIMITS
        ),
    ] = 10.0,
    body_seconds: Annotated[
        float,
        typer.Option(
            help="Time for a question to arrive, and for a reply to be taken.",
            rich_help_panel=_LIMITS,
        ),
    ] = 30.0,
    rate: Annotated[
        float,
        typer.Option(
            help="Requests a second of a client (without clients: of an address).",
            rich_help_panel=_LIMITS,
        ),
    ] = 20.0,
    answers_per_hour: Annotated[
        int,
        typer.Option(
            parser=integer, help="New answers an hour of the same.", rich_help_panel=_LIMITS
        ),
    ] = 1000,
    held_megabytes: Annotated[
        int,
        typer.Option(
            parser=integer,
            help="Memory for questions that are being read.",
            rich_help_panel=_LIMITS,
        ),
    ] = 256,
) -> None:
    """Answer noisy queries over HTTP, until the budget is spent or Ctrl-C.

    Answers are kept beside the ledger, in LEDGER.answers: an id that is asked again gets the
    same answer and costs nothing.  Once `sfumato query client add` has named a client, every
    request needs the token of one.

    Example: sfumato query serve words.csv --epsilon-per-answer 0.01 --ledger budget.db
    Example: sfumato query serve words.csv --epsilon-per-answer 0.01 --ledger b.db --behind-proxy
    """
    from sfumato.errors import ParameterError
    from sfumato.ledger import Ledger
    from sfumato.publishing.transaction import dataset_name
    from sfumato.retrieval.counts import Counts
    from sfumato.retrieval.desk import Desk
    from sfumato.retrieval.mutual import Answering
    from sfumato.retrieval.service import Limits, require_protection, require_room
    from sfumato.retrieval.service import serve as run
    from sfumato.retrieval.store import AnswerStore

    limits = Limits(
        connections=connections,
        per_address=per_address,
        head_seconds=head_seconds,
        body_seconds=body_seconds,
        rate=rate,
        answers_per_hour=answers_per_hour,
        held_megabytes=held_megabytes,
    )
    require_room(limits.connections)
    encrypted = _encryption(tls_cert, tls_key)
    read, dataset = Counts.read(counts), dataset_name(name, counts, default="counts", charged=True)
    server = Answering(len(read.keys), neighbours, epsilon_per_answer)  # type: ignore[arg-type]
    if answers is None and "://" in ledger:
        raise ParameterError("answers are kept in a file: name one with --answers FILE")
    answers = answers or Path(f"{ledger}.answers")
    with Ledger(ledger) as opened:
        require_protection(  # before anybody can connect
            None if socket is not None else host,
            encrypted=encrypted is not None,
            behind_proxy=behind_proxy,
            tokens=any(client.token is not None for client in opened.clients(dataset)),
        )
        with (
            _listening(host, port, socket) as taken,
            AnswerStore(answers) as store,
            _log(log) as told,
        ):
            desk = Desk(read, server, opened, store, dataset)
            say(
                f"{dataset}: {len(read.keys):,} counts at {_place(taken, encrypted)}, epsilon "
                f"{server.epsilon} an answer, {desk.left:,} answers left; Ctrl-C ends"
            )
            run(
                desk,
                taken,
                limits=limits,
                log=told,
                encrypted=encrypted,
                behind_proxy=behind_proxy,
            )
            say(f"stopped: {store.count(dataset):,} answers given, {desk.left:,} left")


def _encryption(certificate: Path | None, key: Path | None) -> "ssl.SSLContext | None":
    from sfumato.errors import ParameterError
    from sfumato.retrieval.service import encryption

    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise ParameterError("--tls-cert and --tls-key go together: give both, or neither")
    return encryption(certificate, key)


def _listening(host: str, port: int, path: Path | None) -> "socket.socket":
    from sfumato.retrieval.service import listening, listening_at

    return listening(host, port) if path is None else listening_at(path)


def _place(taken: "socket.socket", encrypted: "ssl.SSLContext | None") -> str:
    """Where it can be reached, as one types it."""
    name = taken.getsockname()
    if isinstance(name, str):
        return f"unix:{name}"
    address = f"[{name[0]}]" if ":" in name[0] else name[0]
    return f"{'http' if encrypted is None else 'https'}://{address}:{name[1]}"


def _log(path: Path | None) -> "AbstractContextManager[RequestLog]":
    from sfumato.retrieval.service import RequestLog

    return closing(RequestLog.screen() if path is None else RequestLog.file(path))
