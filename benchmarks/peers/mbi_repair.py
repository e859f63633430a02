"""What mbi 1.1 does wrong when it samples, put right as its version 2.0 does.

SmartNoise 1.0.8 and OpenDP 0.16 both ask for an mbi below 2, whose sampler has two faults:

1. Within a group of equal parents, the value of the next column rises with the number of the row.
   The next child of the same parents rises with it as well, so that two columns which are
   independent given their parents in the model come out sorted alike in the sample.
2. A column is drawn given its neighbours in the measured tables only.  Once these form a cycle, it
   has to be drawn given its neighbours in the junction tree.

The second matters to AIM only: the tables of MST form a tree.
"""

import inspect
import textwrap

from mbi import markov_random_field

__all__ = ["repair"]

CORRECTIONS = {
    'np.argsort(inverse, kind="stable")': "np.lexsort((np.random.rand(total), inverse))",
    "potentials = self": "cliques = [set(cl) for cl in jtree.nodes]; potentials = self",
}


def repair() -> None:
    """Replace the sampler in this process."""
    model = markov_random_field.MarkovRandomField
    source = textwrap.dedent(inspect.getsource(model.synthetic_data))
    for wrong, right in CORRECTIONS.items():
        if wrong not in source:
            raise SystemExit(f"this mbi has no `{wrong}`: is it version 1.1.0?")
        source = source.replace(wrong, right)
    exec(source, vars(markov_random_field))
    model.synthetic_data = vars(markov_random_field).pop("synthetic_data")
