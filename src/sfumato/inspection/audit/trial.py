"""The noise in a release of public data: what was published minus what is there.

The statistic is measured again by the code that published it, along the published values: where
a later statistic depends on an earlier one, it depends on what was released.  The purse that does
so hands out what is already public and writes down what it was given; it draws no noise, and
nothing it makes can become a release.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy.signal import lfilter

from sfumato.errors import ReleaseError
from sfumato.graph.edge_laplace import METHOD as EDGE_LAPLACE
from sfumato.graph.edge_laplace import Grid
from sfumato.graph.methods import edge_method
from sfumato.graph.pairs import Pairs
from sfumato.graph.reading import edge_list, network_of
from sfumato.inspection.audit.mosaic_script import mosaic_script
from sfumato.inspection.audit.noise_law import Drawn
from sfumato.inspection.audit.replay import Diverged, RecordingPurse, Statistic
from sfumato.numeric.arrays import Vector, Whole
from sfumato.numeric.haar import haar, levels
from sfumato.publishing.kinds import stated_budget
from sfumato.publishing.kinds.table import table_plan
from sfumato.release.certificate import Certificate, stated
from sfumato.release.reading import read_certificate, read_records, read_synopsis
from sfumato.release.release import table_schema
from sfumato.retrieval.count_plan import replanned
from sfumato.retrieval.counts import Counts
from sfumato.stream.counter_settings import Settings
from sfumato.stream.counting import Counter
from sfumato.stream.methods import stream_method
from sfumato.stream.source import open_bits
from sfumato.synopsis.decaying import Design
from sfumato.synopsis.tables import CODES
from sfumato.table.header import check_header
from sfumato.table.records import Records
from sfumato.table.source import open_source

__all__ = ["Seen", "noise_of"]

_OTHER = "the public data is not what the trial was made of: "
_BY_PERSON = (
    "a release by person cannot be measured again: which rows of a person count, and how those of "
    "the same time follow, depends on a key that stays with its owner; make the trial by row"
)


class Seen(NamedTuple):
    """The noise of one statistic."""

    statistic: str
    drawn: Drawn


def noise_of(folder: str | Path, public: Any) -> list[Seen]:
    """The noise that a release of public data holds, as far as it was published uncleaned.

    >>> from tempfile import TemporaryDirectory
    >>> from sfumato.publishing.table import publish
    >>> table = pa.table({"a": [True] * 9})
    >>> schema = {"name": "t", "columns": {"a": {"kind": "boolean"}}}
    >>> with TemporaryDirectory() as place:
    ...     release = publish(table, schema=schema, epsilon=1, folder=f"{place}/trial")
    ...     fit, seen = noise_of(f"{place}/trial", table)
    >>> fit.statistic, seen.statistic, (release.synopsis["classes"] - seen.drawn.noise).tolist()
    ('fit', 'one-way tables', [[0, 9]])
    """
    place = Path(folder)
    certificate = read_certificate(place)
    return list(_OF[certificate.kind.name](place, certificate, public))


def _seen(statistic: Statistic, outputs: Whole) -> Seen:
    event, units = statistic.noise.event, statistic.flat(statistic.units).astype(np.float64)
    size = float(event.noise or 0) * (units if "laplace" in event.mechanism else units**2)
    noise = outputs - statistic.flat(statistic.exact)
    return Seen(event.statistic, Drawn(event.mechanism, noise, size))


def _table(folder: Path, certificate: Certificate, public: Any) -> Iterator[Seen]:
    plan = table_plan(certificate)
    if plan.domain.schema.people is not None:
        raise ReleaseError(_BY_PERSON)
    source = open_source(public, tuple(plan.domain.schema.columns), plan.domain.schema.file)
    check_header(source, plan.domain, alone=plan.local)
    if plan.part is not None:
        source = plan.part.of_source(source)
    if plan.fit is not None and (told := certificate.fit) is not None:
        counts = plan.fit.counts
        exact = counts.query(Records(source, plan.domain))
        fit = Statistic(counts.noise, [exact], [np.ones(len(exact), np.int64)])
        yield _seen(fit, np.array([told.fitting, *(c.count for c in told.misfits)], np.int64))
    synopsis = read_synopsis(folder, certificate) or {}
    of_tables = synopsis.get("kind") == "tables"
    script = (
        mosaic_script(synopsis, plan.domain) if of_tables else [[part] for part in _noisy(synopsis)]
    )
    if not script:
        return
    purse = RecordingPurse(plan.guarantee, script)
    # Statistics beyond the published ones were not published as whole numbers.
    with suppress(Diverged):
        plan.measure(Records(source, plan.domain), purse)
    for bought, parts in zip(purse.purchases, script, strict=False):
        if not bought.outputs:
            raise ReleaseError(_OTHER + "its statistics have another shape")
        # Of tables of codes only what is far above its noise was kept: its law is not seen there.
        if isinstance(bought, Statistic) and bought.noise.statistic != CODES:
            yield _seen(bought, bought.flat(parts))


def _noisy(synopsis: Mapping[str, Any] | None) -> list[Whole]:
    """The whole numbers of a synopsis, in the order in which they were bought."""
    match synopsis:
        case {"kind": "moments", "entries": entries}:
            parts = [entries]
        case {"kind": "scatter", "entries": entries, "sums": sums}:
            parts = [entries, sums]
        case {"kind": "eigenvalues", "count": count, "values": values}:
            parts = [None if count is None else [count], values]
        case {"kind": "projected moments", "counts": counts, "sums": sums, "second": second}:
            parts = [counts, sums, second]
        case {"kind": "reduced moments", "basis": basis, "moments": moments}:
            return [*_noisy(basis), *_noisy(moments)]
        case {"kind": "components", "moments": moments}:
            return _noisy(moments)
        case _:
            parts = []
    return [np.array(part, np.int64) for part in parts if part is not None]


def _network(folder: Path, certificate: Certificate, public: Any) -> Iterator[Seen]:
    if certificate.method != EDGE_LAPLACE.name:
        return
    network = network_of(public, directed=stated(certificate.network).directed).network
    published, given = _data(folder, certificate), edge_list(network)
    if any(published[name] != given[name] for name in ("source", "target")):
        raise ReleaseError(_OTHER + "its edges are others, or in another order")
    chosen = edge_method(certificate.method)
    plan = chosen.price(
        network.topology, stated_budget(certificate, chosen.budgeted), certificate.options
    )
    ends = (Fraction(certificate.options[name]) for name in ("low", "high", "step"))
    grid = Grid(*ends)
    codes = grid.codes(np.asarray(published["weight"], np.float64))
    purse, nobody = RecordingPurse(plan.guarantee, [[codes]]), np.empty(0, np.int64)
    plan.change(network.weight, Pairs(nobody, nobody), purse, lambda _: None)
    seen = _seen(purse.statistics[0], codes)
    exact = codes - seen.drawn.noise
    # A weight is above 0, so the lowest code is 1 there: published as it, noise may be anything.
    least = 1 if grid.low == 0 else 0
    drawn = seen.drawn
    cut = Drawn(drawn.mechanism, drawn.noise, drawn.size, least - exact, grid.last - exact)
    yield Seen(seen.statistic, cut)


def _stream(folder: Path, certificate: Certificate, public: Any) -> Iterator[Seen]:
    budget = stated_budget(certificate, True)
    assert budget is not None  # noqa: S101  it was asked for
    plan = stream_method(certificate.method).price(
        stated(certificate.stream).horizon, budget, certificate.options
    )
    if certificate.method != "counter" or certificate.continues is not None:
        return
    settings = Settings.read(plan.horizon, budget, **plan.options)
    if settings.smooth != "none" or settings.pan:
        return
    published = _data(folder, certificate)
    purse, times = RecordingPurse(plan.budget), [np.empty(0, np.int64)]
    with open_bits(public) as source:
        # No count depends on an earlier noise, so any noise will do, and is thrown away.
        times.extend(part for part, _ in Counter(plan, purse).run(source))
    if not np.array_equal(np.concatenate(times), np.asarray(published["time"])):
        raise ReleaseError(_OTHER + "it is not as long")
    values = np.asarray(published["value"], np.float64)
    if settings.engine == "tree":
        so_far, steps = np.append(0.0, values), np.arange(1, values.size + 1)
        measured = values - so_far[steps & (steps - 1)]
    else:
        measured = _decaying(settings.design, values)
    yield _seen(purse.statistics[0], np.rint(measured * settings.unit).astype(np.int64))


def _decaying(design: Design, counts: Vector) -> Vector:
    """The decaying sums that these counts were recovered from, in floats."""
    x = np.diff(counts, prepend=0.0)
    sums = x.copy()
    for j, share in enumerate(design.shares, start=1):
        decay = 1 - 0.5**j
        total = lfilter([1.0], [1.0, -decay], x)
        sums[1:] += share / design.unit * decay * total[:-1]
    return sums


def _counts(folder: Path, certificate: Certificate, public: Any) -> Iterator[Seen]:
    plan, counts = replanned(certificate), Counts.read(public)
    published = _data(folder, certificate)
    if tuple(published["key"].to_pylist()) != counts.keys.names:
        raise ReleaseError(_OTHER + "its keys are others, or in another order")
    purse = RecordingPurse(plan.budget)
    for name, way in plan.ways.items():
        way.published(counts.values, purse)
        values = np.asarray(published[name], np.float64)
        if name == "wavelet":
            if plan.length != 1 << levels(plan.length):
                continue  # the leaves beyond the last key were not published
            values = haar(values)[0 if plan.records is None else 1 :]
        yield _seen(purse.statistics[-1], np.rint(values).astype(np.int64))


def _data(folder: Path, certificate: Certificate) -> pa.Table:
    schema = table_schema(certificate)
    return pa.Table.from_batches(read_records(folder, certificate, schema), schema)


_OF = {"table": _table, "network": _network, "stream": _stream, "counts": _counts}
