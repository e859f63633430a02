"""Decoding: codes come back from their values, values keep to range, steps and types."""

import datetime as dt
import pickle
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from neighbours import MIXED, schema
from sfumato.errors import SchemaError
from sfumato.render.decode import Decoder, nearest_codes
from sfumato.schema import Schema
from sfumato.schema.arrow import arrow_schema
from sfumato.schema.domain import MISSING, Domain, Grid
from sfumato.synopsis.features import Features
from sfumato.table.encode import encode

RANGES = [
    *(
        (0, 1),
        (-1, 3),
        (0.1, 0.7),
        (-0.3, 0.3),
        (-5, 34),
        (0.123456789, 1),
        (1 / 3, 2 / 3),
        (-9.99, 99.99),
    ),
    *((-1e300, 1e300), (0, 1e-199), (9.99e299, 1e300), (1e6, 1e6 + 1e-3), (100, 1000000.5)),
]
NUMBERS = [
    *((0, 2, 0.5), (0, 200, 0.1), (-1, 1, 1e-6), (0, 1e9, 1e-3), (-3.3, 3.3, 0.3), (0, 3, 3)),
    *((1e-5, 1.1e-4, 1e-5), (0, 1e-20, 1e-22), (-0.7, 0.7, 0.1), (0, 1e15, 1)),
]
INTEGERS = [
    *((0, 1, 1), (-7, 7, 7), (0, 110, 1), (2**53 - 10, 2**53, 1)),
    *((-(2**53), 2**53, 1), (-(2**53), 2**53, 2**40)),
]
STEPPED = [*(("number", *n) for n in NUMBERS), *(("integer", *n) for n in INTEGERS)]
DATES = [
    *(("2020-01-01", "2021-12-31"), ("1969-06-15", "1971-03-01"), ("0001-01-01", "9999-12-31")),
    *(("1600-02-29T12:34:56", "2400-02-29T23:59:59"), ("1969-12-31T23:59:58", "1970-01-01")),
]
BITS = (1, 2, 7, 15)


def one(bits=15, **column):
    return Domain.of(Schema.of({"name": "t", "grid_bits": bits, "columns": {"x": column}}))


def all_codes(domain):
    (axis,) = domain.axes
    codes = np.arange(axis.points + 1 if isinstance(axis, Grid) else axis.codes)
    if isinstance(axis, Grid) and axis.missing:
        codes = np.append(codes, MISSING)
    return codes.astype(np.int32)[:, None]


def decoded(domain):
    """Every code's value, after making sure that it leads back to its code."""
    codes = all_codes(domain)
    batch = Decoder(domain).batch(codes)
    np.testing.assert_array_equal(encode(domain, batch), codes)
    return batch.column(0)


