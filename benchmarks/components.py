"""Components: speed against the plain Gram matrix, captured variance against peers.

    python -m benchmarks.components                 all of it
    python -m benchmarks.components speed           1,000,000 × 100 numbers in memory (a minute)
    python -m benchmarks.components peers           Adult and covtype (SFUMATO_DATA), ε = 1

Everything is printed as a ratio within one run.  The peers, diffprivlib and OpenDP, want
older versions of scikit-learn and NumPy; unless this environment has both they get one of
their own, made once with pip in the user's cache folder.  Against peers, time is processor
time, so that other work on the machine counts for nobody; a peer that takes more than
`LIMIT` seconds of it is stopped and said to be over it.
"""

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
import venv
from functools import partial, reduce
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from threadpoolctl import threadpool_limits

import sfumato as sf
from papers.adult import ADULT, adult
from sfumato.errors import DataError
from sfumato.inspection import captured_variance
from sfumato.measure.moments import gram, sums_and_gram
from sfumato.measure.scatter import Scatter
from sfumato.privacy.budget import budget
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SystemBits
from sfumato.render.components import leading
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import UNIT, Centred
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table import grid
from sfumato.table.encode import encode
from sfumato.table.source import open_source
from sfumato.table.statistic import folded
from sfumato.table.workers import shared_out

ROWS, WIDTH = 1_000_000, 100
LOW, HIGH = -3.0, 5.3  # no power of two: dividing by the width is real work
RANK, EPSILON, DELTA, TRIALS, LIMIT = 5, 1, "1e-6", 5, 300
PEERS = ("diffprivlib", "opendp")
NEEDS = ("diffprivlib==0.6.6", "opendp[scikit-learn]==0.16.0", "scikit-learn<1.6", "numpy<2.3")
COVTYPE = {
    "elevation": (1800, 4000),
    "aspect": (0, 360),
    "slope": (0, 90),
    "horizontal_distance_to_hydrology": (0, 1500),
    "vertical_distance_to_hydrology": (-250, 750),
    "horizontal_distance_to_roadways": (0, 7500),
    "hillshade_9am": (0, 255),
    "hillshade_noon": (0, 255),
    "hillshade_3pm": (0, 255),
    "horizontal_distance_to_fire_points": (0, 7500),
}


def best(action, times=5):
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


class Encoded:
    """Records that have been encoded already, with the one verb that the scatter needs."""

    def __init__(self, batches):
        self.batches = batches

    def fold(self, statistic):
        """As `Records.fold`, without encoding."""
        return reduce(statistic.merge, shared_out(partial(folded, statistic), self.batches))


def speed():
    columns = {f"c{k}": {"kind": "number", "low": LOW, "high": HIGH} for k in range(WIDTH)}
    known = Schema.of({"name": "big", "columns": columns})
    rng = np.random.default_rng(0)
    X = rng.uniform(LOW, HIGH, (WIDTH, ROWS)).T  # column after column, as Arrow and pandas keep it
    table = pa.table({name: X[:, k] for k, name in enumerate(columns)})
    domain = Domain.of(known)
    plain = plain_seconds(X)
    print(f"{ROWS:,} × {WIDTH}: plain Gram and eigh {plain:.3f} s; ratios to it:")

    pure = {"schema": known, "method": "lap-pca", "epsilon": EPSILON, "fit": False}
    approx = {**pure, "method": "analyze-gauss", "delta": DELTA}
    frame = table.to_pandas()
    batches = [encode(domain, batch) for batch in open_source(table).batches(list(columns))]
    scatter = Scatter(ScatterLayout(Centred.of(domain), "replace-one"), budget(epsilon=EPSILON))

    def measured():
        found = scatter.perturb(Encoded(batches), Purse(budget(epsilon=EPSILON), SystemBits()))
        leading(found.covariance, WIDTH)

    for what, action in (
        ("lap-pca, Arrow table", lambda: sf.publish(table, **pure)),
        ("analyze-gauss, Arrow table", lambda: sf.publish(table, **approx)),
        ("lap-pca, pandas frame", lambda: sf.publish(frame, **pure)),
        ("lap-pca, encoded records", measured),
    ):
        for path in ("NumPy", "compiled"):
            if path == "NumPy" or "encoded" not in what:
                encode_by(path)
                seconds = best(action)
                print(f"  {what:28} {path:9} {seconds:.3f} s  {seconds / plain:5.2f}  (target 1.5)")
    with threadpool_limits(1, "blas"):
        stages(scatter, domain, table, batches, plain)
    limits(X, plain)


def encode_by(path):
    """By NumPy, as a process begins, or by numba, as it goes on after 2^27 values."""
    grid._paths = grid._Paths()
    grid._paths._fast = grid.in_numpy if path == "NumPy" else grid._compiled()


def plain_seconds(X):
    """The faster of two layouts, and of the library's own threads and one thread."""

    def seconds(threads):
        with threadpool_limits(threads, "blas"):
            return min(
                best(lambda M=M: np.linalg.eigh(M.T @ M)) for M in (X, np.ascontiguousarray(X))
            )

    return min(seconds(None), seconds(1))


