"""The terms of a release that several parties made together."""

from dataclasses import replace
from fractions import Fraction

from sfumato.errors import ReleaseError
from sfumato.plan import Plan
from sfumato.plan.terms import ReleaseTerms
from sfumato.release.certificate import Certificate, PartyFacts
from sfumato.release.digest import digest
from sfumato.release.threshold import holds_for_any_lists

__all__ = ["UNCOUNTED", "added_up", "check_agreement", "joint_terms"]

UNCOUNTED = "Whether each party counts the release in a ledger is not known here"


def added_up(plan: Plan) -> bool:
    """Whether all that the plan buys are sums, which parties can add up."""
    return bool(plan.rounds) and plan.sized is None


def check_agreement(certificate: Certificate, facts: PartyFacts) -> None:
    """Refuse parties that agreed on something else than the certificate states."""
    stated = certificate.to_json()
    agreed = {  # the fields of the agreement file
        "format": 1,
        "kind": "sfumato party agreement",
        **{name: stated[name] for name in ("release", "schema", "method", "options", "budget")},
        "parties": list(facts.names),
        "dropouts": facts.dropouts,
        "colluders": facts.colluders,
    }
    if digest(agreed) != facts.agreement:
        raise ReleaseError("the parties agreed on something else than the certificate states")


def joint_terms(terms: ReleaseTerms, facts: PartyFacts) -> ReleaseTerms:
    """The terms of one owner, with who contributed and whom the promise holds against."""
    caveats = (*_caveats(facts, terms), *terms.caveats)
    subject = {**terms.subject, "parties": facts.model_dump(mode="json")}
    return replace(terms, subject=subject, caveats=caveats)


def _caveats(facts: PartyFacts, terms: ReleaseTerms) -> tuple[str, ...]:
    several = len(facts.contributed)
    against = (
        f"any {facts.colluders} of the parties together with whoever collected their files"
        if facts.colluders
        else "whoever is none of the parties; a party that takes its own noise off knows more"
    )
    said = [
        f"{several} parties added up what they measured. The promise holds against {against}, as "
        "long as all follow the protocol and its ciphers hold: X25519, Ed25519, ChaCha20, SHA-256.",
        f"{UNCOUNTED}. A person with records at several of them is protected as one with several "
        "records.",
    ]
    if not holds_for_any_lists(len(facts.names), facts.dropouts, facts.colluders):
        said.append(
            "The promise is sure only if all that opened, whether their opening was used or not, "
            "had the same list of contributions. They had to compare it: "
            f"{facts.threshold} openings of {len(facts.names)} parties do not ensure it."
        )
    if terms.subject["neighbours"] == "replace-one":
        said.append("Whoever has the files knows the number of records of each party.")
    gaussian = any(facts.noises(event) is None for event in terms.events)
    if several > facts.honest or gaussian:
        said.append(
            f"The noise was divided so that the shares of {facts.honest} honest of "
            f"{len(facts.names)} parties make it whole. "
            f"{several} shares were added: the variance is {'about ' if gaussian else ''}"
            f"{Fraction(several, facts.honest)} times what the mechanism events state"
            f"{', or up to 1.1 % more, as Gaussian shares need' if gaussian else ''}."
        )
    return tuple(said)
