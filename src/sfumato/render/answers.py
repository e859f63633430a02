"""A table of answers: a column for each number and direct answer, and one for each unary bit."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Whole
from sfumato.synopsis.questionnaire import Choice, Question, Questionnaire

__all__ = ["answer_batch", "answer_columns", "shuffled"]

_TYPES = {"int64": pa.int64(), "double": pa.float64(), "string": pa.string()}


def answer_columns(questionnaire: Questionnaire) -> pa.Schema:
    """Names and types of the table: a public fact."""
    found = questionnaire.columns.items()
    return pa.schema([pa.field(name, _TYPES[kind], nullable=False) for name, kind in found])


def answer_batch(questionnaire: Questionnaire, answers: Sequence[Whole]) -> pa.RecordBatch:
    """Noisy answers, written out in the words and units of the schema."""
    written = [
        array
        for question, found in zip(questionnaire.questions, answers, strict=True)
        for array in _written(question, found)
    ]
    return pa.RecordBatch.from_arrays(written, schema=answer_columns(questionnaire))


def shuffled(
    batches: Iterable[pa.RecordBatch], columns: pa.Schema, rng: np.random.Generator
) -> Iterator[pa.RecordBatch]:
    """The same rows in an order that says nothing; all of them are kept in memory for that."""
    table = pa.Table.from_batches(batches, columns)
    order = rng.permutation(table.num_rows)
    yield from table.take(pa.array(order)).combine_chunks().to_batches()


def _written(question: Question, found: Whole) -> Iterator[pa.Array]:
    if not isinstance(question, Choice):
        yield pa.array(question.values(found))
    elif found.ndim == 2:
        yield from (pa.array(bits) for bits in found.T)
    elif question.flag:
        yield pa.array(found)
    else:
        yield pa.array(question.answers, pa.string()).take(pa.array(found))
