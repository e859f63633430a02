"""The page of a release, as `sfumato report` writes it and `sfumato verify` expects it.

It follows from the release alone: the same folder gives the same bytes.
"""

from sfumato.publishing.kinds import kind_rules
from sfumato.release.release import Release
from sfumato.report.html import report

__all__ = ["report_page"]


def report_page(release: Release) -> bytes:
    """The page."""
    summary, reach = kind_rules(release.certificate).described(release.certificate)
    return report(release, summary=summary, reach=reach).encode()
