"""Passwords in what is about to be shown."""

import re

__all__ = ["without_password"]

# Between :// (:/ in what became a path) and the last @ a colon begins it; as a setting it ends
# with the next one.
_IN_URL = re.compile(r"(:/{1,2}[^\s/:@]*):[^\s]*@")
_AS_SETTING = re.compile(r"(password=)[^\s&#]*", re.I)


def without_password(text: str) -> str:
    """The text, with what may be a password in a URL left out.

    >>> without_password("no such file: postgresql://ann:s/3@cr@host/db?sslpassword=x&a=1")
    'no such file: postgresql://ann:…@host/db?sslpassword=…&a=1'
    """
    return _AS_SETTING.sub(r"\1…", _IN_URL.sub(r"\1:…@", text))
