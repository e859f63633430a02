"""What may be said of variances and covariances, in plain sentences."""

from typing import Any

from sfumato.accuracy.as_read import told as told_changes
from sfumato.accuracy.law import share
from sfumato.accuracy.published import Published
from sfumato.accuracy.spelling import at_least, at_most, spelt
from sfumato.accuracy.statement import Answer, percent
from sfumato.privacy.guarantee import Number

__all__ = ["about_covariance", "variances"]


def about_covariance(found: Published, first: str, second: str, confidence: Number) -> Answer:
    """The covariance of two numbers, or the variance of one, from noisy second moments."""
    level, alone = share("confidence", confidence), first == second
    told = found.covariance(first, second, level)
    what = f"variance of {first}" if alone else f"covariance of {first} and {second}"
    changed = told_changes(found.certificate, found.fit, *dict.fromkeys((first, second)))
    points = spelt(told.about[0]) if alone else " and ".join(spelt(p) for p in told.about)
    low, high = told.second_between
    figures: dict[str, Any] = {
        "second moment": {"about": list(told.about), "value": told.second, "low": low, "high": high}
    }
    figures["confidence"] = float(level)
    if told.value is None or told.between is None:
        said = (
            f"{what}: it cannot be told, because no sums were published. The mean product of the "
            f"distances from {points} is {spelt(told.second)} by the noisy sums, and of the values "
            f"as read it lies between {at_least(low)} and {at_most(high)} with confidence "
            f"{percent(level)}."
        )
        return Answer(what, (said, *changed), figures)
    low, high = told.between
    figures |= {"value": told.value, "low": low, "high": high}
    sentences = [
        f"{what}: {spelt(told.value)} by the noisy sums. With confidence {percent(level)} the "
        f"true one of the values as read lies between {at_least(low)} and {at_most(high)}.",
        *changed,
    ]
    if alone:
        least, most = told.deviation
        figures["standard deviation"] = {"low": least, "high": most}
        sentences.append(f"So the standard deviation is from {at_least(least)} to {at_most(most)}.")
    sentences.append(
        "All noisy sums that it is made of lie in their intervals at once with this confidence, "
        "so it is wider than it need be."
    )
    return Answer(what, tuple(sentences), figures)


def variances(found: Published, confidence: Number) -> list[Answer]:
    """The variance of every number whose second moment was published."""
    names = () if found.second is None else found.second.axes
    return [about_covariance(found, name, name, confidence) for name in names]
