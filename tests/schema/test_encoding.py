"""Encodings: any that Python has for files of text, and no other."""

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
    ],
)
def test_what_is_no_encoding_of_text_files_is_refused(name):
    with pytest.raises(ValueError, match="name one of text files, as utf-8"):
        text_encoding(name)