@pytest.mark.parametrize("bits", [*BITS, 16])
@pytest.mark.parametrize(("low", "high"), RANGES)
def test_numbers_lead_back_to_their_codes_and_stay_in_range(bits, low, high):
    values = decoded(one(bits, kind="number", low=low, high=high, missing="allowed"))
    assert values[-1].as_py() is None
    found = values.drop_null().to_numpy()
    assert low <= found.min()
    assert found.max() <= high
    assert not np.signbit(found[found == 0]).any()  # nobody wants to read -0.0
    if bits < 15:
        exact = [float(low + (Fraction(high) - Fraction(low)) * k / 2**bits) for k in range(3)]
        np.testing.assert_allclose(found[:3], exact, atol=(high - low) / 2**bits / 2)


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize(("kind", "low", "high", "step"), STEPPED)
def test_stepped_numbers_are_the_floats_nearest_to_their_steps(bits, kind, low, high, step):
    domain = one(bits, kind=kind, low=low, high=high, step=step, missing="allowed")
    values = decoded(domain).to_pylist()[:-1]
    bottom, size = Fraction(str(low)), Fraction(str(step))
    steps = [round((Fraction(str(v)) - bottom) / size) for v in values]
    assert values == [type(v)(bottom + size * k) for v, k in zip(values, steps, strict=True)]
    assert values[0] in (low, 0)
    assert values[-1] in (high, 0)
    assert steps == sorted(set(steps))
    points, last = domain.axes[0].points, domain.axes[0].steps
    # Within half a step where all steps are codes, else within half of what a code holds.
    most = Fraction(last, 2 * points) if last > points else 0
    assert all(abs(k - Fraction(c * last, points)) <= most for c, k in enumerate(steps))


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("step", ["second", "minute", "hour", "day", "month", "year"])
@pytest.mark.parametrize(("low", "high"), DATES)
def test_dates_lead_back_to_their_codes_and_start_their_step(bits, step, low, high):
    try:
        domain = one(bits, kind="date", low=low, high=high, step=step, missing="allowed")
    except SchemaError:
        assert (step, low[:7]) in [(s, "1969-12") for s in ("day", "month")] or step == "year"
        return
    values = decoded(domain)
    assert values.type == (
        pa.timestamp("s") if step in ("second", "minute", "hour") else pa.date32()
    )
    moments = values.to_pylist()[:-1]
    assert moments == sorted(moments)
    if step in ("month", "year"):
        assert all(m.day == 1 and (step == "month" or m.month == 1) for m in moments)
    if step in ("minute", "hour"):
        assert all(m.second == 0 and (step == "minute" or m.minute == 0) for m in moments)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ({"kind": "boolean"}, pa.bool_()),
        ({"kind": "category", "values": [1, -3, 2**53, -(2**53)]}, pa.int64()),
        ({"kind": "category", "values": [1, 2], "other": "x"}, pa.string()),
        ({"kind": "category", "values": ["a\tb", "a\nb", 'q"', "  x ", "1", "1.0"]}, pa.string()),
        ({"kind": "category", "values": ["nan", "None", "𝔘", "2020-01-01", 3]}, pa.string()),
        ({"kind": "category", "values": ["only"]}, pa.string()),
    ],
)
@pytest.mark.parametrize("facts", [{}, {"missing": "allowed"}])
def test_levels_lead_back_to_their_codes(column, kind, facts):
    values = decoded(one(**column, **facts))
    assert values.type == kind
    assert values.null_count == len(facts)


@settings(max_examples=60)
@given(st.floats(-1e9, 1e9), st.floats(1e-9, 1e9), st.integers(1, 12))
def test_any_range_leads_back_to_its_codes(low, width, bits):
    assume(low + width > low)
    try:
        domain = one(bits, kind="number", low=low, high=low + width)
    except SchemaError:
        assume(False)
    found = decoded(domain).to_numpy()
    assert low <= found.min()
    assert found.max() <= low + width


@settings(max_examples=60)
@given(
    st.integers(-(10**9), 10**9),
    st.integers(1, 10**6),
    st.integers(1, 500),
    st.integers(0, 9),
    st.integers(1, 8),
)
def test_any_steps_lead_back_to_their_codes(low, step, steps, decimals, bits):
    low, high, step = (n / 10**decimals for n in (low, low + steps * step, step))
    values = decoded(one(bits, kind="number", low=low, high=high, step=step)).to_pylist()
    assert values[0] in (low, 0)
    assert values[-1] in (high, 0)


def test_types_do_not_depend_on_whether_a_value_is_missing():
    columns = {name: c | {"missing": "allowed"} for name, c in MIXED["columns"].items()}
    domain = Domain.of(schema(columns=columns))
    present = np.zeros((3, len(domain.axes)), np.int32)
    missing = [[MISSING if isinstance(a, Grid) else a.codes - 1 for a in domain.axes]] * 3
    decoder = Decoder(domain)
    full, empty = decoder.batch(present), decoder.batch(np.array(missing, np.int32))
    assert full.schema.equals(empty.schema, check_metadata=True)
    assert full.schema.equals(arrow_schema(domain), check_metadata=True)
    assert all(column.null_count == 3 for column in empty.columns)
    assert all(column.null_count == 0 for column in full.columns)
    assert all(field.nullable for field in full.schema)
    assert not any(pa.types.is_dictionary(field.type) for field in full.schema)


