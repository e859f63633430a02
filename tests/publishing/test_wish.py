"""Wishes: what can be asked for, what is refused, and the smallest epsilon that is enough."""

from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.accuracy.expected import widest
from sfumato.accuracy.published import published
from sfumato.publishing.forecast import foreseen, wished
from sfumato.publishing.rehearsal import rehearsed
from sfumato.publishing.smallest import _epsilon, _place, smallest
from sfumato.publishing.table import price
from sfumato.publishing.wish import parsed
from sfumato.schema.domain import Domain
from slowness import slow

SCHEMA = {
    "name": "t",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 110},
        "body weight": {"kind": "number", "low": 30, "high": 200, "step": 0.1},
        "ward": {"kind": "category", "values": ["a", "b", "c"]},
        "seen": {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"},
        "within": {"kind": "boolean"},
    },
}
DOMAIN = Domain.of(sf.Schema.of(SCHEMA))
NEVER = {"columns": ["ward", "within"], "forbidden": [["a", True]]}
FEW = {"name": "t", "columns": {"ward": SCHEMA["columns"]["ward"]}}


@pytest.mark.parametrize(
    ("text", "kind", "column", "limit", "percent"),
    [
        ("mean age within 1", "mean", "age", 1, False),
        ("  mean  age  within  2.5 % ", "mean", "age", Fraction(5, 2), True),
        ('mean "body weight" within .5', "mean", "body weight", Fraction(1, 2), False),
        ("means within 2%", "mean", None, 2, True),
        ("counts of ward within 50", "counts", "ward", 50, False),
        ('counts of "within" within 1%', "counts", "within", 1, True),
        ("counts within 1%", "counts", None, 1, True),
        ("counts within 100", "counts", None, 100, False),
    ],
)
def test_wishes_are_read_as_they_are_meant(text, kind, column, limit, percent):
    (wish,) = parsed([text], DOMAIN, 4_000)
    assert (wish.kind, wish.column, wish.limit, wish.percent) == (kind, column, limit, percent)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "not understood"),
        ("age within 1", "not understood"),
        ("mean within 1%", "not understood"),
        ("means age within 1%", "not understood"),
        ("mean of age within 1", "not understood"),
        ("counts ward within 5", "not understood"),
        ("counts of within 5", "not understood"),
        ("mean age within -1", "not understood"),
        ("mean age within 1e-3", "not understood"),
        ("mean age within 1; rm", "not understood"),
        ("mean age within ٣", "not understood"),
        (f"mean age within 0.{'0' * 330}1", "^want 'mean age within': .* at most 40 digits"),
        (f"mean age within {'1' * 5_000}", "at most 40 digits: write a shorter one$"),
        (f"counts within {'9' * 4_301}%", "^want 'counts within': a limit has at most 40 digits"),
        ("mean age within 0", "no noise is 0"),
        ("counts within 0.0%", "no noise is 0"),
        ("counts within 101%", "above 100% asks for nothing"),
        ("counts within 4001", "there are 4,000 records, so a limit above that asks for nothing"),
        ("counts of ward within 99999", "there are 4,000 records"),
        ("mean age within 111", "a limit above its range of 110 asks for nothing"),
        ("means within 3", "write a limit in %"),
        ("mean height within 3", "no released column 'height'; there are: age, body weight"),
        ("counts of height within 3", "no released column 'height'"),
        ("mean ward within 3", "ward is no number, .* numbers are: age, body weight"),
        ("mean seen within 3", "seen is no number"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_its_words(text, rule):
    with pytest.raises(sf.ParameterError, match=rule):
        parsed([text], DOMAIN, 4_000)


def test_where_a_name_cannot_be_written_in_a_wish_that_is_said():
    odd = Domain.of(sf.Schema.of({"name": "t", "columns": {'a"b': {"kind": "boolean"}}}))
    for text in ('counts of "a"b" within 5%', 'counts of a"b within 5%'):
        with pytest.raises(sf.ParameterError, match="a double quote in it cannot be named here"):
            parsed([text], odd, 500)
        with pytest.raises(sf.ParameterError, match=r'"counts within 1%"$'):
            parsed([text], DOMAIN, 500)
    (wish,) = parsed(["counts within 500"], odd, 500)
    assert wish.limit == 500


def test_a_mean_of_no_number_at_all_is_refused():
    with pytest.raises(sf.ParameterError, match=r"no column is a number, so it has no mean$"):
        parsed(["means within 1%"], Domain.of(sf.Schema.of(FEW)), 4_000)


WISHES = [
    ["mean age within 1"],
    ["counts within 1%"],
    ["mean age within 2", "counts of ward within 40", "means within 3%"],
]


def fulfilled(wishes, line_of):
    for wish in parsed(wishes, DOMAIN, 4_000):
        columns = [wish.column] if wish.column else list(SCHEMA["columns"])
        for name in columns:
            line = line_of(name)
            figure = line.mean if wish.kind == "mean" else line.counts
            if figure is None:
                continue
            if (100 * figure.share if wish.percent else figure.within) > wish.limit:
                return False
    return True


@pytest.mark.parametrize("delta", [None, slow("1e-9")])
@pytest.mark.parametrize("wishes", WISHES, ids=str)
def test_the_epsilon_that_is_found_is_enough_and_a_little_less_is_not(wishes, delta):
    found = sf.forecast(SCHEMA, records=4_000, delta=delta, want=wishes)
    asked = {"records": 4_000, "delta": delta}
    assert fulfilled(wishes, sf.forecast(SCHEMA, epsilon=found.epsilon, **asked).line)
    assert not fulfilled(wishes, sf.forecast(SCHEMA, epsilon=found.less, **asked).line)
    assert found.less < found.epsilon < found.less * Fraction("1.0101")
    assert found.found.startswith(f"ε = {float(found.epsilon):g} is enough for {wishes[0]}")
    assert found.lines == sf.forecast(SCHEMA, epsilon=found.epsilon, **asked).lines
    assert found.to_json()["wishes"] == wishes


def test_what_the_smallest_epsilon_fulfils_has_none_below_it():
    found = sf.forecast(FEW, records=10**9, want="counts within 100%")
    assert (found.epsilon, found.less) == (Fraction(1, 1000), None)
    assert found.found == "ε = 0.001, the smallest that is tried, is enough for counts within 100%."


def test_a_mean_as_wide_as_its_range_may_be_asked_for():
    found = sf.forecast(SCHEMA, records=4_000, want="mean age within 110")
    assert (found.epsilon, found.less) == (Fraction(1, 1000), None)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"want": "mean age within 0.000001"}, "not reached with epsilon up to 100, .* age at ±"),
        ({"want": "counts within 1%", "most": "0.1"}, "not reached with epsilon up to 0.1"),
        (
            {"want": 'mean "body weight" within 0.1', "records": 10**8},
            "body weight at ± .*, or choose modips, which adds numbers up without bins",
        ),
        ({"want": "mean age within 0.000001", "method": "modips"}, "or have more records$"),
        (
            {
                "want": "mean age within 0.000001",
                "schema": SCHEMA | {"constraints": [NEVER]},
            },
            "or have more records$",
        ),
        ({"most": "1e309"}, "most must be a number above 0 and below 1000000000, got 1e309"),
        ({"most": 0}, "most must be a number above 0"),
        ({"most": "0.0001"}, "most must be at least 0.001"),
        ({"epsilon": 1}, "with wishes epsilon is found: leave out epsilon"),
        ({"rho": 1}, "leave out rho"),
        ({"delta": 2}, "delta"),
        ({"method": "modips", "want": "counts of age within 5"}, "publishes no counts of age"),
        ({"method": "diffgen", "want": "means within 5%"}, "diffgen|publishes no mean"),
        ({"method": "identity-laplace"}, "identity-laplace publishes"),
    ],
)
def test_wishes_that_cannot_be_fulfilled_are_refused(changes, rule):
    asked = {"schema": SCHEMA, "records": 500, "want": "counts within 5%"} | changes
    with pytest.raises(sf.Refused, match=rule):
        sf.forecast(**asked)


