"""NOT PRIVATE: releases by person beside their records, for the owner's eyes.

Where a schema makes a person with all of their rows the unit, a release is a panel: persons, what
each of them has once, and their rows.  `sfumato.inspection` says why no score here is publishable.
"""
