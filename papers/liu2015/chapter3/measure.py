"""Chapter 3 in numbers: five measures of distortion, times, and accuracies.

RP and CP are taken twice.  By their definition they are moved *ranks*.  The printed ones
are those of the *orders* that a sort gives back with the sorted values (which record comes
first, second, …), an easy mistake: those of the SVD agree to the last printed digits.  RK and
CK are the same either way.
"""

from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from papers.chakrabarti2010.tables import Labelled
from papers.liu2015.chapter3.perturbations import LARGEST, PLAIN, SVD, UNIVERSAL, distance
from papers.liu2015.chapter3.readings import READINGS
from papers.liu2015.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.errors import MissingExtra
from sfumato.inspection.distortion import matrix_distortion
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.normalise import normalise
from sfumato.perturb.svd import svd
from sfumato.perturb.wavelet import wavelet

__all__ = [
    "ACCURACIES",
    "ACCURACY",
    "ORIGINAL",
    "RANKS",
    "REAL",
    "SECONDS",
    "SHARES",
    "UNIT",
    "perturb",
    "perturb_all",
    "score",
    "time_all",
]

ORIGINAL = "original"
TABLES = {"WBC": "table 3.1", "WDBC": "table 3.2"}
RANK = {"WBC": 5, "WDBC": 15}
RANKS, SHARES = tuple(range(1, 9)), tuple(tenth / 10 for tenth in range(1, 10))
WITH = ", statistics kept"
ACCURACY, UNIT, REAL = ACCURACIES = (
    "accuracy",
    "accuracy, columns of unit variance",
    "accuracy, columns of unit variance, tried on real records",
)
SECONDS = "seconds"
FOLDS = 5
LEVELS = 3  # of shares of the universal threshold in table 3.3

Labels = NDArray[np.bool_]


def perturb(name: str, A: Matrix, found: Outcomes) -> dict[str, Matrix]:
    """The perturbed tables of 3.1 or 3.2 by contender, and how far each one moved."""
    made = {ORIGINAL: A, SVD: svd(A, min(RANK[name], *A.shape))}
    made |= {who: perturbation(A) for who, perturbation in (LARGEST | UNIVERSAL).items()}
    for who, P in made.items():
        if who != ORIGINAL:
            for measure, value in moved(P, A).items():
                found.add(Outcome(TABLES[name], who, None, 0, measure, value))
    for who, reading in READINGS.items():
        found.add(Outcome("readings", who, None, 0, f"VD of {name}", distance(reading(A), A)))
    return made


def moved(P: Matrix, A: Matrix) -> dict[str, float]:
    """The five measures, RP and CP also from the orders of a sort.

    >>> found = moved(np.array([[1.0], [2.0], [0.0]]), np.array([[0.0], [1.0], [2.0]]))
    >>> round(found["RP"], 3), round(found["RP of orders"], 3)
    (1.333, 1.333)
    """
    five = matrix_distortion(P, A, ties="order")
    rows, columns = (
        np.abs(_order(p) - _order(a)).mean() for p, a in ((P, A), (P.mean(axis=0), A.mean(axis=0)))
    )
    return {
        "VD": five.vd,
        "RP": five.rp,
        "RP of orders": float(rows),
        "RK": five.rk,
        "CP": five.cp,
        "CP of orders": float(columns),
        "CK": five.ck,
    }


def _order(values: Matrix) -> NDArray[np.int64]:
    return np.argsort(values, axis=0, kind="stable")


def perturb_all(A: Matrix, found: Outcomes) -> dict[str, Matrix]:
    """Table 3.3: every rank and share, with and without kept means and deviations.

    VD is taken in the sense of Frobenius, as defined, and as the spectral norm, which is what
    Matlab calls the norm of a matrix.  Shares of the universal threshold go over three levels:
    these fit the printed VD to the third digit, where four fit table 3.1.
    """
    made = {f"{SVD} {k}": svd(A, k) for k in RANKS}
    made |= {f"wavelet {share:g}": wavelet(A, share=share) for share in SHARES}
    made |= {
        f"universal {share:g}": wavelet(A, share=share, levels=LEVELS, threshold="universal")
        for share in SHARES
    }
    made |= {who + WITH: normalise(P, A) for who, P in made.items()}
    for who, P in made.items():
        for measure, order in (("VD", None), ("VD, spectral", 2)):
            found.add(Outcome("table 3.3", who, None, 0, measure, distance(P, A, order=order)))
        if who.endswith(WITH):
            off = np.abs([P.mean(axis=0) - A.mean(axis=0), P.std(axis=0) - A.std(axis=0)])
            found.add(Outcome("table 3.3", who, None, 0, "statistics off by", float(off.max())))
    return made


def time_all(name: str, A: Matrix, trial: int, found: Outcomes) -> None:
    """Seconds of each perturbation and of plain decompositions."""
    rank = min(RANK[name], *A.shape)
    jobs: dict[str, Callable[[], Matrix]] = {SVD: partial(svd, A, rank)}
    jobs |= {who: partial(decomposed, A, rank) for who, decomposed in PLAIN.items()}
    jobs |= {who: partial(perturbation, A) for who, perturbation in LARGEST.items()}
    for who, job in jobs.items():
        start = perf_counter()
        job()
        found.add(Outcome(TABLES[name], who, None, trial, SECONDS, perf_counter() - start))


def score(
    figure: str,
    made: dict[str, Matrix],
    table: Labelled,
    trial: int,
    settings: Settings,
    found: Outcomes,
    *,
    measures: tuple[str, ...] = ACCURACIES,
) -> None:
    """Accuracies of linear support vector machines in five folds, the same folds for everybody."""
    seed = settings.seed_of("folds", figure, trial)
    for who, P in made.items():
        for measure in measures:
            value = accuracy(P, table, seed, measure)
            found.add(Outcome(figure, who, None, trial, measure, value))


def accuracy(P: Matrix, table: Labelled, seed: int, measure: str) -> float:
    """Of a machine taught by four fifths of the perturbed records and tried on the rest.

    `ACCURACY` is SVM-light by default: columns as they are, C one over the mean square of a
    record.  Under `UNIT` columns have unit variance and C is 1; under `REAL` the records
    it is tried on are the true ones.
    """
    try:
        from sklearn.model_selection import StratifiedKFold
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import SVC
    except ImportError:
        raise MissingExtra("classifiers need scikit-learn: pip install 'sfumato[ml]'") from None
    tried = table.X if measure == REAL else P
    right = 0
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    for taught, held in folds.split(P, table.y):
        if measure == ACCURACY:
            model = SVC(kernel="linear", C=1 / np.mean((P[taught] ** 2).sum(axis=1)))
        else:
            model = make_pipeline(StandardScaler(), SVC(kernel="linear"))
        model.fit(P[taught], table.y[taught])
        right += int((model.predict(tried[held]) == table.y[held]).sum())
    return right / len(P)
