"""All network benchmarks in one run: dense, sparse, potentials (about five minutes).

python benchmarks/graph.py

Each part stands alone as well: graph_dense.py, graph_sparse.py, graph_potential.py.
"""

import runpy
from pathlib import Path

if __name__ == "__main__":
    for part in ("dense", "sparse", "potential"):
        print(f"== {part}", flush=True)
        runpy.run_path(str(Path(__file__).with_name(f"graph_{part}.py")), run_name="__main__")
