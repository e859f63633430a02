"""Publish a running figure of a bit stream.

The stream is charged once, before its first bit is read, for everything that will be
published of it up to its horizon.  A count can be paused: its state goes into a file, and the
next part of the series is published from there without a second charge.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.errors import DataError, ParameterError, ReleaseError
from sfumato.ledger import Ledger
from sfumato.plan.options import whole
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.guarantee import Number
from sfumato.privacy.mechanism import Purse
from sfumato.progress import Wish, working
from sfumato.publishing.transaction import (
    Part,
    Produced,
    ReleaseTransaction,
    dataset_name,
    priced_for,
)
from sfumato.release.file import Format
from sfumato.release.folder import is_release
from sfumato.release.reading import read_certificate
from sfumato.release.release import Release
from sfumato.signature import signing_key
from sfumato.stream.counting import Counter, check_length, check_new, go_to_new
from sfumato.stream.form import Form
from sfumato.stream.intake import ONE_LOOK
from sfumato.stream.methods import stream_method
from sfumato.stream.recipe import Released, StreamPlan
from sfumato.stream.reservoir import check_enough
from sfumato.stream.series_terms import COLUMNS, series_terms
from sfumato.stream.source import Source, open_bits
from sfumato.stream.state import Series, owner

__all__ = ["publish_stream"]

_LONGEST = 2**50
Watch = Callable[[int, float], None]  # told the time and the figure that was just published


def publish_stream(
    data: Any,
    *,
    horizon: int | str,
    method: str = "counter",
    form: Form | None = None,
    name: str | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    ledger: Ledger | str | Path | None = None,
    folder: str | Path | None = None,
    format: Format = "csv",
    release: str | None = None,
    sign: str | Path | None = None,
    seed: int | None = None,
    pause: str | Path | None = None,
    resume: str | Path | None = None,
    append: bool = False,
    seen: bool = False,
    progress: Wish = None,
    **options: Any,
) -> Release:
    """Release the running count (`counter`) or mean (`reservoir-mean`) of a bit stream.

    `data` is an array, an iterator of bits, a file, or "-" for standard input.  `form` says what
    a file holds: "text" (characters 0 and 1) or "packed" (eight bits a byte); by default .bits
    and .bin are packed and everything else is text.  The series has a row for each published
    figure: the number of bits so far, and the figure.  With `pause` the state of a counter is
    kept in that file when the bits end; `resume` goes on from such a file.  `data` then holds all
    bits from the first on, and those that were counted are passed over; with `append` it holds the
    new ones alone.  `seen` announces that somebody may have looked into the state or the memory of
    a counter with `intrusions`.  `sign` is the file of a private key, which signs the certificate.

    >>> series = publish_stream([0, 1, 1, 0] * 8, horizon=32, epsilon=1, every=8)
    >>> series.data.column_names, series.data["time"].to_pylist()
    (['time', 'value'], [8, 16, 24, 32])
    """
    chosen, signer = stream_method(method), signing_key(sign)
    budget = priced_for(method, True, epsilon=epsilon, delta=delta, rho=rho)
    assert budget is not None  # noqa: S101  stream methods are budgeted
    covered = whole("horizon", horizon, _LONGEST, "bits that the promise covers")
    plan = chosen.price(covered, budget, options)
    if not plan.pausable and (pause is not None or resume is not None):
        raise ParameterError(f"{method} cannot be paused: leave out pause and resume")
    for flag, given in (("append", append), ("seen", seen)):
        if given and resume is None:
            raise ParameterError(f"{flag} is about a state that is resumed: give resume, too")
    if seen and plan.looks < 2:
        raise ParameterError(ONE_LOOK)
    ledger = Ledger(ledger) if isinstance(ledger, str | Path) else ledger
    dataset = dataset_name(name, data, default="stream", charged=ledger is not None)
    counted, begun = ledger is not None, None
    terms = series_terms(dataset, plan, counted=counted)
    if resume is not None:
        begun = _Begun.read(Path(resume), terms, ledger, folder)
        if release not in (None, begun.series.release):
            raise ReleaseError(f"{resume} belongs to release {begun.series.release}, not {release}")
        terms = series_terms(dataset, plan, begun.continues, counted=counted)
        release = begun.part.release
    with _figures(progress) as watch, open_bits(data, form) as source:
        # Before the charge: how long a stream is, is public.
        if plan.pausable:
            check_length(source, covered, begun.position if begun and append else 0)
        if begun is not None and not begun.published:
            check_new(source.longest, 0 if append else begun.position)
        if source.longest is not None:
            check_enough(source.longest, plan.needs)
        if begun is None and pause is None:  # a paused series may begin before its first bit
            _check_figures(source, plan)
        ledger_id = None if ledger is None else ledger.ledger_id
        publishable = _Stream(terms, plan, source, watch, begun, pause, ledger_id, append, seen)
        transaction = ReleaseTransaction(
            publishable,
            ledger,
            release,
            seed,
            None if begun is None else begun.part,
            signer=signer,
        )
        return transaction.to(folder, format, "arrow")


def _check_figures(source: Source, plan: StreamPlan) -> None:
    """Refuse a stream that would be charged for no figure at all."""
    if source.empty():
        raise DataError("the stream has no bit, so there is nothing to publish: wait for bits")
    if source.longest is not None and plan.pausable:
        check_enough(source.longest, int(plan.options["every"]))


@dataclass(frozen=True)
class _Begun:
    """A series that was paused: charged when it began, for all of its parts."""

    state: Path
    series: Series
    position: int
    published: bool = False  # by a run that was killed before the ledger knew

    @property
    def part(self) -> Part:
        """The part that comes now; the release that was charged is number 0."""
        return Part(self.series.release, self.series.part + 1)

    @property
    def continues(self) -> dict[str, Any]:
        """What the certificate says of it."""
        part = self.part
        return {"release": part.series, "part": part.number, "from": self.position}

    @classmethod
    def read(
        cls, state: Path, terms: ReleaseTerms, ledger: Ledger | None, folder: str | Path | None
    ) -> "_Begun":
        """The series that a state belongs to, if this ledger and these settings are its own.

        A run that was killed after its folder appeared has used the state up: its folder
        says where it went on, so that the ledger can be told what was released.
        """
        place = None if ledger is None or folder is None else Path(folder)
        if place is not None and is_release(place) and not state.exists():
            published, (series, position) = True, _published(place)
        else:
            published, (series, position) = False, owner(state)
        mine = None if ledger is None else ledger.ledger_id
        if series.ledger != mine:
            raise ReleaseError(_other_ledger(state, series.ledger, mine))
        entry = None if ledger is None else ledger.entry(series.release)
        if ledger is not None and (entry is None or entry.plan != terms.digest()):
            raise ReleaseError(f"the ledger holds no release {series.release} with these settings")
        return cls(state, series, position, published)


def _published(folder: Path) -> tuple[Series, int]:
    """What the certificate of a part continues, and from where."""
    certificate = read_certificate(folder)
    begun, ledger = certificate.continues, certificate.ledger
    if begun is None or begun.part is None or ledger is None:
        raise ReleaseError(f"{folder} is not a later part of a series that a ledger counts")
    return Series(begun.release, ledger.id, max(begun.part - 1, 0)), begun.start


def _other_ledger(state: Path, charged: str | None, given: str | None) -> str:
    if charged is None:
        why = "was begun without a ledger: no charge stands for it, so resume it without one, too"
    elif given is None:
        why = f"is counted by ledger {charged}: resume it with that one (--ledger, ledger=…)"
    else:
        why = f"is counted by ledger {charged}, not by {given}: resume it with the first"
    return f"{state} belongs to a series that {why}"


class _Stream:
    """A stream to be published."""

    def __init__(
        self,
        terms: ReleaseTerms,
        plan: StreamPlan,
        source: Source,
        watch: Watch,
        begun: _Begun | None,
        pause: str | Path | None,
        ledger: str | None,
        append: bool,
        seen: bool,
    ) -> None:
        self.terms, self.tables = terms, {"data": COLUMNS}
        self._plan, self._source, self._watch = plan, source, watch
        self._begun, self._pause, self._ledger = begun, pause, ledger
        self._append, self._seen = append, seen

    def fingerprint(self) -> None:
        """None: a stream is read once, and its noise is drawn before it is known."""

    def produce(self, purse: Purse, release: str) -> Produced:
        self._source.look()  # charged and not drawn: what is refused here can be refunded
        return Produced(None, self._batches(self._figures(purse, release)))

    def _figures(self, purse: Purse, release: str) -> Iterator[Released]:
        if not self._plan.pausable:
            yield from self._plan.run(self._source, purse)
            return
        if self._begun is None:
            series = Series(release, self._ledger)
            counter = Counter(self._plan, purse)
        else:
            series = replace(self._begun.series, part=self._begun.part.number)
            # First, so that a stream that is too short leaves the state for another try.
            go_to_new(self._source, 0 if self._append else self._begun.position)
            counter = Counter.resume(
                self._begun.state, self._plan, purse, self._begun.series, seen=self._seen
            )
        yield from counter.run(self._source, append=self._append)
        if self._pause is not None and counter.position < self._plan.horizon:
            counter.save(self._pause, series)

    def _batches(self, figures: Iterator[Released]) -> Iterator[pa.RecordBatch]:
        for times, values in figures:
            if times.size:
                self._watch(int(times[-1]), float(values[-1]))
                yield pa.RecordBatch.from_arrays([times, values], schema=COLUMNS)


@contextmanager
def _figures(wish: Wish) -> Iterator[Watch]:
    """The latest figure, which is published; a function of the caller's is told it as it is."""
    with working(wish) as say:
        if callable(wish):
            yield wish
        else:
            yield lambda time, value: say(f"after {time:,} bits: {value:,.6g}")
