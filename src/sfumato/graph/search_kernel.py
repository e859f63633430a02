"""The inner loop of the search: Dijkstra from both ends, on arrays.

A length is a pair (steps, own edges), in the order of the dictionary: of two paths with
equally many steps the one with fewer arcs of a given path p is shorter.  Such pairs add
like numbers, and Dijkstra's argument asks for no more than that.

A label that cannot lead below the best length known is not pushed: what the other side has
not settled is at least as far from its end as the top of its heap.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.compiled import compiled

__all__ = ["COLUMNS", "FAR", "Lists", "Room", "trace"]

Array = NDArray[Any]
Both = tuple[Array, Array]  # out of a node, and into it

FAR = 2**62  # longer than any path, and twice it is still no overflow
COLUMNS = 8  # of the table of nodes: one line of the processor's cache each
# Columns 0, 1, 2: steps, own edges and last arc of the search from the source; 3, 4, 5: of
# the search from the target; then the search that wrote the line, and the place on p.
_SIDE, _STAMP, _PLACE = 3, 6, 7
_NODE = 2**32 - 1  # a heap's tag: own edges above, node below, so that ties fall to fewer


class Lists(NamedTuple):
    """The network as the loop reads it; see `arcs`."""

    first: Both
    head: Both
    edge: Both
    cost: Both
    ends: Array  # of each edge the sum of its two nodes: less one of them it is the other


class Room(NamedTuple):
    """Where the loop writes; nothing in it needs clearing between searches."""

    node: Array  # a line of COLUMNS for each node
    key: Array  # two heaps: steps
    tag: Array  # and what they belong to
    walk: Array  # the nodes of one path


@compiled
def _push(key: Array, tag: Array, count: int, steps: int, mark: int) -> None:
    """Into a heap of `count` entries with four children each."""
    place = count
    while place > 0:
        above = (place - 1) >> 2
        if key[above] < steps or (key[above] == steps and tag[above] <= mark):
            break
        key[place], tag[place] = key[above], tag[above]
        place = above
    key[place], tag[place] = steps, mark


@compiled
def _pop(key: Array, tag: Array, count: int) -> None:
    """Remove the top; `count` entries are left."""
    steps, mark = key[count], tag[count]
    place = 0
    while 4 * place + 1 < count:
        least = 4 * place + 1
        for child in range(least + 1, min(least + 4, count)):
            if key[child] < key[least] or (key[child] == key[least] and tag[child] < tag[least]):
                least = child
        if key[least] > steps or (key[least] == steps and tag[least] >= mark):
            break
        key[place], tag[place] = key[least], tag[least]
        place = least
    key[place], tag[place] = steps, mark


@compiled
def _fresh(line: Array, stamp: int) -> None:
    """A node that this search has not seen, on both sides; arcs are written with labels."""
    line[0] = line[_SIDE] = FAR
    line[_STAMP], line[_PLACE] = stamp, -1


@compiled
def _meet(
    lists: Lists, room: Room, stamp: int, source: int, target: int, own: Array, steps: int
) -> int:
    """Where the shortest path below (steps, edges of p) is found to meet, or -1.

    `own` are the nodes of p, or none; the last arcs of both sides lead from there to the ends.
    """
    node, key, tag, first = room.node, room.key, room.tag, lists.first
    for end in (source, target):
        _fresh(node[end], stamp)
    for place in range(len(own)):
        _fresh(node[own[place]], stamp)
        node[own[place], _PLACE] = place
    hops, meeting = max(len(own) - 1, 0), -1
    if source == target:
        return source if steps > 0 else -1
    count, work = np.ones(2, np.int64), np.zeros(2, np.int64)
    for side in range(2):
        end = source if side == 0 else target
        node[end, _SIDE * side], node[end, _SIDE * side + 1] = 0, 0
        key[side, 0], tag[side, 0] = 0, end
    while count[0] > 0 and count[1] > 0:
        least = key[0, 0] + key[1, 0]
        if least > steps or (least == steps and (tag[0, 0] >> 32) + (tag[1, 0] >> 32) >= hops):
            break
        # The side that will have looked at fewer arcs: neither is led astray by a hub.
        one, other = tag[0, 0] & _NODE, tag[1, 0] & _NODE
        load = work[0] + first[0][one + 1] - first[0][one]
        side = 0 if load <= work[1] + first[1][other + 1] - first[1][other] else 1
        here, there = _SIDE * side, _SIDE * (1 - side)
        reached, at, before = key[side, 0], tag[side, 0] & _NODE, tag[side, 0] >> 32
        count[side] -= 1
        _pop(key[side], tag[side], count[side])
        if reached != node[at, here] or before != node[at, here + 1]:
            continue  # a shorter label came later
        place = node[at, _PLACE] + 1 - 2 * side
        follows = node[at, _PLACE] >= 0 and 0 <= place < len(own)
        following = own[place] if follows else -1  # where p goes on from here
        opposite, opposite_own = key[1 - side, 0], tag[1 - side, 0] >> 32
        work[side] += first[side][at + 1] - first[side][at]
        for arc in range(first[side][at], first[side][at + 1]):
            total, to = reached + lists.cost[side][arc], lists.head[side][arc]
            taken = before + 1 if to == following else before
            least = total + opposite
            if least > steps or (least == steps and taken + opposite_own >= hops):
                continue
            if node[to, _STAMP] != stamp:
                _fresh(node[to], stamp)
            label = node[to, here]
            if total > label or (total == label and taken >= node[to, here + 1]):
                continue
            node[to, here], node[to, here + 1], node[to, here + 2] = total, taken, arc
            _push(key[side], tag[side], count[side], total, (taken << 32) | to)
            count[side] += 1
            if node[to, there] < FAR:
                length, crossed = total + node[to, there], taken + node[to, there + 1]
                if length < steps or (length == steps and crossed < hops):
                    steps, hops, meeting = length, crossed, to
    return meeting


@compiled
def _follow(
    lists: Lists, room: Room, side: int, at: int, end: int, trail: Array, written: int
) -> int:
    """Write the edges from a node back to the end where its side began; how many there are now."""
    while at != end:
        trail[written] = lists.edge[side][room.node[at, _SIDE * side + 2]]
        at = lists.ends[trail[written]] - at
        written += 1
    return written


@compiled
def trace(
    lists: Lists,
    room: Room,
    stamp: int,
    pair: Both,
    first: Array,
    edge: Array,
    limit: Array,
    found: Array,
    hops: Array,
    trail: Array,
) -> int:
    """For each pair the shortest path below (limit, edges of its own path); how many were done.

    Own paths are given as `Paths` are: `first`, `edge`.  It ends early when `trail` might
    not hold the next path.
    """
    written, source, target = 0, pair[0], pair[1]
    for which in range(len(source)):
        if written + len(room.walk) > len(trail):
            return which
        own, at = edge[first[which] : first[which + 1]], source[which]
        room.walk[0] = at
        for place in range(len(own)):
            at = lists.ends[own[place]] - at
            room.walk[place + 1] = at
        walk = room.walk[: len(own) + 1 if len(own) > 0 else 0]
        meeting = _meet(
            lists, room, stamp + which, source[which], target[which], walk, limit[which]
        )
        found[which] = meeting >= 0
        begin = written
        if meeting >= 0:
            written = _follow(lists, room, 0, meeting, source[which], trail, written)
            trail[begin:written] = trail[begin:written][::-1].copy()
            written = _follow(lists, room, 1, meeting, target[which], trail, written)
        hops[which] = written - begin
    return len(source)
