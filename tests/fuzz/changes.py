"""Changes to good examples: of bytes, of words, and of what is nested."""

import re
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

__all__ = ["ODD", "WORDS", "bytes_changed", "cell", "nested_changed", "number", "words_changed"]

WORDS = (
    *("", " ", "0", "-0", "1", "-1", "00", "01", "1e308", "-1e999", "1e-400", "nan", "inf", "-inf"),
    *("0x10", "1_000", "１２", "½", "9" * 30, "9" * 5000, "0." + "0" * 400 + "1", "1/0", "1/3"),
    *("true", "False", "yes", "null", "None", "NA", "~", "1:30", "2020-02-30", "0000-00-00"),
    *("9999-12-31T23:59:60", "2020-01-01T00:00:00+99:00", "١", "\u202e", "é", "e\u0301", "ß"),
    *("[red]x[/red]", "[/]", "%s", "{0}", "${x}", "=1+1", "<b>", "&amp;", "'", '"', "a,b", "a;b"),
    *(
        "a\0b",
        "a\nb",
        "a\rb",
        "a\tb",
        "..",
        "/",
        "~",
        "*",
        "-",
        "--",
        "x" * 300,
        "🙂",
        "\ufeff",
        "\u2028",
    ),
)
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**400, 0.5, -0.0, 1e308, 5e-324),
    *(
        float("nan"),
        float("inf"),
        "",
        "x",
        "x" * 5000,
        [],
        {},
        [[]],
        [None],
        {"": None},
        "1",
        "1/3",
    ),
    *(list(range(50)), [0, "a", None], {"a": {"b": {"c": 1}}}, "2020-01-01", "nan", "epsilon"),
)
_BYTES = (b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b'"', b"'", b",", b"\xed\xa0\x80")


def _few(rng: Random, most: int) -> int:
    """One, as a rule: what is changed in many places is refused for the first of them."""
    return 1 if rng.random() < 0.6 else rng.randint(1, most)


def bytes_changed(rng: Random, good: bytes, most: int = 4) -> bytes:
    """Flipped, cut, doubled, moved or foreign bytes."""
    content = bytearray(good)
    for _ in range(_few(rng, most)):
        start = rng.randrange(len(content) + 1)
        stop = min(len(content), start + rng.choice((1, 1, 2, 8, 64, 1000)))
        match rng.randrange(7):
            case 0 if start < len(content):
                content[start] ^= 1 << rng.randrange(8)
            case 1:
                del content[start:stop]
            case 2:
                content[start:start] = content[start:stop] * rng.choice((1, 2, 50))
            case 3:
                content[start:start] = rng.choice(_BYTES) * rng.choice((1, 1, 3, 1000))
            case 4:
                content[start:stop] = rng.randbytes(stop - start)
            case 5:
                del content[start:]
            case _:
                content[start:start] = rng.choice(WORDS).encode("utf-8", "surrogatepass")
    return bytes(content)


def words_changed(rng: Random, good: str, most: int = 3) -> str:
    """Words, numbers and signs replaced by odd ones, left out, doubled or exchanged."""
    parts = re.findall(r"[\w.+-]+|\s+|[^\w\s]", good)
    for _ in range(_few(rng, most)):
        if not parts:
            break
        place, other = rng.randrange(len(parts)), rng.randrange(len(parts))
        match rng.randrange(4):
            case 0:
                parts[place] = rng.choice(WORDS)
            case 1:
                del parts[place]
            case 2:
                parts.insert(place, parts[other])
            case _:
                parts[place], parts[other] = parts[other], parts[place]
    return "".join(parts)


def nested_changed(rng: Random, good: Any, most: int = 3) -> Any:
    """Values replaced by odd ones, left out, renamed, wrapped or put elsewhere."""
    content = deepcopy(good)
    for _ in range(_few(rng, most)):
        places = list(_places(content))
        if not places:
            return rng.choice(ODD)
        holder, key = rng.choice(places)
        match rng.randrange(6):
            case 0 | 1:
                holder[key] = deepcopy(rng.choice(ODD))
            case 2:
                del holder[key]
            case 3 if isinstance(holder, dict):
                holder[rng.choice((*WORDS, str(key).upper(), f"{key} "))] = holder.pop(key)
            case 4:
                holder[key] = _deep(holder[key], rng.choice((1, 1, 60)))
            case _:
                giver, name = rng.choice(places)
                if name in giver if isinstance(giver, dict) else name < len(giver):
                    holder[key] = deepcopy(giver[name])
    return content


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in nested lists and mappings: what holds it, and under which key."""
    match content:
        case dict():
            keys: list[Any] = list(content)
        case list():
            keys = list(range(len(content)))
        case _:
            return
    for key in keys:
        yield content, key
        yield from _places(content[key])


def _deep(content: Any, steps: int) -> Any:
    for step in range(steps):
        content = [content] if step % 2 else {"a": content}
    return content


def number(rng: Random) -> str:
    """A number as some program or person may write it, sane or not."""
    plain = str(
        rng.choice((rng.randint(-10, 120), rng.random(), rng.gauss(0, 10 ** rng.randint(-9, 40))))
    )
    return rng.choice((plain, plain, rng.choice(WORDS)))


def cell(rng: Random) -> str:
    """What may stand in a private cell."""
    return rng.choice(
        (number(rng), rng.choice(WORDS), "".join(map(chr, rng.choices(range(32, 3000), k=8))))
    )
