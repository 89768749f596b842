"""Classes of N(k,m) by brute force, as a second opinion on nkm.json and beyond it.

States are pids written out, with all tokens and counters; two states are one class if a search over
bijections finds one that satisfies Definition 1 of SACS'10 word for word. Nothing is shared with the
program: no links, no graphs, no canonical forms. Usage: nkm_by_force.py K M RELATION...
"""
import sys
from collections import Counter

RELATIONS = {
    "parent": lambda x, y: len(y) == len(x) + 1 and y[: len(x)] == x,
    "ancestor": lambda x, y: len(y) > len(x) and y[: len(x)] == x,
    "adjacent-sibling": lambda x, y: len(x) == len(y) and x[:-1] == y[:-1] and x[-1] + 1 == y[-1],
    "elder-sibling": lambda x, y: len(x) == len(y) and x[:-1] == y[:-1] and x[-1] < y[-1],
}


def successors(state, k, m):
    """All firings: name of the transition and the state after."""
    tokens, eta = state
    eta = dict(eta)
    parent = RELATIONS["parent"]

    def fire(take, put, children=(), end=()):
        new = Counter(tokens)
        new.subtract(take)
        new.update(put)
        after = dict(eta)
        for p, n in children:
            after[p] += n
            after.update({p + (after[p] - i,): 0 for i in range(n)})
        for p in end:
            del after[p]
        return tuple(sorted(new.elements())), tuple(sorted(after.items()))

    for token in set(tokens):
        place, p = token[0], token[1]
        child = p + (eta[p] + 1,)
        if place == "s0":
            made = [("s1", p + (eta[p] + i,), 0) for i in range(1, k + 1)]
            yield "init", fire([token], made, [(p, k)], [p])
        if place == "s1" and token[2] < m:
            yield "spawn", fire([token], [("s1", p, token[2] + 1), ("h1", child)], [(p, 1)])
        if place == "h1":
            yield "comp", fire([token], [("h2", p)])
        if place == "h2":
            yield "call", fire([token], [("h3", p), ("f1", child)], [(p, 1)])
        if place == "f1":
            yield "fun", fire([token], [("f2", p)])
        for other in set(tokens):
            if place == "h3" and other[0] == "f2" and parent(p, other[1]):
                yield "ret", fire([token, other], [("h4", p)], end=[other[1]])
            if place == "s1" and other[0] == "h4" and parent(p, other[1]):
                yield "wait", fire([token, other], [("s1", p, token[2] - 1)], end=[other[1]])


class View:
    """A state as Definition 1 sees it: pids, their tokens, and who is related to whom."""

    def __init__(self, state, relations):
        tokens, eta = state
        self.eta = dict(eta)
        self.pids = sorted(set(self.eta) | {token[1] for token in tokens})
        self.held = {p: sorted(t[:1] + t[2:] for t in tokens if t[1] == p) for p in self.pids}
        self.related = {(x, y): self.relate(x, y, relations) for x in self.pids for y in self.pids}
        colour = {p: repr((self.held[p], p in self.eta)) for p in self.pids}
        for _ in range(2):
            colour = {
                p: repr((colour[p], sorted((self.related[p, o], self.related[o, p], colour[o]) for o in self.pids)))
                for p in self.pids
            }
        self.colour = {p: hash(c) for p, c in colour.items()}
        self.key = tuple(sorted(self.colour.values()))

    def next(self, p):
        return p + (self.eta[p] + 1,)

    def relate(self, x, y, relations):
        """Family relations between pids; sibling relations between pids and next-pids."""
        out = []
        for name in relations:
            holds = RELATIONS[name]
            out.append(holds(x, y))
            if "sibling" in name:
                nx = self.next(x) if x in self.eta else None
                ny = self.next(y) if y in self.eta else None
                out += [bool(nx and holds(nx, y)), bool(ny and holds(x, ny)), bool(nx and ny and holds(nx, ny))]
        return tuple(out)


def equivalent(q, r):
    """Backtracking over all bijections from the pids of q to those of r."""
    order = sorted(q.pids, key=lambda p: sum(c == q.colour[p] for c in q.colour.values()))

    def extend(done, h):
        if done == len(order):
            return True
        x = order[done]
        for y in r.pids:
            fits = (
                y not in h.values()
                and q.colour[x] == r.colour[y]
                and q.held[x] == r.held[y]
                and (x in q.eta) == (y in r.eta)
                and all(
                    q.related[x, o] == r.related[y, h[o]] and q.related[o, x] == r.related[h[o], y] for o in h
                )
            )
            if fits and extend(done + 1, {**h, x: y}):
                return True
        return False

    return len(q.pids) == len(r.pids) and extend(0, {})


def explore(k, m, relations):
    start = ((("s0", (1,)),), (((1,), 0),))
    classes = {}
    states, edges, deadlocks = [], set(), 0

    def number(state):
        view = View(state, relations)
        bucket = classes.setdefault(view.key, [])
        for known, other in bucket:
            if equivalent(view, other):
                return known
        bucket.append((len(states), view))
        states.append(state)
        return len(states) - 1

    number(start)
    at = 0
    while at < len(states):
        after = [(name, number(state)) for name, state in successors(states[at], k, m)]
        edges.update((at, name, to) for name, to in after)
        deadlocks += not after
        at += 1
    return len(states), len(edges), deadlocks


if __name__ == "__main__":
    k, m, *relations = sys.argv[1:]
    print(*explore(int(k), int(m), relations))
