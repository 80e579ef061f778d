"""Small ONNX models and onnxruntime's answers: crates/plan/tests/data/onnx/cases.json.

    python make_onnx_cases.py > ../../crates/plan/tests/data/onnx/cases.json

A line is a model in hexadecimal digits with its inputs and its outputs. Only the inputs of the
models have shapes, so the rules have to find the others. The last lines are models without answers.
onnxruntime is large, so the answers are stored and CI does not regenerate them. Made
with onnx 1.23.2 and onnxruntime 1.32.0.
"""

import json
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

RNG = np.random.default_rng(20)
NAMES = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "int8": "i8",
    "uint8": "u8",
    "int32": "i32",
    "int64": "i64",
    "uint32": "u32",
    "bool": "bool",
}


class Const:
    """An input that the model has itself."""

    def __init__(self, value, dtype=np.int64):
        self.value = np.asarray(value) if isinstance(value, np.ndarray) else np.array(value, dtype)


def f(*shape, low=-2.0, high=2.0, dtype=np.float32):
    return np.asarray(RNG.random(shape) * (high - low) + low, dtype)


def i(*shape, low=0, high=10, dtype=np.int64):
    return RNG.integers(low, high, shape).astype(dtype)


def b(*shape):
    return RNG.random(shape) < 0.5


def w(*shape):
    return Const(f(*shape))


class Model:
    """A model of several nodes."""

    def __init__(self, opset=21):
        self.opset, self.nodes, self.inputs, self.constants, self.feeds = opset, [], [], [], {}

    def value(self, of):
        if of is None or isinstance(of, str):
            return of or ""
        if isinstance(of, Const):
            name = f"c{len(self.constants)}"
            self.constants.append(numpy_helper.from_array(of.value, name))
            return name
        name = f"x{len(self.inputs)}"
        kind = helper.np_dtype_to_tensor_dtype(of.dtype)
        self.inputs.append(helper.make_tensor_value_info(name, kind, of.shape))
        self.feeds[name] = of
        return name

    def node(self, kind, *operands, outputs=1, domain="", **attributes):
        names = [self.value(of) for of in operands]
        made = [f"y{len(self.nodes)}_{number}" for number in range(outputs)]
        node = helper.make_node(
            kind, names, made, name=f"{kind}_{len(self.nodes)}", domain=domain, **attributes
        )
        self.nodes.append(node)
        return made[0] if outputs == 1 else made

    def record(self, name, outputs):
        infos = [helper.make_empty_tensor_value_info(of) for of in outputs]
        graph = helper.make_graph(self.nodes, name, self.inputs, infos, self.constants)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="")
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, ["CPUExecutionProvider"]
            )
            answers = session.run(outputs, self.feeds)
        except Exception as error:  # onnxruntime has many kinds of errors, and no type for them
            print(f"left out {name}: {str(error)[:300]}", file=sys.stderr)
            return
        print(line(name, model, self.feeds.values(), answers))


def number(of):
    if isinstance(of, (bool, np.bool_)):
        return int(of)
    if isinstance(of, np.integer):
        return int(of)
    if not np.isfinite(of):
        return str(of)
    return float(str(of))


def tensor(of):
    of = np.asarray(of)
    return [NAMES[of.dtype.name], list(of.shape), [number(each) for each in of.reshape(-1)]]


def line(name, model, inputs, outputs):
    parts = {
        "name": name,
        "model": model.SerializeToString().hex(),
        "inputs": [tensor(of) for of in inputs],
        "outputs": [tensor(of) for of in outputs],
    }
    return json.dumps(parts, separators=(",", ":"))


def case(kind, *operands, opset=21, outputs=1, note="", domain="", **attributes):
    model = Model(opset)
    made = model.node(kind, *operands, outputs=outputs, domain=domain, **attributes)
    name = f"{kind} {note}".strip()
    model.record(name, [made] if outputs == 1 else made)


def products():
    shapes = [
        ([3, 4], [4, 5]),
        ([4], [4, 3]),
        ([3, 4], [4]),
        ([4], [4]),
        ([2, 3, 4], [4, 5]),
        ([2, 1, 3, 4], [3, 4, 2]),
        ([3, 4], [2, 4, 1]),
        ([4], [2, 4, 3]),
        ([3, 1], [1, 2]),
        ([1, 2, 1, 2, 3], [2, 1, 2, 3, 2]),
    ]
    for a, b_ in shapes:
        case("MatMul", f(*a), f(*b_), note=f"{a} {b_}")
    case("MatMul", f(3, 4, dtype=np.float16), f(4, 2, dtype=np.float16), note="f16")
    case("MatMul", i(3, 4, dtype=np.int32), i(4, 2, dtype=np.int32), note="i32")
    case("Gemm", f(3, 4), f(4, 5), f(5))
    case("Gemm", f(4, 3), f(5, 4), f(3, 1), transA=1, transB=1, alpha=0.5, beta=2.0, note="turned")
    case("Gemm", f(3, 4), f(4, 5), alpha=2.0, note="without bias")
    case("Gemm", f(3, 4), f(4, 5), f(), note="one bias")
    case("Gemm", f(3, 4), f(4, 5), f(3, 5), opset=7, note="version 7")
    for equation, *shapes in [
        ("ij,jk->ik", [2, 3], [3, 4]),
        ("bhqd,bhkd->bhqk", [2, 2, 3, 4], [2, 2, 5, 4]),
        ("...ij,...jk->...ik", [2, 1, 3, 4], [1, 5, 4, 2]),
        ("i...->...", [3, 2, 4]),
        ("ij,kj", [2, 3], [4, 3]),
        ("ii->i", [3, 3]),
        ("ii", [3, 3]),
        ("i,j->ji", [3], [4]),
        ("ab,bc,cd->ad", [2, 3], [3, 4], [4, 2]),
        ("b...d , d e -> b...e", [2, 3, 4], [4, 5]),
        ("ij->", [2, 3]),
    ]:
        case("Einsum", *(f(*shape) for shape in shapes), equation=equation, note=equation)


