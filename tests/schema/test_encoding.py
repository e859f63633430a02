"""Encodings: any that Python has for files of text, and no other."""

import codecs
from encodings.aliases import aliases
from random import Random

import pytest

from sfumato.schema.encoding import text_encoding


@pytest.mark.parametrize(
    "name",
    [
        *("utf-8", "UTF8", "utf-8-sig", "utf-16", "utf-16-le", "UTF_32", "latin-1", "cp1252"),
        *("iso8859-15", "koi8-r", "shift_jis", "gb18030", "big5", "cp500", "mac-roman", "ascii"),
    ],
)
def test_encodings_of_text_files_are_taken_by_any_of_their_names(name):
    assert text_encoding(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *("rot13", "base64", "hex", "zlib", "bz2", "uu", "quopri", "idna", "punycode", "undefined"),
        *("unicode_escape", "raw_unicode_escape", "utf-7", "mbcs", "", "x" * 999, "a\0b", "é"),
        *("hz", "HZ-GB-2312", "iso2022_jp", "ISO-2022-KR", "iso2022_jp_ext", "csiso2022jp"),
    ],
)
def test_what_is_no_encoding_of_text_files_is_refused(name):
    with pytest.raises(ValueError, match="name one of text files, as utf-8"):
        text_encoding(name)


def known(name):
    try:
        return text_encoding(name) == name
    except ValueError:
        return False


def rewritten(encoding, records):
    """Those of the records after which the next line is read as something else."""
    ends, below = "\n".encode(encoding), "z,1;b\n".encode(encoding)
    return [
        record
        for record in records
        if not codecs.decode(record + ends + below, encoding, "replace").endswith("\nz,1;b\n")
    ]


SHIFTS = [bytes([byte, *rest]) for byte in range(256) for rest in (b"", *(b"~ { $ % & (".split()))]
SHIFTS += [b"\x1b$B", b"\x1b(J", b"\x1b$)C\x0e", b"~{VP", b"+AGE", b"\x81\x30\x81", b"\x8f\xa1"]
LINES = [line for line in SHIFTS if not set(line) & set(b"\r\n\x15\x25\x0d")]


def test_no_record_changes_how_the_next_one_is_read_in_any_encoding_that_is_taken():
    """Every encoding that Python has; two and four bytes stand for themselves by their places."""
    taken = sorted(name for name in set(aliases.values()) if known(name))
    narrow = [name for name in taken if not name.startswith(("utf_16", "utf_32"))]
    assert len(narrow) > 60
    assert {name: found for name in narrow if (found := rewritten(name, LINES))} == {}
    draw = Random(0)
    for name, width in (("utf_16_le", 2), ("utf_16_be", 2), ("utf_32_le", 4), ("utf_32_be", 4)):
        assert not rewritten(name, [draw.randbytes(width) for _ in range(500)])
    assert rewritten("iso2022_jp", LINES)  # it can fail
    assert rewritten("hz", LINES)
    assert rewritten("utf_7", LINES)
