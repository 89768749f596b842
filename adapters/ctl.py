"""CTL or LTL on a reduced state graph, by pyModelChecking (pip install pyModelChecking).

    pidlab explore models/nkm.tnet --output graph.json
    python3 adapters/ctl.py graph.json 'A(G(p_h3 --> E(F(p_h4))))'
    python3 adapters/ctl.py --ltl graph.json 'G(p_h1 --> F(p_h4))'

The atomic proposition p_PLACE holds in a class if the place has a token there; `deadlock` holds where
nothing can fire, and such a class repeats for ever. The answer is about the initial class; exit code 0
if the formula holds, 1 if not, 2 on bad input.
"""
import argparse
import json
import re
import sys


def kripke(graph, Kripke):
    steps = [(edge["from"], edge["to"]) for edge in graph["edges"]]
    labels = {}
    for node in graph["nodes"]:
        sigma = (node["state"] or {}).get("sigma", {})
        labels[node["id"]] = {"p_" + re.sub(r"\W", "_", place) for place, tokens in sigma.items() if tokens}
        if node["deadlock"]:
            labels[node["id"]].add("deadlock")
            steps.append((node["id"], node["id"]))
    return Kripke(S=list(labels), S0=[graph["initial"]], R=steps, L=labels)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--ltl", action="store_true", help="the formula is LTL, for all runs")
    arguments.add_argument("graph")
    arguments.add_argument("formula")
    given = arguments.parse_args()
    try:
        from pyModelChecking import CTL, LTL, Kripke
    except ImportError:
        sys.exit("ctl.py: pyModelChecking is not installed; pip install pyModelChecking")
    logic = LTL if given.ltl else CTL
    try:
        with open(given.graph) as file:
            graph = json.load(file)
        formula = logic.Parser()("A(" + given.formula + ")" if given.ltl else given.formula)
        holds = graph["initial"] in logic.modelcheck(kripke(graph, Kripke), formula)
    except Exception as error:
        print(f"ctl.py: {error}", file=sys.stderr)
        sys.exit(2)
    print("holds" if holds else "does not hold")
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
