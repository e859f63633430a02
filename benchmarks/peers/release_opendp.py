"""MST and AIM of OpenDP, given the levels of every column, so that the budget goes to counts."""

import opendp.prelude as dp
import pandas as pd
import polars as pl
from discrete import Levels
from mbi_repair import repair
from opendp.extras.mbi import _mst
from task import Task


def concentrated(epsilon: float, delta: float) -> float:
    """The largest ρ that (ε, δ) allows: with every level public, the tables take no δ."""
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)

    def gaussian(scale: float) -> dp.Measurement:
        noisy = dp.m.make_gaussian(*space, scale)
        return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(noisy), delta)

    scale = dp.binary_search_param(gaussian, d_in=1.0, d_out=(epsilon, delta))
    return dp.m.make_gaussian(*space, scale).map(1.0)


def released(task: Task) -> pd.DataFrame:
    levels = Levels(task.schema, scaled=task.options.get("scaled", False))
    rho = concentrated(task.epsilon, task.delta)
    context = dp.Context.compositor(
        data=pl.from_pandas(levels.encode(task.train)).lazy(),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(rho=rho),
    )
    table = (
        context.query(rho=rho)
        .contingency_table(
            keys={name: list(range(size)) for name, size in levels.sizes.items()},
            algorithm=getattr(dp.mbi, task.options["algorithm"])(),
        )
        .release()
    )
    codes = table.synthesize(task.rows).to_pandas()
    # Every column has a level for missing values too, which no record has but noise may fill.
    return levels.decode(codes.ffill().bfill(), task.seed)


def share() -> None:
    """Let the shares of MST's selections fall short of the whole by more than rounding.

    Ten equal shares, each one float below a tenth, add up to more than the whole when every sum
    is rounded upwards, and OpenDP 0.16.0 then refuses its own MST for lack of budget.
    """
    _mst.prior = lambda budget: budget * (1 - 1e-12)


if __name__ == "__main__":
    dp.enable_features("contrib")
    share()
    given = Task.told()
    if given.options["repaired"]:
        repair()
    given.answer(released(given))
