"""Three made-up clinics that publish together, and the owner of all their records."""

import numpy as np
import pyarrow as pa

from sfumato import party
from sfumato.privacy.mechanism import Paid, Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.privacy.share import NoiseShare
from sfumato.table.records import Records
from sfumato.table.source import open_source

NAMES = ("north", "south", "west")
COLUMNS = {
    "age": {"kind": "integer", "low": 0, "high": 110},
    "ill": {"kind": "boolean", "role": "label"},
    "ward": {"kind": "category", "values": ["a", "b", "c"], "other": "none"},
}


def schema(neighbours="replace-one", columns=COLUMNS):
    return {"name": "study", "neighbours": neighbours, "columns": columns}


def table(number, rows=40):
    rng = np.random.default_rng(number)
    return pa.table(
        {
            "age": rng.integers(0, 111, rows + number),
            "ill": rng.integers(0, 2, rows + number).astype(bool),
            "ward": rng.choice(["a", "b", "c"], rows + number),
        }
    )


class World:
    """An exchange folder, private states beside it, and the tables of the parties."""

    def __init__(self, path, **settings):
        self.path, self.folder = path, path / "exchange"
        chosen = {"method": "dp-lda", "release": "study-1", "epsilon": 1, "dropouts": 1}
        chosen |= settings
        public = chosen.pop("schema", schema())
        names = chosen.pop("parties", NAMES)
        party.agree(public, names, **chosen).save(self.folder)
        self.names = names
        self.tables = {name: table(number) for number, name in enumerate(names)}

    @property
    def exchange(self):
        """Read anew, as each command reads it."""
        return party.Exchange(self.folder)

    def state(self, name):
        return self.path / f"{name}.state"

    def joined(self):
        for name in self.names:
            party.join(self.exchange, name, self.state(name))
        for name in self.names:
            party.share(self.exchange, self.state(name))
        return self

    def contribute(self, *names, seeds=None, **more):
        for name in names or self.names:
            seed = self.names.index(name) if seeds is None else seeds.get(name)
            party.contribute(self.exchange, self.state(name), self.tables[name], seed=seed, **more)
        return self

    def open(self, *names, without=()):
        for name in names or self.names:
            party.open_round(self.exchange, self.state(name), without)
        return self

    def combined(self, **more):
        return party.combine(self.exchange, **more)

    def owner(self, *names):
        """The synopsis of one owner of these parties' records whose noise is their shares."""
        plan, honest = self.exchange.agreement.plan, self.exchange.agreement.honest
        rows = pa.concat_tables([self.tables[name] for name in names or self.names])
        drawn = [SeededBits(self.names.index(name)) for name in names or self.names]
        again = {}

        class Frozen(Paid):
            def add(self, exact, units):
                total = exact.copy()
                for bits in drawn:
                    total += NoiseShare(self.noise, honest).draw(units, bits)
                return total

        class OwnersPurse(Purse):
            def pay(self, noise):
                self.spend(noise.event)
                round_over(len(self.events))
                return Frozen(noise, self.bits)

        def round_over(bought):
            """A contribution of a later round begins its seeded noise anew."""
            edges = np.cumsum(plan.rounds)[:-1] + 1
            if bought in edges and bought not in again:
                again[bought] = True
                drawn[:] = [SeededBits(self.names.index(name)) for name in names or self.names]

        records = Records(open_source(rows), plan.domain)
        return plan.measure(records, OwnersPurse(plan.guarantee, SeededBits(0))).to_json()
