"""The promise: what it says of errors is what a forecast says, and no record has a part in it."""

import json
import re
from time import sleep
from urllib.parse import urlencode

import pytest

import sfumato as sf
from jobs_world import NAME, ROWS, SCHEMA, World
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from sfumato.studio.choice import Choice, keep_choice, read_choice
from studio_world import studio

HERE = "/d/visits/budget"
USUAL = {"records": "5 000", "number": "public", "epsilon": "1", "method": "mosaic"}
ABOUT = "one record (row) of the table; {}"


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    world = World(tmp_path_factory.mktemp("promise"))
    with studio(world.project.folder) as found:
        found.world = world
        yield found


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def asked(visitor, path=HERE, **fields):
    """The page once nothing of it is pending."""
    query = urlencode({**USUAL, **fields, "do": "show"})
    for _ in range(600):
        reply = visitor.get(f"{path}?{query}")
        if "data-again" not in reply.text:
            return reply
        sleep(0.2)
    raise AssertionError("the forecast does not end")


def rows(text):
    """The table as it can be read."""
    table = re.search(r'<table class="cards foreseen">.*?</table>', text, re.DOTALL)[0]
    plain = (re.sub("<[^>]+>", "|", row) for row in re.findall("<tr>.*?</tr>", table)[1:])
    return [[cell for cell in row.split("|") if cell] for row in plain]


def fault(text, name):
    return re.search(rf'<p class="fault" id="{name}-fault">(.*?)</p>', text)[1]


@pytest.mark.parametrize("number", ["public", "secret"])
@pytest.mark.parametrize("budget", [{"epsilon": "1"}, {"epsilon": "0.2", "delta": "1e-9"}])
def test_the_figures_are_those_of_a_forecast(visitor, budget, number):
    reply = asked(visitor, **budget, number=number)
    neighbours = {"public": "replace-one", "secret": "add-remove"}[number]
    schema = Schema.parse(SCHEMA.replace("replace-one", neighbours))
    found = sf.forecast(schema, records=5_000, **budget)
    expected = {line.column: [cell for cell in line.cells if cell] for line in found.lines}
    assert {name: cells for name, *cells, _ in rows(reply.text)} == expected
    assert found.promise in reply.text.replace("&#39;", "'")


def test_words_for_errors_have_the_limits_that_are_stated(visitor):
    reply = asked(visitor, records="300", epsilon="0.5")
    assert "off by at most 5 %" in reply.text
    for cells in rows(reply.text):
        worst = max(float(cell.split()[0]) for cell in cells if cell.endswith(" %"))
        word = "ok" if worst <= 5 else "rough" if worst <= 20 else "mostly noise"
        assert cells[-1] == word, cells
    assert len({cells[-1] for cells in rows(reply.text)}) > 1


def test_a_doubt_of_the_plan_is_told(visitor):
    assert "better than guessing" in asked(visitor, records="50", epsilon="0.01").text
    assert "better than guessing" not in asked(visitor).text


def test_that_nothing_but_noise_is_left_is_said_once(visitor):
    alone = "Every column is mostly noise"
    texts = [asked(visitor, records=n, epsilon="0.1").text for n in ("300", "5000")]
    assert (
        {cells[-1] for cells in rows(texts[0])}
        == {"mostly noise"}
        != {cells[-1] for cells in rows(texts[1])}
    )
    assert [alone in text for text in texts] == [True, False]
    doubted = asked(visitor, records="50", epsilon="0.01").text
    assert ("better than guessing" in doubted, alone in doubted) == (True, False)


def test_what_noise_hides_of_misfits_is_said_where_it_is_much(visitor):
    said = {n: asked(visitor, records=n).text for n in ("500", "4000", "100000")}
    assert "noise may hide all misfits: it may go on even where no record fits." in said["500"]
    assert "it surely stops only where about 783 (20 %) or more do not fit." in said["4000"]
    assert '<p class="hint" id="noise-hides"></p>' in said["100000"]
    unchecked = asked(visitor, records="500", misfit="none").text
    assert '<p class="hint" id="noise-hides"></p>' in unchecked