def elements():
    usual = """
        Abs Atan Asinh Ceil Cos Cosh Elu Erf Exp Floor HardSigmoid HardSwish IsNaN LeakyRelu Mish
        Neg Reciprocal Relu Round Selu Sigmoid Sign Sin Sinh Softplus Softsign Tan Tanh Celu
        ThresholdedRelu Shrink
    """
    for kind in usual.split():
        case(kind, f(2, 3, 2))
    for kind in ("Acos", "Asin", "Atanh"):
        case(kind, f(5, low=-0.9, high=0.9))
    for kind in ("Log", "Sqrt", "Acosh"):
        case(kind, f(5, low=1.1, high=5))
    case("Elu", f(5), alpha=0.3, note="alpha")
    case("Selu", f(5), alpha=1.2, gamma=0.7, note="alpha gamma")
    case("Celu", f(5), alpha=0.6, note="alpha")
    case("HardSigmoid", f(5), alpha=0.3, beta=0.4, note="alpha")
    case("LeakyRelu", f(5), alpha=0.2, note="alpha")
    case("Shrink", f(8), lambd=0.7, bias=0.2, note="bias")
    case("Gelu", f(7), opset=20)
    case("Gelu", f(7), opset=20, approximate="tanh", note="tanh")
    case("Gelu", f(7), domain="com.microsoft", note="microsoft")
    case("FastGelu", f(2, 3), f(3), domain="com.microsoft")
    case("BiasGelu", f(2, 3), f(3), domain="com.microsoft")
    case("QuickGelu", f(2, 3), domain="com.microsoft", alpha=1.5)
    case("Round", np.array([0.5, 1.5, 2.5, -0.5, -1.5], np.float32), note="halves")
    case("IsNaN", np.array([1, np.nan, np.inf], np.float32), note="some")
    infinite = np.array([1, np.nan, np.inf, -np.inf], np.float32)
    case("IsInf", infinite)
    case("IsInf", infinite, detect_negative=0, note="positive")
    case("IsInf", infinite, detect_positive=0, note="negative")
    case("Not", b(2, 3))
    case("BitwiseNot", i(5, dtype=np.int32))
    case("BitwiseNot", i(5, dtype=np.uint8), note="u8")
    case("BitShift", i(5, dtype=np.uint8), i(5, high=4, dtype=np.uint8), direction="LEFT")
    case(
        "BitShift",
        i(5, high=200, dtype=np.uint8),
        i(5, high=4, dtype=np.uint8),
        direction="RIGHT",
        note="right",
    )
    case("Relu", f(3, 2, dtype=np.float16), note="f16")
    case("Exp", f(3, 2, dtype=np.float64), note="f64")
    case("Abs", i(5, low=-9), note="i64")
    for kind in ("Add", "Sub", "Mul", "Div"):
        case(kind, f(2, 3, 4), f(3, 1, low=0.5, high=2))
        case(kind, i(2, 3, low=-9), i(3, low=1), note="i64")
    case("Add", f(1, 3, 1, 2, 1), f(2, 1, 2, 2, 3), note="rank 5")
    case("Add", f(), f(2), note="scalar")
    case("Add", f(2, 3), w(3), note="constant")
    case(
        "Div", i(6, low=-20, high=20, dtype=np.int32), i(6, low=1, dtype=np.int32), note="truncates"
    )
    case("Pow", f(5, low=0.1), f(5))
    case("Pow", f(5), Const([2.0], np.float32), note="square")
    case("Pow", i(5), i(5, high=4), note="i64")
    case("Pow", f(5), Const([3]), note="mixed")
    case("Mod", i(8, low=-9), i(8, low=1))
    case("Mod", i(8, low=-9), Const([-4]), note="negative")
    case("Mod", f(8), f(8, low=0.5), fmod=1, note="fmod")
    case("PRelu", f(2, 3, 4), f(3, 1))
    for kind in ("And", "Or", "Xor"):
        case(kind, b(2, 4), b(4))
    for kind in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"):
        case(kind, i(3, 4, high=3), i(4, high=3))
        case(kind, f(5), f(5), note="f32")
    for kind in ("Max", "Min", "Sum", "Mean"):
        case(kind, f(2, 3), f(3), f(2, 1))
        case(kind, f(2, 3), note="one")
    case("Where", b(2, 1), f(2, 3), f(3))
    case("Cast", f(6, low=-5, high=5), to=TensorProto.INT64, note="integer")
    case("Cast", f(6), to=TensorProto.FLOAT16, note="f16")
    case("Cast", i(6, high=2), to=TensorProto.BOOL, note="bool")
    case("Cast", b(6), to=TensorProto.FLOAT, note="float")
    case("CastLike", i(6), f(2))
    case("Clip", f(6), Const(-0.5, np.float32), Const(0.7, np.float32))
    case("Clip", f(6), f(), f(), note="computed bounds")
    case("Clip", f(6), None, Const(0.7, np.float32), note="above")
    case("Clip", f(6), opset=6, min=-0.3, max=0.9, note="version 6")
    case("BatchNormalization", f(2, 3, 4, 2), w(3), w(3), w(3), Const(f(3, low=0.1)))
    case(
        "BatchNormalization",
        f(2, 3),
        w(3),
        w(3),
        w(3),
        Const(f(3, low=0.1)),
        epsilon=0.1,
        note="rank 2",
    )
    for more in ({}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}):
        case("CumSum", f(2, 5), Const(-1), note=" ".join(more), **more)
    case("CumSum", i(3, 1, 2), Const(1), note="one element")
    for upper in (0, 1):
        case("Trilu", f(3, 5), Const(1), upper=upper, note=f"{upper} above")
        case("Trilu", f(2, 4, 3), Const(-1), upper=upper, note=f"{upper} below")
    case("Trilu", f(3, 3), note="usual")
    case(
        "QuantizeLinear",
        f(2, 3, 4, low=-4, high=4),
        Const([0.1, 0.2, 0.05], np.float32),
        Const([3, 0, 9], np.uint8),
    )
    case(
        "QuantizeLinear",
        f(2, 3, low=-4, high=4),
        Const(0.02, np.float32),
        Const(-5, np.int8),
        note="i8",
    )
    case(
        "DequantizeLinear",
        i(2, 3, 4, dtype=np.uint8),
        Const([0.1, 0.2], np.float32),
        Const([3, 1], np.uint8),
        axis=0,
    )
    case("DequantizeLinear", i(5, dtype=np.int8), Const(0.5, np.float32), note="scalar")
    case("DequantizeLinear", i(4, 6, dtype=np.int8), w(4, 3), axis=1, block_size=2, note="blocks")