def stages(scatter, domain, table, batches, plain):
    """Seconds of one thread, whatever the number of cores."""
    space, names = scatter.layout.centred, table.column_names

    def encoding(path):
        encode_by(path)
        for batch in open_source(table).batches(names):
            encode(domain, batch)

    def designing():
        for codes in batches:
            for start in range(0, len(codes), 1310):
                space.design(codes[start : start + 1310])

    def multiplying():
        for _ in range(0, ROWS, len(Z)):
            gram(Z, UNIT)

    def summing():
        for codes in batches:
            sums_and_gram(space.design, codes, UNIT)

    Z = space.design(batches[0][:1310])
    S = gram(Z, UNIT)
    units = scatter.layout.units
    print("stages in one thread (ratios as above):")
    for what, action in (
        ("encode, NumPy", lambda: encoding("NumPy")),
        ("encode, compiled", lambda: encoding("compiled")),
        ("design", designing),
        ("gram", multiplying),
        ("design, gram and sums", summing),
        ("exact noise", lambda: scatter.noise.draw(units, SystemBits())),
        ("eigh", lambda: np.linalg.eigh(S.astype(float))),
    ):
        seconds = best(action, 3)
        print(f"  {what:28} {seconds:.4f} s  {seconds / plain:6.3f}")


def limits(X, plain):
    """How near the plain Gram matrix itself is to the machine."""
    n, d = X.shape
    A = np.random.default_rng(0).random((1500, 1500))
    with threadpool_limits(1, "blas"):
        peak = 2 * 1500**3 / best(lambda: A @ A)
    read = X.nbytes / best(lambda: X.T.max(axis=1))
    rate = n * d * (d + 1) / plain
    print(f"limits: plain Gram at {rate / 1e9:.0f} Gflop/s, dgemm on one core {peak / 1e9:.0f}")
    print(f"  reading the table once, one core: {X.nbytes / read / plain:.2f} of the plain Gram")


def tables():
    """The public data sets with their schemas and a rank, where they are at hand."""
    try:
        whole = adult()
        numbers = {n: c for n, c in ADULT.columns.items() if c.kind == "integer"}
        few = ADULT.model_copy(update={"columns": numbers})
        yield "Adult, numbers only", whole.select(list(numbers)), few, 2
        yield "Adult", whole, ADULT, RANK
    except DataError as missing:
        print(missing)
    path = Path(os.environ.get("SFUMATO_DATA", "")) / "covtype" / "covtype.parquet"
    if not path.is_file():
        print(f"{path} does not exist: covtype is left out")
        return
    columns = {n: {"kind": "integer", "low": a, "high": b} for n, (a, b) in COVTYPE.items()}
    yield (
        "covtype",
        pq.read_table(path, columns=list(COVTYPE)),
        Schema.of({"name": "covtype", "neighbours": "replace-one", "columns": columns}),
        RANK,
    )


def peers():
    python = peer_python()
    for name, table, known, rank in tables():
        domain = Domain.of(known)
        space = Centred.of(domain)
        batches = open_source(table).batches([axis.name for axis in domain.axes])
        Z = np.vstack([space.design(encode(domain, batch)) for batch in batches]) / UNIT
        print(f"{name}, {Z.shape[0]:,} × {Z.shape[1]}, rank {rank}, epsilon {EPSILON}:")
        ours = {}
        for method, extra in (("lap-pca", {}), ("analyze-gauss", {"delta": DELTA})):
            held, seconds = [], []
            for _ in range(TRIALS):
                start = time.process_time()
                release = sf.publish(
                    table,
                    schema=known,
                    method=method,
                    epsilon=EPSILON,
                    rank=rank,
                    fit=False,
                    **extra,
                )
                seconds.append(time.process_time() - start)
                held.append(captured_variance(release.table, table, known).of_best)
            ours[method] = np.median(held), min(seconds)
            told = f"delta {DELTA}" if extra else "pure epsilon"
            show(method, *ours[method], f"median of {TRIALS}, {told}")
        for peer in PEERS:
            run_peer(python, peer, Z, space, (table, known, rank), ours["lap-pca"])


def show(what, held, seconds, note):
    print(f"  {what:14} holds {held:.4f} of the best variance, {seconds:8.2f} s  ({note})")


def run_peer(python, peer, Z, space, judged, ours):
    table, known, rank = judged
    with tempfile.TemporaryDirectory() as home:
        source, target = Path(home) / "table.npz", Path(home) / "components.npz"
        low = -space.middle
        radius = float(space.largest_square) ** 0.5
        figures = {"radius": radius, "rank": rank, "epsilon": float(EPSILON)}
        np.savez(source, X=Z, low=low, high=low + 1, **figures)
        script = Path(__file__).with_name("component_peer.py")
        command = [python, script, peer, str(LIMIT), source, target]
        # Threads of the linear algebra library would wait for each other on processor time.
        alone = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        run = subprocess.run(command, check=False, capture_output=True, text=True, env=alone)
        if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            print(f"  {peer:14} over {LIMIT} s: more than {LIMIT / ours[1]:,.0f} × lap-pca's time")
            return
        if run.returncode:
            print(f"  {peer:14} failed: {(run.stderr.strip().splitlines() or ['?'])[-1]}")
            return
        with np.load(target) as found:
            U, seconds = found["components"][:rank], float(found["seconds"])
    held = captured_variance(U, table, known).of_best
    more, time_share = ours[0] / held, ours[1] / seconds
    show(
        peer, held, seconds, f"one run; lap-pca: {more:.3f} × as much, {time_share:.4f} × the time"
    )


def peer_python():
    """An interpreter that has the peers: this one, or one made for them."""
    if all(importlib.util.find_spec(name) for name in (*PEERS, "randomgen")):
        return sys.executable
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "sfumato-benchmarks" / "component-peers"
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not (home / "ready").exists():
        print(f"making an environment for {' and '.join(PEERS)} in {home}")
        venv.create(home, with_pip=True, clear=True)
        quiet = ["--quiet", "--disable-pip-version-check"]
        install = [python, "-m", "pip", "install", *quiet, *NEEDS]
        subprocess.run(install, check=True, capture_output=True)
        (home / "ready").touch()
    return str(python)


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["speed", "peers"]
    for part in wanted:
        {"speed": speed, "peers": peers}[part]()
