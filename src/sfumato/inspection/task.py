"""NOT PRIVATE: what a release is worth for the task that its schema names.

A label is classified, a target predicted; without either there is no task, and this says so.
Models are tried on control records, which had no part in the release.  Where there are none,
they are tried on every other record of the original: those had a part in the release, which
flatters it.  The scores are for the owner alone; `sfumato.inspection` says why.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sfumato.inspection.classify import classification, missing
from sfumato.inspection.regression import regression
from sfumato.inspection.section import Line
from sfumato.inspection.utility import encoded
from sfumato.render.decode import Decoder
from sfumato.schema.domain import Domain, Grid

__all__ = ["MODELS", "target_of", "task"]

MODELS = ("lda", "tree", "logistic")
_FLATTERED = (
    "Without control records, models are tried on every other record of the original, which had "
    "a part in the release: that flatters it. Give records that had none (control)."
)
_NO_TASK = "The schema names neither a label nor a target: there is no task to try."


def target_of(domain: Domain) -> str | None:
    """The column to predict, if the schema names one that has an order."""
    found = (a.name for a in domain.axes if a.column.role == "target" and isinstance(a, Grid))
    return next(found, None)


def task(
    release: Any, original: Any, domain: Domain, *, control: Any = None
) -> tuple[tuple[Line, ...], str]:
    """NOT PRIVATE: the scores as lines, and what is to be said about them.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> lines, remark = task(clinic(200), clinic(400), Domain.of(Schema.parse(CLINIC)))
    >>> [line.what for line in lines], "flatters" in remark
    (['lda', 'tree', 'logistic'], True)
    """
    target = target_of(domain)
    if domain.label is None and target is None:
        return (), _NO_TASK
    known, held_out = original, control
    if control is None:
        codes, decoder = encoded(original, domain), Decoder(domain)
        known, held_out = (decoder.batch(np.ascontiguousarray(codes[k::2])) for k in (0, 1))
    lines: list[Line] = []
    absent = missing() if domain.label is not None else ""
    if domain.label is not None and not absent:
        lines += _classes(release, known, held_out, domain)
    if target is not None:
        lines += _target(release, known, held_out, domain, target)
    said = [f"The label was not tried: {absent}."] if absent else []
    said += [_FLATTERED] if control is None and lines else []
    return tuple(lines), " ".join(said)


def _classes(release: Any, known: Any, held_out: Any, domain: Domain) -> Iterator[Line]:
    found = classification(release, held_out, domain.schema, original=known, models=MODELS)
    for name, score in found.scores.items():
        best = (found.best or {})[name]
        frame = f"from the records {best.accuracy:.1%} and {best.auc:.3f}"
        guess = f"guessing {found.lowest.accuracy:.1%}"
        yield Line(name, f"{score.accuracy:.1%}, AUC {score.auc:.3f}", f"{frame}; {guess}")


def _target(release: Any, known: Any, held_out: Any, domain: Domain, target: str) -> Iterator[Line]:
    found = regression(release, held_out, domain.schema, target=target, original=known)
    frame = f"from the records {found.best:.4f}; saying the mean {found.lowest:.4f}"
    yield Line(f"{target}, root mean square error", f"{found.rmse:.4f} of its range", frame)