@pytest.mark.parametrize(
    ("fields", "want"),
    [
        ({"what": "counts", "within": "1"}, "counts within 1%"),
        ({"what": "means", "within": "0,5"}, "means within 0.5%"),
        ({"what": "means-0", "within": "2", "unit": "own"}, 'mean "age" within 2'),
        ({"what": "counts-1", "within": "40", "unit": "own"}, 'counts of "ward" within 40'),
    ],
)
def test_an_epsilon_is_found_for_what_is_needed_and_can_be_used(visitor, fields, want):
    reply = asked(visitor, find="1", **fields)
    found = sf.forecast(Schema.parse(SCHEMA), records=5_000, want=want)
    epsilon = f"{float(found.epsilon):g}"
    assert found.found in reply.text.replace("&#34;", '"')
    assert f'name="take" value="{epsilon}"' in reply.text
    assert f'name="epsilon" class="short" inputmode="decimal" value="{epsilon}"' in (
        visitor.get(f"{HERE}?{urlencode({**USUAL, 'take': epsilon})}").text
    )


def test_a_wish_that_nothing_fulfils_is_answered_with_what_falls_short(world):
    wide(world, 60)
    with studio(world.project.folder) as visitor:
        text = asked(visitor, records="20", find="1", what="counts", within="0.1").text
    assert "not reached with epsilon up to 100, which leaves value_" in text


def test_errors_under_a_failure_chance_are_said_beside_those_without(visitor):
    text = asked(visitor).text
    allowed = sf.forecast(Schema.parse(SCHEMA), records=5_000, epsilon="1", delta="1e-9")
    assert f"age, mean: {allowed.line('age').cells[2]} in place of" in text
    assert 'name="allow" value="1e-9"' in text
    text = visitor.get(f"{HERE}?{urlencode({**USUAL, 'allow': '1e-9'})}").text
    assert 'name="delta" class="short" value="1e-9"' in text
    text = visitor.get(f"{HERE}?{urlencode({**USUAL, 'delta': '1e-9', 'disallow': '1'})}").text
    assert 'name="delta" class="short" value=""' in text


WRONG = [
    ("records", "many", "whole number"),
    ("records", "-5", "whole number"),
    ("records", "12.5", "whole number"),
    ("records", "0", "from 1 to"),
    ("records", "9" * 30, "from 1 to"),
    ("records", "9" * 190, "whole number"),
    ("records", "٥", "whole number"),
    ("epsilon", "", "above 0"),
    ("epsilon", "0", "above 0"),
    ("epsilon", "-1", "above 0"),
    ("epsilon", "much", "above 0"),
    ("epsilon", "nan", "above 0"),
    ("epsilon", "inf", "above 0"),
    ("epsilon", "1e999", "above 0"),
    ("epsilon", "1/3", "above 0"),
    ("epsilon", "2000", "promises nothing"),
    ("delta", "1", "below 1"),
    ("delta", "1.5", "below 1"),
    ("delta", "0", "above 0"),
    ("delta", "-1e-9", "above 0"),
    ("delta", "little", "above 0"),
    ("method", "nonsense", "nonsense"),
    ("method", "rotation", "rotation"),
    ("method", "<b>", "&lt;b&gt;"),
]


@pytest.mark.parametrize(("name", "text", "said"), WRONG)
def test_what_is_wrong_is_said_beside_its_field(visitor, name, text, said):
    keep = read_choice(visitor.world.project, "visits")
    reply = visitor.get(f"{HERE}?{urlencode({**USUAL, name: text})}")
    assert (reply.status, said in fault(reply.text, name)) == (200, True), reply.text
    reply = visitor.post(HERE, {**USUAL, name: text})
    assert (reply.status, said in fault(reply.text, name)) == (422, True)
    assert read_choice(visitor.world.project, "visits") == keep


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"within": ""}, "above 0"),
        ({"within": "-1"}, "above 0"),
        ({"within": "1e-3"}, "Write it out"),
        ({"within": "1", "what": "counts-99"}, "no such column"),
        ({"within": "1", "what": "means", "unit": "own"}, "units of their own"),
    ],
)
def test_a_wish_that_means_nothing_is_answered_beside_it(visitor, fields, said):
    reply = asked(visitor, find="1", **fields)
    assert said in fault(reply.text, "within")


@pytest.mark.parametrize("fields", [{"within": "1", "what": "means-1"}, {"within": "200"}])
def test_a_wish_that_cannot_be_is_answered_below_it(visitor, fields):
    text = asked(visitor, find="1", **fields).text
    assert "want " in re.search(r'<div id="wish".*?</div>', text, re.DOTALL)[0]


def test_a_number_that_is_missing_is_asked_for_before_it_is_kept(visitor):
    assert fault(visitor.get(HERE).text, "records") == ""
    reply = visitor.post(HERE, {**USUAL, "records": ""})
    assert (reply.status, "about how many" in fault(reply.text, "records")) == (422, True)


