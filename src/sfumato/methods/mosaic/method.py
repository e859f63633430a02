"""mosaic: one- and two-way tables under noise, and records drawn to keep them all."""

import json
from collections.abc import Mapping
from types import NoneType
from typing import Any, cast

import numpy as np

from sfumato.errors import ParameterError, ReleaseError, SchemaError
from sfumato.measure.triples import pairs_without
from sfumato.methods.mosaic.division import MOST_CELLS
from sfumato.methods.mosaic.people import people_plan
from sfumato.methods.mosaic.steps import REVISION, Steps
from sfumato.methods.mosaic.tabulated import is_wide
from sfumato.methods.mosaic.worth import doubt
from sfumato.plan import AuditCase, ContractCase, Family, Method, Plan, Setting
from sfumato.plan.made_up import (
    CODED,
    LABELLED,
    MANY,
    MIXED,
    PERSONS,
    TARGET,
    TWO_FILES,
    counted,
)
from sfumato.plan.options import whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Event
from sfumato.render.constrained import CONDITIONED, STATEMENT
from sfumato.render.drawing import Drawing
from sfumato.render.mosaic import (
    Model,
    noisy_tables,
    sample,
)
from sfumato.render.rules import Rules
from sfumato.render.where import parse_where, where_masks
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine, Merged
from sfumato.synopsis.tables import (
    MOST_LEVELS,
    MosaicSynopsis,
    is_forest,
)

__all__ = ["METHOD"]

_CLEAR = 2**10  # noise so many times smaller than any that can be drawn leaves no count too large
_MOST_LATENT = 200  # coarse bins for which latent classes are fitted unless one asks for them


def plan(
    domain: Domain,
    budget: Budget,
    records: int | str | None = None,
    model: str | None = None,
    where: str | Mapping[str, Any] | None = None,
    revision: int | str = REVISION,
) -> Plan:
    """Wide columns, all columns by class, pairs: all or chosen ones; triples with a target."""
    if not domain.axes:
        raise SchemaError("no column is released: declare at least one that is not an id")
    if domain.schema.people is not None:
        rows_only = {"model": model, "where": where}
        return people_plan(domain, budget, records, rows_only)
    if model not in (None, "latent", "forest"):
        raise ParameterError(f"model must be latent or forest, got {model!r}")
    known = None if records is None else whole("records", records, 2**40, "about how many")
    what = Steps(domain, budget, known, whole("revision", revision, REVISION, "which one"))
    for noise in what.noises:
        if noise is not None:
            noise.check(_CLEAR)
    try:
        events = what.events
    except ParameterError:  # the price of one draw, which is rounded down, is nothing
        raise ParameterError(
            f"the budget is too small to choose {what.division.chosen or what.division.triples} "
            "pairs of columns with it: raise rho, or release fewer columns"
        ) from None
    few = what.layout.cells <= (_MOST_LATENT if what.revision == 1 else MOST_CELLS)
    used = cast(Model, model or ("latent" if few else "forest"))
    most = what.division.bins + 1  # and missing
    public = domain.schema.neighbours == "replace-one"
    asked = parse_where(domain, where)
    codes = where_masks(domain, asked)
    rules = Rules.of(domain, codes)

    def render(synopsis: MosaicSynopsis, rows: int | None, rng: np.random.Generator) -> Drawing:
        return sample(
            noisy_tables(synopsis, what.deviations),
            model=used,
            chosen=is_forest(synopsis.chosen, len(what.columns)) and bool(synopsis.chosen),
            settings=what.settings,
            rows=rows,
            rules=rules,
            given=codes,
            domain=domain,
            rng=rng,
        )

    def again(count: int) -> Plan:
        return plan(domain, budget, count, model, where, revision)

    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=events,
        measure=what.measure,
        first=what.first,
        render=render,
        rounds=what.rounds,
        longest=what.longest if len(what.rounds) > 1 else (),
        recount=lambda synopsis: _recount(what, synopsis),
        options={"records": known, "model": used}
        | ({"where": asked} if asked else {})
        | ({"revision": what.revision} if what.revision > 1 else {}),
        sized=again if public else None,
        # The weighted mean of what the columns say is no noisier than the widest of them.
        summed=what.classes * max(min(c.bins, max(MOST_LEVELS, most)) for c in what.columns),
        invariants=("the number of records",) if public else (),
        doubt=doubt(what),
        limits=(
            "One- and two-way tables are kept, within the values of the label where there is "
            "one; dependence among three and more columns only as far as these imply it"
            + (", and as some tables of two columns with the target say." if what.triples else "."),
            *((_only(asked),) if asked else ()),
            *((STATEMENT, CONDITIONED) if domain.schema.constraints else ()),
        ),
    )


def _only(asked: Mapping[str, str]) -> str:
    conditions = ", ".join(f"{name}={text}" for name, text in asked.items())
    return (
        f"Only records with {conditions} were drawn, as the model has them: shares are shares "
        "among these, and how many rows there are was estimated or asked for."
    )