def rows():
    for opset, axis in ((21, -1), (21, 1), (21, 0), (11, 1), (11, 2), (11, -1)):
        for kind in ("Softmax", "LogSoftmax"):
            case(kind, f(2, 3, 4), opset=opset, axis=axis, note=f"{opset} {axis}")
    case("Softmax", f(2, 5, dtype=np.float16), note="f16")
    case("Softmax", f(2, 1), note="one element")
    case("Hardmax", f(2, 5), axis=-1)
    case("LayerNormalization", f(2, 3, 4), w(4), w(4))
    case("LayerNormalization", f(2, 3, 4), w(3, 4), axis=1, epsilon=0.01, note="axis 1")
    case("LayerNormalization", f(2, 3, 4), w(4), w(4), outputs=3, note="three results")
    case("LayerNormalization", f(2, 8, dtype=np.float16), Const(f(8, dtype=np.float16)), note="f16")
    case("RMSNormalization", f(2, 3, 4), w(4), opset=23)
    case("RMSNormalization", f(2, 3, 4), w(3, 4), opset=23, axis=-2, note="two axes")
    case("SimplifiedLayerNormalization", f(2, 3, 4), w(4), axis=-1, epsilon=1e-3)
    case(
        "SkipSimplifiedLayerNormalization",
        f(2, 3, 4),
        f(2, 3, 4),
        w(4),
        domain="com.microsoft",
        epsilon=1e-3,
    )
    case(
        "SkipLayerNormalization",
        f(2, 3, 4),
        f(2, 3, 4),
        w(4),
        w(4),
        w(4),
        domain="com.microsoft",
        epsilon=1e-3,
    )
    case("InstanceNormalization", f(2, 3, 4, 5), w(3), w(3))
    case("GroupNormalization", f(2, 6, 3, 2), w(6), w(6), num_groups=3)
    case("GroupNormalization", f(2, 4, 3), w(4), w(4), num_groups=1, note="one group")
    case("GroupNormalization", f(2, 4, 3), w(2), w(2), num_groups=2, opset=18, note="version 18")
    case("MeanVarianceNormalization", f(2, 3, 4, 2))
    case("LpNormalization", f(2, 3, 4), axis=1)
    case("LpNormalization", f(2, 3, 4), p=1, note="p 1")
    case("LRN", f(2, 7, 2, 2), size=3, alpha=0.1, beta=0.6, bias=1.5)
    for kind in "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split():
        of = f(2, 3, 1, 4, low=0.1)
        case(f"Reduce{kind}", of, Const([1, -1]), note="axes")
        case(f"Reduce{kind}", of, Const([2]), keepdims=0, note="one element")
        case(f"Reduce{kind}", of, keepdims=0, note="all")
        case(f"Reduce{kind}", of, opset=11, axes=[0, 1], keepdims=0, note="version 11")
    case("ReduceSum", f(2, 3), Const([]), noop_with_empty_axes=1, note="none")
    case("ReduceSum", f(2, 3, 4), opset=11, axes=[-1], note="version 11 negative")
    case("ReduceMean", i(2, 5, low=-9, dtype=np.int32), Const([1]), note="i32")
    case("ReduceMax", i(2, 3), Const([0]), note="i64")
    for kind in ("ArgMax", "ArgMin"):
        case(kind, i(3, 6, high=4, dtype=np.int32).astype(np.float32), axis=1)
        case(kind, f(2, 3, 4), axis=-2, keepdims=0, note="without axis")
        case(
            kind,
            i(3, 6, high=3, dtype=np.int32).astype(np.float32),
            axis=1,
            select_last_index=1,
            note="last",
        )


