"""Publishing in the manner of scikit-learn: for cross-validation, grids and pipelines.

`Publisher` needs no scikit-learn; `SyntheticTrained` does (`pip install 'sfumato[ml]'`) and is
imported when it is first asked for.

>>> from sfumato import estimator
>>> estimator.__all__
['Publisher', 'SyntheticTrained']
"""

from typing import TYPE_CHECKING, Any

from sfumato.estimator.publisher import Publisher

if TYPE_CHECKING:
    from sfumato.estimator.trained import SyntheticTrained

__all__ = ["Publisher", "SyntheticTrained"]


def __getattr__(name: str) -> Any:
    if name != "SyntheticTrained":
        raise AttributeError(f"module 'sfumato.estimator' has no attribute {name!r}")
    from sfumato.estimator.trained import SyntheticTrained

    return SyntheticTrained
