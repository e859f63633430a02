"""What a certificate may state: the type and range of every field that is read again.

Whoever received a release has a certificate that anybody could have written.  It is checked
here, once, before anything is computed from it or allocated for it; readers may then rely on
the shapes below.  Whether what it states is true is for `sfumato verify`.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from sfumato.errors import Refused, ReleaseError
from sfumato.privacy.guarantee import exact, from_json
from sfumato.schema import Schema

__all__ = ["MOST_LONELY", "check_stated"]

MOST_LONELY = 2**20  # nodes without an edge: in no edge list, so only their number is known
_MOST_ROWS = 2**48
_MOST_KEYS = 2**22


def _promise(record: dict[str, str]) -> dict[str, str]:
    try:
        from_json(record)
    except Refused as error:
        raise ValueError(str(error)) from None
    return record


def _figure(text: str) -> str:
    try:
        exact("it", text, zero=True)
    except Refused:
        raise ValueError("not a number of at least 0") from None
    return text


def _public_facts(record: dict[str, Any]) -> dict[str, Any]:
    try:
        Schema.of(record)
    except Refused as error:
        raise ValueError(str(error)) from None
    return record


Line = Annotated[str, Field(max_length=10_000)]
Name = Annotated[str, Field(min_length=1, max_length=500)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=_MOST_ROWS)]
Promise = Annotated[dict[str, Line], AfterValidator(_promise)]
Figure = Annotated[str, Field(max_length=4_000), AfterValidator(_figure)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="allow")


class _Sensitivity(_Part):
    norm: Name
    value: Figure


class _Event(_Part):
    statistic: Name
    mechanism: Name
    sensitivity: _Sensitivity | None
    noise: dict[Name, Figure | float] | None
    cost: Promise

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.noise is not None:
            figure, *rest = self.noise
            if rest != ["approximately"] or not isinstance(self.noise[figure], str):
                raise ValueError("noise must be a figure and approximately what it is")
            if not isinstance(self.noise["approximately"], int | float):
                raise ValueError("approximately must be a number")
        return self


class _Network(_Part):
    nodes: Count
    edges: Count
    directed: bool
    wanted_pairs: Count | None = Field(alias="wanted pairs")

    @model_validator(mode="after")
    def _joined(self) -> Self:
        if self.nodes > 2 * self.edges + MOST_LONELY:
            raise ValueError(
                f"more than {MOST_LONELY:,} of the nodes have no edge: no such network is published"
            )
        return self


class _Continues(_Part):
    release: Name
    start: Count = Field(alias="from")


class _Stream(_Part):
    horizon: Annotated[int, Field(ge=1, lt=2**63)]
    continues: _Continues | None


class _Counts(_Part):
    keys: Annotated[int, Field(ge=1, le=_MOST_KEYS)]
    records: Annotated[int, Field(ge=0, lt=2**63)] | None


class _Content(_Part):
    digest: Digest = Field(alias="blake2b-256")


class _Ledger(_Part):
    id: Name
    head: Name


class _Stated(_Part):
    release: Name
    dataset: Name
    unit: Line
    neighbours: Line
    public_facts: Annotated[dict[str, Any], AfterValidator(_public_facts)] | None = Field(
        default=None, alias="schema"
    )
    network: _Network | None = None
    stream: _Stream | None = None
    counts: _Counts | None = None
    method: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,100}$")]
    options: dict[Name, Any]
    guarantee: Promise
    statement: Line
    budget: Promise | None
    events: Annotated[list[_Event], Field(min_length=1, max_length=10_000)]
    invariants: list[Line]
    columns: dict[Name, Literal["double", "int64", "string"]] | None
    rows: Count
    content: _Content
    synopsis: Digest | None
    ledger: _Ledger | None
    randomness: Line
    warnings: list[Line]
    limits: list[Line]
    versions: dict[Name, Line]
    files: dict[Literal["data.csv", "data.parquet", "synopsis.json"], Digest]
    seal: Digest

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        subjects = (self.public_facts, self.network, self.stream, self.counts)
        if sum(subject is not None for subject in subjects) != 1:
            raise ValueError("it must be about one of schema, network, stream and counts")
        if self.public_facts is None and self.columns is None:
            raise ValueError("columns must be stated where there is no schema")
        if sum(name.startswith("data.") for name in self.files) != 1:
            raise ValueError("files must list one data file")
        return self


def check_stated(paper: dict[str, Any], where: str) -> None:
    """Refuse a certificate by the field that is not what a certificate states there."""
    try:
        _Stated.model_validate(paper)
    except ValidationError as error:
        first, *more = error.errors(include_url=False, include_input=False)
        field = ".".join(str(part) for part in first["loc"] if not _of_a_union(part)) or "it"
        what = first["msg"].removeprefix("Value error, ")
        rest = f"; {len(more)} other faults" if more else ""
        raise ReleaseError(
            f"{where} is damaged: {field}: {what[:1].lower()}{what[1:]}{rest}. Ask for the "
            "release again"
        ) from None


def _of_a_union(part: Any) -> bool:
    """Whether a part of a place is pydantic's name for one of several types, not ours."""
    return isinstance(part, str) and part.startswith(("constrained-", "function-after", "[key]"))
