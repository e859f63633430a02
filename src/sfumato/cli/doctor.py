"""`sfumato doctor`: does this machine meet the requirements?"""

from collections.abc import Callable
from typing import Annotated

import typer

from sfumato.cli.screen import say, styled

__all__ = ["doctor"]


def doctor(
    ledger: Annotated[
        str | None, typer.Option(envvar="SFUMATO_LEDGER", help="A ledger to check as well.")
    ] = None,
) -> None:
    """Check versions, randomness, the exactness of arithmetic and, if given, a ledger.

    Example: sfumato doctor --ledger budget.db
    """
    from sfumato.errors import SfumatoError

    questions: list[tuple[str, Callable[[], str]]] = [
        ("versions", _versions),
        ("randomness", _randomness),
        ("exact sums", _exact_sums),
    ]
    if ledger is not None:
        questions.append(("ledger", lambda: _ledger(ledger)))
    failed = False
    for name, question in questions:
        try:
            say(styled("ok", "green"), f"      {name}: {question()}")
        except SfumatoError as error:
            failed = True
            say(styled("FAILED", "red"), f"  {name}: {error}")
    if failed:
        raise typer.Exit(1)


def _versions() -> str:
    """Installed packages against the lower bounds of this package's own metadata."""
    import re
    from importlib.metadata import requires, version

    from sfumato.errors import SfumatoError

    low = []
    found = []
    for line in requires("sfumato") or []:
        match = re.match(r"([A-Za-z0-9_.-]+)>=([0-9.]+)$", line)
        if match is None:
            continue
        name, least = match.groups()
        have = version(name)
        found.append(f"{name} {have}")
        if _parts(have) < _parts(least):
            low.append(f"{name} {have} is older than {least}")
    if low:
        raise SfumatoError("; ".join(low) + ": upgrade before publishing")
    return ", ".join(found)


def _parts(text: str) -> list[int]:
    import re

    return [int(part) for part in re.findall(r"\d+", text)[:3]]


def _randomness() -> str:
    from sfumato.privacy.noise import self_test
    from sfumato.privacy.randomness import SystemBits

    self_test(SystemBits())
    return "logarithms and exponentials are as close as exact noise needs them"


def _exact_sums() -> str:
    import numpy as np

    from sfumato.errors import SfumatoError
    from sfumato.measure.moments import gram

    X = np.random.default_rng(0).integers(0, 2**15 + 1, (4096, 8)).astype(float)
    whole = X.astype(np.int64)
    if not np.array_equal(gram(X, 2**15), whole.T @ whole):
        raise SfumatoError("the linear algebra of this machine does not add integers exactly")
    return "matrix products of whole numbers are exact on this machine"


def _ledger(path: str) -> str:
    from sfumato.ledger import Ledger

    with Ledger(path) as ledger:
        place = ledger.place
        where = f"on {place.kind}" if place.caution is None else place.caution
        return f"{where}; the chain verifies; head {ledger.verify()}"
