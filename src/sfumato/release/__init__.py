"""Releases: the value, its certificate, its folder."""

from sfumato.release.certificate import Certificate
from sfumato.release.release import Release

__all__ = ["Certificate", "Release"]
