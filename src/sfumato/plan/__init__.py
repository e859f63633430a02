"""What will be measured, at which price, and how a release is made of it: public facts alone."""

from sfumato.plan.plan import GIVEN, RECORD, Declared, Method, Plan, Synopsis

__all__ = ["GIVEN", "RECORD", "Declared", "Method", "Plan", "Synopsis"]
