"""Audits: how much of its budget a method can be caught spending, with a stated confidence.

A proof says that no table can show more than ε; an audit looks for tables that do.  It makes
up the worst neighbours that a public domain allows, compares them with frozen noise, and
runs the method many times on two of them.  What it finds is a *lower* bound: above the claim
it refutes it, below it proves nothing, and the share that was found says how hard it looked.
A positive control runs along: the same method with a third of the noise must be caught.

No data is read: every table is made of extremes of the schema.

>>> found = audit("modips", epsilon=2, runs=600, effort=0, seed=1)
>>> print(found)
not contradicted: epsilon of at least 1.592 of the claimed 2 was found
"""

from sfumato.inspection.audit.auditing import DEFAULT_CONFIDENCE, DEFAULT_EFFORT, audit
from sfumato.inspection.audit.result import Audit, Control, Verdict
from sfumato.inspection.audit.settings import default_runs

__all__ = [
    "DEFAULT_CONFIDENCE",
    "DEFAULT_EFFORT",
    "Audit",
    "Control",
    "Verdict",
    "audit",
    "default_runs",
]
