//! Operations on elements by themselves.

use crate::graph::{Binary, Dtype, Index, Read, Scalar, Unary, ValueId};
use crate::onnx::context::{Build, Node, Results, Rules};
use crate::onnx::expression::{c, float, x};
use crate::onnx::tensor;

pub(super) const RULES: Rules = &[
    ("Abs", unary),
    ("Acos", unary),
    ("Acosh", unary),
    ("Add", binary),
    ("And", comparison),
    ("Asin", unary),
    ("Asinh", unary),
    ("Atan", unary),
    ("Atanh", unary),
    ("BatchNormalization", batch_normalization),
    ("BiasGelu", bias_gelu),
    ("BitShift", shift),
    ("BitwiseNot", unary),
    ("Cast", cast),
    ("CastLike", cast_like),
    ("Ceil", unary),
    ("Celu", unary),
    ("Clip", clip),
    ("Cos", unary),
    ("Cosh", unary),
    ("Div", binary),
    ("Elu", unary),
    ("Equal", comparison),
    ("Erf", unary),
    ("Exp", unary),
    ("FastGelu", bias_gelu),
    ("Floor", unary),
    ("Gelu", unary),
    ("Greater", comparison),
    ("GreaterOrEqual", comparison),
    ("HardSigmoid", unary),
    ("HardSwish", unary),
    ("IsInf", test),
    ("IsNaN", test),
    ("LeakyRelu", unary),
    ("Less", comparison),
    ("LessOrEqual", comparison),
    ("Log", unary),
    ("Max", variadic),
    ("Mean", variadic),
    ("Min", variadic),
    ("Mish", unary),
    ("Mod", binary),
    ("Mul", binary),
    ("Neg", unary),
    ("Not", test),
    ("Or", comparison),
    ("PRelu", binary),
    ("Pow", binary),
    ("QuickGelu", unary),
    ("Reciprocal", unary),
    ("Relu", unary),
    ("Round", unary),
    ("Selu", unary),
    ("Shrink", unary),
    ("Sigmoid", unary),
    ("Sign", unary),
    ("Sin", unary),
    ("Sinh", unary),
    ("Softplus", unary),
    ("Softsign", unary),
    ("Sqrt", unary),
    ("Sub", binary),
    ("Sum", variadic),
    ("Swish", unary),
    ("Tan", unary),
    ("Tanh", unary),
    ("ThresholdedRelu", unary),
    ("Trilu", triangle),
    ("Where", select),
    ("Xor", comparison),
];

fn unary(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let dtype = build.dtype(of);
    let body = function(node, dtype)?;
    Some(vec![build.pointwise("", dtype, &[of], body)?])
}

/// The functions of one number that expressions have.
fn known(kind: &str) -> Option<Unary> {
    Some(match kind {
        "Abs" => Unary::Abs,
        "Acos" => Unary::Acos,
        "Asin" => Unary::Asin,
        "Atan" => Unary::Atan,
        "Ceil" => Unary::Ceil,
        "Cos" => Unary::Cos,
        "Cosh" => Unary::Cosh,
        "Erf" => Unary::Erf,
        "Exp" => Unary::Exp,
        "Floor" => Unary::Floor,
        "IsInf" => Unary::IsInf,
        "IsNaN" => Unary::IsNaN,
        "Log" => Unary::Log,
        "Neg" => Unary::Neg,
        "Not" => Unary::Not,
        "Reciprocal" => Unary::Reciprocal,
        "Round" => Unary::Round,
        "Sigmoid" => Unary::Sigmoid,
        "Sign" => Unary::Sign,
        "Sin" => Unary::Sin,
        "Sinh" => Unary::Sinh,
        "Sqrt" => Unary::Sqrt,
        "Tan" => Unary::Tan,
        "Tanh" => Unary::Tanh,
        _ => return None,
    })
}

fn function(node: &Node<'_>, dtype: Dtype) -> Option<Scalar> {
    if let Some(function) = known(node.kind) {
        return Some(x(0).apply(function));
    }
    hyperbolic(node.kind).or_else(|| activation(node)).or_else(|| match (node.kind, dtype) {
        ("BitwiseNot", Dtype::Int(_)) => Some(c(-1.0) - x(0)),
        ("BitwiseNot", Dtype::Uint(bits @ ..=32)) => Some(c(bits.into()).exp2() - c(1.0) - x(0)),
        _ => None,
    })
}