def test_epsilons_of_three_digits_are_tried_in_order():
    tried = [_epsilon(place) for place in range(900 * 5)]
    assert tried[:3] == [Fraction(1, 1000), Fraction(101, 10**5), Fraction(102, 10**5)]
    assert tried == sorted(tried)
    assert Fraction(1) in tried
    assert [_place(each) for each in tried] == list(range(len(tried)))
    assert _place(Fraction("0.4229")) == _place(Fraction("0.422"))


def test_a_budget_that_the_method_refuses_as_too_small_fulfils_nothing():
    asked = []

    def at(epsilon, columns):
        asked.append(epsilon)
        if epsilon < 2:
            raise sf.ParameterError("epsilon is too small for this method")
        return sf.forecast(FEW, records=10**6, epsilon=epsilon)

    wishes = parsed(["counts within 50%"], Domain.of(sf.Schema.of(FEW)), 4_000)
    found, less = smallest(at, wishes, 100)
    assert (found.epsilon, less) == (2, Fraction("1.99"))
    assert min(asked) < 1
    with pytest.raises(sf.ParameterError, match="too small for this method"):
        smallest(at, [], 1)


def test_few_epsilons_are_tried_and_of_all_columns_only_those_that_are_farthest_off():
    asked, schema = [], sf.Schema.of(SCHEMA)

    def at(epsilon, columns):
        asked.append(columns)
        return foreseen(price(schema, epsilon=epsilon), 4_000, columns)

    whole = wished(at, schema, 4_000, ["counts within 1%"])
    assert len(asked) < 14
    assert asked.count(None) <= 3
    assert max(len(columns) for columns in asked if columns is not None) <= 2
    asked.clear()
    one = wished(at, schema, 4_000, ["mean age within 1"])
    assert set(asked) == {frozenset({"age"}), None}
    assert asked.count(None) == 1
    assert len(one.lines) == len(whole.lines) == 5


@pytest.mark.parametrize("delta", [None, "1e-9"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_forecast_of_some_columns_says_of_them_what_that_of_all_says(delta, neighbours):
    plan = price({**SCHEMA, "neighbours": neighbours}, epsilon=1, delta=delta)
    every = {line.column: line for line in foreseen(plan, 4_000).lines}
    for column, line in every.items():
        assert foreseen(plan, 4_000, frozenset({column})).lines == (line,)


@pytest.mark.parametrize("delta", [None, "1e-9"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_the_widest_count_is_the_widest_of_all_that_are_looked_at(delta, neighbours):
    plan = price({**SCHEMA, "neighbours": neighbours}, epsilon=1, delta=delta)
    found = published(rehearsed(plan, 4_000))
    for column, cells in found.counts.items():
        names = [*list(cells)[:12], *list(cells)[-12:]]
        most = max(found.count(column, [name]).variance for name in names)
        assert widest(found, column).variance == pytest.approx(most, rel=1e-9)
