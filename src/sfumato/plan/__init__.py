"""What will be measured, at which price, and how a release is made of it: public facts alone."""

from sfumato.plan.case import AuditCase, ContractCase, MadeUpBasis, Setting
from sfumato.plan.plan import GIVEN, PERSON, RECORD, Declared, Method, Plan, Synopsis
from sfumato.plan.recipe import Family, Priced, Recipe

__all__ = [
    "GIVEN",
    "PERSON",
    "RECORD",
    "AuditCase",
    "ContractCase",
    "Declared",
    "Family",
    "MadeUpBasis",
    "Method",
    "Plan",
    "Priced",
    "Recipe",
    "Setting",
    "Synopsis",
]
