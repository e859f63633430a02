"""Where documented names of earlier versions are now: an old import fails and says the new one.

The finder comes last on the import path, so a name that exists costs nothing.  A package is
asked as well: `from sfumato.publishing import publish` looks for a module of that name.

>>> import sfumato.privacy.ledger
Traceback (most recent call last):
    ...
ImportError: sfumato.privacy.ledger is now sfumato.Ledger
"""

import sys
from collections.abc import Callable
from typing import Any, NoReturn

__all__ = ["MOVED", "MovedNames", "announce", "refusing"]

MOVED = {
    "sfumato.account": "sfumato.plan.terms",
    "sfumato.centred": "sfumato.synopsis.centred",
    "sfumato.compiled": "sfumato.numeric.compiled",
    "sfumato.constraint": "sfumato.schema.constraint",
    "sfumato.domain": "sfumato.schema.domain",
    "sfumato.draft": "sfumato.table.draft",
    "sfumato.features": "sfumato.synopsis.features",
    "sfumato.mosaic_synopsis": "sfumato.synopsis.tables",
    "sfumato.network_publishing": "sfumato.publish_network",
    "sfumato.notation": "sfumato.schema.strict_yaml",
    "sfumato.options": "sfumato.plan.options",
    "sfumato.partition": "sfumato.synopsis.bins",
    "sfumato.projected": "sfumato.synopsis.directions",
    "sfumato.proposal": "sfumato.schema.column_guess",
    "sfumato.query_publishing": "sfumato.publish_counts",
    "sfumato.regular": "sfumato.untrusted.plain_file",
    "sfumato.reproduce": "`make reproduce` in the repository, not part of the package",
    "sfumato.scatter": "sfumato.synopsis.scatter",
    "sfumato.stream_publishing": "sfumato.publish_stream",
    "sfumato.strict_json": "sfumato.untrusted.strict_json",
    "sfumato.strict_yaml": "sfumato.schema.yaml_loader",
    "sfumato.threads": "sfumato.numeric.threads",
    "sfumato.verification": "sfumato.verify",
    "sfumato.verification_trial": "sfumato.verify_trial",
    "sfumato.visible": "sfumato.untrusted.visible",
    "sfumato.walk": "sfumato.publishing.transaction",
    "sfumato.methods.mosaic_division": "sfumato.methods.mosaic.division",
    "sfumato.privacy.chain": "sfumato.ledger.chain",
    "sfumato.privacy.kept_head": "sfumato.ledger.kept_head",
    "sfumato.privacy.ledger": "sfumato.Ledger",
    "sfumato.privacy.ledger_audit": "sfumato.ledger.audit",
    "sfumato.privacy.ledger_rules": "sfumato.ledger.rules",
    # names within packages that were modules, and functions that were renamed
    "sfumato.accuracy.small_values.as_text": "sfumato.accuracy.table_text",
    "sfumato.inspection.compare.choose": "sfumato.choose_method",
    "sfumato.inspection.overview.overview": "sfumato.inspect",
    "sfumato.publishing.price": "sfumato.price",
    "sfumato.publishing.publish": "sfumato.publish",
    "sfumato.report.html.report": "sfumato.report_page",
    "sfumato.synopsis.MomentLayout": "sfumato.synopsis.moments",
}


class MovedNames:
    """The last finder on the import path: it finds nothing, and refuses what has moved."""

    @staticmethod
    def find_spec(name: str, _path: Any = None, _target: Any = None) -> None:
        """Nothing, or a refusal that says where the name is now."""
        if name in MOVED:
            raise ImportError(f"{name} is now {MOVED[name]}", name=name)


def announce() -> None:
    """Put the finder in its place, once."""
    if MovedNames not in sys.meta_path:
        sys.meta_path.append(MovedNames)


def refusing(module: str) -> Callable[[str], NoReturn]:
    """The `__getattr__` of a module, no package, in which a name has moved."""

    def refuse(name: str) -> NoReturn:
        MovedNames.find_spec(f"{module}.{name}")
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return refuse
