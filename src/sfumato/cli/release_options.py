"""What the commands that plan or make a release are told in the same words."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Delta", "DeltaOfTable", "Epsilon", "Method", "MethodOptions", "Rho", "SchemaFile"]

SchemaFile = Annotated[Path, typer.Option(help="The schema: public facts only, YAML or JSON.")]
Method = Annotated[str, typer.Option(help="See: sfumato methods.")]
Epsilon = Annotated[str | None, typer.Option(help="Privacy budget, above 0.")]
Delta = Annotated[str | None, typer.Option(help="Delta: allows Gaussian noise.")]
DeltaOfTable = Annotated[
    str | None, typer.Option(help="Delta: allows Gaussian noise; choose it below 1/rows.")
]
Rho = Annotated[str | None, typer.Option(help="zCDP budget, in place of epsilon.")]
MethodOptions = Annotated[
    list[str] | None, typer.Option("--option", help="Method option, NAME=VALUE; repeatable.")
]
