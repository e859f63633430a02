"""What a fault is made of: functions and properties that are replaced by less private ones."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from sfumato.measure import specialise
from sfumato.methods import basis, dp_pca, lip, reduction
from sfumato.methods.mosaic import division as mosaic_division
from sfumato.privacy import budget, choice, keyed, mechanism, sensitivity
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Noise
from sfumato.privacy.sensitivity import Sensitivity
from sfumato.synopsis import centred, features

PURE, GAUSS, APPROX = {"epsilon": "1"}, {"rho": "0.5"}, {"epsilon": "1", "delta": "1e-6"}


def half(moved):
    """Half a sensitivity."""
    return Sensitivity(moved.l1 / 2, moved.l2_squared / 4)


def halved(*places):
    """The sensitivity that a function returns, halved wherever it is held."""

    def seed(patch):
        for place, name in places:
            honest = getattr(place, name)
            patch.setattr(place, name, lambda *a, _f=honest, **k: half(_f(*a, **k)))

    return seed


def replaced(place, name, made):
    """A function made anew from the honest one."""
    return lambda patch: patch.setattr(place, name, made(getattr(place, name)))


def property_of(owner, name, made):
    """A property whose value is changed."""

    def seed(patch):
        held = vars(owner)[name]
        honest = held.fget if isinstance(held, property) else held.func
        patch.setattr(owner, name, property(lambda self: made(honest(self), self)))

    return seed


def half_noise(made, _):
    """Noise for half of the sensitivity."""
    return replace(made, sensitivity=half(made.sensitivity))


def part(name):
    """One of the three parts of reduced moments, halved."""

    def made(honest):
        def wrong(*args):
            found = honest(*args)
            return replace(found, **{name: half(getattr(found, name))})

        return wrong

    return made


def no_interior(honest):
    """Only the corners are looked at, where both distances agree."""

    def wrong(*args, **kwargs):
        found = honest(*args, **kwargs)
        return Sensitivity(found.l2_squared, found.l2_squared)

    return wrong


def no_products(honest):
    """Sums alone are paid for."""
    return lambda c=0, b=0, blocks=0, **_: sensitivity.record(c, b, blocks)


def no_triangle(honest):
    """Class counts and class sums alone are paid for."""

    def wrong(c=0, b=0, blocks=0, *, counts=2, **_):
        entries = Fraction(counts + 2 * (c + b + blocks))
        return Sensitivity(entries, entries)

    return wrong


def without(**fixed):
    """A call with some arguments fixed."""
    return lambda honest: lambda **kwargs: honest(**(kwargs | fixed))


def twice_the_shares(patch):
    """Every share of a budget is granted twice, and the purse looks away."""

    def wrong(whole, *shares):
        parts = budget_shared(whole, *shares)
        return tuple(
            PureDP(2 * p.epsilon) if isinstance(p, PureDP) else ZCDP(4 * p.rho) for p in parts
        )

    budget_shared = budget.shared
    for place in (lip, basis, dp_pca, mosaic_division, reduction):
        patch.setattr(place, "shared", wrong)
    patch.setattr(mechanism, "_within", lambda *_: True)


def one_share_too_much(patch):
    """The second share is the whole, and the purse looks away."""
    honest = lip.shared
    patch.setattr(lip, "shared", lambda whole, *s: (honest(whole, s[0])[0], whole))
    patch.setattr(mechanism, "_within", lambda *_: True)


def a_dearer_rho(patch):
    """The ρ that fits into (ε, δ) is taken for twice as large, on both sides of the purse."""
    honest = mechanism.rho_within
    patch.setattr(mechanism, "rho_within", lambda *a: ZCDP(2 * honest(*a).rho))
    patch.setattr(mechanism, "_within", lambda *_: True)


def units_forgotten(patch):
    """Noise for steps of 1, whatever an entry counts."""
    honest = Noise.draw
    patch.setattr(Noise, "draw", lambda self, units, bits: honest(self, np.ones_like(units), bits))


def one_noise_for_all(patch):
    """The noise of the first entry is added to all."""
    honest = Noise.draw

    def wrong(self, units, bits):
        return np.broadcast_to(honest(self, units, bits).ravel()[0], units.shape)

    patch.setattr(Noise, "draw", wrong)


def a_smaller_price(patch):
    """What is paid is half of what the noise is drawn for."""
    honest = Noise.event.fget

    def wrong(self):
        event = honest(self)
        return replace(event, cost=PureDP(event.cost.epsilon / 2))

    patch.setattr(Noise, "event", property(wrong))


def bought_once_used_twice(patch):
    """The sums of a scatter under the noise that was paid for the products."""
    from sfumato.measure.scatter import Scatter, exact_scatter
    from sfumato.synopsis.scatter import ScatterSynopsis

    def wrong(self, records, purse):
        exact = exact_scatter(self.layout, records)
        paid = purse.pay(self.noise)
        entries = paid.add(self.layout.pack(exact.rows, exact.second), self.layout.units)
        sums = paid.add(exact.sums, np.full(len(exact.sums), centred.UNIT, np.int64))
        return ScatterSynopsis(self.layout, entries, sums, exact.rows)

    patch.setattr(Scatter, "perturb", wrong)


def empty_parts_are_told(patch):
    """A part without records scores far below all others: only some tables have one."""
    honest = specialise.SCORES["infogain"]

    def of(parts):
        return np.where(parts.sum(axis=(-2, -1)) == 0, -(2**40), honest.of(parts))

    patch.setitem(specialise.SCORES, "infogain", replace(honest, of=of))


def not_clipped(honest):
    """Values outside the range keep their place outside, whichever path was chosen."""

    def wrong(codes, values, low, high, points, unusable):
        inside = np.clip(np.nan_to_num(values, nan=low), low - 5, high + 5)
        codes[:] = np.where(
            np.isnan(values), unusable, np.rint((inside - low) / (high - low) * points)
        )

    return lambda paths, count: wrong


def missing_beyond(self, codes, honest=features.Features.design):
    """A missing number stands at three times its range."""
    X = honest(self, codes)
    for j, item in enumerate(self.items):
        if item.level is None:
            X[codes[:, item.axis] == -1, j] = 3 * item.unit
    return X


def mean_of_the_records(patch):
    """Records are centred by their own mean, not by the public middle."""
    honest = centred.Centred.design

    def wrong(self, codes):
        Z = honest(self, codes)
        return Z - np.rint(Z.mean(axis=0)) if len(Z) else Z

    patch.setattr(centred.Centred, "design", wrong)


def rank_from_the_records(patch):
    """How many directions are kept follows from exact coordinates."""
    from sfumato.measure.moments import Moments

    honest = Moments.perturb

    def wrong(self, records, purse):
        found = honest(self, records, purse)
        odd = int(self.query(records).sum()) % 2
        return replace(found, entries=found.entries + 10**9 * odd)

    patch.setattr(Moments, "perturb", wrong)


def steeper(honest):
    """Exponentials fall twice as fast as they are asked to."""
    return lambda scale, words, bits: honest(scale / 2, words, bits)


class SteeperCeilings(choice.Ceilings):
    """Weights that fall twice as fast as they are asked to."""

    def __init__(self, approximate, exact, width):
        super().__init__(2 * approximate, lambda i: 2 * exact(i), width)


def unkeyed(*forgotten):
    """The key of a part without its number, or without the records."""

    def digest(f):
        def made(self, number, codes):
            number = 0 if "number" in forgotten else number
            return f(self, number, codes[:0] if "codes" in forgotten else codes)

        return made

    return replaced(keyed.NoiseKey, "digest", digest)
