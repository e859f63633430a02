"""Figures of tables and of attacks as lines of a page, the same for rows and for persons."""

from sfumato.inspection.attack.result import Attack
from sfumato.inspection.information import Distances
from sfumato.inspection.section import Line

__all__ = ["LIMITED", "attack_line", "distance_line"]

LIMITED = "An attack that fails shows that this attack fails; only a guarantee covers all. "
_WORST = 3  # columns and pairs that are named


def attack_line(attack: Attack) -> Line:
    """What it found, and what it would have found: a failure counts only where it had power."""
    name = f"{attack.name}, {attack.subject}" if attack.subject else attack.name
    said = f"{attack.sentence.removeprefix(f'{name}: ')} {attack.strength}".rstrip()
    return Line(name, attack.verdict, said)


def distance_line(what: str, found: Distances) -> Line:
    """The mean over all tables, and those that are farthest off."""
    named = [
        f"{' × '.join(columns)} {distance:.3f}"
        for columns, distance in list(found.by_columns.items())[:_WORST]
    ]
    return Line(f"total variation, {what}", f"{found.mean:.3f}", "worst: " + ", ".join(named))
