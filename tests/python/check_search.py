"""The optimum of cost function networks, by `search` and by toulbar2.

    python check_search.py                 random networks
    python check_search.py B.json.gz ..    instances of the ASPLOS 2025 contest, without their limits; times are printed

The program is the example `iopddl` of the planner, IOPDDL its path if it is built elsewhere. Times are those of solving: reading
a file is in neither.
"""

import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import pytoulbar2

PROGRAM = os.environ.get("IOPDDL", "../../target/debug/examples/iopddl")
FORBIDDEN = 10**15


def network(seed: int) -> dict:
    """A random network: a tree or a chain with chords, some of whose costs are forbidden."""
    chance = random.Random(seed)
    count, chords = chance.randint(2, 60), chance.choice([0, 3, 12])
    sizes = [chance.randint(1, 6) for _ in range(count)]
    ends = [(chance.randrange(max(0, at - 4), at), at) for at in range(1, count)]
    ends += [tuple(sorted(chance.sample(range(count), 2))) for _ in range(chords)] if count > 2 else []
    cost = lambda: FORBIDDEN if chance.random() < 0.02 else chance.randint(0, 1000)
    nodes = {
        "intervals": [[0, 1]] * count,
        "costs": [[chance.randint(0, 1000) for _ in range(size)] for size in sizes],
        "usages": [[0] * size for size in sizes],
    }
    edges = {"nodes": ends, "costs": [[cost() for _ in range(sizes[a] * sizes[b])] for a, b in ends]}
    return {"name": f"random {seed}", "nodes": nodes, "edges": edges}


def by_toulbar2(problem: dict) -> tuple[int, float]:
    model = pytoulbar2.CFN(FORBIDDEN)
    for at, costs in enumerate(problem["nodes"]["costs"]):
        model.AddVariable(f"v{at}", range(len(costs)))
        model.AddFunction([f"v{at}"], [min(cost, FORBIDDEN) for cost in costs])
    for ends, costs in zip(problem["edges"]["nodes"], problem["edges"]["costs"], strict=True):
        model.AddFunction([f"v{at}" for at in ends], [min(cost, FORBIDDEN) for cost in costs])
    start = time.process_time()
    found = model.Solve()
    return (round(found[1]) if found else FORBIDDEN), time.process_time() - start


def by_us(problem: dict) -> tuple[int, float]:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"problem": problem}, file)
        file.flush()
        answer = subprocess.run([PROGRAM, file.name], check=True, capture_output=True, text=True).stdout
    last = answer.strip().splitlines()[-1]
    assert "Optimal" in last or "Impossible" in last, last
    cost = re.search(r"cost (\d+)", last)
    return (int(cost[1]) if cost else FORBIDDEN), float(last.split()[0])


def main() -> None:
    for path in sys.argv[1:]:
        with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as file:
            problem = json.load(file)["problem"]
        problem.pop("usage_limit", None)
        theirs, ours = by_toulbar2(problem), by_us(problem)
        print(f"{path}: {ours[0]} in {ours[1]:.2f} s, toulbar2 {theirs[0]} in {theirs[1]:.2f} s of CPU")
        assert theirs[0] == ours[0]
    if not sys.argv[1:]:
        impossible = 0
        for seed in range(60):
            problem = network(seed)
            theirs, ours = by_toulbar2(problem)[0], by_us(problem)[0]
            assert min(theirs, FORBIDDEN) == min(ours, FORBIDDEN), (seed, theirs, ours)
            impossible += ours >= FORBIDDEN
        print(f"60 networks, {impossible} of them without a solution: the optima of toulbar2")


if __name__ == "__main__":
    main()
