"""`sfumato query`: published counts, and sums of them without telling which were asked for."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import query_client, query_serve
from sfumato.cli.key import Sign
from sfumato.cli.release_options import Delta, Epsilon, Rho
from sfumato.cli.screen import say
from sfumato.cli.whole_number import integer

if TYPE_CHECKING:
    from sfumato.numeric.arrays import Whole
    from sfumato.retrieval.client import QueryClient
    from sfumato.retrieval.counts import Keys

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Counts: publish them once and query locally, or serve answers with noise on both sides.",
    epilog="Example: sfumato query publish words.csv --epsilon 1 -o release/",
)

app.add_typer(query_client.app, name="client")
app.command("serve")(query_serve.serve)

CountFile = Annotated[Path, typer.Argument(help="CSV or Parquet file with columns key and count.")]
Neighbours = Annotated[
    str,
    typer.Option(
        help="add-remove, or replace-one: the number of records is public, twice the noise."
    ),
]
Name = Annotated[
    str | None, typer.Option(help="Name of the data set in the ledger; default: the file's name.")
]


@app.command("publish")
def publish(
    counts: CountFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to create.")],
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    wavelet: Annotated[
        bool, typer.Option("--wavelet", help="For long ranges of keys, in place of few keys.")
    ] = False,
    both: Annotated[
        bool, typer.Option("--both", help="For few keys and for long ranges; see --share.")
    ] = False,
    share: Annotated[
        str, typer.Option(help="With --both: the part of the budget for few keys.")
    ] = "1/2",
    neighbours: Neighbours = "add-remove",
    name: Name = None,
    ledger: Annotated[
        str | None, typer.Option(envvar="SFUMATO_LEDGER", help="Ledger to charge.")
    ] = None,
    format: Annotated[str, typer.Option(help="csv or parquet.")] = "csv",
    release: Annotated[
        str | None, typer.Option(help="Id of the release; the same id is never charged twice.")
    ] = None,
    sign: Sign = None,
    seed: Annotated[
        int | None,
        typer.Option(parser=integer, help="Test run: repeatable, no guarantee, no ledger."),
    ] = None,
) -> None:
    """Publish counts once; every query is then answered locally, without being sent.

    Example: sfumato query publish words.csv --epsilon 1 -o release/
    Example: sfumato query publish words.csv --epsilon 1 --both --share 1/4 -o release/
    """
    from sfumato.cli.show import promise, unfinished
    from sfumato.errors import ParameterError
    from sfumato.ledger import Ledger
    from sfumato.publishing.counts import publish_counts
    from sfumato.publishing.transaction import dataset_name
    from sfumato.release.folder import is_release

    if wavelet and both:
        raise ParameterError("--both publishes the wavelet as well: leave out --wavelet")
    opened = Ledger(ledger) if ledger is not None else None
    if opened is not None:
        unfinished(opened, dataset_name(name, counts, default="counts", charged=True), release)
    existed = is_release(output)
    made = publish_counts(
        counts,
        ways="both" if both else "wavelet" if wavelet else "histogram",
        share=share,
        neighbours=neighbours,  # type: ignore[arg-type]  # checked by the plan
        name=name,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        ledger=opened,
        folder=output,
        format=format,  # type: ignore[arg-type]  # checked by publish itself
        release=release,
        sign=sign,
        seed=seed,
    )
    promise(made, again=existed)


@app.command("ask")
def ask(
    source: Annotated[str, typer.Argument(help="A release folder, or the address of a service.")],
    keys: Annotated[str | None, typer.Option(help="Keys whose counts to add up: a,b,c.")] = None,
    first: Annotated[str | None, typer.Option("--from", help="First key of a range.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last key of a range.")] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the interval, below 1.")] = 0.95,
    epsilon: Annotated[
        str | None, typer.Option(help="For a service only: budget that hides each key you ask for.")
    ] = None,
    compress: Annotated[
        bool, typer.Option("--compress", help="Send the larger wavelet coefficients only.")
    ] = False,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="For a service only: file with your token; or put it into SFUMATO_QUERY_TOKEN."
        ),
    ] = None,
    ca: Annotated[
        Path | None,
        typer.Option(help="For https only: file with the authority of the certificate (PEM)."),
    ] = None,
) -> None:
    """Add up counts: locally from a release, or by a service that sees the question under noise.

    Example: sfumato query ask release/ --keys flu,cold
    Example: sfumato query ask http://127.0.0.1:8765 --keys flu,cold --epsilon 1
    Example: sfumato query ask https://counts.example.org --keys flu --epsilon 1 --token-file token
    """
    from sfumato.errors import ParameterError

    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must be above 0 and below 1, got {confidence}")
    if source.startswith(("http://", "https://")):
        with _service(source, token_file, ca) as client:
            _of_service(client, keys, first, last, confidence, epsilon, compress)
        return
    if epsilon is not None or compress or token_file is not None or ca is not None:
        raise ParameterError(
            "a release folder is read locally and nothing is sent: leave out --epsilon, "
            "--compress, --token-file and --ca"
        )
    from sfumato.accuracy.spelling import at_least, at_most
    from sfumato.retrieval.published import PublishedCounts

    published = PublishedCounts.load(source)
    found = published.answer(_query(published.keys, keys, first, last), confidence=confidence)
    say(
        f"{found.value:,.1f}   between {at_least(found.low)} and {at_most(found.high)} "
        f"(at least {confidence:.4g} confidence), standard deviation {found.deviation:,.1f}"
    )


def _query(listed: "Keys", keys: str | None, first: str | None, last: str | None) -> "Whole":
    from sfumato.errors import ParameterError

    if keys is not None and first is None and last is None:
        return listed.chosen(name.strip() for name in keys.split(","))
    if keys is None and first is not None and last is not None:
        return listed.span(first, last)
    raise ParameterError("say which counts to add up: either --keys a,b,c or --from a --to z")


def _service(url: str, token_file: Path | None, ca: Path | None) -> "QueryClient":
    from sfumato.retrieval.bearer import ENVIRONMENT, checked_token, read_token
    from sfumato.retrieval.client import QueryClient

    token = None
    if token_file is not None:
        token = read_token(token_file)
    elif given := os.environ.get(ENVIRONMENT):
        token = checked_token(given, ENVIRONMENT)
    return QueryClient(url, token=token, ca=ca)


def _of_service(
    client: "QueryClient",
    keys: str | None,
    first: str | None,
    last: str | None,
    confidence: float,
    epsilon: str | None,
    compress: bool,
) -> None:
    from sfumato.accuracy.spelling import at_least, at_most
    from sfumato.errors import ParameterError
    from sfumato.retrieval.mutual import QueryPromise

    if epsilon is None:
        raise ParameterError("--epsilon is needed: it hides your question from the service")
    listed = client.keys()
    query = _query(listed, keys, first, last)
    promise = QueryPromise(epsilon, len(listed))
    reply = client.ask(query, epsilon=epsilon, compress=compress, confidence=confidence)
    said = f"{reply.value:,.1f}"
    if reply.radius is not None:
        low, high = reply.value - reply.radius, reply.value + reply.radius
        said += (
            f"   between {at_least(low)} and {at_most(high)} (at least {confidence:.4g} confidence)"
        )
    else:
        said += f"   standard deviation {reply.deviation:,.1f}, by the noise of the service alone"
    say(said)
    if reply.radius is None:
        own = f"a standard deviation of {promise.law.variance**0.5:.3g} times"
        torn = "and what --compress left out add the more, the larger is"
        added = torn if compress else f"adds {own}"
        say(
            f"it may be off by far more: your own noise {added} the root of the sum of all squared "
            "counts, which is not public"
        )
    say(
        f"sent: your question under noise; one keyword more or less is hidden by epsilon "
        f"{promise.toggled}, one in place of another by {promise.replaced}, "
        f"the whole question by {promise.anything} only"
    )
