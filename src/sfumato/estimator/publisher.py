"""A publisher with the manners of a scikit-learn estimator: one release, and one charge, per fit.

What is learnt is the release and, where records are drawn from it, its synopsis: noisy values
that may be published.  Neither records nor an open ledger are kept, so a fitted publisher can
be copied and pickled; a clone has published nothing.
"""

import inspect
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from reprlib import repr as brief
from typing import Any, Self

import numpy as np

from sfumato.errors import ParameterError, ReleaseError
from sfumato.estimator.reading import answer_of, joined, labelled
from sfumato.ledger import Ledger
from sfumato.plan import Plan
from sfumato.privacy.guarantee import Number
from sfumato.privacy.mechanism import Purse
from sfumato.publishing.kinds.table import table_plan
from sfumato.publishing.table import DEFAULT_METHOD, price, publish_plan
from sfumato.release.certificate import stated
from sfumato.release.release import Release
from sfumato.schema import Schema
from sfumato.schema.person import check_one_row_each
from sfumato.table.records import Records

__all__ = ["Publisher"]

DRAWN = "drawn record"


class Publisher:
    """Publish a table by any of the table methods; every `fit` is a release of its own.

    `ledger` is the path of a ledger, opened anew for each fit: an open one could not be
    cloned, pickled or carried into another process.  `options` are those of the method, and
    `{"fit": True}`, which counts first what does not fit the schema and may stop there.
    There is no `transform`: in a pipeline the records and labels beside it would go on
    unprotected.  Use `SyntheticTrained`, or a publisher as the last step.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [30, 41, 57] * 50, "smoker": [True, False, False] * 50})
    >>> schema = {"name": "clinic", "columns": {
    ...     "age": {"kind": "integer", "low": 0, "high": 110}, "smoker": {"kind": "boolean"}}}
    >>> publisher = Publisher(schema, epsilon=1).fit(table)
    >>> publisher.release_.data.num_rows, publisher.sample(1_000).num_rows
    (150, 1000)
    """

    release_: Release

    def __init__(
        self,
        schema: Schema | Mapping[str, Any] | str | Path,
        *,
        method: str = DEFAULT_METHOD,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        ledger: str | Path | None = None,
        rows: int | None = None,
        seed: int | None = None,
        accept_no_guarantee: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(ledger, Ledger):  # before anything is set: what is refused is not kept
            raise ParameterError(
                "ledger must be a path: an open ledger cannot be cloned, pickled or used in "
                "another process"
            )
        self.schema, self.method, self.options = schema, method, options
        self.epsilon, self.delta, self.rho = epsilon, delta, rho
        self.ledger, self.rows, self.seed = ledger, rows, seed
        self.accept_no_guarantee = accept_no_guarantee

    def plan(self) -> Plan:
        """What a fit would measure and cost; no data is touched."""
        plan = price(
            self.schema,
            method=self.method,
            epsilon=self.epsilon,
            delta=self.delta,
            rho=self.rho,
            # A stop in one of many folds would end all of them: asked for by name, as an option.
            **{"fit": False, **(self.options or {})},
        )
        check_one_row_each(plan.domain.schema.people, "an estimator takes")
        return plan

    def fit(self, X: Any, y: Any = None) -> Self:
        """Publish X, with y as its label or target; charged once, and again for every fit.

        X is a pandas or polars frame, an Arrow table or an array whose columns come in the
        order of the schema; without y also the path of a file.
        """
        plan, kept = self.plan(), list[Any]()
        ledger = nullcontext() if self.ledger is None else Ledger(self.ledger)
        with ledger as opened:
            self.release_ = publish_plan(
                _watched(plan, kept),
                joined(X, y, plan.domain.schema),
                ledger=opened,
                rows=self.rows,
                seed=self.seed,
                accept_no_guarantee=self.accept_no_guarantee,
                progress=False,  # estimators are fitted many times over
            )
        self._synopsis = kept[-1] if kept else None
        return self

    def sample(self, rows: int | None = None) -> Any:
        """More records from the same noisy values, at no cost; the kind of table that was given.

        Without `rows` as many as the method draws by itself.
        """
        if not hasattr(self, "release_"):
            raise ReleaseError("nothing was published yet: call fit first")
        plan = table_plan(self.release_.certificate)
        if self._synopsis is None:
            raise ParameterError(
                f"{plan.method} releases one row per {plan.row}, and no others can be drawn: "
                "take release_.data"
            )
        if rows is not None and (not isinstance(rows, int) or isinstance(rows, bool) or rows < 0):
            raise ParameterError(f"rows must be a whole number of at least 0, got {rows!r}")
        batches = plan.render(self._synopsis, rows, np.random.default_rng(self.seed))
        return self.release_.like(plan.table_of(batches))

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Publish X and y; the released X and y, whose rows belong together.

        The released y has the type that the schema gives it, however the records were stored.
        """
        released = self.fit(X, y).release_
        schema = stated(released.certificate.public_schema)
        table, labels = labelled(released.table, answer_of(schema), schema)
        return released.like(table), labels

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002  scikit-learn's
        """What the constructor was given."""
        return {name: getattr(self, name) for name in _PARAMETERS}

    def set_params(self, **changes: Any) -> Self:
        """Change what the constructor was given; what was released stays as it is."""
        for name in changes:
            if name not in _PARAMETERS:
                raise ParameterError(f"{name!r} must be one of {', '.join(_PARAMETERS)}")
        Publisher.__init__(self, **(self.get_params() | changes))
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(categorical=True, string=True, allow_nan=True),
        )

    def __repr__(self) -> str:
        given = {name: getattr(self, name) for name in _PARAMETERS}
        stated = [
            f"{name}={brief(given[name])}"
            for name, default in _PARAMETERS.items()
            if given[name] is not default
        ]
        return f"Publisher({', '.join(stated)})"


def _watched(plan: Plan, kept: list[Any]) -> Plan:
    """The plan, which also keeps its synopsis; so does what it becomes for a number of records.

    Only what records are drawn from is kept: other methods hand the records on.
    """
    if plan.row != DRAWN:
        return plan
    sized = plan.sized

    def measure(records: Records, purse: Purse) -> Any:
        kept.append(plan.measure(records, purse))
        return kept[-1]

    return replace(
        plan,
        measure=measure,
        sized=None if sized is None else lambda count: _watched(sized(count), kept),
    )


_PARAMETERS = {
    name: parameter.default for name, parameter in inspect.signature(Publisher).parameters.items()
}
