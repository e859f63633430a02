"""What the clocks of a time zone show, where the type of a column declares the zone.

>>> is_known("Europe/Berlin"), is_known("Nowhere")
(True, False)
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.table.value import seconds_of

__all__ = ["is_known", "local"]


def is_known(zone: str) -> bool:
    """Whether Arrow knows this zone here; it may lack its list of zones."""
    try:
        local(np.zeros(1, "datetime64[s]"), zone)
    except pa.ArrowException:
        return False
    return True


def local(moments: NDArray[np.datetime64], zone: str) -> NDArray[np.datetime64]:
    """Seconds in UTC as the clocks of the zone show them, kept within the years 1 to 9999.

    >>> local(np.array(["2024-05-02T22:00:00", "NaT"], "datetime64[s]"), "Europe/Berlin").tolist()
    [datetime.datetime(2024, 5, 3, 0, 0), None]
    """
    if zone.upper() == "UTC":
        return moments
    shown = pc.local_timestamp(pa.array(moments).cast(pa.timestamp("s", zone)))
    return seconds_of(np.asarray(shown.to_numpy(zero_copy_only=False), "datetime64[s]"))
