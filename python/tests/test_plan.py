"""Plans of small models: their executions compute what onnxruntime does, and wrong arguments are errors."""

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensor_layout import LayoutError, Machine, execute_plan, plan

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

#: MN-Core 2 with two units of each level, four L2Bs in two groups, and movements with beats to match.
MOVEMENTS = [
    ("mvp", "DRAM", "L2BM", "both", "pick one", "((4:1))", 4, 4),
    ("mvb2", "DRAM", "L2BM", "down", "same to all", "((4:1); B@[2_L2B:1])", 4, 4),
    ("mvd", "DRAM", "L2BM", "both", "distribute", "((4_L2B:1, 4:1))", 8, 4),
    ("l2bmb", "L2BM", "L1BM", "down", "same to all", "((4:1); B@[2_L1B:1])", 4, 4),
    ("l2bmd", "L2BM", "L1BM", "both", "distribute", "((2_L1B:1, 2:1))", 4, 2),
    ("l2bm@b", "L2BM", "L1BM", "up", "pick one", "((4:1))", 4, 4),
    ("l1bmp", "L1BM", "LM0", "down", "same to all", "((1:1); B@[2_MAB:1,2_PE:1])", 1, 1),
    ("l1bmm", "L1BM", "LM0", "down", "distribute", "((2_PE:1); B@[2_MAB:1])", 2, 1),
    ("l1bmm@m", "L1BM", "LM0", "up", "pick one", "((2_PE:1))", 2, 1),
    ("l1bmd", "L1BM", "LM0", "both", "distribute", "((2_MAB:1, 2_PE:1))", 4, 1),
]
KEYS = ("name", "upper", "lower", "direction", "kind", "map", "upper_rate", "lower_rate")
TOML = """
name = "small"
[levels]
L2B = 4
L1B = 2
MAB = 2
PE = 2
[memories]
DRAM = { capacity = 1048576, owner = "L2B", group = 2 }
L2BM = { capacity = 16384, owner = "L2B" }
L1BM = { capacity = 8192, owner = "L1B" }
LM0 = 512
"""
for movement in MOVEMENTS:
    pairs = zip(KEYS, movement, strict=True)
    TOML += "[[movements]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in pairs)
SMALL = Machine.from_toml(TOML)

#: The greatest difference, relative to the largest value.
EXACT = {np.dtype("float32"): 1e-5, np.dtype("float16"): 1e-2}