impl Scalar {
    fn exp2(self) -> Scalar {
        c(2.0).power(self)
    }

    fn or_zero(self, condition: Scalar) -> Scalar {
        Scalar::select(condition, self, c(0.0))
    }
}

fn hyperbolic(kind: &str) -> Option<Scalar> {
    let one = || c(1.0);
    let size = || x(0).abs();
    Some(match kind {
        "Asinh" => x(0).apply(Unary::Sign) * (size() + (x(0).square() + one()).sqrt()).ln(),
        "Acosh" => (x(0) + (x(0).square() - one()).sqrt()).ln(),
        "Atanh" => ((one() + x(0)) / (one() - x(0))).ln() * c(0.5),
        _ => return None,
    })
}

fn activation(node: &Node<'_>) -> Option<Scalar> {
    let alpha = |other| c(node.float_or("alpha", other));
    let zero = || c(0.0);
    let above = || zero().less(x(0));
    Some(match node.kind {
        "Relu" => x(0).max(zero()),
        "LeakyRelu" => Scalar::select(x(0).less(zero()), x(0) * alpha(0.01), x(0)),
        "Elu" => Scalar::select(above(), x(0), alpha(1.0) * (x(0).exp() - c(1.0))),
        "Celu" => {
            let below = alpha(1.0) * ((x(0) / alpha(1.0)).exp() - c(1.0));
            x(0).max(zero()) + below.min(zero())
        }
        "Selu" => {
            let below = alpha(1.673_263_192_176_818_8) * (x(0).exp() - c(1.0));
            c(node.float_or("gamma", 1.050_701_022_148_132_3))
                * Scalar::select(above(), x(0), below)
        }
        "ThresholdedRelu" => x(0).or_zero(alpha(1.0).less(x(0))),
        "Shrink" => shrink(node.float_or("lambd", 0.5), node.float_or("bias", 0.0)),
        "HardSigmoid" => linear(node.float_or("alpha", 0.2), node.float_or("beta", 0.5)),
        "HardSwish" => x(0) * linear(1.0 / 6.0, 0.5),
        "Swish" => x(0) * (x(0) * alpha(1.0)).apply(Unary::Sigmoid),
        "QuickGelu" => x(0) * (x(0) * alpha(1.702)).apply(Unary::Sigmoid),
        "Softplus" => softplus(),
        "Softsign" => x(0) / (c(1.0) + x(0).abs()),
        "Mish" => x(0) * softplus().apply(Unary::Tanh),
        "Gelu" => gelu(node.text("approximate") == Some("tanh"), &x(0)),
        _ => return None,
    })
}

/// A line between 0 and 1.
fn linear(slope: f64, offset: f64) -> Scalar {
    (x(0) * c(slope) + c(offset)).max(c(0.0)).min(c(1.0))
}

/// `ln(1 + exp(x))`, also where `exp(x)` is too large.
fn softplus() -> Scalar {
    x(0).max(c(0.0)) + (c(1.0) + (-x(0).abs()).exp()).ln()
}

fn shrink(threshold: f64, bias: f64) -> Scalar {
    let above = (x(0) - c(bias)).or_zero(c(threshold).less(x(0)));
    Scalar::select(x(0).less(c(-threshold)), x(0) + c(bias), above)
}

fn gelu(is_tanh: bool, of: &Scalar) -> Scalar {
    let of = || of.clone();
    let inner = match is_tanh {
        true => {
            let cubic = of() + c(0.044_715) * of() * of().square();
            (cubic * c((2.0 / std::f64::consts::PI).sqrt())).apply(Unary::Tanh)
        }
        false => (of() * c(std::f64::consts::FRAC_1_SQRT_2)).apply(Unary::Erf),
    };
    of() * c(0.5) * (c(1.0) + inner)
}

fn bias_gelu(build: &mut Build, node: &Node<'_>) -> Results {
    let mut operands = vec![node.input(0)?];
    operands.extend(node.input(1));
    let of = if operands.len() == 2 { x(0) + x(1) } else { x(0) };
    let body = gelu(node.kind == "FastGelu", &of);
    let dtype = build.dtype(operands[0]);
    Some(vec![build.pointwise("", dtype, &operands, body)?])
}

