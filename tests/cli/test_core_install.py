"""An install without extras serves every command of the README's first half."""

import os
import subprocess
import sys

import pyarrow.csv as pacsv
import pytest

from sfumato.example import CLINIC, clinic

pytestmark = pytest.mark.slow

EXTRAS = (
    "IPython",
    "numba",
    "polars",
    "pywt",
    "sklearn",
    "starlette",
    "threadpoolctl",
    "uvicorn",
)
COMMANDS = """
schema draft clinic.csv
schema check clinic.yaml
ledger create --ledger budget.db
ledger grant clinic --epsilon 2 --reason board --ledger budget.db
publish clinic.csv --schema clinic.yaml --epsilon 1 --ledger budget.db -o release/
verify release/ --ledger budget.db
report release/
verify release/
accuracy release/ --sum ward=surgery
schema suggest release/
inspect release/ --original clinic.csv --ledger budget.db -o page.html
compare clinic.csv --schema clinic.yaml --epsilon 1 --trials 1 --methods modips,wavelet
graph publish edges.csv --undirected --epsilon 1 --option high=100 -o network/
stream count clicks.txt --horizon 64 --every 16 --epsilon 1 -o counts/
query publish areas.csv --epsilon 1 -o published/
query ask published/ --keys north,east
""".strip().splitlines()
RUN = """
import sys
from sfumato.cli import main

for line in sys.stdin.read().splitlines():
    sys.argv = ["sfumato", *line.split()]
    print("$", line, flush=True)
    try:
        main()
    except SystemExit as leaving:
        if leaving.code:
            sys.exit(f"{line}: exit code {leaving.code}")
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What the commands print where the extras cannot be imported, here and in other processes."""
    desk, blocked = tmp_path_factory.mktemp("desk"), tmp_path_factory.mktemp("blocked")
    (blocked / "sitecustomize.py").write_text(
        f"import sys\nsys.modules.update(dict.fromkeys({EXTRAS}))\n"
    )
    (blocked / "pandas.py").write_text("raise ImportError")  # Arrow looks for it by itself
    pacsv.write_csv(clinic(200), desk / "clinic.csv")
    (desk / "clinic.yaml").write_text(CLINIC)
    (desk / "edges.csv").write_text("source,target,weight\na,b,7\na,c,9\nb,c,3\n")
    (desk / "areas.csv").write_text("key,count\nnorth,40\neast,60\n")
    (desk / "clicks.txt").write_text("01" * 32)
    known = [str(blocked), *(path for path in sys.path if path)]
    environment = {k: v for k, v in os.environ.items() if k != "SFUMATO_LEDGER"}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input="\n".join(COMMANDS),
        cwd=desk,
        env=environment | {"PYTHONPATH": os.pathsep.join(known), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    return done.stdout


def test_every_command_runs_without_an_extra(said):
    assert [line[2:] for line in said.splitlines() if line.startswith("$ ")] == COMMANDS


def test_a_method_whose_extra_is_missing_is_left_out_by_name(said):
    assert "wavelet: wavelets need PyWavelets: pip install 'sfumato[wavelet]'" in said


def test_measures_that_need_an_extra_are_left_out_and_say_so(said):
    assert "measures of the label: classifiers need scikit-learn: pip install 'sfumato[ml]'" in said
    assert "The label was not tried: classifiers need scikit-learn" in said
