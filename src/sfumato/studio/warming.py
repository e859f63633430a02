"""What the promise needs is loaded soon after the first page, so that its own page opens at once.

Nothing of it depends on the project: methods are imported, and priced for one column that nobody
has.  The first page, its styles and its script have been sent by then.
"""

from functools import cache
from threading import Timer

from sfumato.studio.method_choice import offered

__all__ = ["warm_up"]

_AFTER = 0.5  # seconds
_ANY = "{name: any, columns: {any: {kind: boolean}}}"


@cache
def warm_up() -> Timer:
    """Begin it; the second time nothing happens."""
    begun = Timer(_AFTER, offered, [_ANY], {"strong": True})
    begun.daemon = True  # of a studio that is told to stop, nobody waits for it
    begun.start()
    return begun
