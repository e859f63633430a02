"""`sfumato stream`: running counts and means of bit streams, published while they run."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.key import Sign
from sfumato.cli.release_options import MethodOptions, Rho
from sfumato.cli.screen import say
from sfumato.cli.whole_number import integer

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Bit streams: a running count or mean under one charge for the whole stream.",
    epilog="Example: sfumato stream count visits.txt --horizon 1048576 --every 65536 "
    "--epsilon 1 -o counts/",
)

Source = Annotated[str, typer.Argument(help="File of bits (see --form), or - for standard input.")]
Form = Annotated[
    str | None,
    typer.Option(
        help="text: characters 0 and 1; packed: eight bits a byte. Default: packed for names "
        "that end in .bits or .bin, else text."
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="Folder to create.")]
Epsilon = Annotated[str | None, typer.Option(help="Privacy budget of the whole stream.")]
LedgerFile = Annotated[str | None, typer.Option(envvar="SFUMATO_LEDGER", help="Ledger to charge.")]
Name = Annotated[
    str | None, typer.Option(help="Name of the data set in the ledger; default: the file's name.")
]
Release = Annotated[
    str | None, typer.Option(help="Id of the release; the same id is never charged twice.")
]
Seed = Annotated[
    int | None,
    typer.Option(parser=integer, help="Test run: repeatable noise, no guarantee, no ledger."),
]


@app.command("count")
def count(
    source: Source,
    output: Output,
    horizon: Annotated[str | None, typer.Option(help="Bits that the promise covers.")] = None,
    every: Annotated[
        str | None, typer.Option(help="Publish once per so many bits; default: after each.")
    ] = None,
    epsilon: Epsilon = None,
    delta: Annotated[
        str | None, typer.Option(help="Delta: allows Gaussian noise, with far smaller errors.")
    ] = None,
    rho: Rho = None,
    pan: Annotated[
        bool, typer.Option("--pan", help="Pan-private: protect against one look into the memory.")
    ] = False,
    option: MethodOptions = None,
    pause: Annotated[
        Path | None,
        typer.Option(help="When the bits end, save the state in this file, to resume later."),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Resume from this state, without a second charge.")
    ] = None,
    append: Annotated[
        bool,
        typer.Option("--append", help="With --resume: the file holds the new bits alone."),
    ] = False,
    seen: Annotated[
        bool,
        typer.Option(
            "--seen",
            help="With --resume: somebody may have seen state or memory (--option intrusions=2).",
        ),
    ] = False,
    form: Form = None,
    name: Name = None,
    ledger: LedgerFile = None,
    release: Release = None,
    sign: Sign = None,
    seed: Seed = None,
) -> None:
    """Publish how many of the bits so far are one.

    Example: sfumato stream count visits.txt --horizon 1048576 --every 65536 --epsilon 1 -o counts/
    """
    from sfumato.cli.method_options import method_options
    from sfumato.publishing.stream import publish_stream

    _run(
        source,
        output,
        ledger,
        method_options(option, publish_stream, every=every, pan=True if pan else None),
        method="counter",
        horizon=horizon,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        pause=pause,
        resume=resume,
        append=append,
        seen=seen,
        form=form,
        name=name,
        release=release,
        sign=sign,
        seed=seed,
    )


@app.command("mean")
def mean(
    source: Source,
    output: Output,
    times: Annotated[
        str, typer.Option(help="When to publish: numbers of bits such as 1000,5000, in order.")
    ],
    horizon: Annotated[
        str | None, typer.Option(help="Bits that the promise covers; default: the last time.")
    ] = None,
    sigma: Annotated[
        str | None, typer.Option(help="Error to stay within; decides how many bits are sampled.")
    ] = None,
    size: Annotated[str | None, typer.Option(help="Bits to keep, in place of sigma.")] = None,
    epsilon: Epsilon = None,
    single: Annotated[
        bool, typer.Option("--single", help="Publish once, from a secret sample: less noise.")
    ] = False,
    pan: Annotated[
        bool, typer.Option("--pan", help="Pan-private: protect against looks into the memory.")
    ] = False,
    form: Form = None,
    name: Name = None,
    ledger: LedgerFile = None,
    release: Release = None,
    sign: Sign = None,
    seed: Seed = None,
) -> None:
    """Publish the share of ones at chosen times, from a sample of the bits.

    Example: sfumato stream mean visits.txt --times 100000,1000000 --sigma 0.05 --epsilon 1 -o m/
    """
    given = {"sigma": sigma, "size": size, "pan": True if pan else None}
    options = {key: value for key, value in given.items() if value is not None}
    _run(
        source,
        output,
        ledger,
        {"times": times, "single": single, **options},
        method="reservoir-mean",
        horizon=horizon or times.rpartition(",")[2].strip(),
        epsilon=epsilon,
        form=form,
        name=name,
        release=release,
        sign=sign,
        seed=seed,
    )


def _run(
    source: str, output: Path, ledger: str | None, options: dict[str, Any], **asked: Any
) -> None:
    from sfumato.cli.show import promise
    from sfumato.errors import ParameterError
    from sfumato.ledger import Ledger
    from sfumato.publishing.stream import publish_stream
    from sfumato.release.folder import is_release

    if asked["horizon"] is None:
        raise ParameterError("--horizon is needed: how many bits the promise covers")
    opened, existed = Ledger(ledger) if ledger is not None else None, is_release(output)
    result = publish_stream(source, ledger=opened, folder=output, **asked, **options)
    promise(result, again=existed)
    if (went_on := result.certificate.continues) is not None and went_on.start is not None:
        _say_from_where(went_on.start, asked["append"])
    if (kept := asked.get("pause")) is not None and kept.exists():
        say(f"paused: resume with --resume {kept} (keep it private; it can be resumed once)")


def _say_from_where(counted: int, append: bool) -> None:
    if append:
        say(f"went on after the {counted:,} bits that were counted before, with all of these")
    else:
        say(f"passed over the first {counted:,} bits, which were counted before")