class Model:
    """A model that is made node by node."""

    def __init__(self, dtype: str = "float32") -> None:
        self.dtype = np.dtype(dtype)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: dict[str, tuple[int | str, ...]] = {}
        self.random = np.random.default_rng(5)

    def input(self, name: str, *shape: int | str) -> str:
        self.inputs[name] = shape
        return name

    def constant(self, *shape: int) -> str:
        name = f"c{len(self.constants)}"
        numbers = (self.random.standard_normal(shape) / 2).astype(self.dtype)
        self.constants.append(onnx.numpy_helper.from_array(numbers, name))
        return name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def saved(self, path: Path, *outputs: str) -> Path:
        kind = onnx.helper.np_dtype_to_tensor_dtype(self.dtype)
        typed = onnx.helper.make_tensor_value_info
        inputs = [typed(name, kind, shape) for name, shape in self.inputs.items()]
        graph = onnx.helper.make_graph(
            self.nodes, "small", inputs, [typed(name, kind, None) for name in outputs], self.constants
        )
        opsets = [onnx.helper.make_opsetid("", 17)]
        onnx.save(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
        return path

    def drawn(self, **dims: int) -> list[np.ndarray]:
        """Inputs at random."""
        shapes = [[of if isinstance(of, int) else dims[of] for of in shape] for shape in self.inputs.values()]
        return [self.random.standard_normal(shape).astype(self.dtype) for shape in shapes]


def mlp(path: Path, dtype: str) -> tuple[Model, Path]:
    model = Model(dtype)
    hidden = model.node("Relu", model.node("Gemm", model.input("x", "batch", 12), model.constant(12, 16), model.constant(16)))
    return model, model.saved(path, model.node("Gemm", hidden, model.constant(5, 16), model.constant(5), transB=1))


def convolutions(path: Path, dtype: str) -> tuple[Model, Path]:
    model = Model(dtype)
    image = model.input("x", "batch", 3, 8, 8)
    features = model.node("Conv", image, model.constant(4, 3, 3, 3), model.constant(4), pads=[1, 1, 1, 1])
    pooled = model.node("MaxPool", model.node("Relu", features), kernel_shape=[2, 2], strides=[2, 2])
    mean = model.node("GlobalAveragePool", pooled)
    return model, model.saved(path, model.node("Flatten", mean), pooled)


def attention(path: Path, dtype: str) -> tuple[Model, Path]:
    model = Model(dtype)
    x = model.input("x", "batch", 6, 8)
    query, key, value = (model.node("MatMul", x, model.constant(8, 8)) for _ in range(3))
    scores = model.node("MatMul", query, model.node("Transpose", key, perm=[0, 2, 1]))
    weights = model.node("Softmax", scores, axis=-1)
    mixed = model.node("Add", x, model.node("MatMul", weights, value))
    return model, model.saved(path, mixed)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("build", [mlp, convolutions, attention])
def test_an_executed_plan_computes_what_onnxruntime_does(tmp_path, build, dtype):
    model, path = build(tmp_path / "model.onnx", dtype)
    inputs = model.drawn(batch=2)
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    expected = session.run(None, dict(zip(model.inputs, inputs, strict=True)))
    found = execute_plan(path, inputs, SMALL, dims={"batch": 2}, keep=8)
    assert found["transferred"] > 0 and found["iterations"] > 0
    for mine, theirs in zip(found["outputs"], expected, strict=True):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        difference = np.abs(mine.astype(float) - theirs.astype(float)).max() / np.abs(theirs).max()
        assert difference < EXACT[theirs.dtype], difference


def test_a_plan_has_a_layout_for_every_value_and_its_totals(tmp_path):
    _, path = mlp(tmp_path / "model.onnx", "float32")
    few: dict[str, Any] = {"dims": {"batch": 2}, "keep": 8}
    free = plan(str(path), SMALL, routes=False, **few)
    totals = free["totals"]
    assert totals["bound"] == totals["plan"] <= min(totals["greedy"], totals["naive"])
    assert free["uncovered"] == [] and (free["model"], free["machine"]) == ("small", "small")
    products = [value for value in free["values"] if value["operator"] == "Gemm" and value["own"]["compute"]]
    assert products and all(value["layout"] and value["operands"] for value in products)
    assert free == plan(path, SMALL, routes=False, seconds=1e300, **few)
    switches = lambda report: [of["switch"] for value in report["values"] for of in value["operands"] if of["switch"]]
    assert switches(free) and all(switch["route"] is None for switch in switches(free))
    moved = plan(path, SMALL, **few)
    assert any(switch["route"] for switch in switches(moved))
    assert totals["bound"] == moved["totals"]["bound"] <= moved["totals"]["plan"]
    assert plan(path, dims={"batch": 2}, keep=2, routes=False, seconds=0)["machine"] == "mn-core-2"


def test_a_model_is_a_file_its_bytes_or_an_object_that_has_them(tmp_path):
    _, path = mlp(tmp_path / "model.onnx", "float32")
    few: dict[str, Any] = {"dims": {"batch": 2}, "keep": 2, "routes": False}
    proto = onnx.load(path)
    exported = type("Exported", (), {"model_proto": proto})()
    expected = plan(path, SMALL, **few)
    for model in (path.read_bytes(), proto, exported):
        assert plan(model, SMALL, **few) == expected


def test_pins_of_files_and_dictionaries_are_in_the_plan(tmp_path):
    model, path = mlp(tmp_path / "model.onnx", "float32")
    few: dict[str, Any] = {"dims": {"batch": 2}, "keep": 4, "routes": False}
    free = plan(path, SMALL, **few)
    of = next(value for value in free["values"] if value["operator"] == "Relu")
    rows, columns = of["shape"]
    layout = f"(({rows}:{columns // 2}), ({columns // 2}:1, 2_W:1); B@[L2B, L1B, MAB, PE])"
    own = {"name": of["name"], "layouts": [layout]}
    entry = {"trigger": "FixOutput", "op_type": "Relu", "shape": of["shape"], "layout": layout}
    (tmp_path / "layout_spec.json").write_text(json.dumps([entry]))
    toml = f"[[pin]]\nname = {json.dumps(of['name'])}\nlayouts = [{json.dumps(layout)}]\n"
    (tmp_path / "pins.toml").write_text(toml)
    for pins in (own, [own], entry, tmp_path / "layout_spec.json", [str(tmp_path / "pins.toml"), own]):
        found = plan(path, SMALL, pins=pins, **few)
        value = next(value for value in found["values"] if value["name"] == of["name"])
        assert value["layout"].startswith(f"(({rows}:{columns // 2}), ({columns // 2}:1, 2_W:1)"), value
        assert found["totals"]["without_pins"] == free["totals"]["plan"]
        assert all(pin["nodes"] for pin in found["pins"])
    inputs = model.drawn(batch=2)
    outputs = [execute_plan(path, inputs, SMALL, dims={"batch": 2}, keep=4, pins=pins)["outputs"] for pins in (None, own)]
    assert np.allclose(outputs[0][0], outputs[1][0])
    with pytest.raises(LayoutError, match="pins: entry 1: it pins nothing"):
        plan(path, SMALL, pins={"name": "x"}, **few)
    with pytest.raises(FileNotFoundError):
        plan(path, SMALL, pins="nowhere.toml", **few)


def test_inputs_are_arrays_or_numbers_in_order(tmp_path):
    model, path = mlp(tmp_path / "model.onnx", "float32")
    [x] = model.drawn(batch=2)
    run = lambda *inputs: execute_plan(path, inputs, SMALL, dims={"batch": 2}, keep=2)["outputs"][0]
    expected = run(x)
    for given in (x.tolist(), x.reshape(-1).tolist(), x.astype(np.float64), np.asfortranarray(x)):
        assert (run(given) == expected).all()
    with pytest.raises(LayoutError, match=r"input `x` has the shape \[2, 12\], not \[12, 2\]"):
        run(x.T)
    with pytest.raises(LayoutError, match="has 24 elements, 23 were given"):
        run(x.reshape(-1)[1:])
    with pytest.raises(LayoutError, match="1 inputs, 2 were given"):
        run(x, x)
    with pytest.raises(LayoutError, match="masked"):
        run(np.ma.masked_array(x, x > 0))
    with pytest.raises(TypeError, match="same_kind"):
        run(x + 1j)


def test_what_is_no_model_is_an_error(tmp_path):
    _, path = mlp(tmp_path / "model.onnx", "float32")
    with pytest.raises(FileNotFoundError, match=r"none\.onnx"):
        plan(tmp_path / "none.onnx")
    text = tmp_path / "text.onnx"
    text.write_text("layers:\n")
    with pytest.raises(LayoutError, match="not an ONNX model"):
        plan(text)
    with pytest.raises(LayoutError, match="cannot be read"):
        plan(tmp_path)
    for call in (plan, lambda path: execute_plan(path, [], SMALL)):
        with pytest.raises(LayoutError, match=r'extent `batch`: give dims=\{"batch": N\}'):
            call(path)
    for wrong in ({"keep": 0}, {"seconds": -1.0}, {"seconds": float("nan")}, {"seed": -1}):
        with pytest.raises(LayoutError):
            plan(path, dims={"batch": 2}, **wrong)
    with pytest.raises(LayoutError, match="not a known machine"):
        plan(path, "mn-core-9")
    part: Any = 2.5
    with pytest.raises(TypeError):
        plan(path, dims={"batch": part})


def test_interrupts_end_planning(tmp_path):
    model = Model()
    hidden = model.input("x", 64, 256)
    for _ in range(12):
        hidden = model.node("Relu", model.node("MatMul", hidden, model.constant(256, 256)))
    path = model.saved(tmp_path / "model.onnx", hidden)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            plan(path)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