def _recount(what: Steps, synopsis: Mapping[str, Any]) -> tuple[Event, ...]:
    """The events, which no outcome changes; refused if the tables cannot be theirs.

    What was found from noisy tables (where coarse bins and bands begin) is held to how many there
    may be, and not found again: it is worked out in floats, whose last digits differ by machine.
    """
    found = MosaicSynopsis.from_json(synopsis, what.layout)
    tables, chosen = what.column_tables, found.chosen
    public = what.row_count if what.neighbours == "replace-one" else None
    wide, run = ((), 1) if tables is None else (tables.columns, tables.run)
    bins = {column.fine.axis: found.counted(column) for column in found.partition.columns}
    fine = {column.axis: bins[column.axis].bins for column in wide}
    runs = {axis: bins[axis].runs(run) for axis in fine if bins[axis].runs(run)}
    if (
        any(not _planned(bins[c.axis], c, what) for c in what.columns)
        or {axis: len(table) for axis, table in found.fine.items()} != fine
        or {axis: len(table) for axis, table in found.runs.items()} != runs
        or any(c.bins < c.fine.bins for c in found.partition.columns if c.fine.axis not in fine)
        or list(found.codes) != [column.axis for column in what.coded]
        or not all(heavy.all_above(what.division.heavy) for heavy in found.codes.values())
        or found.one is None
        or tuple(found.pairs) != (chosen or what.pairs)
        or len(chosen) != what.division.chosen
        or not all(_merged(column, what) for column in found.partition.columns)
        or not _choosable(what, found)
        or not _triples_planned(what, found)
        or type(found.rows) is not (NoneType if what.neighbours == "add-remove" else int)
        or found.rows != public
        # As text, because in Python true is 1 and would pass for a count.
        or json.dumps(found.to_json(), sort_keys=True) != json.dumps(synopsis, sort_keys=True)
    ):
        raise ReleaseError("the synopsis does not hold the tables that its plan calls for")
    return what.events


def _planned(found: Fine, column: Fine, what: Steps) -> bool:
    """Whether fine bins are those of the plan."""
    if what.revision > 1:
        return np.array_equal(found.start, column.start)
    # The earliest releases have few bins whatever the noise.
    return found.bins in (
        column.bins,
        Fine.first(column.axis, what.layout.columns[column.axis], 0).bins,
    )


def _merged(column: Merged, what: Steps) -> bool:
    """Whether there are as many coarse bins of a column as there may be."""
    fine, most = column.fine, what.division.bins
    if what.revision == 1:
        return True
    if not is_wide(what.layout.columns[fine.axis]) or fine.bins <= most:
        return column.bins == fine.bins
    missing = fine.bins - fine.ordered if fine.ordered else 0
    return column.bins <= most + missing


def _choosable(what: Steps, found: MosaicSynopsis) -> bool:
    """Whether each pair was a candidate when its turn came."""
    choice = what.pair_choice(found.partition)
    if choice is None:
        return True
    left = choice.candidates()
    return all(left.take(pair) for pair in found.chosen)


def _triples_planned(what: Steps, found: MosaicSynopsis) -> bool:
    """Whether there are as many triples as the plan buys; in which bands, it does not say."""
    triples, shares = found.triples, what.division
    if triples is None:
        return not shares.triples
    chosen = shares.triple_choice is not None
    every = pairs_without(what.target, len(what.columns))
    return (chosen or list(triples.tables) == every) and len(triples.tables) == shares.triples > 0


METHOD = Method(
    name="mosaic",
    summary="Keeps tables of one and two columns, of records or of persons with their rows.",
    promise="epsilon-DP, (epsilon, delta)-DP or rho-zCDP",
    source="this project; after MST (McKenna et al. 2021) and latent class analysis",
    proof="proofs/mosaic.md",
    plan=plan,
    options={
        "records": "about how many there are, where that is private (else they are counted)",
        "model": "latent (classes, default for up to 6,000 bins) or forest (joined pairs)",
        "where": "only records with these values, as in sex=f,age=18..30; costs nothing",
        "revision": "of fine bins, pairs and shares: 2, or 1 as before (old releases verify so)",
    },
    earlier={"revision": 1},
    keeps_constraints=True,
    people=True,
    family=Family.COUNTS,
    use="any table, with or without a label, and persons with several rows; the default",
    contract=(
        ContractCase({"epsilon": "1"}),
        ContractCase({"epsilon": "1", "delta": "1e-6"}, options={"model": "forest"}),
        ContractCase({"rho": "0.1"}, options={"model": "forest"}),
        ContractCase({"epsilon": "1"}, neighbours="add-remove", options={"model": "forest"}),
        ContractCase(
            {"rho": "0.1"}, neighbours="add-remove", options={"model": "forest", "records": "30000"}
        ),
        # Triples are bought where there is much to say: a number of records that is only said.
        ContractCase(
            {"rho": "1"},
            neighbours="add-remove",
            options={"model": "forest", "records": "30000"},
            target="dose",
        ),
        ContractCase(  # with tables of codes
            {"rho": "0.1"},
            neighbours="add-remove",
            options={"model": "forest", "records": "10000000"},
        ),
    ),
    audit=AuditCase(
        counted(LABELLED),
        runs=3_000,
        settings=(
            Setting("many", MANY),  # pairs are chosen, also under a larger budget
            Setting("mixed", MIXED),
            Setting("mixed", MIXED, {"records": 1_000_000}),
            Setting("mixed", MIXED, {"records": 200}),
            Setting("target", TARGET, {"records": 10_000}),  # some triples, not all
            Setting("coded", CODED, {"records": 100_000}),
            # All steps of persons, with pairs that are chosen and with all of them; then few.
            Setting("persons'", PERSONS, {"records": 3_000}),
            Setting("two files'", TWO_FILES, {"records": 30_000}),
            Setting("persons'", PERSONS, {"records": 30}),
        ),
    ),
)
