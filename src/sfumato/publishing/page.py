"""The page of a release, as `sfumato report` writes it and `sfumato verify` expects it.

It follows from the release alone: the same folder gives the same bytes.
"""

from sfumato.publishing.kinds import kind_rules
from sfumato.release.release import Release
from sfumato.report.html import html_page

__all__ = ["report_page"]


def report_page(release: Release) -> bytes:
    """The page of a release, as bytes of HTML: the same for the same release.

    One file without scripts that fetches nothing; it may be published beside the release.  It
    needs matplotlib (`pip install 'sfumato[report]'`).
    """
    summary = kind_rules(release.certificate).described(release.certificate)
    return html_page(release, summary=summary).encode()