/// Functions of one number that give a truth.
fn test(build: &mut Build, node: &Node<'_>) -> Results {
    let infinite = x(0).apply(Unary::IsInf);
    let sides = (node.int_or("detect_negative", 1), node.int_or("detect_positive", 1));
    let body = match (node.kind, sides) {
        ("IsInf", (0, 0)) => c(0.0) * infinite,
        ("IsInf", (0, _)) => infinite.and(c(0.0).less(x(0))),
        ("IsInf", (_, 0)) => infinite.and(x(0).less(c(0.0))),
        (kind, _) => x(0).apply(known(kind)?),
    };
    Some(vec![build.pointwise("", Dtype::Bool, &[node.input(0)?], body)?])
}

fn binary(build: &mut Build, node: &Node<'_>) -> Results {
    let (a, b) = (node.input(0)?, node.input(1)?);
    let (a, b) = older(build, node, a, b)?;
    let dtype = build.dtype(a);
    let body = match node.kind {
        "Add" => x(0) + x(1),
        "Sub" => x(0) - x(1),
        "Mul" => x(0) * x(1),
        "Div" if dtype.is_float() => x(0) / x(1),
        "Div" => (x(0) / x(1)).apply(Unary::Trunc),
        "Pow" => x(0).power(x(1)),
        "Mod" if node.flag("fmod") => x(0).with(Binary::Fmod, x(1)),
        "Mod" => x(0).with(Binary::Mod, x(1)),
        "PRelu" => Scalar::select(x(0).less(c(0.0)), x(0) * x(1), x(0)),
        _ => return None,
    };
    Some(vec![build.pointwise("", dtype, &[a, b], body)?])
}

/// The second operand of the first versions, which name the axis that it begins at.
fn older(build: &mut Build, node: &Node<'_>, a: ValueId, b: ValueId) -> Option<(ValueId, ValueId)> {
    let Some(at) = node.int("axis").filter(|_| node.opset < 7) else { return Some((a, b)) };
    let after = build.rank(a).checked_sub(build.axis(a, at)? + build.rank(b))?;
    let mut shape = build.shape(b).to_vec();
    shape.extend(std::iter::repeat_n(1, after));
    Some((a, build.reshape(b, shape)?))
}

fn comparison(build: &mut Build, node: &Node<'_>) -> Results {
    let (a, b) = (node.input(0)?, node.input(1)?);
    let (a, b) = older(build, node, a, b)?;
    let body = match node.kind {
        "And" => x(0).and(x(1)),
        "Or" => x(0).with(Binary::Or, x(1)),
        "Xor" => x(0).with(Binary::Xor, x(1)),
        "Equal" => x(0).equals(x(1)),
        "Less" => x(0).less(x(1)),
        "LessOrEqual" => x(0).up_to(x(1)),
        "Greater" => x(1).less(x(0)),
        "GreaterOrEqual" => x(1).up_to(x(0)),
        _ => return None,
    };
    Some(vec![build.pointwise("", Dtype::Bool, &[a, b], body)?])
}

fn shift(build: &mut Build, node: &Node<'_>) -> Results {
    let (a, b) = (node.input(0)?, node.input(1)?);
    let dtype = build.dtype(a);
    let body = match (node.text("direction")?, dtype.bits()) {
        ("RIGHT", _) => (x(0) / x(1).exp2()).apply(Unary::Floor),
        ("LEFT", bits @ ..=32) => (x(0) * x(1).exp2()).with(Binary::Mod, c(float(1 << bits))),
        _ => return None,
    };
    Some(vec![build.pointwise("", dtype, &[a, b], body)?])
}

fn variadic(build: &mut Build, node: &Node<'_>) -> Results {
    let operands = node.inputs.iter().copied().collect::<Option<Vec<ValueId>>>()?;
    let dtype = build.dtype(*operands.first()?);
    let both = |a: Scalar, b: Scalar| match node.kind {
        "Max" => a.max(b),
        "Min" => a.min(b),
        _ => a + b,
    };
    let count = c(float(operands.len().try_into().ok()?));
    let all = (0..operands.len()).map(x).reduce(both)?;
    let body = if node.kind == "Mean" { all / count } else { all };
    Some(vec![build.pointwise("", dtype, &operands, body)?])
}

