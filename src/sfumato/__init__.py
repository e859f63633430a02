"""Publish sensitive data under differential privacy.

Everything that the guide uses is here: what publishes, what is promised, what is refused, and
the packages for recipients (`accuracy`, `report`) and for the owner alone (`inspection`).

>>> import sfumato as sf
>>> sf.publish(sf.example.clinic(300), schema=sf.Schema.parse(sf.example.CLINIC), epsilon=1)
<Release of clinic by mosaic: 1-differential privacy>
>>> issubclass(sf.BudgetError, sf.Refused)
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato.moved import announce

if TYPE_CHECKING:
    from sfumato import (
        accuracy,
        estimator,
        example,
        inspection,
        methods,
        party,
        perturb,
        report,
        retrieval,
        signature,
    )
    from sfumato.errors import (
        BudgetError,
        DataError,
        LedgerError,
        MisfitError,
        MissingExtra,
        ParameterError,
        PartyError,
        Refused,
        ReleaseError,
        SchemaError,
        SfumatoError,
    )
    from sfumato.graph import Network
    from sfumato.inspection.attack import attacks
    from sfumato.inspection.audit import audit
    from sfumato.inspection.compare import choose_method, compare
    from sfumato.inspection.fit import check
    from sfumato.inspection.overview import inspect
    from sfumato.inspection.trial_check import verify_trial
    from sfumato.ledger import Ledger
    from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, LocalDP, PureDP, Seeded
    from sfumato.publishing.counts import publish_counts
    from sfumato.publishing.doubt import DoubtWarning
    from sfumato.publishing.estimate import estimate_schema
    from sfumato.publishing.forecast import Forecast, forecast
    from sfumato.publishing.network import publish_network
    from sfumato.publishing.page import report_page, write_report
    from sfumato.publishing.stream import publish_stream
    from sfumato.publishing.table import price, publish
    from sfumato.publishing.verify import verify
    from sfumato.release import Release
    from sfumato.retrieval.published import PublishedCounts
    from sfumato.schema import Schema
    from sfumato.table.sql.opening import sql

__version__ = "0.1.0"
__all__ = [
    "ZCDP",
    "ApproxDP",
    "BudgetError",
    "DataError",
    "DoubtWarning",
    "Forecast",
    "Heuristic",
    "Ledger",
    "LedgerError",
    "LocalDP",
    "MisfitError",
    "MissingExtra",
    "Network",
    "ParameterError",
    "PartyError",
    "PublishedCounts",
    "PureDP",
    "Refused",
    "Release",
    "ReleaseError",
    "Schema",
    "SchemaError",
    "Seeded",
    "SfumatoError",
    "accuracy",
    "attacks",
    "audit",
    "check",
    "choose_method",
    "compare",
    "estimate_schema",
    "estimator",
    "example",
    "forecast",
    "inspect",
    "inspection",
    "methods",
    "party",
    "perturb",
    "price",
    "publish",
    "publish_counts",
    "publish_network",
    "publish_stream",
    "report",
    "report_page",
    "retrieval",
    "signature",
    "sql",
    "verify",
    "verify_trial",
    "write_report",
]

# Imported when first asked for: the command line must start in a moment.  What is in no home
# is a package of this name.
_NAMES_BY_HOME = {
    "sfumato.errors": (
        "BudgetError DataError LedgerError MisfitError MissingExtra ParameterError PartyError"
        " Refused ReleaseError SchemaError SfumatoError"
    ),
    "sfumato.graph": "Network",
    "sfumato.inspection.attack": "attacks",
    "sfumato.inspection.audit": "audit",
    "sfumato.inspection.compare": "choose_method compare",
    "sfumato.inspection.fit": "check",
    "sfumato.inspection.overview": "inspect",
    "sfumato.inspection.trial_check": "verify_trial",
    "sfumato.ledger": "Ledger",
    "sfumato.privacy.guarantee": "ApproxDP Heuristic LocalDP PureDP Seeded ZCDP",
    "sfumato.publishing.counts": "publish_counts",
    "sfumato.publishing.doubt": "DoubtWarning",
    "sfumato.publishing.estimate": "estimate_schema",
    "sfumato.publishing.forecast": "Forecast forecast",
    "sfumato.publishing.network": "publish_network",
    "sfumato.publishing.page": "report_page write_report",
    "sfumato.publishing.stream": "publish_stream",
    "sfumato.publishing.table": "price publish",
    "sfumato.publishing.verify": "verify",
    "sfumato.release": "Release",
    "sfumato.retrieval.published": "PublishedCounts",
    "sfumato.schema": "Schema",
    "sfumato.table.sql.opening": "sql",
}
_HOMES = {name: home for home, names in _NAMES_BY_HOME.items() for name in names.split()}

announce()


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    return import_module(f"sfumato.{name}")
