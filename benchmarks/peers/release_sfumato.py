"""Sfumato itself, through its public door and with its own unseeded noise."""

from task import Task

import sfumato

if __name__ == "__main__":
    given = Task.told()
    options = dict(given.options)
    schema, train = given.schema, given.train
    schema["neighbours"] = options.pop("neighbours", "replace-one")
    release = sfumato.publish(
        train,
        schema=schema,
        epsilon=given.epsilon,
        delta=given.delta,
        rows=len(train),
        **options,
    )
    given.answer(release.data)