def windows():
    case("Conv", f(2, 3, 7, 6), w(4, 3, 3, 2), w(4), pads=[1, 0, 1, 1], strides=[2, 1])
    case("Conv", f(1, 2, 9), w(3, 2, 3), dilations=[2], pads=[1, 2], note="1d")
    case("Conv", f(1, 2, 4, 3, 5), w(2, 2, 2, 2, 3), w(2), note="3d")
    case("Conv", f(1, 4, 5, 5), w(6, 2, 3, 3), w(6), group=2, pads=[1, 1, 1, 1], note="groups")
    case("Conv", f(1, 4, 5, 5), w(2, 2, 3, 3), group=2, note="groups of one result")
    case("Conv", f(2, 3, 5, 5), w(3, 1, 3, 3), w(3), group=3, note="depthwise")
    case(
        "Conv", f(2, 3, 5, 5), w(6, 1, 3, 3), w(6), group=3, strides=[2, 2], note="depthwise twice"
    )
    case("Conv", f(2, 3, 5, 4), w(4, 3, 1, 1), note="points")
    for auto in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        case("Conv", f(1, 2, 7, 6), w(2, 2, 4, 3), auto_pad=auto, strides=[2, 3], note=auto)
    case(
        "Conv", f(1, 2, 6, 6, dtype=np.float16), Const(f(2, 2, 3, 3, dtype=np.float16)), note="f16"
    )
    case("ConvTranspose", f(1, 2, 4, 3), w(2, 3, 3, 2), w(3), strides=[2, 2], pads=[1, 0, 1, 0])
    case(
        "ConvTranspose",
        f(1, 2, 4),
        w(2, 3, 3),
        strides=[3],
        output_padding=[1],
        dilations=[2],
        note="1d",
    )
    case(
        "ConvTranspose", f(1, 4, 3, 3), w(4, 3, 2, 2), w(6), group=2, strides=[2, 2], note="groups"
    )
    case("ConvTranspose", f(1, 4, 3), w(4, 1, 2), group=4, note="depthwise")
    case("ConvTranspose", f(1, 4, 3), w(4, 1, 2), group=2, note="groups of one result")
    case("ConvTranspose", f(1, 2, 3), w(2, 3, 2), group=2, note="groups of one channel")
    case(
        "ConvTranspose",
        f(1, 2, 4, 4),
        w(2, 1, 3, 3),
        output_shape=[9, 8],
        strides=[2, 2],
        note="output shape",
    )
    for auto in ("SAME_UPPER", "SAME_LOWER"):
        case("ConvTranspose", f(1, 2, 4), w(2, 1, 3), auto_pad=auto, strides=[2], note=auto)
    for kind in ("MaxPool", "AveragePool", "LpPool"):
        case(kind, f(1, 2, 7, 6), kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])
        case(kind, f(1, 2, 7), kernel_shape=[3], note="1d")
        case(
            kind,
            f(1, 2, 7, 6),
            kernel_shape=[3, 3],
            strides=[2, 2],
            auto_pad="SAME_UPPER",
            note="same",
        )
        for extent in (5, 6, 7, 8):
            more = {"ceil_mode": 1, "strides": [2], "kernel_shape": [3]}
            case(kind, f(1, 1, extent), note=f"ceil {extent}", **more)
            case(kind, f(1, 1, extent), note=f"ceil pads {extent}", pads=[1, 1], **more)
    case("MaxPool", f(1, 2, 9), kernel_shape=[3], dilations=[2], note="dilated")
    case("MaxPool", f(1, 1, 4, 3, 5), kernel_shape=[2, 2, 2], note="3d")
    case("AveragePool", f(1, 2, 9), kernel_shape=[3], dilations=[2], pads=[2, 2], note="dilated")
    case(
        "AveragePool",
        f(1, 2, 6, 6),
        kernel_shape=[3, 3],
        pads=[1, 1, 1, 1],
        count_include_pad=1,
        note="with pads",
    )
    case(
        "AveragePool",
        f(1, 1, 6),
        kernel_shape=[3],
        strides=[2],
        pads=[1, 1],
        count_include_pad=1,
        ceil_mode=1,
        note="with pads up",
    )
    for kind in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
        case(kind, f(2, 3, 4, 5))


