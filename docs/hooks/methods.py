"""A page for every method, written from the registries when the site is built.

What a page says (promise, source, options, price on the made-up clinic, limits) is asked of
the method itself, so it cannot fall behind.
"""

from dataclasses import dataclass, field
from itertools import product
from textwrap import wrap
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import sfumato as sf
from sfumato.errors import Refused
from sfumato.example import CLINIC, clinic
from sfumato.methods import METHODS
from sfumato.plan import Plan, Recipe
from sfumato.plan.registry import PACKAGES, registered
from sfumato.publishing.table import DEFAULT_METHOD
from sfumato.schema import Schema

MOST_EVENTS = 8
BUDGETS: tuple[dict[str, str], ...] = (
    {"epsilon": "1"},
    {"epsilon": "1", "delta": "1e-6"},
    {},
)
GUIDES = {
    "networks": "networks.md",
    "streams": "streams.md",
    "counts": "queries.md",
    "schemas": "estimate.md",
}
ROWS = {
    "drawn record": "A row of the release is a new record, drawn from noisy statistics: it "
    "belongs to nobody, and any number of rows can be asked for.",
    "record": "A row of the release stands in the place of a record, in the same order.",
    "component": "The release holds principal components, one per row, and no records.",
}


@dataclass(frozen=True)
class Tried:
    """A method priced on the made-up clinic, and what it took to be accepted."""

    plan: Plan
    schema: Schema
    budget: dict[str, str]
    basis: bool = False
    needs: list[str] = field(default_factory=list)

    @property
    def command(self) -> str:
        """A release of the clinic by this method, without the place to write it to."""
        words = [f"sfumato publish clinic.csv --schema clinic.yaml --method {self.plan.method}"]
        words += [f"--{name} {value}" for name, value in self.budget.items()]
        words += ["--basis public.csv"] if self.basis else []
        words += ["--accept-no-guarantee"] if self.plan.unproved else []
        return " ".join(words)


def _schemas() -> list[tuple[Schema, list[str]]]:
    """The clinic as it is; with a number to predict; with numbers alone; with few values."""
    facts = Schema.parse(CLINIC).to_json()
    target = {name: dict(column) for name, column in facts["columns"].items()}
    target["outcome"].pop("role")
    target["pressure"]["role"] = "target"
    numbers = {
        name: column
        if column["kind"] in ("integer", "date") or "role" in column
        else {"kind": "id"}
        for name, column in facts["columns"].items()
    }
    few = {
        name: column if column["kind"] == "boolean" or "role" in column else {"kind": "id"}
        for name, column in facts["columns"].items()
    }
    return [
        (Schema.of(facts), []),
        (Schema.of(facts | {"columns": target}), ["a column with `role: target`"]),
        (
            Schema.of(facts | {"columns": numbers}),
            ["numbers and dates: other columns as `kind: id`"],
        ),
        (Schema.of(facts | {"columns": few}), ["few columns of few values: others `kind: id`"]),
    ]


def tried(name: str) -> Tried:
    """The first schema, budget and basis that the method accepts, simplest first."""
    refusal: Refused | None = None
    for basis, (schema, needs), budget in product((False, True), _schemas(), BUDGETS):
        options: dict[str, Any] = {"basis": clinic(200, seed=2)} if basis else {}
        try:
            plan = sf.price(schema, method=name, **budget, **options)
        except Refused as error:
            refusal = refusal or error
            continue
        found = [*needs, *_needs(schema, name, budget, options)]
        return Tried(plan, schema, budget, basis, found)
    raise RuntimeError(f"{name} accepts no schema that its page could show") from refusal


def _accepts(schema: Any, name: str, **given: Any) -> bool:
    try:
        sf.price(schema, method=name, **given)
    except Refused:
        return False
    return True


def _needs(schema: Schema, name: str, budget: dict[str, str], options: dict[str, Any]) -> list[str]:
    facts = schema.to_json()
    hidden = {
        column: {"kind": "id"} if said.get("role") == "label" else said
        for column, said in facts["columns"].items()
    }
    needs = []
    if not _accepts(facts | {"columns": hidden}, name, **budget, **options):
        needs.append("a column with `role: label`")
    if "basis" in options:
        needs.append("public data of the same columns, for the components (`--basis`)")
    if "delta" in budget:
        rho = _accepts(schema, name, rho="0.1", **options)
        needs.append("a delta, or rho in place of both" if rho else "a delta")
    return needs


def _measured(plan: Plan) -> list[str]:
    lines = ["| statistic | mechanism | noise | price |", "|---|---|---|---|"]
    for event in plan.events[:MOST_EVENTS]:
        said = event.to_json()["noise"]
        unclaimed = event.mechanism in ("perturbation", "exact")
        noise = "none claimed" if unclaimed else "depends on what was released before"
        if said is not None:
            figure, approximately = next(iter(said)), said["approximately"]
            noise = "none" if figure == "none" else f"{figure} {approximately:.4g}"
        lines.append(f"| {event.statistic} | {event.mechanism} | {noise} | {event.cost} |")
    left = len(plan.events) - MOST_EVENTS
    return lines + ([f"\nand {left} more of the same kinds."] if left > 0 else [])


