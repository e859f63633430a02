"""The schema that the answers make, and what to do next."""

from pathlib import Path
from shlex import quote
from typing import Any

from sfumato.schema.drafted import DraftedColumn, yaml_text
from sfumato.schema.formats import FileFormat
from sfumato.schema.wizard.interview import Interviewed

__all__ = ["next_steps", "written"]

_BOUGHT = "to be bought: sfumato schema estimate"
_DECLARED = "to be declared from public knowledge: an estimate takes each row as a unit"
_LEDGER = "budget.db"
_FOLDER = "estimate"  # shows what was bought, which the ledger does not


def written(
    answers: Interviewed, data: str | Path, output: Path, how: FileFormat | None = None
) -> str:
    """The schema as YAML; what is to be bought is absent and said so in a remark.

    `how` the file was said to be written.
    """
    head = [f"Written by answers about the header of {Path(data).name}; no record was read."]
    if answers.records is not None:
        head.append(f"About {answers.records:,} records.")
    if not answers.persons and not answers.whose:
        head.append("A person may have several rows: what is hidden is one row, not a person.")
    head += [f"Next: {step}" for step in next_steps(answers, data, output)]
    columns = []
    for name, facts in answers.columns.items():
        blank = [fact for fact, value in facts.items() if value is None]
        how_to = _DECLARED if answers.whose else _BOUGHT
        remarks = (f"{' and '.join(blank)} {how_to}",) if blank else ()
        said = {fact: value for fact, value in facts.items() if value is not None}
        columns.append(DraftedColumn(name, said, remarks))
    whole: dict[str, Any] = {} if answers.public_number else {"neighbours": "add-remove"}
    whole |= answers.whose
    told = {} if how is None else how.model_dump(exclude_none=True)
    if file := {**told, **answers.file}:
        whole["file"] = file
    return yaml_text(head, answers.name, columns, facts=whole)


def next_steps(answers: Interviewed, data: str | Path, output: Path) -> list[str]:
    """The commands that follow."""
    table, schema = quote(str(data)), quote(str(output))
    bought = quote(str(output.with_name(f"{output.stem}-bought{output.suffix}")))
    lists = any(answers.columns[name]["kind"] == "category" for name in answers.blank)
    delta = " --delta 1e-9" * lists  # pure epsilon finds no values
    steps = [
        f"sfumato ledger create --ledger {_LEDGER}",
        f"sfumato ledger grant {quote(answers.name)} --epsilon 2{delta} --reason "
        f'"…" --ledger {_LEDGER}',
    ]
    if answers.blank and answers.whose:
        steps.append(f"declare {', '.join(answers.blank)} in {schema}")
    elif answers.blank:
        steps.append(
            f"sfumato schema estimate {table} --schema {schema} --epsilon 0.1{delta} "
            f"--ledger {_LEDGER} --folder {_FOLDER} -o {bought}"
        )
        schema = bought
    return [
        *steps,
        f"sfumato schema check {schema}",
        f"sfumato publish {table} --schema {schema} --epsilon 1 --ledger {_LEDGER} -o release",
    ]
