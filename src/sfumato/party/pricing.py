"""The plan of an agreement; refused, with what would help, where parties could not add it up."""

from collections.abc import Mapping
from typing import Any

from sfumato.errors import ParameterError
from sfumato.methods import method as recipe
from sfumato.party.document import AgreementFile
from sfumato.plan import Plan
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.publishing.joint import added_up
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.schema.person import check_one_row_each

__all__ = ["agreed_plan", "check_sums", "priced"]

_OTHERS = "choose dp-lda, dca, modips, lap-pca or analyze-gauss"


def agreed_plan(file: AgreementFile) -> Plan:
    """What a file means, which states all options that there were when it was made."""
    return priced(file, {**recipe(file.method).earlier, **file.options})


def priced(file: AgreementFile, options: Mapping[str, Any]) -> Plan:
    """What is measured with these options and at which price: that of one owner."""
    budget, chosen = file.budget, recipe(file.method)
    if not isinstance(budget, PureDP | ApproxDP | ZCDP):
        raise ParameterError("the budget of the agreement is not one")
    if not chosen.budgeted:
        raise ParameterError(f"{chosen.name} promises nothing: choose a method with a proof")
    if named := [name for name in chosen.files if options.get(name) is not None]:
        # Whoever wrote the agreement must not choose which file the others read.
        raise ParameterError(f"option {named[0]} may name a file, which an agreement does not")
    check_one_row_each(file.public_schema.people, "parties measure")
    return chosen.price(Domain.of(file.public_schema), budget, options)


def check_sums(file: AgreementFile, plan: Plan) -> None:
    """Refuse what cannot be added up from what each party measures by itself."""
    if added_up(plan):
        return
    if plan.sized is not None:
        raise ParameterError(
            f"{plan.method} divides its budget by the number of records, which is not known before "
            "it is seen who contributes: set neighbours: add-remove in the schema"
        )
    raise ParameterError(
        f"{plan.method} with this schema and budget measures something else than sums over the "
        f"records, which parties cannot add up: {', or '.join(_helping(file))}"
    )


def _helping(file: AgreementFile) -> list[str]:
    """What to do instead."""
    if isinstance(file.budget, PureDP) or file.method != "mosaic":
        return [f"{_OTHERS}, or mosaic with rho (or epsilon and delta)"]
    # Each change by itself, so far as it was tried and helps.
    chosen, found = recipe(file.method), []
    if added_up(agreed_plan(_without_target(file))):
        found.append("take role: target out of the schema")
    for name, before in chosen.earlier.items():
        given = name in file.options
        if added_up(priced(file, {**file.options, name: before} if given else file.options)):
            found.append(f"give the option {name}={before}" if given else f"leave {name} out")
    return found or [_OTHERS]


def _without_target(file: AgreementFile) -> AgreementFile:
    stated = file.public_schema.to_json()
    columns = {
        name: {fact: said for fact, said in column.items() if (fact, said) != ("role", "target")}
        for name, column in stated["columns"].items()
    }
    return file.model_copy(update={"public_schema": Schema.of(stated | {"columns": columns})})
