"""Command lines: any words after any command end in an exit code of 0, 1 or 2."""

import json
from pathlib import Path
from random import Random

from fuzz.changes import WORDS, number
from fuzz.judge import Trial, command
from fuzz.schemas import SCHEMA
from fuzz.tables import csv_of
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP

__all__ = ["make"]

_FILES = ("people.csv", "people.json", "roads.csv", "words.csv", "visits.txt", "budget.db", "none")
_COMMANDS = {
    "publish people.csv --schema people.json --epsilon 1 --yes -o out": (
        *("--method", "--epsilon", "--delta", "--rho", "--rows", "--model", "--where", "--format"),
        *("--option", "--release", "--basis", "--seed", "--ledger", "--output", "--schema"),
        *("--sign",),
        *("--accept-no-guarantee", "--as-published"),
    ),
    "graph publish roads.csv --directed --epsilon 1 --option high=10 -o out": (
        *("--method", "--preserve", "--option", "--epsilon", "--delta", "--rho", "--name"),
        *("--ledger", "--format", "--release", "--seed", "--accept-no-guarantee", "--undirected"),
    ),
    "graph compare roads.csv roads.csv --undirected": (
        *("--pairs", "--preserve", "--k", "--mu", "--source", "--target", "--weight", "--seed"),
        *("--picture",),
    ),
    "stream count visits.txt --horizon 64 --epsilon 1 -o out": (
        *("--horizon", "--every", "--epsilon", "--delta", "--rho", "--pan", "--option", "--pause"),
        *("--resume", "--name", "--ledger", "--release", "--seed", "--output"),
    ),
    "stream mean visits.txt --times 8,16 --size 4 --epsilon 1 -o out": (
        *("--times", "--horizon", "--sigma", "--size", "--epsilon", "--single", "--name", "--seed"),
    ),
    "query publish words.csv --epsilon 1 -o out": (
        *("--epsilon", "--delta", "--rho", "--wavelet", "--both", "--share", "--neighbours"),
        *("--name", "--ledger", "--format", "--release", "--seed"),
    ),
    "query ask none --keys k1": ("--keys", "--from", "--to", "--confidence", "--epsilon"),
    "query client add anna --dataset people --epsilon 1 --ledger budget.db": (
        *("--dataset", "--epsilon", "--reason", "--ledger"),
    ),
    "query client list --dataset people --ledger budget.db": ("--dataset", "--ledger"),
    "query client revoke anna --dataset people --reason x --ledger budget.db": (
        *("--dataset", "--reason", "--ledger"),
    ),
    "ledger grant people --epsilon 1 --reason x --ledger budget.db": (
        *("--epsilon", "--delta", "--rho", "--heuristic", "--reason", "--ledger"),
    ),
    "ledger create --ledger new.db": ("--ledger",),
    "ledger show --ledger budget.db": ("--ledger",),
    "ledger verify --ledger budget.db": ("--head", "--ledger", "--signed-head", "--key"),
    "ledger sign --ledger budget.db --key none -o out": ("--ledger", "--key", "--output"),
    "key create new.key": (),
    "key show none": (),
    "ledger refund r --reason x --ledger budget.db": ("--reason", "--ledger"),
    "ledger same-data people others --reason x --ledger budget.db": ("--reason", "--ledger"),
    "schema draft people.csv": ("--output", "--public"),
    "schema check people.json": (),
    "schema suggest out": ("--share", "--chance"),
    "methods": (),
    "verify out": ("--ledger", "--trial", "--public", "--key", "--revoked"),
    "report out": ("--output", "--force"),
    "accuracy out": ("--sum", "--mean", "--greater", "--max", "--column", "--pair", "--confidence"),
}
_BARE = ("--accept-no-guarantee", "--as-published", "--pan", "--single", "--wavelet", "--both")
_NAMES = ("mosaic", "modips", "dp-lda", "edge-greedy", "edge-laplace", "csv", "parquet", "people")


def make(rng: Random, folder: Path) -> Trial:
    """A good command with other words in it, more words, or fewer."""
    _place(folder)
    line = rng.choice(list(_COMMANDS))
    words = line.split()
    for _ in range(rng.randint(1, 3)):
        option = rng.choice(_COMMANDS[line] or ("--help",))
        place = rng.randrange(2, len(words) + 1) if len(words) > 2 else len(words)
        match rng.randrange(5):
            case 0:
                words[place:place] = [_word(rng)]
            case 1 if place < len(words):
                words[place] = _word(rng)
            case 2 if place < len(words):
                del words[place]
            case _:
                words += [option] if option in _BARE else [option, _word(rng)]
    words = [word.replace("\0", "") for word in words]
    return Trial(command(*words), f"sfumato {words!r}")


def _word(rng: Random) -> str:
    name = rng.choice(("rank", "bins", "shares", "high", "every", "components", "basis", "x", ""))
    return rng.choice(
        (
            *(rng.choice(WORDS), number(rng), number(rng), rng.choice(_FILES), rng.choice(_NAMES)),
            f"{name}={rng.choice((number(rng), rng.choice(WORDS)))}",
            rng.choice(("age=1..2", "ward=a", "ward=", "age=9..1", "age=..", "age:ward", "8,4,2")),
        )
    )


def _place(folder: Path) -> None:
    """What the commands are about."""
    (folder / "people.csv").write_text(csv_of(Random(1)))
    (folder / "people.json").write_text(json.dumps(SCHEMA))
    (folder / "roads.csv").write_text("source,target,weight\na,b,1\nb,c,2\nc,a,3\n")
    (folder / "words.csv").write_text("key,count\nk0,1\nk1,2\nk2,3\n")
    (folder / "visits.txt").write_text("01" * 16)
    with Ledger.create(folder / "budget.db") as ledger:
        ledger.grant("people", PureDP(3), reason="a test")
