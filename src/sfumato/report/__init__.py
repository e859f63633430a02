"""The publishable page of a release: from its certificate, synopsis and data alone.

This is the public side: nothing here can reach a record (the wall in `pyproject.toml`), so
whatever the page shows costs no privacy and may be published with the release.
`sfumato.report_page` makes the page, `Gain` the figures of its first screen.

>>> from sfumato.privacy.guarantee import PureDP
>>> round(Gain.under(PureDP(1)).factor, 2)  # by which reading the release can change odds
Decimal('2.72')
"""

from sfumato.report.promise import Gain

__all__ = ["Gain"]
