"""Check the noise of a publisher by trials: releases of public data, made in the same way.

The noise on private values cannot be tested: the values are unknown, and whoever opens the noise
opens them.  On data that everybody has, it is what was published minus what is there, and that
can be tested for the law that the certificate declares.  Several trials of the same data are
tested together: the more of them, the smaller the error of scale that is caught, and noise that
one shares with another shows.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import ReleaseError
from sfumato.inspection.audit.noise_law import TESTS, Drawn, joined, p_values, smallest_error
from sfumato.inspection.audit.trial import noise_of
from sfumato.privacy.mechanism import Event
from sfumato.publishing.kinds.table import table_plan
from sfumato.publishing.verification import Check, Verification
from sfumato.publishing.verify import answers, verify
from sfumato.release.certificate import Certificate
from sfumato.release.kind import TABLE
from sfumato.release.reading import read_certificate
from sfumato.schema import Schema

__all__ = ["ESTABLISHED", "FALSE_ALARM", "NOT_ESTABLISHED", "verify_trial"]

FALSE_ALARM = 1e-6  # of all tests together
ESTABLISHED = (
    "in the trial, the statistics listed above carry noise of the declared law and scale, as "
    "far as the stated power goes, on the exact values of the public data",
    "release and trial state the same method, options, budget, mechanism and versions",
)
NOT_ESTABLISHED = (
    "that the release was made by the program that made the trial, or from the data it names",
    "that the noise of the release is not the noise of the trial, or of another release",
    "that nothing else was published of the same data: for that there is the ledger",
)
_SAME = (
    "format", "part", "method", "guarantee", "budget", "unit", "neighbours", "network",
    "counts", "invariants", "columns", "randomness", "versions",
)  # fmt: skip
_CATCHES = {
    "size": "the noise is too large or too small",
    "sign": "the noise leans to one side",
    "shape": "the noise has another shape",
    "order": "the noise repeats itself in the same order",
    "repeats": "the noise repeats values",
}
Question = tuple[str, Callable[[], str]]


def verify_trial(
    folder: str | Path, trials: str | Path | Sequence[str | Path], public: Any
) -> Verification:
    """All checks of one trial or several; `public` is the data they were made of.

    >>> from tempfile import TemporaryDirectory
    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.publishing.table import publish
    >>> from sfumato.schema import Schema
    >>> schema, public = Schema.parse(CLINIC), clinic(500)
    >>> with TemporaryDirectory() as place:
    ...     for name, table in (("release", clinic(200)), ("trial", public)):
    ...         _ = publish(table, schema=schema, epsilon=1, misfit=1, folder=f"{place}/{name}")
    ...     checks = verify_trial(f"{place}/release", f"{place}/trial", public)
    >>> checks.passed, [check.name for check in checks[3:]]
    (True, ['noise of fit', 'noise of fine tables', 'noise of one-way tables'])
    """
    several = [trials] if isinstance(trials, str | Path) else list(trials)
    places = [Path(trial) for trial in several]
    certificate = read_certificate(Path(folder))
    checks: list[Check] = []
    seen: dict[str, list[Drawn]] = {}
    first: list[Question] = [
        ("trial", lambda: _sound(places)),
        ("settings", lambda: _settings(certificate, places)),
        ("public data", lambda: _measured(places, public, seen)),
    ]
    for question in first:
        checks.extend(answers([question]))
        if not checks[-1].passed:
            return Verification(checks)
    bought = Counter(event.statistic for event in certificate.events)
    asked: list[Question] = [
        (f"noise of {name}", partial(_tested, joined(parts), len(seen)))
        for name, parts in seen.items()
    ]
    if rest := [name for name in bought if name not in seen]:
        asked.append(("untested", partial(_untested, rest, some=bool(seen))))
    return Verification(checks) + answers(asked)


def _sound(trials: Sequence[Path]) -> str:
    if not trials:
        raise ReleaseError("no trial was given")
    releases = [read_certificate(trial).release for trial in trials]
    if len(set(releases)) < len(releases):
        raise ReleaseError("a trial was given twice")
    for trial in trials:
        for check in verify(trial):
            if not check.passed:
                raise ReleaseError(f"{trial}: {check.name}: {check.detail}")
    which = "the trial is a whole release" if len(trials) == 1 else f"{len(trials)} whole releases"
    return f"{which}: files, plan and data"


def _settings(certificate: Certificate, trials: Sequence[Path]) -> str:
    for trial in trials:
        _check_same(certificate, read_certificate(trial))
    return f"{certificate.method} with the options, budget, events and versions of the release"


def _check_same(certificate: Certificate, trial: Certificate) -> None:
    """Both certificates state the same; the name of the data may differ."""
    plan = table_plan(trial) if trial.kind is TABLE else None
    # Where shares follow a public number of records, a trial of another number has others.
    sized = plan is not None and plan.sized is not None
    for name in _SAME:
        if getattr(certificate, name) != getattr(trial, name):
            raise ReleaseError(f"the trial was made with another {name}")
    for name, fact in (("options", _options), ("horizon", _horizon), ("schema", _schema)):
        if fact(certificate, sized) != fact(trial, sized):
            raise ReleaseError(f"the trial was made with another {name}")
    if sized:
        return  # the events of each follow from its own number, and the trial's were recomputed
    # Figures that wait for what is released differ between any two releases.
    adaptive = plan is not None and plan.recount is not None
    mine, theirs = (
        [_settled(event) if adaptive else event for event in one.events]
        for one in (certificate, trial)
    )
    if mine != theirs:
        raise ReleaseError("the trial was made with other mechanism events")


def _settled(event: Event) -> Event:
    """What was settled of an event before anything was released."""
    return replace(event, sensitivity=None, noise=None)


def _options(certificate: Certificate, sized: bool) -> dict[str, Any]:
    without = ("records",) if sized else ()
    return {name: value for name, value in certificate.options.items() if name not in without}


def _horizon(certificate: Certificate, _sized: bool) -> int | None:
    return None if certificate.stream is None else certificate.stream.horizon


def _schema(certificate: Certificate, _sized: bool) -> Schema | None:
    schema = certificate.public_schema
    return None if schema is None else schema.model_copy(update={"name": ""})


def _measured(trials: Sequence[Path], public: Any, seen: dict[str, list[Drawn]]) -> str:
    for trial in trials:
        for name, drawn in noise_of(trial, public):
            seen.setdefault(name, []).append(drawn)
    values = sum(drawn.noise.size for parts in seen.values() for drawn in parts)
    return f"measured again without noise: {values} values"


def _tested(drawn: Drawn, statistics: int) -> str:
    allowed = FALSE_ALARM / (len(TESTS) * statistics)
    found = p_values(drawn, np.random.default_rng())
    worst = min(found, key=found.__getitem__)
    n, cut = drawn.noise.size, int(drawn.cut.sum())
    if found[worst] < allowed:
        raise ReleaseError(
            f"{_CATCHES[worst]}: {drawn.mechanism} as declared would be so odd with a chance of "
            f"{found[worst]:.1e} at most ({n} values)"
        )
    factor = smallest_error(drawn, allowed)
    power = (
        "too few values to catch a scale that is off by a factor of 10: make more trials"
        if factor is None
        else f"a scale off by a factor of {factor:.3g} would have been caught with 99 %"
    )
    kept = f", {cut} of them cut at a bound" if cut else ""
    return f"{drawn.mechanism} as declared ({n} values{kept}); {power}"


def _untested(rest: Sequence[str], *, some: bool) -> str:
    text = "not published as whole numbers under noise, so nothing is said about: "
    text += ", ".join(rest)
    if some:
        return text
    raise ReleaseError(f"this release cannot be tested by a trial: {text}")
