"""What parties agree on before anyone reads a record: schema, method, budget, whom they trust.

Of n parties, d may drop out and c may collude with whoever collects the files.  At least
h = n − d − c honest ones then contribute, and the noise is divided so that their shares alone
cost no more than the budget.  Secrets are shared so that t parties together can open the sum:

    t = max(⌊(n + c) / 2⌋ + 1, c + ⌊(n − c) d / (d + 1)⌋ + 1), cut at n − d

If it is not cut, a collector that shows each party another list of contributions still opens one
sum, of h honest shares or more (`sfumato.release.threshold`).  If it is, the parties must compare
the fingerprints of their lists before they open; `strict` says which it is.  Always t > c.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.errors import ParameterError, PartyError
from sfumato.ledger.rules import line_text
from sfumato.methods import method as recipe
from sfumato.party.document import MOST_PARTIES, PARTY_NAME, AgreementFile
from sfumato.party.measuring import rehearse_all
from sfumato.plan import Plan
from sfumato.privacy.budget import budget as stated_budget
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Number, PureDP, to_json
from sfumato.publishing.certify import check_certifiable
from sfumato.publishing.joint import added_up
from sfumato.release.threshold import holds_for_any_lists, opening_threshold
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.schema.person import check_one_row_each
from sfumato.untrusted.plain_file import is_there

__all__ = ["AGREEMENT", "Agreement", "agree"]

AGREEMENT = "agreement.json"


@dataclass(frozen=True)
class Agreement:
    """An agreement, checked and priced."""

    file: AgreementFile

    @classmethod
    def of(cls, file: AgreementFile) -> "Agreement":
        """Refused where no exchange could follow it."""
        made = cls(file)
        names, d, c = file.parties, file.dropouts, file.colluders
        if len(set(names)) < len(names):
            raise ParameterError("two parties have the same name: give each its own")
        if made.honest < 1:
            raise ParameterError(
                f"of {len(names)} parties, {d} may drop out and {c} collude: none is left whose "
                "noise could be relied on. Allow fewer, or find more parties"
            )
        plan = made.plan
        _check_sums(plan)
        if (file.method, file.options) != (plan.method, _plain_options(plan)):
            raise ParameterError(
                "the agreement does not state all options of its method: make it with sfumato "
                "party agree"
            )
        rehearse_all(plan, made.honest)
        return made

    @classmethod
    def read(cls, path: Path) -> "Agreement":
        """The agreement in a file."""
        return cls.of(AgreementFile.read(path))

    def save(self, folder: str | Path) -> None:
        """Begin an exchange in a folder, which is made if need be."""
        place = Path(folder) / AGREEMENT
        if is_there(place):
            raise PartyError(f"{folder} holds an agreement: choose another folder")
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.file.write(place)

    @property
    def digest(self) -> str:
        """What binds every other file to this agreement."""
        return self.file.digest

    @property
    def parties(self) -> tuple[str, ...]:
        """Their names, in the order that numbers them."""
        return self.file.parties

    def number(self, party: str) -> int:
        """1 for the first; refused where the name is on no list."""
        if party not in self.parties:
            raise PartyError(f"{party} is none of the parties: {', '.join(self.parties)}")
        return self.parties.index(party) + 1

    def check_known(self, parties: Iterable[str]) -> None:
        """Refuse names that are on no list."""
        for party in parties:
            self.number(party)

    @property
    def honest(self) -> int:
        """h: how many shares of the noise make it whole."""
        return len(self.parties) - self.file.dropouts - self.file.colluders

    @property
    def fewest(self) -> int:
        """How many parties must contribute."""
        return len(self.parties) - self.file.dropouts

    @property
    def threshold(self) -> int:
        """t: how many parties open the sum."""
        return opening_threshold(len(self.parties), self.file.dropouts, self.file.colluders)

    @property
    def strict(self) -> bool:
        """Whether the threshold is enough, even if parties are shown different lists."""
        return holds_for_any_lists(len(self.parties), self.file.dropouts, self.file.colluders)

    @cached_property
    def plan(self) -> Plan:
        """What is measured and at which price: that of one owner."""
        budget = self.file.budget
        if not isinstance(budget, PureDP | ApproxDP | ZCDP):
            raise ParameterError("the budget of the agreement is not one")
        chosen = recipe(self.file.method)
        if not chosen.budgeted:
            raise ParameterError(f"{chosen.name} promises nothing: choose a method with a proof")
        if named := [name for name in chosen.files if self.file.options.get(name) is not None]:
            # Whoever wrote the agreement must not choose which file the others read.
            raise ParameterError(f"option {named[0]} may name a file, which an agreement does not")
        check_one_row_each(self.file.public_schema.people, "parties measure")
        return chosen.price(Domain.of(self.file.public_schema), budget, self.file.options)

    @property
    def rounds(self) -> int:
        """How often the parties add up."""
        return len(self.plan.rounds)


def agree(
    schema: Schema | Mapping[str, Any] | str | Path,
    parties: Sequence[str],
    *,
    method: str,
    release: str,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    dropouts: int = 0,
    colluders: int | None = None,
    **options: Any,
) -> Agreement:
    """An agreement, as a person states it.  By default fewer than half collude, at least 1.

    >>> columns = {"age": {"kind": "integer", "low": 0, "high": 110}, "ill": {"kind": "boolean"}}
    >>> found = agree({"name": "study", "columns": columns}, ["north", "south", "west"],
    ...     method="modips", release="study-1", epsilon=1)
    >>> found.honest, found.threshold, found.strict
    (2, 3, True)
    """
    line_text(release=release)
    for party in parties:
        if re.fullmatch(PARTY_NAME, str(party)) is None:
            raise ParameterError(
                f"party must be a name of small letters, digits and hyphens, got {party!r}"
            )
    if not 2 <= len(parties) <= MOST_PARTIES:
        raise ParameterError(f"party must be given from 2 to {MOST_PARTIES} times")
    for name, value in (("dropouts", dropouts), ("colluders", colluders or 0)):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= len(parties):
            raise ParameterError(f"{name} must be from 0 to the number of parties, got {value!r}")
    schema = Schema.read(schema) if isinstance(schema, str | Path) else Schema.of(schema)
    budget = stated_budget(epsilon=epsilon, delta=delta, rho=rho)
    record = {
        "release": release,
        "schema": schema.to_json(),
        "method": method,
        "options": {name: _plain(value) for name, value in options.items()},
        "budget": to_json(budget),
        "parties": list(parties),
        "dropouts": dropouts,
        "colluders": max((len(parties) - 1) // 2, 1) if colluders is None else colluders,
    }
    stated = AgreementFile.of(record, "the agreement")
    plan = Agreement(stated).plan
    full = {"method": plan.method, "options": _plain_options(plan)}
    made = Agreement.of(AgreementFile.of(record | full, "the agreement"))
    check_certifiable(made.plan.terms, release)
    return made


def _plain_options(plan: Plan) -> dict[str, Any]:
    """All options, as a certificate states them: so that it tells which agreement it is of."""
    found: dict[str, Any] = json.loads(json.dumps(dict(plan.terms.options)))
    return found


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Fraction | Path) else value


def _check_sums(plan: Plan) -> None:
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
        "records, which parties cannot add up: choose dp-lda, dca, modips, lap-pca or "
        "analyze-gauss, or mosaic with rho (or epsilon and delta)"
    )