def views():
    case("Reshape", f(2, 3, 4), Const([0, -1]))
    case("Reshape", f(2, 3, 4), Const([4, 0, 2]), note="kept")
    case("Reshape", f(0, 3), Const([3, 0]), allowzero=1, note="zero")
    case("Reshape", f(1), Const([]), note="scalar")
    case("Transpose", f(2, 3, 4))
    case("Transpose", f(2, 3, 4), perm=[1, 2, 0], note="order")
    for axis in (0, 2, -1, 3):
        case("Flatten", f(2, 3, 4), axis=axis, note=f"{axis}")
    case("Squeeze", f(1, 3, 1), Const([-1]))
    case("Squeeze", f(1, 3, 1), note="all")
    case("Squeeze", f(1, 3, 1), opset=11, axes=[0], note="version 11")
    case("Unsqueeze", f(3, 2), Const([0, -1]))
    case("Unsqueeze", f(3, 2), opset=11, axes=[1, 3], note="version 11")
    case("Identity", f(3))
    case("Dropout", f(3, 2))
    case("Dropout", f(3, 2), outputs=2, note="mask")
    case("Expand", f(3, 1), Const([2, 1, 4]))
    case("Expand", f(3, 2), Const([1, 3, 2]), note="view")
    case("Expand", f(2, 3), Const([1]), note="larger")
    for mode in ("DCR", "CRD"):
        case("DepthToSpace", f(2, 8, 2, 3), blocksize=2, mode=mode, note=mode)
    case("SpaceToDepth", f(2, 2, 4, 6), blocksize=2)


def lookups():
    case("Gather", f(5, 3), i(2, 2, high=5))
    case("Gather", f(2, 5, 3), i(4, low=-5, high=5), axis=1, note="axis 1")
    case("Gather", f(2, 5), i(2, 3, high=5), axis=-1, note="axis -1")
    case("Gather", f(2, 5, 3), Const(2), axis=1, note="scalar")
    case("Gather", f(2, 5, 3), Const([-1]), axis=1, note="one element")
    case("Gather", f(7, 2), Const([[1, 2], [4, 5]]), note="affine")
    case("Gather", f(7, 2), Const([6, 4, 2]), note="backwards")
    case("Gather", f(7, 2), Const([1, 0, 2]), note="constant")
    case("Gather", f(1, 2), i(3, high=1), note="one row")
    case("Gather", i(4, 2), i(3, high=4), note="i64")
    case("GatherElements", f(3, 4), i(3, 2, low=-4, high=4), axis=1)
    case("GatherElements", f(3, 4), i(2, 4, high=3), axis=0, note="axis 0")
    case("GatherND", f(3, 4, 2), i(5, 2, high=3))
    case("GatherND", f(2, 4, 3), i(2, 2, 1, low=-4, high=4), batch_dims=1, note="batches")
    case("GatherND", f(3, 4), i(2, 3, 2, low=-3, high=3), note="whole")
    case("OneHot", i(3, low=-4, high=4), Const(4), f(2))
    case("OneHot", i(2, 3, high=5), Const(5), f(2), axis=0, note="axis 0")
    case("ScatterElements", f(4, 3), Const([[0, 2, 1], [3, 1, -2]]), f(2, 3), axis=0)
    case("ScatterElements", f(2, 5), Const([[1, -1], [0, 2]]), f(2, 2), axis=1, note="axis 1")
    for reduction in ("add", "mul", "max", "min"):
        case(
            "ScatterElements",
            f(2, 5),
            i(2, 4, high=5),
            f(2, 4),
            axis=1,
            reduction=reduction,
            note=reduction,
        )
        case("ScatterND", f(4, 3), i(3, 1, high=4), f(3, 3), reduction=reduction, note=reduction)
    case("ScatterND", f(4, 3), Const([[2], [-4]]), f(2, 3))
    case("ScatterND", f(4, 3, 2), np.array([[[2, 1]], [[0, 0]]]), f(2, 1, 2), note="two axes")


def joins():
    case("Concat", f(2, 3), f(2, 1), f(2, 2), axis=1)
    case("Concat", f(2, 3), f(1, 3), axis=-2, note="negative")
    case("Concat", b(2), b(3), axis=0, note="bool")
    case("Concat", f(2), axis=0, note="one")
    largest = np.iinfo(np.int64).max
    case("Slice", f(5, 6), Const([1, -3]), Const([4, largest]))
    case("Slice", f(5, 6), Const([0]), Const([largest]), Const([1]), Const([2]), note="steps")
    case(
        "Slice",
        f(5, 6),
        Const([-1]),
        Const([-largest - 1]),
        Const([0]),
        Const([-2]),
        note="backwards",
    )
    case(
        "Slice",
        f(5, 6),
        Const([10]),
        Const([-7]),
        Const([-1]),
        Const([-1]),
        note="backwards outside",
    )
    case("Slice", f(5, 6), Const([3]), Const([2]), note="empty")
    case("Slice", f(5, 6), Const([0, 0]), Const([5, 6]), note="whole")
    case("Slice", f(5, 6), opset=9, starts=[1], ends=[-1], axes=[1], note="version 9")
    case("Split", f(2, 7), Const([3, 4]), outputs=2, axis=1)
    case("Split", f(2, 6), outputs=3, axis=-1, num_outputs=3, note="equal")
    case("Split", f(7, 2), outputs=3, num_outputs=3, note="uneven")
    case("Split", f(2, 6), outputs=2, axis=1, opset=11, split=[2, 4], note="version 11")
    case("Split", f(2, 6), outputs=2, axis=1, opset=11, note="version 11 equal")
    case("Tile", f(2, 3), Const([2, 3]))
    case("Tile", f(2, 3, 2), Const([1, 2, 1]), note="one axis")
    case("Tile", f(2, 3), Const([1, 1]), note="none")
    for mode in ("constant", "edge", "reflect", "wrap"):
        case("Pad", f(4, 3), Const([1, 2, 3, 0]), mode=mode, note=mode)
    case("Pad", f(4, 3), Const([1, 0, 0, 2]), Const(1.5, np.float32), note="value")
    case("Pad", f(4, 3), Const([-1, 0, 0, 2]), note="negative")
    case("Pad", f(2, 4, 3), Const([1, 2]), None, Const([-1]), note="axes")
    case("Pad", f(4, 3), opset=2, pads=[1, 0, 0, 2], value=2.0, note="version 2")
    case("Pad", i(4), Const([1, 1]), note="i64")


