"""The publishable page of a release: from its certificate, synopsis and data alone.

This is the public side: nothing here can reach a record (the wall in `pyproject.toml`), so
whatever the page shows costs no privacy and may be published with the release.
"""
