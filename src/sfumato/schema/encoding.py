"""Encodings of text files that can be declared: those that turn any bytes at all into text.

What a byte means must not depend on the lines before it: in HZ and ISO 2022 a record can switch
to another alphabet, and all records after it would be read in that one.
"""

import codecs

__all__ = ["text_encoding"]

_SAMPLE = 'a,b;"1"\t|\r\nz\n'
# Text for Python, but not of files: names of hosts, escapes of programs, halves of characters,
# and what a machine is set to.
_NOT_OF_FILES = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf_7", "mbcs", "oem"}
_SWITCHING = ("hz", "iso2022")


def text_encoding(name: str) -> str:
    """The name, refused if Python knows no encoding of text files by it.

    >>> text_encoding("Latin-1")
    'Latin-1'
    """
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        found = None
    if found is None or not _reads_files(found):
        raise ValueError(
            "encoding is not known: name one of text files, as utf-8, utf-16, latin-1 or cp1252"
        )
    return name


def _reads_files(codec: codecs.CodecInfo) -> bool:
    name = codec.name.replace("-", "_")
    if not codec._is_text_encoding or name in _NOT_OF_FILES or name.startswith(_SWITCHING):
        return False
    try:
        decoder = codec.incrementaldecoder("replace")
        read = decoder.decode(codec.encode(_SAMPLE)[0])
        decoder.decode(bytes(range(256)) * 3, final=True)  # whatever a record holds
    except (UnicodeError, TypeError, AttributeError):
        return False
    return read.lstrip("\ufeff") == _SAMPLE
