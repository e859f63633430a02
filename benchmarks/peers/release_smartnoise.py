"""MST, AIM and PATE-CTGAN of smartnoise-synth, given the public domain of every column."""

import attr
import numpy as np
import pandas as pd
from discrete import Levels
from mbi import LinearMeasurement
from mbi_repair import repair
from public import Listed, facts
from snsynth import Synthesizer
from snsynth.mst import MSTSynthesizer
from snsynth.transform import (
    ChainTransformer,
    LabelTransformer,
    MinMaxTransformer,
    OneHotEncoder,
    TableTransformer,
)
from task import Task


class RepairedMST(MSTSynthesizer):
    """MST whose merged rare levels are compared with what was measured of them.

    The rare levels of a column become one, whose count is divided by √(levels + 1) to even out
    the noise; the model's own count is not divided, and so comes out too small by that factor.
    """

    def compress_domain(self, data, measurements):
        """Merge rare levels, and say so in what was measured of them."""
        compressed, scaled, undo = super().compress_domain(data, measurements)
        return compressed, list(map(_compared, measurements, scaled)), undo


def _compared(before: LinearMeasurement, after: LinearMeasurement) -> LinearMeasurement:
    noisy = np.asarray(before.noisy_measurement)
    kept = int((noisy >= 3 * before.stddev).sum())
    if not 2 <= kept < noisy.size:
        return after
    weights = np.append(np.ones(kept), 1 / np.sqrt(noisy.size - kept + 1))
    return attr.evolve(after, query=lambda table: table.datavector() * weights)


def marginals(task: Task) -> pd.DataFrame:
    """MST or AIM on whole numbers whose levels are known beforehand."""
    levels = Levels(task.schema, scaled=task.options.get("scaled", False))
    name = task.options["algorithm"]
    if task.options["repaired"]:
        repair()
    if task.options["repaired"] and name == "mst":
        synthesizer = RepairedMST(epsilon=task.epsilon, delta=task.delta)
    else:
        synthesizer = Synthesizer.create(name, epsilon=task.epsilon, delta=task.delta)
    columns = TableTransformer([LabelTransformer(nullable=False) for _ in levels.sizes])
    every = np.arange(max(levels.sizes.values()))
    columns.fit(pd.DataFrame({c: np.minimum(every, size - 1) for c, size in levels.sizes.items()}))
    synthesizer.fit(levels.encode(task.train), transformer=columns)
    return levels.decode(synthesizer.sample(task.rows), task.seed)


def adversarial(task: Task) -> pd.DataFrame:
    """PATE-CTGAN on one-hot categories and on numbers scaled by their public range."""
    columns, train = facts(task.schema), task.train
    if absent := [name for name, column in columns.items() if column.missing]:
        raise SystemExit(f"missing values are not given to PATE-CTGAN: see column {absent[0]}")
    transformers, public = [], {}
    for name, column in columns.items():
        if isinstance(column, Listed):
            steps = [LabelTransformer(nullable=False), OneHotEncoder()]
            transformers.append(ChainTransformer(steps))
            public[name] = list(range(column.size))
            train[name] = column.codes(train[name])
        else:
            low, high = column.low, column.high
            transformers.append(MinMaxTransformer(lower=low, upper=high, nullable=False))
            public[name] = [low, high]
            train[name] = column.numbers(train[name])
    most = max(map(len, public.values()))
    table = TableTransformer(transformers)
    table.fit(pd.DataFrame({name: (values * most)[:most] for name, values in public.items()}))
    synthesizer = Synthesizer.create(
        "patectgan", epsilon=task.epsilon, delta=task.delta, **task.options["settings"]
    )
    synthesizer.fit(train, transformer=table)
    drawn = synthesizer.sample(task.rows)
    written = {
        name: column.written(drawn[name].to_numpy(int if isinstance(column, Listed) else float))
        for name, column in columns.items()
    }
    return pd.DataFrame(written)


if __name__ == "__main__":
    given = Task.told()
    np.random.seed(given.seed)
    recipe = adversarial if given.options["algorithm"] == "patectgan" else marginals
    given.answer(recipe(given))
