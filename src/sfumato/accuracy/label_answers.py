"""How a label was answered beside noisy coordinates, from the certificate alone."""

from collections.abc import Sequence

from sfumato.errors import ReleaseError
from sfumato.privacy.answer import DirectResponse
from sfumato.privacy.guarantee import LocalDP
from sfumato.privacy.mechanism import Event
from sfumato.release.certificate import Certificate
from sfumato.schema.domain import Domain, Levels
from sfumato.synopsis.bins import levels
from sfumato.synopsis.questionnaire import Choice

__all__ = ["has_coordinates", "label_question"]


def has_coordinates(certificate: Certificate) -> bool:
    """Whether a release holds noisy coordinates in place of columns."""
    return certificate.method == "lop" and certificate.options.get("space") == "components"


def label_question(domain: Domain, events: Sequence[Event]) -> Choice | None:
    """The question that the label answered; its law follows from its price, None if not asked."""
    answered = list(events[1:])
    if not answered:
        return None
    (event,), label = answered, domain.label
    axis = domain.axes[-1 if label is None else label]
    if label is not None and isinstance(axis, Levels) and isinstance(event.cost, LocalDP):
        response = DirectResponse(f"answers of {axis.name}", axis.codes, event.cost.epsilon)
        if response.event == event:
            return Choice(label, axis.name, tuple(levels(axis)), response)
    raise ReleaseError("the certificate or synopsis is not what Sfumato writes")
