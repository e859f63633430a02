"""svd and wavelet of ours against one plain SVD and one plain wavelet transform, in one run.

python benchmarks/perturb.py            1,000,000 × 64 (half a minute to minutes, 3 GB of memory)
python benchmarks/perturb.py 100000     fewer rows

The plain SVD is numpy's thin one (`full_matrices=False`), of which the leading half is put
together again; ours goes through the m × m Gram matrix.  The plain wavelet is
`pywt.wavedec2` to the same six levels, soft thresholds, `pywt.waverec2`.  Each is timed as the
best of two, in turn; memory is the peak of a process of its own, less the matrix.
"""

import resource
import subprocess
import sys
import time

import numpy as np
import pywt

from sfumato.perturb.svd import svd
from sfumato.perturb.wavelet import wavelet

COLUMNS, LEVELS, SHARE = 64, 6, 0.5
RANK = COLUMNS // 2


def plain_svd(A):
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return (U[:, :RANK] * s[:RANK]) @ Vt[:RANK]


def plain_wavelet(A):
    averages, *details = pywt.wavedec2(A, "haar", "periodization", level=LEVELS)
    most = SHARE * max(np.abs(part).max() for level in details for part in level)
    drawn = [tuple(pywt.threshold(part, most, "soft") for part in level) for level in details]
    return pywt.waverec2([averages, *drawn], "haar", "periodization")[: len(A), : A.shape[1]]


JOBS = {
    "svd, ours": lambda A: svd(A, RANK),
    "svd, plain": plain_svd,
    "wavelet, ours": lambda A: wavelet(A, share=SHARE, levels=LEVELS),
    "wavelet, plain": plain_wavelet,
}


def matrix(rows):
    return np.random.default_rng(0).standard_normal((rows, COLUMNS))


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def memory(job, rows):
    run = subprocess.run(
        [sys.executable, __file__, str(rows), job], capture_output=True, text=True, check=True
    )
    return float(run.stdout)


def clock(action, A):
    start = time.perf_counter()
    result = action(A)
    return time.perf_counter() - start, result


def main(rows):
    # Before the matrix exists here: a child's peak begins at the size of its parent.
    more = {job: memory(job, rows) for job in JOBS}
    A = matrix(rows)
    seconds, results = dict.fromkeys(JOBS, float("inf")), {}
    for _ in range(2):
        for job, action in JOBS.items():
            taken, results[job] = clock(action, A)
            seconds[job] = min(seconds[job], taken)
    size = A.nbytes / 2**20
    print(f"{rows:,} × {COLUMNS}, {size:.0f} MB; SVD to rank {RANK}, Haar to {LEVELS} levels")
    for job, best in seconds.items():
        extra = more[job]
        print(f"{job:15} {best:7.2f} s   {extra:6.0f} MB beside the matrix ({extra / size:.1f} ×)")
    for kind in ("svd", "wavelet"):
        ours, plain = f"{kind}, ours", f"{kind}, plain"
        off = np.abs(results[ours] - results[plain]).max()
        print(f"{kind}: ours / plain {seconds[ours] / seconds[plain]:.2f}, apart by {off:.0e}")
    for other in ("svd, ours", "svd, plain"):
        print(f"wavelet, ours / {other}: {seconds['wavelet, ours'] / seconds[other]:.2f}")


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    if len(sys.argv) > 2:
        table = matrix(count)
        before = peak()
        JOBS[sys.argv[2]](table)
        print(peak() - before)
    else:
        main(count)
