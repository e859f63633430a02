"""Categories, dates and missing values: what an untidy file becomes.

    python examples/untidy_columns.py

No record is refused, because a refusal would tell something about it.  Every value is mapped
into what the schema declares, by a rule that looks at that value alone.
"""
# ruff: noqa: T201  an example shows what happened

from pathlib import Path
from tempfile import TemporaryDirectory

import sfumato as sf

SCHEMA = """\
name: survey
columns:
  age:      {kind: integer, low: 18, high: 99, missing: allowed}
  party:    {kind: category, values: [red, green, blue], other: another}
  answered: {kind: date, low: 2025-01-01, high: 2025-12-01, step: month}
  member:   {kind: boolean}
"""

FILE = """\
age,party,answered,member
34,red,2025-03-17,yes
,Green,2025-06-01,no
seventy,purple,31.12.2025,maybe
140, blue ,2031-05-05,1
"""


def main():
    """Each line of the file beside what the program takes it for."""
    with TemporaryDirectory() as place:
        path = Path(place) / "survey.csv"
        path.write_text(FILE)
        read = sf.inspection.as_read(path, sf.Schema.parse(SCHEMA)).to_pylist()
    for written, record in zip(FILE.splitlines()[1:], read, strict=True):
        said = {name: "missing" if value is None else value for name, value in record.items()}
        print(f"{written:34}", *(f"{name}={value}" for name, value in said.items()))


if __name__ == "__main__":
    main()