def constants():
    case("Shape", f(2, 3, 4))
    case("Shape", f(2, 3, 4), start=-2, end=5, note="part")
    case("Size", f(2, 3, 4))
    case("ConstantOfShape", Const([2, 3]))
    case(
        "ConstantOfShape",
        Const([2]),
        value=numpy_helper.from_array(np.array([7], np.int64)),
        note="value",
    )
    case("Range", Const(2), Const(11), Const(3))
    case(
        "Range",
        Const(2.0, np.float32),
        Const(-1.0, np.float32),
        Const(-0.5, np.float32),
        note="floats",
    )
    case("EyeLike", f(3, 4), k=1)
    case("Constant", value_ints=[3, 4], note="ints")
    case("Constant", value_float=0.25, note="float")


def sizes():
    none, scales = None, lambda *of: Const(list(of), np.float32)
    for coordinates in (
        "asymmetric",
        "half_pixel",
        "pytorch_half_pixel",
        "align_corners",
        "half_pixel_symmetric",
    ):
        for mode in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"):
            more = {"coordinate_transformation_mode": coordinates, "nearest_mode": mode}
            case(
                "Resize",
                f(1, 1, 4, 5),
                none,
                scales(1, 1, 2, 3),
                note=f"{coordinates} {mode}",
                **more,
            )
            case(
                "Resize",
                f(1, 1, 6, 7),
                none,
                none,
                Const([1, 1, 3, 5]),
                note=f"{coordinates} {mode} less",
                **more,
            )
        for mode in ("linear", "cubic"):
            more = {"coordinate_transformation_mode": coordinates, "mode": mode}
            case(
                "Resize",
                f(1, 1, 4, 5),
                none,
                scales(1, 1, 2, 1.5),
                note=f"{coordinates} {mode}",
                **more,
            )
            case(
                "Resize",
                f(1, 1, 6, 7),
                none,
                none,
                Const([1, 1, 3, 5]),
                note=f"{coordinates} {mode} less",
                **more,
            )
    case(
        "Resize",
        f(1, 1, 4, 5),
        none,
        scales(1, 1, 2, 2),
        mode="cubic",
        exclude_outside=1,
        note="cubic inside",
    )
    case("Resize", f(1, 1, 4, 5), none, scales(2, 2), axes=[2, 3], note="axes")
    case("Resize", f(1, 1, 4, 5), scales(1, 1, 2, 0.6), opset=10, note="version 10")
    case("Upsample", f(1, 1, 4, 5), scales(1, 1, 2, 3), opset=9)
    case("Upsample", f(1, 1, 2, 3), scales(1, 1, 2, 2), opset=9, mode="linear", note="linear")


