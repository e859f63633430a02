"""The publishable page of a release: one file, no script, nothing fetched."""

from sfumato.moved import refusing
from sfumato.release.release import Release
from sfumato.report.model import page
from sfumato.report.precision import CONFIDENCE
from sfumato.report.promise import DEPLOYMENTS
from sfumato.untrusted.visible import seen_on_a_page

__all__ = ["html_page", "rendered"]

__getattr__ = refusing(__name__)


def html_page(release: Release, *, summary: str = "") -> str:
    """The page, the same byte for byte for the same release; it may be published with it.

    >>> import sfumato as sf
    >>> from sfumato.example import CLINIC, clinic
    >>> release = sf.publish(clinic(300), schema=sf.Schema.parse(CLINIC), epsilon=1)
    >>> text = html_page(release)
    >>> text == html_page(release), "ε = 1" in text, len(text) < 10**6
    (True, True, True)
    """
    return rendered("report.html", page=page(release, summary=summary))


def rendered(template: str, **given: object) -> str:
    """A page of this package, with all that is put into it escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
    from markupsafe import Markup

    pages = Environment(
        loader=PackageLoader("sfumato.report"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        finalize=seen_on_a_page,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Pictures are elements already, and matplotlib escapes what it writes into them.
    pages.filters["picture"] = lambda text: Markup(text)  # noqa: S704
    return pages.get_template(template).render(
        deployments=DEPLOYMENTS, confidence=f"{float(100 * CONFIDENCE):g} %", **given
    )
