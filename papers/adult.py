"""The Adult data set, as section 4.1 of Jiang et al. 2013 uses it, and its public schema.

Adult is an extract of the March 1994 Current Population Survey of the United States, from
the UCI machine learning repository: train and test parts joined, rows with missing values
removed, 45,222 records of 15 columns.  As in the paper, final weight, education (which
`education_num` repeats), occupation and native country are dropped.  That leaves 11
columns: 5 numbers and 6 categories, 35 features when every category becomes dummies.
(Here a column of two levels is one 0/1 feature instead of two dummies, which makes 33.)

The schema is declared from public documentation, never from the records: category lists
from the description that comes with the data set, including `Never-worked`, which no
remaining record has; ages from 17 (the extract takes people over 16) to 90 (the survey's top
code); 16 levels of schooling; 1 to 99 hours a week; capital gains in a field of five
digits and losses below 10,000 dollars.
"""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv

from papers.place import located
from sfumato.errors import DataError
from sfumato.schema import Schema

__all__ = ["ADULT", "adult"]

FILE = Path("adult") / "adult.csv.gz"

ADULT = Schema.parse(
    """\
name: adult
neighbours: replace-one
columns:
  age:            {kind: integer, low: 17, high: 90}
  workclass:
    kind: category
    values: [Private, Self-emp-not-inc, Self-emp-inc, Federal-gov, Local-gov, State-gov,
             Without-pay, Never-worked]
  education_num:  {kind: integer, low: 1, high: 16}
  marital_status:
    kind: category
    values: [Married-civ-spouse, Divorced, Never-married, Separated, Widowed,
             Married-spouse-absent, Married-AF-spouse]
  relationship:
    kind: category
    values: [Wife, Own-child, Husband, Not-in-family, Other-relative, Unmarried]
  race:
    kind: category
    values: [White, Asian-Pac-Islander, Amer-Indian-Eskimo, Other, Black]
  sex:            {kind: category, values: [Female, Male]}
  capital_gain:   {kind: integer, low: 0, high: 99999}
  capital_loss:   {kind: integer, low: 0, high: 9999}
  hours_per_week: {kind: integer, low: 1, high: 99}
  income:         {kind: category, values: ["<=50K", ">50K"], role: label}
""",
    where="the schema of Adult",
)


def adult(
    folder: str | Path | None = None, columns: Sequence[str] = tuple(ADULT.columns)
) -> pa.Table:
    """The 11 columns of Adult, or others, from `folder` or from where SFUMATO_DATA points.

    >>> adult("nowhere")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    sfumato.errors.DataError: nowhere/adult/adult.csv.gz does not exist…
    """
    path = located(FILE, folder, name="Adult", remedy=_REMEDY)
    wanted = pacsv.ConvertOptions(include_columns=list(columns))
    try:
        return pacsv.read_csv(path, convert_options=wanted)
    except KeyError:
        raise DataError(
            f"{path} lacks a column: its header must name {', '.join(columns)}"
        ) from None
    except (OSError, pa.ArrowException):
        raise DataError(f"{path} cannot be read: it is damaged or no gzipped CSV") from None


_REMEDY = (
    'get "Adult" from the UCI machine learning repository, join its two parts, drop the rows with '
    "missing values (45,222 stay), strip the dots after the labels of the second part, write it "
    "with a snake_case header (age, workclass, …, hours_per_week, native_country, income) as "
    f"{FILE} and point at the folder: SFUMATO_DATA=/folder/with/adult"
)
