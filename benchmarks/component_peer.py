"""One run of a peer's private PCA, in whatever environment has that peer.

    python benchmarks/component_peer.py diffprivlib|opendp limit table.npz components.npz

The table holds X (centred features), the bounds of each feature, the radius of the ball
around them, rank and epsilon (replace-one).  Answered are components and seconds of
processor time; beyond `limit` of these the system ends the process.
"""

import resource
import sys
import time
import warnings

import numpy as np


def diffprivlib(X, low, high, radius, rank, epsilon):
    from diffprivlib.models import PCA

    model = PCA(n_components=rank, epsilon=epsilon, data_norm=radius, bounds=(low, high))
    return model.fit(X).components_


def opendp(X, radius, rank, epsilon, **_):
    import opendp.prelude as dp
    from opendp.extras.sklearn.decomposition import PCA

    dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")

    def model(share):
        shape = {"n_samples": len(X), "n_features": X.shape[1], "n_components": rank}
        return PCA(epsilon=share, row_norm=radius, **shape)

    # A replaced record is a symmetric distance of 2: the budget that this costs is what counts.
    spent = model(epsilon)._prepare_fitter().map(2)
    return model(epsilon * epsilon / spent).fit(X).components_


def main():
    peer, limit, source, target = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit)))
    warnings.simplefilter("ignore")
    with np.load(source) as table:
        given = {name: table[name] for name in table.files}
    for name, kind in (("radius", float), ("rank", int), ("epsilon", float)):
        given[name] = kind(given[name])
    start = time.process_time()
    components = {"diffprivlib": diffprivlib, "opendp": opendp}[peer](**given)
    np.savez(target, components=components, seconds=time.process_time() - start)


if __name__ == "__main__":
    main()
