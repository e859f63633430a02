"""What the protocol is for, by attacks that succeed as soon as one of its parts is left out."""

import numpy as np
import pytest

from party_world import NAMES, World, schema
from sfumato import party
from sfumato.inspection.audit.noise_law import Drawn, p_values
from sfumato.party import contributing, opening
from sfumato.party.agreement import Agreement
from sfumato.party.document import ContributionFile, decoded
from sfumato.party.exchange import Exchange
from sfumato.party.mask import pair_mask
from sfumato.party.measuring import StandIns, measured
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6
SMALL = 2**30  # beyond counts, sums and their noise, far below most of 64 random bits
WIDE = {"kind": "category", "values": [f"v{k}" for k in range(50)]}


def honest_noise(agreement):
    """What is left of the noise when colluders take theirs off and others dropped out."""
    empty = StandIns(agreement.plan.domain, 0)
    honest = len(agreement.parties) - agreement.file.dropouts - agreement.file.colluders
    parts = [
        measured(agreement.plan, empty, SeededBits(k), agreement.honest, ()) for k in range(honest)
    ]
    return sum(entries for (entries,) in parts)


def agreed(**budget):
    columns = {"a": WIDE, "b": WIDE}
    names = ["p1", "p2", "p3", "p4", "p5"]
    return party.agree(
        schema(columns=columns), names, method="modips", release="r", dropouts=1, **budget
    )


def smallest_p(agreement):
    noise, event = honest_noise(agreement), agreement.plan.events[0]
    drawn = Drawn(event.mechanism, noise, np.full(noise.size, float(event.noise)))
    return min(p_values(drawn, np.random.default_rng(0)).values())


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": "1/10"}])
def test_the_honest_shares_alone_are_the_noise_that_was_paid_for(budget):
    agreement = agreed(**budget)
    assert agreement.honest == 2
    assert smallest_p(agreement) > FALSE_ALARM


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": "1/10"}])
def test_noise_that_was_divided_among_all_parties_is_found_out(budget, monkeypatch):
    monkeypatch.setattr(Agreement, "honest", property(lambda self: len(self.parties)))
    assert smallest_p(agreed(**budget)) < FALSE_ALARM


def entries(world, name, number=1):
    file = ContributionFile.read(world.folder / f"{name}.contribution-{number}.json")
    return np.frombuffer(decoded(file.entries, name), "<u8").view(np.int64)


def looks_bare(vector):
    """Whether these are statistics and not 64 random bits each (chance 2^-33 for an entry)."""
    return bool((np.abs(vector.astype(float)) < SMALL).any())


def late_contribution_unmasked(world):
    """The collector holds a contribution back, lets the others open without it, and then looks."""
    world.contribute()
    held = world.folder / "west.contribution-1.json"
    aside = held.rename(world.path / "held.json")
    world.open("north", "south")
    exchange = world.exchange
    found, _ = opening.opened_sums(exchange, 1)
    unmasking = opening._Unmasking(exchange, 1, found, exchange.openings(1))
    private = unmasking._mask_key("west")
    aside.rename(held)
    left = entries(world, "west").view(np.uint64)
    for other in ("north", "south"):
        peer = bytes.fromhex(exchange.keys[other].masks[0])
        left = left - pair_mask(private, peer, exchange.use("mask", 1), left.size, adds=False)
    return left.view(np.int64)


def test_a_contribution_that_was_held_back_stays_masked(tmp_path):
    assert not looks_bare(late_contribution_unmasked(World(tmp_path).joined()))


def test_without_its_own_mask_it_would_be_bare(tmp_path, monkeypatch):
    nothing = lambda seed, use, count: np.zeros(count, np.uint64)  # noqa: E731
    monkeypatch.setattr(contributing, "self_mask", nothing)
    monkeypatch.setattr(opening, "self_mask", nothing)
    assert looks_bare(late_contribution_unmasked(World(tmp_path).joined()))


def difference_of_rounds(path):
    """Two rounds of the same party: what is left if their masks were the same."""
    world = World(
        path, method="mosaic", schema=schema("add-remove"), epsilon=None, rho="1/10"
    ).joined()
    world.contribute().open().contribute()
    first, second = entries(world, "north", 1), entries(world, "north", 2)
    size = min(first.size, second.size)
    return first[:size] - second[:size]


def test_no_mask_is_used_in_two_rounds(tmp_path):
    assert not looks_bare(difference_of_rounds(tmp_path))


def test_a_mask_that_is_used_twice_is_found_out(tmp_path, monkeypatch):
    real = party.joining.StateFile

    def same_keys(**fields):
        one = {name: (fields[name][0],) * 2 for name in ("masks", "selves")}
        return real(**{**fields, **one})

    monkeypatch.setattr(party.joining, "StateFile", same_keys)
    monkeypatch.setattr(Exchange, "keys", Unchecked())
    monkeypatch.setattr(Exchange, "use", lambda self, what, number=None: f"{self.roster}; {what}")
    assert looks_bare(difference_of_rounds(tmp_path))


class Unchecked:
    """The keys of an exchange, without asking whether one is there twice."""

    def __get__(self, exchange, _=None):
        return {
            name: exchange._read(party.joining.KeyFile, name, "key")
            for name in exchange.agreement.parties
        }


def test_what_leaves_a_party_is_never_bare(tmp_path):
    world = World(tmp_path).joined().contribute()
    assert not any(looks_bare(entries(world, name)) for name in NAMES)
    plan = world.exchange.agreement.plan
    assert looks_bare(measured(plan, StandIns(plan.domain, 0), SeededBits(1), 1, ())[0])
