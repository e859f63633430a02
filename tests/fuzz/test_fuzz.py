"""Whatever is read, Sfumato does it or refuses it in its own words, and tells no secret.

Both runs are the same every time, the slow one with another seed and more inputs.
SFUMATO_FUZZ_SEED=fresh draws a seed and prints it, a number repeats it, and a failure says which
input of which kind it was.
"""

import os
import re
import secrets
import signal
from random import Random

import pytest

from fuzz import (
    counts,
    dictionaries,
    environment,
    frames,
    keys,
    ledgers,
    networks,
    options,
    parties,
    releases,
    requests,
    schemas,
    sources,
    streams,
    tables,
    typed,
)
from fuzz.running import failures

KINDS = {
    "schemas": (schemas.make, 40),
    "dictionaries": (dictionaries.make, 30),
    "tables": (tables.make, 10),
    "frames": (frames.make, 8),
    "sources": (sources.make, 13),
    "networks": (networks.make, 20),
    "streams": (streams.make, 20),
    "states": (streams.make_state, 30),
    "counts": (counts.make, 20),
    "releases": (releases.make, 40),
    "ledgers": (ledgers.make, 20),
    "options": (options.make, 13),
    "parties": (parties.make, 20),
    "keys": (keys.make, 20),
    "typed": (typed.make, 40),
}
REQUESTS, WORLDS, MORE = 75, 1, 10
STATED = os.environ.get("SFUMATO_FUZZ_SEED", "0")
SEED = secrets.randbelow(10**9) if STATED == "fresh" else int(STATED)


@pytest.fixture(scope="module")
def other():
    seed = SEED or 1
    print(f"SFUMATO_FUZZ_SEED={seed}")
    return seed


def report(kind, seed, found):
    """One example of each fault, the shortest."""
    shortest = {}
    for failure in sorted(found, key=lambda failure: len(failure.said)):
        shortest.setdefault(failure.fault, failure)
    said = "\n".join(map(str, shortest.values()))
    return f"{len(found)} inputs of {kind} fail under SFUMATO_FUZZ_SEED={seed}:\n{said}"


def check(kind, seed, times):
    maker, count = KINDS[kind]
    found, done, refused = failures(maker, kind, seed, range(count * times))
    assert not found, report(kind, seed, found)
    # A kind of which all inputs are refused, or none, tests only half of the sentence.
    assert done > count // 50
    assert refused > count // 50 or kind == "frames"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_is_done_or_refused(kind):
    check(kind, SEED, 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_under_another_seed_is_done_or_refused(kind, other):
    check(kind, other, MORE)


def ask(folder, seed, count):
    with requests.serving(folder) as (port, process):
        for index in range(count):
            sent = requests.request(Random(f"requests {seed} {index}"))
            fault = requests.fault_of_service(port, sent)
            assert fault is None, f"SFUMATO_FUZZ_SEED={seed}, request {index}: {fault}\n{sent!r}"
        assert process.poll() is None, "the service ended"
        # It still answers, and its owner was told nothing that counts.
        good = b"GET /facts HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        assert requests.fault_of_service(port, good) is None
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
    said = (folder / "said").read_text()
    assert "Traceback" not in said, said[-2000:]
    assert tables.FIGURE not in said
    assert re.search("stopped: [1-9]", said), "no request was answered"


@pytest.mark.slow
def test_a_service_answers_or_refuses_every_request(tmp_path):
    ask(tmp_path, SEED, REQUESTS)


@pytest.mark.slow
def test_a_service_answers_or_refuses_every_request_under_another_seed(tmp_path, other):
    ask(tmp_path, other, REQUESTS * MORE)


def start(folder, seed, count):
    for index in range(count):
        place = folder / str(index)
        place.mkdir()
        variables, words = environment.world(Random(f"environment {seed} {index}"))
        fault = environment.fault_in(variables, words, place)
        assert fault is None, f"SFUMATO_FUZZ_SEED={seed}: {variables} {words}: {fault}"


@pytest.mark.slow
def test_a_command_ends_properly_in_any_environment(tmp_path):
    start(tmp_path, SEED, WORLDS)


@pytest.mark.slow
def test_a_command_ends_properly_in_any_environment_under_another_seed(tmp_path, other):
    start(tmp_path, other, WORLDS * MORE)
