"""Plans against HiGHS, a solver of linear programs in integers.

The costs of all choices of ten models on MN-Core 2: a plan costs what the optimum of the program does, and its bound is
not above it. The program has a variable from 0 to 1 for each choice, and one for each two choices at the ends of an
edge; those of an edge add up to the choices of its ends. The solution of the program is priced by the costs themselves.
"""

import json
import os
import subprocess
from collections import defaultdict
from pathlib import Path

import highspy
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROBLEM = TARGET / "debug" / "examples" / "plan_problem"
MODELS = sorted((ROOT / "crates" / "plan" / "tests" / "data" / "models").glob("*.onnx"))
#: The choices that an operation keeps.
KEEP = [6]
#: Costs from here on are forbidden.
FORBIDDEN = (2**64 - 1) // 4096
#: Seconds for one program.
PATIENCE = 300


def merged(problem):
    """Costs of choices, and one table of costs for each two variables."""
    own = [np.array(costs, float) for costs in problem["own"]]
    tables = defaultdict(float)
    for edge in problem["edges"]:
        first, second = edge["from"], edge["to"]
        costs = np.array(edge["costs"], float).reshape(len(own[first]), len(own[second]))
        if first == second:
            own[first] = own[first] + np.diag(costs)
        elif first < second:
            tables[first, second] = tables[first, second] + costs
        else:
            tables[second, first] = tables[second, first] + costs.T
    return own, tables


def cost(problem, chosen):
    """The cost of a choice for each variable, in whole numbers."""
    total = sum(costs[at] for costs, at in zip(problem["own"], chosen, strict=True))
    for edge in problem["edges"]:
        width = len(problem["own"][edge["to"]])
        total += edge["costs"][chosen[edge["from"]] * width + chosen[edge["to"]]]
    return total


class Program:
    """Columns and rows of a linear program."""

    def __init__(self):
        self.costs, self.upper, self.starts, self.columns, self.factors, self.sides = [], [], [], [], [], []

    def variables(self, costs):
        """Columns from 0 to 1; those that are forbidden are 0."""
        first = len(self.costs)
        forbidden = costs >= FORBIDDEN
        self.costs += np.where(forbidden, 0, costs).tolist()
        self.upper += np.where(forbidden, 0, 1).tolist()
        return np.arange(first, len(self.costs))

    def equal(self, columns, factors, side):
        self.starts.append(len(self.columns))
        self.columns += columns
        self.factors += factors
        self.sides.append(side)

    def solved(self, whole):
        """The values of the columns at the optimum; the first `whole` are integers."""
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("time_limit", float(PATIENCE))
        solver.setOptionValue("mip_rel_gap", 0.0)
        solver.setOptionValue("mip_abs_gap", 0.5)
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(self.costs), len(self.sides)
        model.col_cost_, model.col_lower_ = np.array(self.costs), np.zeros(len(self.costs))
        model.col_upper_ = np.array(self.upper, float)
        model.row_lower_ = model.row_upper_ = np.array(self.sides, float)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.array([*self.starts, len(self.columns)])
        model.a_matrix_.index_ = np.array(self.columns)
        model.a_matrix_.value_ = np.array(self.factors, float)
        kinds = [highspy.HighsVarType.kInteger] * whole
        model.integrality_ = kinds + [highspy.HighsVarType.kContinuous] * (len(self.costs) - whole)
        solver.passModel(model)
        solver.run()
        assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal, solver.getModelStatus()
        return solver.getSolution().col_value


def optimum(problem):
    """The least cost by HiGHS."""
    own, tables = merged(problem)
    program = Program()
    choices = [program.variables(costs) for costs in own]
    whole = len(program.costs)
    for columns in choices:
        program.equal(columns.tolist(), [1] * len(columns), 1)
    for (first, second), costs in tables.items():
        pairs = program.variables(costs.reshape(-1)).reshape(costs.shape)
        for end, lines in ((first, pairs), (second, pairs.T)):
            for column, line in zip(choices[end], lines, strict=True):
                program.equal([*line.tolist(), int(column)], [1] * len(line) + [-1], 0)
    values = np.array(program.solved(whole))
    return cost(problem, [int(values[columns].argmax()) for columns in choices])


def main():
    for keep in KEEP:
        command = [PROBLEM, str(keep), *MODELS]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        proved = 0
        for model, line in zip(MODELS, lines, strict=True):
            found = json.loads(line)
            problem, totals = found["problem"], found["totals"]
            least = optimum(problem)
            # A plan that is not proved to be optimal need not be.
            assert totals["bound"] <= least <= totals["plan"], (keep, model.stem, least, totals)
            proved += totals["bound"] == totals["plan"]
            choices = sum(map(len, problem["own"]))
            print(f"{model.stem}: {len(problem['own'])} variables, {choices} choices, {least} cycles")
        assert proved >= len(MODELS) - 1, (keep, proved)
        print(f"of {keep} choices at most: {proved} of {len(MODELS)} plans are proved to be optimal, and HiGHS agrees")


if __name__ == "__main__":
    main()
