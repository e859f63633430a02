"""`sfumato demo`: one whole release of a made-up clinic, to look at."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.screen import Grid, say, show, styled

if TYPE_CHECKING:
    from sfumato.release import Release

__all__ = ["demo"]


def demo(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder to create.")] = None,
    epsilon: Annotated[str, typer.Option(help="Privacy budget of the release.")] = "1",
) -> None:
    """Publish a made-up clinic, end to end, show it beside the original, and write its report.

    Example: sfumato demo -o my-demo
    """
    from sfumato.example import CLINIC
    from sfumato.publishing.table import price
    from sfumato.schema import Schema

    price(Schema.parse(CLINIC), epsilon=epsilon)  # what is refused is so before a folder is made
    folder = output or _free(Path("sfumato-demo"))
    with _whole(folder):
        original, release = _published(folder, epsilon)
    _shown(folder, epsilon, original, release)
    _report(folder / "release")


@contextmanager
def _whole(folder: Path) -> Iterator[None]:
    """A new folder, which is gone again if what is put into it does not come to its end."""
    from shutil import rmtree

    from sfumato.errors import ReleaseError

    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise ReleaseError(f"{folder} cannot be made: {error.strerror}") from None
    try:
        yield
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise


def _published(folder: Path, epsilon: str) -> "tuple[Any, Release]":
    """The records, and their release; data, schema and ledger lie beside it."""
    import pyarrow.csv as pacsv

    from sfumato.example import CLINIC, clinic
    from sfumato.ledger import Ledger
    from sfumato.publishing.doubt import unheard
    from sfumato.publishing.table import publish

    original, file = clinic(), folder / "budget.db"
    data, schema = folder / "clinic.csv", folder / "clinic.yaml"
    with Ledger.create(file) as ledger:
        ledger.grant("clinic", epsilon=epsilon, reason="the demo")
        pacsv.write_csv(original, data)
        schema.write_text(CLINIC, encoding="utf-8")
        say(styled("1", "bold"), f" {original.num_rows:,} made-up patients in {data}")
        public = "what is public about them, and nothing else, in"
        say(styled("2", "bold"), f" {public} {schema}")
        say(styled("3", "bold"), f" a budget of epsilon {epsilon} in {file}")
        release = publish(
            data,
            schema=schema,
            epsilon=epsilon,
            ledger=ledger,
            folder=folder / "release",
            misfit=1,  # these records fit: else noise would end one demo in a hundred
            on_doubt=unheard,  # it is shown with the promise
        )
    return original, release


def _shown(folder: Path, epsilon: str, original: Any, release: "Release") -> None:
    """The release beside the original, and what to try next."""
    from shlex import quote

    from sfumato.cli.show import promise

    say(styled("4", "bold"), " one release, charged before a record was read:")
    promise(release)
    show(_pictures(original, release.table))
    names = ("clinic.csv", "clinic.yaml", "budget.db", "again")
    data, schema, ledger, again = (quote(str(folder / name)) for name in names)
    say("The original may be shown here only because it is made up.")
    say("The budget is spent: the same command on the same ledger is now refused. Try:")
    paid = f"--epsilon {epsilon} --ledger {ledger}"
    say(f"  sfumato publish {data} --schema {schema} {paid} -o {again}")
    say(f"  sfumato ledger show --ledger {ledger}")


def _report(release: Path) -> None:
    """Write the page of the release and name it, where there is something to draw with."""
    from sfumato.cli.report import report
    from sfumato.errors import MissingExtra

    try:
        report(release)
    except MissingExtra as missing:
        say(f"No page of the release was made: {missing}")
        return
    page = release / "report.html"
    say(styled("5", "bold"), f" what was promised, and how good it is: open {page} in a browser")


def _free(wanted: Path) -> Path:
    """The first of demo, demo-2, demo-3 … that is not there yet."""
    names = (wanted if k == 1 else wanted.with_name(f"{wanted.name}-{k}") for k in count(1))
    return next(path for path in names if not path.exists())


def _pictures(original: Any, released: Any) -> Grid:
    """Each column of both tables as a row of bars on one scale."""
    from sfumato.cli.show import bars

    table = Grid(title="The picture stays")
    for heading in ("column", "original", "released"):
        table.add_heading(heading, no_wrap=True)
    table.add_heading("range")
    for name in released.column_names:
        before, after, span = _histograms(original.column(name), released.column(name))
        top = max(*before, *after)
        table.line(name, bars(before, top), bars(after, top), span)
    return table


def _histograms(before: Any, after: Any) -> tuple[list[float], list[float], str]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(before.type) or pa.types.is_boolean(before.type):
        levels = sorted({str(v) for v in pc.unique(after).to_pylist()})
        first, second = (_shares(side, levels) for side in (before, after))
        return first, second, ", ".join(levels)
    first, second = (_spread(side, before) for side in (before, after))
    return first, second, f"{pc.min(before).as_py()} … {pc.max(before).as_py()}"


def _shares(column: Any, levels: list[str]) -> list[float]:
    values = [str(v) if str(v) in levels else "elsewhere" for v in column.to_pylist()]
    return [values.count(level) / len(values) for level in levels]


def _spread(column: Any, within: Any) -> list[float]:
    import numpy as np

    values, span = (_as_floats(side) for side in (column, within))
    edges = np.linspace(span.min(), span.max(), 19)
    counts = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0]
    return [float(count) / max(len(values), 1) for count in counts]  # noise may leave none


def _as_floats(column: Any) -> Any:
    import pyarrow as pa

    days = column.cast(pa.int32()) if pa.types.is_date32(column.type) else column
    return days.drop_null().to_numpy().astype(float)
