//! The operands whose buffers a result may take: those of which it reads each element before it writes the same one.
//!
//! Source: openxla/xla, `hlo_dataflow_analysis.cc` (`CanShareOperandBufferWithUser`), `hlo_instruction.cc`
//! (`IsOpElementwise`).

use crate::memory::body::{ComputationGraph, FusionKind, Kind};

/// The parameters of the inside of a fusion whose buffers its results may take.
#[derive(Clone, Debug, Default)]
pub(super) struct Shareable {
    /// The parameters all of whose uses are elementwise, and whether one of these is put into a tuple.
    alike: Vec<(usize, bool)>,
    /// The parameter that the root adds to a product, and that nothing else uses.
    added: Option<usize>,
}

/// The uses of a value inside a fusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Uses {
    Elementwise,
    /// Elementwise, up to a tuple.
    InTuple,
    Other,
}

impl Shareable {
    pub(super) fn of(body: &ComputationGraph) -> Shareable {
        let mut uses = vec![Uses::Elementwise; body.len()];
        for node in (0..body.len()).rev() {
            let own = uses.get(node).copied().unwrap_or(Uses::Other);
            let opcode = body.opcode(node);
            for (at, operand) in body.operands(node) {
                let through = match opcode {
                    // Operands in an order that XLA rejects were passed already.
                    _ if operand >= node => Uses::Other,
                    "tuple" => own.max(Uses::InTuple),
                    _ if is_elementwise(opcode, at) => own,
                    _ => Uses::Other,
                };
                if let Some(all) = uses.get_mut(operand) {
                    *all = through.max(*all);
                }
            }
        }
        let alike = body.parameters().filter_map(|(number, node)| match uses.get(node)? {
            Uses::Other => None,
            uses => Some((number, *uses == Uses::InTuple)),
        });
        Shareable { alike: alike.collect(), added: added(body) }
    }

    pub(super) fn has(&self, parameter: usize, kind: FusionKind) -> bool {
        let mut alike = self.alike.iter().filter(|(number, _)| *number == parameter);
        match kind {
            FusionKind::Loop => alike.next().is_some(),
            FusionKind::Output if self.added.is_some() => self.added == Some(parameter),
            FusionKind::Output | FusionKind::Other => alike.any(|(_, is_in_tuple)| !is_in_tuple),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.alike.is_empty() && self.added.is_none()
    }
}

/// Returns the parameter that the root adds to a product or convolution, if nothing else uses it.
fn added(body: &ComputationGraph) -> Option<usize> {
    let is_product = |node: usize| matches!(body.opcode(node), "dot" | "convolution");
    if body.opcode(body.root) != "add" {
        return None;
    }
    let (a, b) = (body.operand(body.root, 0)?, body.operand(body.root, 1)?);
    let other = if is_product(a) {
        b
    } else if is_product(b) {
        a
    } else {
        return None;
    };
    match body.kind(other) {
        Kind::Parameter(number) if body.use_count(other) == 1 => Some(number),
        _ => None,
    }
}

/// Returns whether an instruction computes each element of its result from the same element of an operand.
pub(super) fn is_elementwise(opcode: &str, operand: usize) -> bool {
    match opcode {
        "dynamic-update-slice" => operand == 0,
        "abs"
        | "acos"
        | "acosh"
        | "asin"
        | "asinh"
        | "atanh"
        | "bitcast-convert"
        | "cbrt"
        | "ceil"
        | "convert"
        | "copy"
        | "cosine"
        | "cosh"
        | "count-leading-zeros"
        | "erf"
        | "exponential"
        | "exponential-minus-one"
        | "floor"
        | "imag"
        | "is-finite"
        | "log"
        | "log-plus-one"
        | "logistic"
        | "negate"
        | "not"
        | "popcnt"
        | "real"
        | "reduce-precision"
        | "round-nearest-afz"
        | "round-nearest-even"
        | "rsqrt"
        | "sign"
        | "sine"
        | "sinh"
        | "sqrt"
        | "tan"
        | "tanh"
        | "add"
        | "and"
        | "atan2"
        | "compare"
        | "complex"
        | "divide"
        | "maximum"
        | "minimum"
        | "mulhi"
        | "multiply"
        | "or"
        | "power"
        | "remainder"
        | "shift-left"
        | "shift-right-arithmetic"
        | "shift-right-logical"
        | "stochastic-convert"
        | "subtract"
        | "xor"
        | "clamp"
        | "select" => true,
        _ => false,
    }
}
