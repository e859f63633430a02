"""Sfumato itself, through its public door and with its own unseeded noise."""

from task import Task

import sfumato


def about(records: int) -> int:
    """A number of records by its first two digits: the exact one is private between add-remove."""
    return round(records, 2 - len(str(records)))


if __name__ == "__main__":
    given = Task.told()
    options, schema = dict(given.options), given.schema
    schema["neighbours"] = options.pop("neighbours")
    if schema["neighbours"] == "add-remove":
        options["records"] = about(given.rows)
    if not options.pop("roles"):
        for column in schema["columns"].values():
            column.pop("role", None)
    release = sfumato.publish(
        given.file,
        schema=schema,
        epsilon=given.epsilon,
        delta=given.delta,
        rows=given.rows,
        **options,
    )
    synthetic = release.data.to_pandas()
    for name, column in schema["columns"].items():
        if column["kind"] == "boolean":
            synthetic[name] = synthetic[name].map({True: "true", False: "false"})
    given.answer(synthetic)
