"""How a release of each kind of data is priced again, checked and described: public facts alone.

A kind is one module here, of the name that `sfumato.release.kind` gives it.  It is imported when
a release of that kind is at hand, so that tables need not wait for networks.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.release.certificate import Certificate

__all__ = ["KindRules", "kind_rules", "stated_budget"]

CheckBatch = Callable[[pa.RecordBatch], None]


class KindRules(Protocol):
    """What the module of a kind offers."""

    def terms_again(self, folder: Path, certificate: Certificate) -> ReleaseTerms:
        """The terms that the certificate must have come from, priced again."""

    def check_values(self, certificate: Certificate) -> CheckBatch | None:
        """What refuses a batch that no release of this kind holds; None: nothing to check."""

    def described(self, certificate: Certificate) -> str:
        """The method in a sentence."""


def kind_rules(certificate: Certificate) -> KindRules:
    """The rules of the kind of data that a certificate is about."""
    module: Any = import_module(f"{__name__}.{certificate.kind.name}")
    return cast(KindRules, module)


def stated_budget(certificate: Certificate, budgeted: bool) -> Budget | None:
    """The budget of a certificate, refused where it is none or where the method has none."""
    budget = certificate.budget
    if not budgeted:
        if budget is not None:
            raise ReleaseError("the certificate states a budget for a method that promises nothing")
        return None
    if not isinstance(budget, PureDP | ApproxDP | ZCDP):
        raise ReleaseError("the budget of the certificate is not one")
    return budget
