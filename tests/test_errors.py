"""The tree of refusals: drawn as it is, and told apart as its readers need it."""

import re

import pytest

from sfumato import errors


def drawn():
    """Names and depths of the tree in the module's docstring."""
    lines = re.findall(r"^([ │├└─]*)([A-Z]\w+)", errors.__doc__, flags=re.M)
    return {name: (len(stem) - 4) // 4 for stem, name in lines if stem}


def test_every_error_is_in_the_drawing_at_its_depth():
    built = {
        name: len([c for c in getattr(errors, name).__mro__ if issubclass(c, errors.SfumatoError)])
        for name in errors.__all__
    }
    assert {name: depth + 1 for name, depth in drawn().items()} == built


@pytest.mark.parametrize("name", ["ParameterError", "SchemaError", "DataError"])
def test_bad_input_is_also_a_value_error(name):
    assert issubclass(getattr(errors, name), ValueError)


def test_a_missing_extra_is_also_an_import_error_and_no_refusal():
    assert issubclass(errors.MissingExtra, ImportError)
    assert not issubclass(errors.MissingExtra, errors.Refused)
