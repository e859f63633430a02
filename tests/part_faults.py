"""Faults to be seeded into parts of a table: what is read, what is charged, how it adds up."""

from dataclasses import replace

from sfumato.ledger import chain
from sfumato.ledger.amount import minus, most
from sfumato.ledger.table_part import Parted
from sfumato.plan.part import DeclaredPart
from sfumato.table.source import Inside

__all__ = ["PART_FAULTS"]


def a_run_of_codes_charged_one_short(monkeypatch):
    """The ledger takes ranges that meet in a value for ranges without a common one."""
    real = DeclaredPart.charged.fget

    def charged(self):
        found = real(self)
        return replace(found, codes=tuple((a, max(a, b - 1)) for a, b in found.codes))

    monkeypatch.setattr(DeclaredPart, "charged", property(charged))


def unreadable_values_in_every_part(monkeypatch):
    def inside(self, codes):
        mask = self.mask.copy()
        mask[-1] = True
        return mask[codes[:, self.axis]]

    monkeypatch.setattr(Inside, "of", inside)


def an_empty_part_takes_the_others(monkeypatch):
    """Whether a record is read depends on other records."""

    def inside(self, codes):
        found = self.mask[codes[:, self.axis]]
        return found if found.any() else ~found

    monkeypatch.setattr(Inside, "of", inside)


def parts_of_two_columns_in_one_frame(monkeypatch):
    real = DeclaredPart.charged.fget
    monkeypatch.setattr(
        DeclaredPart, "charged", property(lambda self: replace(real(self), frame="f00d" * 4))
    )


def parts_at_their_maximum_though_they_overlap(monkeypatch):
    def charged(self, part, amount):
        gained = minus(most(self.within(part), amount), self.within(part))
        return real(self, part, gained)

    real = Parted.charged
    monkeypatch.setattr(Parted, "charged", charged)


def the_whole_table_at_the_price_of_a_part(monkeypatch):
    honest = chain.after

    def after(balance, kind, amount, **more):
        found = honest(balance, kind, amount, **more)
        return replace(
            found, spent=most(minus(found.spent, found.parts.dearest), found.parts.dearest)
        )

    monkeypatch.setattr(chain, "after", after)


PART_FAULTS = (
    a_run_of_codes_charged_one_short,
    unreadable_values_in_every_part,
    an_empty_part_takes_the_others,
    parts_of_two_columns_in_one_frame,
    parts_at_their_maximum_though_they_overlap,
    the_whole_table_at_the_price_of_a_part,
)