def attentions():
    def one(q, k, v, mask=None, past=None, note="", outputs=1, **more):
        operands = [f(*q), f(*k), f(*v), mask]
        operands += [f(*past[0]), f(*past[1])] if past else []
        case("Attention", *operands, opset=23, outputs=outputs, note=note, **more)

    flat = {"q_num_heads": 4, "kv_num_heads": 2}
    one([1, 2, 3, 4], [1, 2, 5, 4], [1, 2, 5, 4])
    one([2, 4, 3, 4], [2, 2, 5, 4], [2, 2, 5, 3], note="shared keys")
    one([2, 3, 16], [2, 5, 8], [2, 5, 8], note="flat", **flat)
    one([1, 2, 4, 4], [1, 2, 4, 4], [1, 2, 4, 4], is_causal=1, note="causal")
    one([1, 2, 3, 4], [1, 2, 5, 4], [1, 2, 5, 4], is_causal=1, note="causal, more keys")
    one([1, 2, 3, 4], [1, 2, 5, 4], [1, 2, 5, 4], mask=f(3, 5), scale=0.3, note="mask")
    one([1, 4, 3, 4], [1, 2, 5, 4], [1, 2, 5, 4], mask=f(1, 4, 3, 5), note="mask of heads")
    one([1, 4, 3, 4], [1, 2, 5, 4], [1, 2, 5, 4], mask=f(1, 1, 3, 5), note="mask of all heads")
    truth = np.tril(np.ones((3, 5), bool), 1)
    one([1, 2, 3, 4], [1, 2, 5, 4], [1, 2, 5, 4], mask=truth, note="truths")
    one([1, 2, 3, 4], [1, 2, 5, 4], [1, 2, 5, 4], softcap=0.5, note="cap")
    one([1, 2, 3, 4], [1, 2, 5, 4], [1, 2, 5, 4], mask=f(3, 5), softcap=0.5, note="cap and mask")
    past = ([1, 2, 3, 4], [1, 2, 3, 4])
    one([1, 2, 2, 4], [1, 2, 2, 4], [1, 2, 2, 4], past=past, outputs=3, note="past")
    one(
        [1, 2, 2, 4],
        [1, 2, 2, 4],
        [1, 2, 2, 4],
        past=past,
        outputs=3,
        is_causal=1,
        note="causal past",
    )
    for more in (
        {},
        {"interleaved": 1},
        {"rotary_embedding_dim": 4},
        {"interleaved": 1, "rotary_embedding_dim": 4},
    ):
        half = more.get("rotary_embedding_dim", 8) // 2
        note = " ".join(more)
        case(
            "RotaryEmbedding",
            f(2, 3, 5, 8),
            f(10, half),
            f(10, half),
            i(2, 5),
            opset=23,
            note=note,
            **more,
        )
    case("RotaryEmbedding", f(2, 5, 24), f(2, 5, 4), f(2, 5, 4), opset=23, num_heads=3, note="flat")


def graphs():
    model = Model()
    shape = model.node("Shape", model.value(f(2, 3, 4)))
    first = model.node("Gather", shape, Const(0))
    new = model.node("Concat", model.node("Unsqueeze", first, Const([0])), Const([-1]), axis=0)
    model.record("a shape that is computed", [model.node("Reshape", "x0", new)])

    model = Model()
    x = model.value(f(2, 3))
    hidden = model.node("Relu", model.node("Gemm", x, w(3, 4), w(4)))
    model.record(
        "two layers", [model.node("Softmax", model.node("Gemm", hidden, w(4, 2), w(2))), hidden]
    )

    model = Model()
    x = model.value(f(2, 3))
    same = model.node("Identity", x)
    model.record("names for one value", [same, model.node("Identity", same)])

    model = Model()
    steps = model.node("Range", Const(0), model.node("Size", model.value(f(4))), Const(1))
    column = model.node("Unsqueeze", steps, Const([1]))
    seen = model.node("LessOrEqual", steps, column)
    model.record("a causal mask", [model.node("Where", seen, "x0", Const(-1.0, np.float32))])

    model = Model()
    joined = model.node("Concat", Const([1.0, 2.0], np.float32), Const([3.0], np.float32), axis=0)
    model.record("constants only", [model.node("Mul", joined, joined)])


def edges():
    """What was wrong once; behind the others, which keep their random numbers."""
    small = f(2, 4, low=-4e-3, high=4e-3)
    zeros, skipped = np.zeros((2, 4), np.float32), {"domain": "com.microsoft"}
    ms = "default epsilon"
    case("SkipLayerNormalization", small, zeros, w(4), w(4), note=ms, **skipped)
    case("SkipSimplifiedLayerNormalization", small, zeros, w(4), note=ms, **skipped)
    case("LpNormalization", zeros, note="zeros")
    case("LpNormalization", zeros, p=1, axis=0, note="zeros, p 1")
    square = np.array([[[[0, 1], [1, 3]]]], np.uint8)
    sizes = [None, Const([1, 1, 2, 2], np.float32)]
    case("Resize", square, *sizes, mode="linear", note="linear u8")
    case("Resize", i(1, 1, 3, 4, high=90, dtype=np.int8), *sizes, mode="linear", note="linear i8")


def info(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def unlike(name, nodes, inputs=("x",), outputs=("y",), constants=(), values=(), functions=()):
    """A model that onnxruntime does not run: only its graph is read."""
    inputs = [info(of, [2, 3]) if isinstance(of, str) else of for of in inputs]
    outputs = [info(of, None) if isinstance(of, str) else of for of in outputs]
    graph = helper.make_graph(
        nodes, name, inputs, outputs, list(constants), value_info=list(values)
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]
    model = helper.make_model(
        graph, opset_imports=opsets, functions=list(functions), producer_name=""
    )
    print(
        json.dumps({"name": name, "model": model.SerializeToString().hex()}, separators=(",", ":"))
    )


def elsewhere(name, shape, entries):
    tensor = onnx.TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape, data_location=1)
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    return tensor


