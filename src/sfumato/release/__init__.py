"""Releases: the value, its certificate, its folder."""

from sfumato.release.release import Release, digest

__all__ = ["Release", "digest"]
