"""Publish a running figure of a bit stream.

The stream is charged once, before its first bit is read, for everything that will be
published of it up to its horizon.  A count can be paused: its state goes into a file, and the
next part of the series is published from there without a second charge.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.account import Account
from sfumato.errors import ParameterError, ReleaseError
from sfumato.options import whole
from sfumato.privacy.guarantee import Number
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.mechanism import Purse
from sfumato.release.file import Format
from sfumato.release.release import Release
from sfumato.stream.counting import Counter, check_length, pass_over
from sfumato.stream.methods import stream_method
from sfumato.stream.recipe import BitSource, Released, StreamPlan
from sfumato.stream.series_account import COLUMNS, series_account
from sfumato.stream.source import open_bits
from sfumato.stream.state import owner
from sfumato.walk import Made, Part, Walk, dataset_name, priced_for

__all__ = ["publish_stream"]

_LONGEST = 2**50
Watch = Callable[[int, float], None]  # told the time and the figure that was just published


def publish_stream(
    data: Any,
    *,
    horizon: int | str,
    method: str = "counter",
    name: str | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    ledger: Ledger | str | Path | None = None,
    folder: str | Path | None = None,
    format: Format = "csv",
    release: str | None = None,
    seed: int | None = None,
    pause: str | Path | None = None,
    resume: str | Path | None = None,
    progress: Watch | None = None,
    **options: Any,
) -> Release:
    """Release the running count (`counter`) or mean (`reservoir-mean`) of a bit stream.

    `data` is an array, an iterator of bits, a file of 0 and 1, a file of packed bits (.bits,
    .bin), or "-" for standard input.  The series has a row for each published figure: the
    number of bits so far, and the figure.  With `pause` the state of a counter is kept in that
    file when the bits end; `resume` goes on from such a file.

    >>> series = publish_stream([0, 1, 1, 0] * 8, horizon=32, epsilon=1, every=8)
    >>> series.data.column_names, series.data["time"].to_pylist()
    (['time', 'value'], [8, 16, 24, 32])
    """
    chosen = stream_method(method)
    budget = priced_for(method, True, epsilon=epsilon, delta=delta, rho=rho)
    assert budget is not None  # noqa: S101  stream methods are budgeted
    covered = whole("horizon", horizon, _LONGEST, "bits that the promise covers")
    plan = chosen.price(covered, budget, options)
    if method != "counter" and (pause is not None or resume is not None):
        raise ParameterError(f"{method} cannot be paused: leave out pause and resume")
    known = Ledger(ledger) if isinstance(ledger, str | Path) else ledger
    dataset = dataset_name(name, data, default="stream", charged=known is not None)
    account, begun = series_account(dataset, plan), None
    if resume is not None:
        begun = _Begun.read(resume, account, known, release)
        account = series_account(dataset, plan, {"release": begun.release, "from": begun.position})
        release = f"{begun.release}+{begun.position}"
    with open_bits(data) as source:
        if method == "counter":
            check_length(source, covered)  # before the charge
        matter = _Series(account, plan, source, progress or _quiet, begun, pause)
        part = None if begun is None else Part(begun.release, 1)
        walk = Walk(matter, known, release, seed, part)
        return walk.to(folder, format, "arrow")


@dataclass(frozen=True)
class _Begun:
    """A release that was paused: charged when it began, for the whole series."""

    state: Path
    release: str
    position: int

    @classmethod
    def read(
        cls, state: str | Path, account: Account, ledger: Ledger | None, release: str | None
    ) -> "_Begun":
        begun, position = owner(state)
        if release is not None and release != begun:
            raise ReleaseError(f"{state} belongs to release {begun}, not to {release}")
        if ledger is not None:
            entry = ledger.entry(begun)
            if entry is None or entry.plan != account.digest():
                raise ReleaseError(f"the ledger holds no release {begun} with these settings")
            if entry.state not in ("drawn", "released"):
                raise ReleaseError(f"release {begun} is {entry.state}: it cannot be gone on with")
        return cls(Path(state), begun, position)


class _Series:
    """A stream to be published."""

    def __init__(
        self,
        account: Account,
        plan: StreamPlan,
        source: BitSource,
        watch: Watch,
        begun: _Begun | None,
        pause: str | Path | None,
    ) -> None:
        self.account, self.columns = account, COLUMNS
        self._plan, self._source, self._watch = plan, source, watch
        self._begun, self._pause = begun, pause

    def fingerprint(self) -> None:
        """None: a stream is read once, and its noise is drawn before it is known."""

    def made(self, purse: Purse, release: str) -> Made:
        return None, self._batches(self._figures(purse, release))

    def _figures(self, purse: Purse, release: str) -> Iterator[Released]:
        if self._plan.method != "counter":
            yield from self._plan.run(self._source, purse)
            return
        if self._begun is None:
            counter = Counter(self._plan, purse)
        else:
            release = self._begun.release
            # First, so that a stream that is too short leaves the state for another try.
            pass_over(self._source, self._begun.position)
            counter = Counter.resume(self._begun.state, self._plan, purse, release=release)
        yield from counter.run(self._source)
        if self._pause is not None and counter.position < self._plan.horizon:
            counter.save(self._pause, release=release)

    def _batches(self, figures: Iterator[Released]) -> Iterator[pa.RecordBatch]:
        for times, values in figures:
            if times.size:
                self._watch(int(times[-1]), float(values[-1]))
                yield pa.RecordBatch.from_arrays([times, values], schema=COLUMNS)


def _quiet(time: int, value: float) -> None:
    """Nothing is shown."""
