"""How the noise on a network's weights compares with their range; both are public."""

from fractions import Fraction

from sfumato.release.certificate import Certificate

__all__ = ["weights_drowned"]

_ABOUT = 0.25  # of the range: even weights spread over all of it deviate by 0.29


def weights_drowned(certificate: Certificate) -> str | None:
    """What to say where the noise on a weight is about as wide as the range of weights."""
    if certificate.network is None or not {"low", "high"} <= set(certificate.options):
        return None
    span = float(Fraction(certificate.options["high"]) - Fraction(certificate.options["low"]))
    deviation = certificate.events[0].in_units.deviation
    if deviation < _ABOUT * span:
        return None
    return (
        f"the noise on a weight deviates by {deviation:.4g}, and weights lie within {span:.4g} of "
        "each other: what is published is mostly noise. A smaller distance hides smaller changes, "
        "a larger budget promises less"
    )