def test_only_columns_that_may_be_missing_are_nullable():
    nullable = {f.name for f in arrow_schema(Domain.of(schema())) if f.nullable}
    assert nullable == {"dose", "site"}


def test_a_stream_is_decoded_batch_by_batch():
    domain = Domain.of(schema())
    parts = [np.zeros((rows, 9), np.int32) for rows in (2, 0, 3)]
    batches = list(Decoder(domain).batches(iter(parts)))
    assert [batch.num_rows for batch in batches] == [2, 0, 3]
    assert batches[0].column("seen")[0].as_py() == dt.date(2020, 1, 1)


def test_features_lead_back_to_the_codes_they_came_from(rng):
    columns = MIXED["columns"] | {"one": {"kind": "category", "values": ["x"]}}
    domain = Domain.of(schema(columns=columns))
    features = Features.of(domain)
    low = [MISSING if isinstance(a, Grid) and a.missing else 0 for a in domain.axes]
    high = [a.points + 1 if isinstance(a, Grid) else a.codes for a in domain.axes]
    codes = rng.integers(low, high, (500, len(domain.axes))).astype(np.int32)
    Z = features.design(codes) / features.units
    np.testing.assert_array_equal(nearest_codes(features, Z), codes)
    moved = Z + rng.uniform(-0.49, 0.49, Z.shape) / features.units
    np.testing.assert_array_equal(nearest_codes(features, moved), codes)
    np.testing.assert_array_equal(nearest_codes(features, moved[:7]), codes[:7])


@pytest.mark.parametrize("far", [1e300, -1e300, np.inf, -np.inf, 1e-300])
def test_samples_far_outside_become_records_of_the_domain(far):
    features = Features.of(Domain.of(schema()))
    codes = nearest_codes(features, np.full((2, len(features)), far))
    assert Decoder(features.domain).batch(codes).num_rows == 2
    for code, axis in zip(codes[0], features.domain.axes, strict=True):
        assert -axis.missing <= code < axis.codes


def test_encoded_texts_list_every_level_of_the_schema_whatever_is_there():
    domain = one(8, kind="category", values=["b", "a", "c"], missing="allowed")
    found = Decoder(domain).encoded(np.array([[1], [3], [1]], np.int32))
    (column,) = found.columns
    assert column.dictionary.to_pylist() == ["b", "a", "c"]
    assert column.to_pylist() == ["a", None, "a"]


@pytest.mark.parametrize("levels", [1, 127, 128, 129, 9_000])
def test_places_of_texts_have_room_for_every_level_and_missing(levels):
    domain = one(8, kind="category", values=[f"v{k}" for k in range(levels)], missing="allowed")
    codes = np.arange(levels + 1, dtype=np.int32)[:, None]
    wanted = [*(f"v{k}" for k in range(levels)), None]
    assert Decoder(domain).encoded(codes).column(0).to_pylist() == wanted
    assert Decoder(domain).batch(codes).column(0).to_pylist() == wanted


def test_encoded_batches_are_the_plain_ones(rng):
    site = {"kind": "category", "values": ["x"], "missing": "allowed"}
    columns = MIXED["columns"] | {"site": site}
    domain = Domain.of(schema(columns=columns))
    low = [MISSING if isinstance(a, Grid) and a.missing else 0 for a in domain.axes]
    high = [a.points + 1 if isinstance(a, Grid) else a.codes for a in domain.axes]
    codes = rng.integers(low, high, (500, len(domain.axes))).astype(np.int32)
    decoder = Decoder(domain)
    plain, found = decoder.batch(codes), decoder.encoded(codes)
    assert found.to_pydict() == plain.to_pydict()
    assert found.schema.names == plain.schema.names
    assert [f.nullable for f in found.schema] == [f.nullable for f in plain.schema]
    again = pickle.loads(pickle.dumps(decoder))
    assert again.encoded(codes).equals(found)
