"""The loops of `Dynamic`: how far one weight may move, and what moves with it.

Edge e leads from i to j and weighs w; an undirected edge is looked at in one direction
only, because its wanted pairs are kept in both.  With exact distances d,

    s → t takes e, on some shortest path,   iff  d(s,i) + w + d(j,t) = d(s,t),
    and then                                     d(s,i) + w = d(s,j),  w + d(j,t) = d(i,t).

So the pairs that an increase touches lie in a small product, sources × targets; and those
that a decrease by x can touch lie in the one of sources with d(s,i) + w - d(s,j) < x and
targets with w + d(j,t) - d(i,t) < x, since d(s,t) ≤ d(s,j) + d(j,t) and ≤ d(s,i) + d(i,t).
Neither ever changes d(s,i) or d(j,t): a shortest way to i does not take e.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.graph.all_pairs import FAR, Distances, rise, sink
from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices
from sfumato.numeric.arrays import Mask
from sfumato.numeric.compiled import compiled

__all__ = ["State", "balance", "highest", "lower", "lowest", "raised"]

Short = NDArray[np.int32]


class State(NamedTuple):
    """Arrays only, so that the loops run compiled and as plain Python."""

    distance: Distances  # by source, then target
    backward: Distances  # by target, then source; undirected: the same array
    wanted: Mask  # H by source, then target; undirected: both ways
    start: Indices  # H again, as a list
    end: Indices
    units: Units
    source: Indices
    target: Indices
    into_first: Indices  # arcs into each node, the lightest first
    into_node: Short
    into_edge: Short
    into_cost: Units
    out_first: Indices  # arcs out of each node; undirected: the same arrays
    out_node: Short
    out_edge: Short
    out_cost: Units
    spanned: Indices  # what `_span` was last asked, and its answer
    sources: Indices  # room to work in: one entry per node each
    targets: Indices
    touched: Indices
    fresh: Distances
    inside: Mask
    heap: Indices
    place: Indices


@compiled
def _span(state: State, e: int, gain: int) -> tuple[int, int]:
    """List the sources and targets whose ways over e are behind by less than `gain`."""
    if state.spanned[0] == e and state.spanned[1] == gain:
        return state.spanned[2], state.spanned[3]
    i, j, w = state.source[e], state.target[e], state.units[e]
    to_i, to_j = state.backward[i], state.backward[j]
    from_i, from_j = state.distance[i], state.distance[j]
    near, far = state.sources, state.targets
    sources = targets = 0
    for v in range(len(to_i)):
        if to_i[v] + w - to_j[v] < gain and to_i[v] < FAR:
            near[sources] = v
            sources += 1
        if w + from_j[v] - from_i[v] < gain and from_j[v] < FAR:
            far[targets] = v
            targets += 1
    spanned = state.spanned
    spanned[0], spanned[1], spanned[2], spanned[3] = e, gain, sources, targets
    return sources, targets


@compiled
def balance(state: State, before: Distances, e: int) -> int:
    """Wanted pairs over e that are not longer than before, less those that are."""
    i, j, w = state.source[e], state.target[e], state.units[e]
    sources, targets = _span(state, e, 1)
    more = 0
    for s in state.sources[:sources]:
        near = state.distance[s, i] + w
        for t in state.targets[:targets]:
            if state.wanted[s, t] and near + state.distance[j, t] == state.distance[s, t]:
                more += 1 if state.distance[s, t] <= before[s, t] else -1
    return more


@compiled
def lowest(state: State, e: int, least: int) -> int:
    """The smallest weight from `least` up at which all wanted pairs keep their paths."""
    i, j, w = state.source[e], state.target[e], state.units[e]
    gap = w - max(least, 1) + 1  # a decrease must stay below it
    if gap <= 1:
        return w  # type: ignore[no-any-return]
    sources, targets = _span(state, e, gap)
    from_i, from_j = state.distance[i], state.distance[j]
    if sources * targets > len(state.start):
        for pair in range(len(state.start)):
            s, t = state.start[pair], state.end[pair]
            behind = state.distance[s, i] + w + from_j[t] - state.distance[s, t]
            if 0 < behind < gap:
                gap = behind
        return w - gap + 1  # type: ignore[no-any-return]
    for s in state.sources[:sources]:
        if state.distance[s, i] + w - state.distance[s, j] >= gap:
            continue
        near = state.distance[s, i] + w
        for t in state.targets[:targets]:
            if state.wanted[s, t] and w + from_j[t] - from_i[t] < gap:
                behind = near + from_j[t] - state.distance[s, t]
                if 0 < behind < gap:
                    gap = behind
    return w - gap + 1  # type: ignore[no-any-return]


@compiled
def _detours(state: State, e: int, more: int, sources: int, targets: int, write: bool) -> int:
    """What becomes of the pairs over e if it weighs `more` than now.

    No length grows by more than that; one grows by less where a way comes in from a node
    that is not reached over e, and from there spreads.  Either the new lengths are written,
    or wanted pairs are asked for the least by which one grows: from then on the answer is
    all that e is thought to gain.
    """
    i, j, w = state.source[e], state.target[e], state.units[e]
    distance, backward, wanted = state.distance, state.backward, state.wanted
    from_j = distance[j]
    first, node, edge, cost = state.into_first, state.into_node, state.into_edge, state.into_cost
    touched, fresh, inside = state.touched, state.fresh, state.inside
    out_first, out_node, out_cost = state.out_first, state.out_node, state.out_cost
    heap, place, near_i, far = state.heap, state.place, state.sources, state.targets
    for k in range(sources):
        s = near_i[k]
        length, near = distance[s], distance[s, i] + w
        count, concerned, most, size = 0, write, 0, 0
        for at in range(targets):
            t = far[at]
            if near + from_j[t] == length[t]:
                touched[count], fresh[t], inside[t] = t, length[t] + more, True
                most, concerned = max(most, fresh[t]), concerned or wanted[s, t]
                count += 1
        for at in range(count if concerned else 0):
            v = touched[at]
            best = fresh[v]
            for arc in range(first[v], first[v + 1]):
                if cost[arc] >= best:
                    break
                u = node[arc]
                if length[u] + cost[arc] < best and not inside[u] and edge[arc] != e:
                    best = length[u] + cost[arc]
            if best < fresh[v]:
                fresh[v] = best
                if count > 1:  # else there is no one to pass it on to
                    heap[size] = v
                    rise(heap, place, fresh, size)
                    size += 1
        while size > 0:
            u = heap[0]
            size -= 1
            place[u] = -1
            if size > 0:
                heap[0] = heap[size]
                sink(heap, place, fresh, size)
            for arc in range(out_first[u], out_first[u + 1]):
                longer = fresh[u] + out_cost[arc]
                if longer >= most:
                    break
                v = out_node[arc]
                if inside[v] and longer < fresh[v]:
                    fresh[v] = longer
                    if place[v] < 0:
                        heap[size], place[v] = v, size
                        size += 1
                    rise(heap, place, fresh, place[v])
        for at in range(count):
            t = touched[at]
            inside[t] = False
            if write:
                distance[s, t] = backward[t, s] = fresh[t]
            elif wanted[s, t]:
                more = min(more, fresh[t] - length[t])
    return more


@compiled
def highest(state: State, e: int, most: int) -> int:
    """The largest weight up to `most` at which all wanted pairs keep their paths."""
    w = state.units[e]
    if most <= w:
        return w  # type: ignore[no-any-return]
    sources, targets = _span(state, e, 1)
    # One more than may be gained is asked for: what is gained must stay below the answer.
    return w + _detours(state, e, most - w + 1, sources, targets, False) - 1  # type: ignore[no-any-return]


@compiled
def raised(state: State, e: int, units: int) -> None:
    """Give e this larger weight."""
    w = state.units[e]
    if state.distance[state.source[e], state.target[e]] == w:
        sources, targets = _span(state, e, 1)
        _detours(state, e, units - w, sources, targets, True)
    _reweigh(state, e, units)


@compiled
def lower(state: State, e: int, units: int) -> None:
    """Give e this smaller weight."""
    i, j = state.source[e], state.target[e]
    sources, targets = _span(state, e, state.units[e] - units)
    for s in state.sources[:sources]:
        near = state.distance[s, i] + units
        for t in state.targets[:targets]:
            shorter = near + state.distance[j, t]
            if shorter < state.distance[s, t]:
                state.distance[s, t] = state.backward[t, s] = shorter
    _reweigh(state, e, units)


@compiled
def _reweigh(state: State, e: int, units: int) -> None:
    i, j, w = state.source[e], state.target[e], state.units[e]
    into = (state.into_first, state.into_node, state.into_edge, state.into_cost)
    out = (state.out_first, state.out_node, state.out_edge, state.out_cost)
    _resort(into[0][j], into[0][j + 1], into[1], into[2], into[3], e, w, units)
    _resort(out[0][i], out[0][i + 1], out[1], out[2], out[3], e, w, units)
    state.units[e] = units
    state.spanned[0] = -1


@compiled
def _resort(
    begin: int, end: int, node: Short, edge: Short, cost: Units, e: int, old: int, new: int
) -> None:
    """Move the arc of e to its place among the arcs begin … end of a node."""
    at = begin + np.searchsorted(cost[begin:end], old)
    while edge[at] != e:
        at += 1
    other = node[at]
    while at + 1 < end and cost[at + 1] < new:
        node[at], edge[at], cost[at] = node[at + 1], edge[at + 1], cost[at + 1]
        at += 1
    while at > begin and cost[at - 1] > new:
        node[at], edge[at], cost[at] = node[at - 1], edge[at - 1], cost[at - 1]
        at -= 1
    node[at], edge[at], cost[at] = other, e, new
