"""What a method is audited on, as it says itself: the small table, and the rich ones.

>>> from sfumato.methods import method
>>> case(method("dp-lda")).schema["columns"]["sick"]
{'kind': 'boolean', 'role': 'label'}
>>> [setting.name for setting in settings(case(method("dp-lda")))]
['plain', 'mixed', 'three classes']
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.methods import method as registered
from sfumato.plan import AuditCase, MadeUpBasis, Method, Setting
from sfumato.plan.case import DEFAULT_RUNS
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features

__all__ = ["case", "default_runs", "settings"]


def case(recipe: Method) -> AuditCase:
    """What a method is audited on; refused where it does not say."""
    if recipe.audit is None:
        raise ParameterError(
            f"no table is known on which to audit {recipe.name}: give a schema, or an AuditCase "
            "as the audit of its Method"
        )
    return recipe.audit


def default_runs(method: str | Method) -> int:
    """As many as take some seconds: fewer for methods that are slow to run."""
    recipe = registered(method) if isinstance(method, str) else method
    return recipe.audit.runs if recipe.audit else DEFAULT_RUNS


def settings(suited: AuditCase) -> tuple[Setting, ...]:
    """The rich tables of a case, with public directions wherever some stand to be made up."""
    return tuple(
        replace(one, options={name: _given(one, value) for name, value in one.options.items()})
        for one in suited.settings
    )


def _given(setting: Setting, value: Any) -> Any:
    return _basis(setting.schema, value) if isinstance(value, MadeUpBasis) else value


def _basis(schema: Mapping[str, Any], made_up: MadeUpBasis) -> dict[str, Any]:
    """Public directions in no particular direction, as a certificate has them."""
    width = len(Features.of(Domain.of(Schema.of(schema)), without=made_up.without))
    drawn = np.random.default_rng(1).standard_normal((width, made_up.rank))
    U = np.linalg.qr(drawn)[0].T
    values = np.linspace(1.0, 0.1, width).tolist()
    return {"rows": 100, "values": values, "U": U.tolist(), "mean": [0.0] * width}