def test_the_choice_is_kept_for_the_review_and_shown_again(world):
    with studio(world.project.folder) as visitor:
        reply = visitor.post(HERE, {**USUAL, "epsilon": "0,5", "delta": "1e-9", "do": "next"})
        assert (reply.status, reply.leads_to) == (303, "/d/visits/review")
        kept = read_choice(world.project, "visits")
        assert kept == Choice(epsilon="0.5", delta="1e-9", records=5_000)
        path = world.project.folder / "datasets/visits/promise.json"
        assert path.stat().st_mode & 0o777 == 0o600
        text = visitor.get(HERE).text
        assert 'value="5 000"' in text
        assert 'value="0.5"' in text
        review = visitor.get("/d/visits/review").text
        assert "ε 0.5, δ 1e-9, of ε 3 left" not in review  # no δ was granted
        assert "ε 0.5" in review


def test_the_review_charges_what_was_kept(world):
    with studio(world.project.folder) as visitor:
        text = visitor.send(HERE, {**USUAL, "epsilon": "2", "do": "next"}).text
    assert "ε 2, of ε 3 left" in text


def test_looking_keeps_and_charges_nothing(world):
    before = world.files()
    with studio(world.project.folder) as visitor:
        asked(visitor)
        asked(visitor, find="1", what="counts", within="2", number="secret")
        assert world.files().keys() == before.keys()
    assert world.lines("reserve") == 0
    assert world.files()["datasets/visits/schema.yaml"] == before["datasets/visits/schema.yaml"]


def test_a_secret_number_becomes_part_of_the_schema_when_it_is_kept(world):
    with studio(world.project.folder) as visitor:
        visitor.post(HERE, {**USUAL, "number": "secret"})
        schema = Schema.read(world.project.schema_path("visits"))
        assert schema.neighbours == "add-remove"
        assert world.project.dataset("visits").beyond["neighbours"] == "add-remove"
        assert re.search('value="secret" checked', visitor.get(HERE).text)
        visitor.post(HERE, USUAL)
    again = Schema.read(world.project.schema_path("visits"))
    assert again == Schema.parse(SCHEMA)


@pytest.mark.parametrize("fixed", ["add-remove", "replace-one"])
def test_what_earlier_releases_protect_is_fixed_and_said(world, fixed):
    with Ledger(world.ledger_path) as ledger:
        ledger.reserve("one", NAME, PureDP(1), plan="c0ffee00", protects=ABOUT.format(fixed))
    word = {"add-remove": "secret", "replace-one": "public"}[fixed]
    with studio(world.project.folder) as visitor:
        for number in ("public", "secret"):
            text = visitor.get(f"{HERE}?{urlencode({**USUAL, 'number': number})}").text
            assert f"Their number is <b>{word}</b>" in text
            assert 'type="radio" name="number"' not in text
            visitor.post(HERE, {**USUAL, "number": number})
            assert Schema.read(world.project.schema_path("visits")).neighbours == fixed


def test_what_is_left_is_said_and_whether_it_is_enough(visitor):
    assert "Left of the budget: ε 3." in visitor.get(HERE).text
    assert "More than is left" not in visitor.get(f"{HERE}?epsilon=3").text
    assert "More than is left" in visitor.get(f"{HERE}?epsilon=3.01").text


def test_without_a_grant_the_way_to_one_is_shown(tmp_path):
    world = World(tmp_path)
    world.ledger_path.unlink()
    with studio(tmp_path) as visitor:
        text = visitor.get(HERE).text
    assert "Nothing was granted" in text
    assert 'href="/d/visits/grant?back=budget%3F' in text


def test_without_script_the_slider_counts_where_it_was_moved(visitor):
    def epsilon(**fields):
        text = visitor.get(f"{HERE}?{urlencode({**USUAL, **fields})}").text
        return re.search('name="epsilon" .*? value="(.*?)"', text)[1]

    assert epsilon(**{"stop": "12", "stop-before": "9"}) == "2"
    assert epsilon(**{"stop": "9", "stop-before": "9"}) == "1"
    assert epsilon(**{"stop": "9", "stop-before": "9", "epsilon": "2.2"}) == "2.2"
    assert epsilon(**{"stop": "99", "stop-before": "9"}) == "1"


def test_columns_that_are_not_declared_lead_back(world):
    world.draft.declared = False
    world.project.keep(world.draft)
    with studio(world.project.folder) as visitor:
        assert visitor.get(HERE).leads_to == "/d/visits/schema?check=1"
        assert visitor.post(HERE, USUAL).status == 409