def promised(item: Recipe[Any, Any]) -> bool:
    """Whether the registry says that the method promises anything."""
    return not item.promise.startswith(("nothing", "none"))


def _facts(item: Recipe[Any, Any], extra: list[tuple[str, str]]) -> list[str]:
    rows = [
        ("promises", item.promise),
        ("use it for", item.use),
        ("comes from", item.source),
        (
            "proof",
            f"[{'none, and why' if 'nothing' in item.promise else 'here'}](../../{item.proof})",
        ),
        *extra,
    ]
    return ["| | |", "|---|---|", *(f"| **{name}** | {text} |" for name, text in rows)]


def _options(item: Recipe[Any, Any]) -> list[str]:
    if not item.options:
        return []
    rows = (f"| `{name}` | {text} |" for name, text in item.options.items())
    return ["", "## Options", "", "| option | meaning |", "|---|---|", *rows]


def _warning(promised: bool) -> list[str]:
    if promised:
        return []
    return [
        '!!! danger "No guarantee"',
        "    No proof stands behind this method. It is refused unless you accept that in so many"
        " words, and its certificate says that it is not private.",
        "",
    ]


def _broken(command: str) -> str:
    """A command over several lines, none too wide for a page."""
    return " \\\n    ".join(wrap(command, 76, break_on_hyphens=False, break_long_words=False))


def _call(name: str, found: Tried) -> list[str]:
    """The same release in Python."""
    given = ['schema="clinic.yaml"', f'method="{name}"']
    given += [f"{key}={value}" for key, value in found.budget.items()]
    given += ['basis="public.csv"'] if found.basis else []
    given += ["accept_no_guarantee=True"] if found.plan.unproved else []
    line = f"release = sf.publish(frame, {', '.join(given)})"
    if len(line) <= 80:
        return [line]
    return ["release = sf.publish(", "    frame,", *(f"    {item}," for item in given), ")"]


def table_page(name: str) -> str:
    """The page of a method for tables."""
    item, found = METHODS[name], tried(name)
    plan = found.plan
    extra = [("needs", "; ".join(found.needs))] if found.needs else []
    default = ["This is the default method for tables.", ""] if name == DEFAULT_METHOD else []
    limits = [*plan.limits, *(f"Published as it is: {text}." for text in plan.invariants)]
    return "\n".join(
        [
            f"# {name}",
            "",
            item.summary,
            "",
            *default,
            *_warning(plan.unproved is None),
            *_facts(item, extra),
            "",
            ROWS[plan.row],
            "",
            "## Example",
            "",
            "```console",
            f"$ {_broken(found.command)} -o release/",
            "```",
            "",
            "```python",
            *_call(name, found),
            "```",
            *_options(item),
            "",
            "## What is measured",
            "",
            "On the made-up clinic of `sfumato demo`, from its schema alone "
            f'(`sf.price(schema, method="{name}", …)`):',
            "",
            *_measured(plan),
            "",
            *(["## Keep in mind", "", *(f"- {text}" for text in limits)] if limits else []),
        ]
    )


def other_page(item: Recipe[Any, Any], guide: str) -> str:
    """The page of a method for networks, streams, counts or schemas."""
    return "\n".join(
        [
            f"# {item.name}",
            "",
            item.summary,
            "",
            *_warning(promised(item)),
            *_facts(item, [("guide", f"[{guide.removesuffix('.md')}](../../guide/{guide})")]),
            "",
            "## Example",
            "",
            "```console",
            f"$ {_broken(item.example)}" + ("" if " -o " in item.example else " -o release/"),
            "```",
            *_options(item),
        ]
    )


def kinds() -> dict[str, dict[str, Recipe[Any, Any]]]:
    """The registries, by what they are for."""
    return {kind: dict(registered(kind)) for kind in PACKAGES}


def pages() -> dict[str, str]:
    """Every page of this section by its place in the site."""
    made, index = dict[str, str](), ["# Methods", ""]
    index += ["What `sfumato methods` says, and more. Methods without a promise come last.", ""]
    for kind, known in kinds().items():
        index += [f"## {kind.capitalize()}", "", "| method | does | promises |", "|---|---|---|"]
        for name, item in known.items():
            index.append(f"| [`{name}`]({kind}/{name}.md) | {item.summary} | {item.promise} |")
            page = table_page(name) if kind == "tables" else other_page(item, GUIDES[kind])
            made[f"methods/{kind}/{name}.md"] = page
        index.append("")
    return {"methods/index.md": "\n".join(index)} | made


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those that lie in docs/."""
    for place, content in pages().items():
        files.append(File.generated(config, place, content=content))
    return files