fn select(build: &mut Build, node: &Node<'_>) -> Results {
    let operands = [node.input(0)?, node.input(1)?, node.input(2)?];
    let dtype = build.dtype(operands[1]);
    Some(vec![build.pointwise("", dtype, &operands, Scalar::select(x(0), x(1), x(2)))?])
}

/// The elements on one side of a diagonal of the last two axes.
fn triangle(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let above = node.input(1).map_or(Some(0.0), |id| build.number(id))?;
    let row = build.rank(of).checked_sub(2)?;
    let (diagonal, column) = (Scalar::Loop(row) + c(above), Scalar::Loop(row + 1));
    let is_part = match node.int_or("upper", 1) {
        0 => column.up_to(diagonal),
        _ => diagonal.up_to(column),
    };
    Some(vec![build.pointwise("", build.dtype(of), &[of], x(0).or_zero(is_part))?])
}

fn cast(build: &mut Build, node: &Node<'_>) -> Results {
    let dtype = tensor::known(i32::try_from(node.int("to")?).ok()?)?;
    Some(vec![build.pointwise("", dtype, &[node.input(0)?], x(0).cast(dtype))?])
}

fn cast_like(build: &mut Build, node: &Node<'_>) -> Results {
    let dtype = build.dtype(node.input(1)?);
    Some(vec![build.pointwise("", dtype, &[node.input(0)?], x(0).cast(dtype))?])
}

/// Bounds are attributes in old versions, then inputs; constant ones become numbers of the expression.
fn clip(build: &mut Build, node: &Node<'_>) -> Results {
    let mut operands = vec![node.input(0)?];
    let mut bound = |input: usize, name: &str| match node.input(input) {
        None => node.float(name).map(c),
        Some(id) => Some(build.number(id).map_or_else(
            || {
                operands.push(id);
                x(operands.len() - 1)
            },
            c,
        )),
    };
    let (least, greatest) = (bound(1, "min"), bound(2, "max"));
    let above = least.map_or(x(0), |least| x(0).max(least));
    let body = greatest.map_or(above.clone(), |greatest| above.min(greatest));
    let dtype = build.dtype(operands[0]);
    Some(vec![build.pointwise("", dtype, &operands, body)?])
}

fn batch_normalization(build: &mut Build, node: &Node<'_>) -> Results {
    let ids = (0..5).map(|number| node.input(number)).collect::<Option<Vec<_>>>()?;
    let is_training = node.flag("training_mode") || (1..5).any(|of| node.has_result(of));
    if is_training || node.int("spatial") == Some(0) {
        return None;
    }
    let (shape, dtype) = (build.shape(ids[0]).to_vec(), build.dtype(ids[0]));
    let channel = if shape.len() > 1 { Index::of(1) } else { Index::fixed(0) };
    let mut reads = vec![build.repeated(ids[0], &shape)];
    let of_channel = |id: &ValueId| Read { value: *id, index: vec![channel.clone()], outside: 0.0 };
    reads.extend(ids[1..].iter().map(of_channel));
    if ids[1..].iter().any(|id| build.rank(*id) != 1) {
        return None;
    }
    let deviation = (x(4) + c(node.float_or("epsilon", 1e-5))).sqrt();
    let body = (x(0) - x(3)) / deviation * x(1) + x(2);
    Some(vec![build.copy("", (shape, dtype), reads, body)?])
}

/// Adds to a value a bias that has an axis like axis 1 of the value.
pub(super) fn add_bias(build: &mut Build, value: ValueId, bias: ValueId) -> Option<ValueId> {
    let (shape, dtype) = (build.shape(value).to_vec(), build.dtype(value));
    if build.shape(bias) != shape.get(1..2)? {
        return None;
    }
    let bias = Read { value: bias, index: vec![Index::of(1)], outside: 0.0 };
    let reads = vec![build.repeated(value, &shape), bias];
    build.copy("bias", (shape, dtype), reads, x(0) + x(1))
}