def unlikes():
    node = helper.make_node
    relu = node("Relu", ["x"], ["y"], name="relu")
    double = [
        node("Add", ["x", "b"], ["a"], name="first"),
        node("Relu", ["a"], ["b"], name="second"),
    ]
    unlike("cycle", [*double, node("Neg", ["b"], ["y"], name="after")])
    unlike(
        "unordered",
        [node("Neg", ["b"], ["y"]), node("Exp", ["a"], ["b"]), node("Abs", ["x"], ["a"])],
    )
    unlike("symbolic", [relu], [info("x", ["batch", 3])])
    unlike("unnamed", [relu], [info("x", [2, None])])
    unlike("negative", [relu], [info("x", [2, -3])])
    unlike("too large", [relu], [info("x", [1 << 40, 1 << 40])])
    unlike("without shape", [relu], [info("x", None)])
    unlike("text", [relu], [info("x", [2], TensorProto.STRING)])
    unlike("missing", [node("Add", ["x", "z"], ["y"], name="sum")])
    unlike("no such output", [relu], outputs=["z"])
    unlike("twice", [relu, node("Neg", ["x"], ["y"])])
    own = node("Wavelet", ["x"], ["y", "z"], name="own", domain="own")
    unlike(
        "own operator",
        [own, node("Neg", ["z"], ["w"])],
        values=[info("z", [4])],
        outputs=[info("y", [2, 5]), "w"],
    )
    unlike("own operator without shape", [own], outputs=["y", "z"])
    branches = {
        f"{side}_branch": helper.make_graph(
            [node(kind, ["a"], ["r"])], side, [], [info("r", [2, 3])]
        )
        for side, kind in (("then", "Neg"), ("else", "Abs"))
    }
    choice = node("If", ["c"], ["y"], name="choice", **branches)
    exp = node("Exp", ["x"], ["a"], name="before")
    unlike("branches", [choice, exp], [info("c", [], TensorProto.BOOL), "x"], [info("y", [2, 3])])
    add = node("Add", ["x", "w"], ["y"], name="add")
    unlike(
        "elsewhere",
        [add],
        constants=[elsewhere("w", [2, 3], {"location": "w.bin", "offset": "4", "length": "24"})],
    )
    unlike("outside", [add], constants=[elsewhere("w", [2, 3], {"location": "../w.bin"})])
    huge = elsewhere("w", [1 << 20, 1 << 15], {"location": "w.bin"})
    unlike("huge", [node("MatMul", ["x", "w"], ["y"])], [info("x", [2, 1 << 20])], constants=[huge])
    short = onnx.TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2, 3], raw_data=bytes(23))
    unlike("short constant", [add], constants=[short])
    fields = "FLOAT FLOAT16 BFLOAT16 DOUBLE INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 BOOL"
    kinds = {of: getattr(TensorProto, of) for of in fields.split()}
    numbers = [helper.make_tensor(of, kind, [2], [1, 0]) for of, kind in kinds.items()]
    outputs = [info(of, [2], kind) for of, kind in kinds.items()]
    unlike("fields", [], (), outputs, constants=numbers)
    body = [
        node("LeakyRelu", ["p"], ["q"]),
        node("Mul", ["q", "q"], ["r"]),
    ]
    attribute = body[0].attribute.add(
        name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT
    )
    assert attribute.ref_attr_name
    square = helper.make_function(
        "own", "Square", ["p"], ["r"], body, [helper.make_opsetid("", 21)], ["slope"]
    )
    call = [
        node("Square", ["x"], ["a"], name="one", domain="own", slope=0.5),
        node("Square", ["a"], ["y"], name="two", domain="own", slope=0.5),
    ]
    unlike("function", call, functions=[square])
    pick = helper.make_function(
        "own", "Pick", ["a", "c"], ["z"],
        [
            node("Relu", ["a"], ["t"], name="relu"),
            node(
                "If", ["c"], ["z"], name="if",
                then_branch=helper.make_graph([node("Neg", ["t"], ["r"])], "then", [], [info("r", [2, 3])]),
                else_branch=helper.make_graph([node("Abs", ["t"], ["r"])], "else", [], [info("r", [2, 3])]),
            ),
        ],
        [helper.make_opsetid("", 21)],
    )
    call = [node("Pick", ["x", "c"], ["y"], name="pick", domain="own")]
    unlike("branch in a function", call, ["x", info("c", [], TensorProto.BOOL)], [info("y", [2, 3])], functions=[pick])
    both = [
        helper.make_function("own", "One", ["a"], ["z"], [node(kind, ["a"], ["z"])], [helper.make_opsetid("", 21)])
        for kind in ("Relu", "Neg")
    ]
    for function, overload in zip(both, ("relu", "neg")):
        function.overload = overload
    call = node("One", ["x"], ["y"], name="one", domain="own")
    call.overload = "neg"
    unlike("overload", [call], functions=both)
    wide = [
        node("Add", ["i", "i"], ["s"], name="add"),
        node("Cast", ["s"], ["f"], name="cast", to=TensorProto.FLOAT),
        node("Add", ["x", "f"], ["y"], name="sum"),
    ]
    unlike("wraps", wide, constants=[helper.make_tensor("i", TensorProto.INT8, [1], [100])])
    unlike("argmax", [node("ArgMax", ["x"], ["y"], name="arg", axis=1)], outputs=[info("y", [2, 1], TensorProto.INT64)])


FAMILIES = (
    products,
    elements,
    rows,
    windows,
    views,
    lookups,
    joins,
    constants,
    sizes,
    attentions,
    graphs,
    edges,
    unlikes,
)
for family in FAMILIES:
    family()
