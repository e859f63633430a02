"""What to do about a file that does not fit, as the pages have it: where to choose it, no YAML.

>>> on_pages("declare missing: allowed if a record may lack it")
'tick May lack beside the column, on the page of the columns, if a record may lack it'
"""

import re

from sfumato.publishing.misfit_words import BUY, GO_ON, LOOK, QUOTE_THEM

__all__ = ["on_pages"]

_OF_LINES = re.compile(
    "; in lines of JSON see also whether the key is written .*?, in the same letters"
    "|, in lines of JSON whether each is an object by itself",
    re.S,
)
_ON_PAGES = {
    LOOK: "a look at whether the file fits, which the ledger counts",
    GO_ON: "let more of them pass, or go on without the check, on the page of the promise",
    BUY: "",
    QUOTE_THEM: "put such values in quotes",
    "declare missing: allowed": "tick May lack beside the column, on the page of the columns,",
    "widen the range (low)": "widen the range on the page of the columns",
    "widen the range (high)": "widen the range on the page of the columns",
    "declare codes for missing, such as -99 (missing_words)": "if they stand for missing, as -99 "
    "may do, write them there into Words for a value that is missing",
    "declare how the file writes its dates (format)": "choose on the page of the columns how the "
    "file writes its dates",
    "declare how the file writes its numbers (decimal, thousands, percent), which words stand for "
    "missing (missing_words)": "choose on the page of the columns how the file writes its numbers, "
    "and which words stand for a value that is missing",
    "declare the words that stand for true and false": "write on the page of the columns which "
    "words stand for yes and no (yes: ja; no: nein)",
    "declare the encoding of the file (file: encoding)": "save the file as UTF-8",
    "list all values, declare other for the rest, or aliases for other spellings": "list all "
    "values on the page of the columns, or say there what all others become (other: elsewhere)",
}


def on_pages(text: str) -> str:
    """The same with the remedies of the pages in place of those of commands and schemas."""
    text = _OF_LINES.sub("", text)  # which have no header, so that the pages take none
    for command, here in _ON_PAGES.items():
        text = text.replace(command, here)
    return text
