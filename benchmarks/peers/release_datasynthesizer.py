"""PrivBayes of DataSynthesizer (its correlated attribute mode), given every column's levels."""

import json
import tempfile
from pathlib import Path

from DataSynthesizer.DataDescriber import DataDescriber
from DataSynthesizer.DataGenerator import DataGenerator
from discrete import Levels
from task import Task

if __name__ == "__main__":
    given = Task.told()
    levels = Levels(given.schema, scaled=given.options.get("scaled", False))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        records, domains, description = folder / "a.csv", folder / "b.json", folder / "c.json"
        levels.encode(given.train).to_csv(records, index=False)
        domains.write_text(json.dumps({c: list(range(size)) for c, size in levels.sizes.items()}))
        describer = DataDescriber()
        describer.describe_dataset_in_correlated_attribute_mode(
            str(records),
            k=given.options["parents"],
            epsilon=given.epsilon,
            attribute_to_datatype=dict.fromkeys(levels.sizes, "Integer"),
            attribute_to_is_categorical=dict.fromkeys(levels.sizes, True),
            attribute_to_is_candidate_key=dict.fromkeys(levels.sizes, False),
            categorical_attribute_domain_file=str(domains),
            seed=given.seed,
        )
        describer.save_dataset_description_to_file(str(description))
        generator = DataGenerator()
        generator.generate_dataset_in_correlated_attribute_mode(
            given.rows, str(description), seed=given.seed
        )
    given.answer(levels.decode(generator.synthetic_dataset, given.seed))
