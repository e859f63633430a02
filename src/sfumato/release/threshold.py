"""How many of several parties must open a sum before its masks come off.

Of n parties, d may drop out and c may collude with whoever collects the files, and may show each
of the others another list of contributions.  Each opening then leaves out up to d parties of its
own.  t openings are needed for a secret; colluders have c of them.

    2t > n + c                     nobody has both secrets of one party,
    (t − c)(d + 1) > (n − c) d     at most d mask keys come out, whatever lists were shown.

The smallest t with both is `wanted`; more than n − d cannot be had, because so many may be gone.
Proof in `docs/proofs/party.md`.

>>> opening_threshold(4, 1, 1), holds_for_any_lists(4, 1, 1)
(3, True)
>>> opening_threshold(10, 3, 1), holds_for_any_lists(10, 3, 1)
(7, False)
"""

__all__ = ["holds_for_any_lists", "opening_threshold"]


def opening_threshold(parties: int, dropouts: int, colluders: int) -> int:
    """t: as many as are needed, as far as dropouts allow it."""
    return min(_wanted(parties, dropouts, colluders), parties - dropouts)


def holds_for_any_lists(parties: int, dropouts: int, colluders: int) -> bool:
    """Whether t is large enough even if each party is shown another list of contributions."""
    return _wanted(parties, dropouts, colluders) <= parties - dropouts


def _wanted(parties: int, dropouts: int, colluders: int) -> int:
    one_secret = (parties + colluders) // 2 + 1
    few_keys = colluders + (parties - colluders) * dropouts // (dropouts + 1) + 1
    return max(one_secret, few_keys)
