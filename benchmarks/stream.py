"""All stream benchmarks in one run: counts and sampled means (a few minutes).

python benchmarks/stream.py

Each part stands alone as well: stream_counter.py, stream_reservoir.py.
"""

import runpy
from pathlib import Path

if __name__ == "__main__":
    for part in ("counter", "reservoir"):
        print(f"== {part}", flush=True)
        runpy.run_path(str(Path(__file__).with_name(f"stream_{part}.py")), run_name="__main__")