def test_every_other_method_has_a_reason_or_can_be_chosen(visitor):
    text = visitor.get(HERE).text
    for name in ("modips", "power-method", "rotation"):
        assert name in text
    assert "power-method adds Gaussian noise" in text
    assert 'value="rotation"' not in text
    modips = sf.forecast(Schema.parse(SCHEMA), records=5_000, epsilon=1, method="modips")
    found = {name: cells for name, *cells, _ in rows(asked(visitor, method="modips").text)}
    assert found["age"] == [cell for cell in modips.line("age").cells if cell]
    assert "no forecast is made" in asked(visitor, method="lap-pca").text


def wide(world, columns):
    facts = {
        f"value_{k}": {"kind": "number", "low": 0, "high": 10, "step": 1} for k in range(columns)
    }
    schema = Schema.of({"name": NAME, "columns": facts})
    world.project.schema_path("visits").write_text(schema.to_yaml())


def test_the_worst_eight_are_shown_and_all_are_one_button_away(world):
    wide(world, 12)
    with studio(world.project.folder) as visitor:
        text = asked(visitor).text
        assert len(rows(text)) == 8
        assert "The worst 8 of 12 columns" in text
        assert len(rows(asked(visitor, all="1").text)) == 12
        assert len(rows(asked(visitor, all="0").text)) == 8


def test_a_page_of_200_columns_comes_at_once_and_says_that_its_table_takes_a_while(world):
    wide(world, 200)
    with studio(world.project.folder) as visitor:
        text = visitor.get(f"{HERE}?{urlencode(USUAL)}").text
        assert "with so many, that takes some seconds" in text
        assert "at most 2.68 % likely afterwards" in text
        assert '<noscript><meta http-equiv="refresh"' in text
        assert len(text) < 100_000


def test_persons_with_several_rows_have_a_promise_and_are_told_why_no_forecast(world):
    facts = json.loads(json.dumps(Schema.parse(SCHEMA).to_json()))
    facts["columns"]["who"] = {"kind": "id"}
    schema = Schema.of({**facts, "person": "who", "rows_per_person": 4})
    world.project.schema_path("visits").write_text(schema.to_yaml())
    with studio(world.project.folder) as visitor:
        begun = visitor.get(HERE).text
        assert "No forecast is made where a person is the unit" in begun
        assert "the errors of all columns stand here" not in begun
        assert begun.count("measures each row as a unit of its own") == 1
        assert "<dt>dp-lda, modips, " in begun
        lacking = visitor.post(HERE, {**USUAL, "records": ""})
        assert (lacking.status, "about how many people there are." in lacking.text) == (422, True)
        text = asked(visitor).text
        assert (
            "knows all rows of all other people and thinks something about one person 1 %" in text
        )
        assert "at most 2.68 % likely" in text
        assert "guesses something about one person, and then" in text
        assert "<legend>The people</legend>" in text
        assert "other records" not in text
        assert 'name="find"' not in text  # an epsilon is found by forecasts alone
        assert "No forecast is made where a person is the unit" in text
        assert "rows_per_person" not in text  # to leave that out would protect persons less
        assert visitor.post(HERE, USUAL).leads_to == "/d/visits/review"


def test_twins_have_the_same_answers_byte_by_byte(tmp_path):
    seen = []
    torn = 'age,ward\n"30,no\xffrth\n' + "99,south\n" * 7
    for name, content in (("one", ROWS), ("two", torn)):
        world = World(tmp_path / name / "project", rows=content)
        keep_choice(world.project, "visits", Choice(epsilon="1", records=5_000))
        (world.project.data / "visits.csv").chmod(0)
        with studio(world.project.folder) as visitor:
            journey = [
                visitor.get(f"{HERE}?{urlencode({**USUAL, 'epsilon': '0'})}"),
                asked(visitor),
                asked(visitor, find="1", what="counts", within="2"),
                visitor.get(HERE),
                visitor.post(HERE, {**USUAL, "records": ""}),
                visitor.post(HERE, USUAL),
            ]
        seen.append([(r.status, r.headers, r.text.replace(f"/{name}/", "/")) for r in journey])
        assert not any(headers.get("content-length") is None for _, headers, _ in seen[-1])
    assert seen[0] == seen[1]


def test_the_footer_says_what_was_read_so_far(world):
    with studio(world.project.folder) as visitor:
        assert "No record was read" in visitor.get(HERE).text
        world.draft.read_records = True
        world.project.keep(world.draft)
        assert "its records" in visitor.get(HERE).text.partition("<footer>")[2]
