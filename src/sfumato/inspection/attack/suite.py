"""NOT PRIVATE: every attack that fits, at a confidence that holds for all of them together.

Of twenty attacks at 95 % one succeeds by chance.  So each of k attacks gets a confidence of
1 − α/k, and all of their intervals hold together with 1 − α.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sfumato.inspection.attack.angle import angle_attack
from sfumato.inspection.attack.attribute import attribute_attack
from sfumato.inspection.attack.known_sample import least_squares_attack, procrustes_attack
from sfumato.inspection.attack.linkage import linkage_attack
from sfumato.inspection.attack.membership import membership_attack
from sfumato.inspection.attack.parameter import confident, whole
from sfumato.inspection.attack.person import PersonTables
from sfumato.inspection.attack.rank_space import FEWEST_ROWS
from sfumato.inspection.attack.ranked import reconstruction_attack, table_reconstruction_attack
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.singling_out import singling_out_attack
from sfumato.inspection.attack.spectral import bayes_attack, pca_attack, spectral_attack
from sfumato.inspection.attack.tables import TARGETS
from sfumato.inspection.utility import AnySchema, domain_of
from sfumato.perturb.matrix import real_matrix
from sfumato.schema import Schema
from sfumato.schema.person import check_one_row_each

__all__ = ["attacks", "matrix_attacks", "person_attacks"]


def attacks(
    release: Any,
    original: Any,
    schema: AnySchema,
    *,
    control: Any = None,
    synopsis: Mapping[str, Any] | None = None,
    secret: str | Sequence[str] | None = None,
    split: tuple[Sequence[str], Sequence[str]] | None = None,
    targets: int = TARGETS,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[Attack, ...]:
    """NOT PRIVATE: all attacks on a release in the schema's columns, in a fixed order.

    Membership and reconstruction where there is a `control`, a set of records of the same
    population that had no part in the release, and where the release's `synopsis` holds tables,
    reconstruction from those; attribute inference of each column in `secret` (by default the
    label, else every column); linkage of two parts of a record; singling out.  Attacks that
    a table of one column does not allow are left out.

    Where the schema makes a person the unit, those on persons: membership, where there is a
    `control`, and copies.  Attacks that take each row as a unit are left out there, and `secret`
    and `split`, which are for them, refused.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> patients = clinic(600)
    >>> known, others = patients.slice(0, 300), patients.slice(300)
    >>> for found in attacks(known, known, Schema.parse(CLINIC), control=others):
    ...     print(found.name, found.verdict)
    membership succeeds
    reconstruction succeeds
    attribute succeeds
    linkage succeeds
    singling out succeeds
    """
    schema = Schema.read(schema) if isinstance(schema, str | Path) else Schema.of(schema)
    if schema.people is not None:
        if secret is not None or split is not None:
            check_one_row_each(schema.people, "secret and split are for attacks that take")
        sides = PersonTables.of(release, original, schema, control)
        return person_attacks(sides, targets=targets, confidence=confidence, seed=seed)
    tables = release, original, schema
    domain = domain_of(schema)
    columns = [axis.name for axis in domain.axes if axis.codes > 1]
    if isinstance(secret, str):
        secret = [secret]
    elif secret is None:
        label = domain.label
        secret = columns if label is None else [domain.axes[label].name]
    drawn: dict[str, Any] = {"control": control, "seed": seed}
    chosen: list[Callable[..., Attack]] = []
    if control is not None:
        chosen.append(partial(membership_attack, *tables, targets=targets, **drawn))
        chosen.append(partial(reconstruction_attack, *tables, **drawn))
        if synopsis is not None and synopsis.get("pairs"):
            chosen.append(partial(table_reconstruction_attack, synopsis, *tables[1:], **drawn))
    if len(columns) > 1:
        chosen += [
            partial(attribute_attack, *tables, secret=name, targets=targets, **drawn)
            for name in secret
        ]
        chosen.append(partial(linkage_attack, *tables, split=split, targets=targets, **drawn))
    chosen.append(partial(singling_out_attack, *tables, **drawn))
    return _together(chosen, confidence)


def person_attacks(
    sides: PersonTables, *, targets: int = TARGETS, confidence: float = 0.95, seed: int = 0
) -> tuple[Attack, ...]:
    """NOT PRIVATE: all attacks on whole persons, of tables that were read."""
    chosen: list[Callable[..., Attack]] = []
    if sides.control is not None:
        chosen.append(partial(sides.membership, targets=whole("targets", targets), seed=seed))
    chosen.append(sides.copies)
    return _together(chosen, confidence)


def matrix_attacks(
    perturbed: Any,
    original: Any,
    *,
    deviation: float | None = None,
    known: Sequence[int] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[Attack, ...]:
    """NOT PRIVATE: all attacks on a perturbed matrix, whose row i is row i of the original.

    The angle attack and recovery from the rows `known` by least squares; where both matrices
    have the same columns, recovery by Procrustes; and where the `deviation` of additive noise
    is known as well, the three filters, and the angle attack does not have to estimate it.
    Attacks that so few rows do not allow are left out.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(200, 3))
    >>> R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    >>> for found in matrix_attacks(A @ R, A):
    ...     print(found.name, found.verdict)
    angle no power
    known sample, least squares succeeds
    known sample, Procrustes succeeds
    """
    pair = perturbed, original
    P, A = real_matrix(perturbed), real_matrix(original)
    n, m = P.shape
    chosen: list[Callable[..., Attack]] = []
    if deviation is not None or n >= FEWEST_ROWS * m:
        chosen.append(partial(angle_attack, *pair, beta=deviation, seed=seed))
    if n > m:
        chosen.append(partial(least_squares_attack, *pair, known=known, seed=seed))
    if P.shape == A.shape:
        if n > m:
            chosen.append(partial(procrustes_attack, *pair, known=known, seed=seed))
        if deviation is not None:
            chosen += [
                partial(attack, *pair, deviation=deviation, seed=seed)
                for attack in (spectral_attack, pca_attack, bayes_attack)
            ]
    return _together(chosen, confidence)


def _together(chosen: Sequence[Callable[..., Attack]], confidence: float) -> tuple[Attack, ...]:
    each = 1 - (1 - confident(confidence)) / max(len(chosen), 1)
    return tuple(attack(confidence=each) for attack in chosen)
