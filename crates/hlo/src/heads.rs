//! Heads that contradict the instructions: those of computations, and that of a module about its entry.
//!
//! ```text
//! HloModule m, entry_computation_layout={(f32[8]{0})->f32[4]{0}}
//! ENTRY e (a: f32[8]) -> f32[4] {
//!   a = f32[8]{0} parameter(0)                 both heads give the result f32[4]
//!   ROOT b = f32[8]{0} negate(a)               of a root whose line is missing, maybe
//! ```

use tensor_layout::error::Span;
use tensor_layout::xla::XlaDim;
use tensor_layout::xla::{XlaDtype, XlaParser};

use crate::module::LAYOUT;
use crate::{HloComputation, HloInstruction};

/// A contradiction: its line, the texts, and the reason.
pub(super) type Contradiction = (u64, String, String);

/// Returns the contradictions between the instructions of a computation and the heads; `result` is the shape in its own.
pub(super) fn contradictions(of: HloComputation<'_>, result: Span) -> Vec<Contradiction> {
    let (head, root) = (of.part(result), of.root());
    let root = root.filter(|root| !head.is_empty() && !is_like(head, root.shape_text()));
    let why = "the result of this computation and its root have different shapes";
    match root {
        // A root whose line is missing contradicts the module, too.
        Some(root) => vec![contradiction(of.line(), head, root, why)],
        None if of.is_entry() => of_module(of),
        None => Vec::new(),
    }
}

/// Returns whether a computation has other parameters or another result than the entry of its module, so that it is not the
/// entry.
pub(super) fn contradicts_module(of: HloComputation<'_>) -> bool {
    differences(of).next().is_some()
}

fn contradiction(line: u64, head: &str, of: HloInstruction<'_>, why: &str) -> Contradiction {
    (line, format!("{head}, {} {}", of.shape_text(), of.name()), why.to_owned())
}

/// Returns the contradictions between an entry and `entry_computation_layout`. One that cannot be read is unread where it is
/// needed.
fn of_module(entry: HloComputation<'_>) -> Vec<Contradiction> {
    let why = |difference: Difference<'_>| match difference {
        Difference::Count(given, count) => {
            let why =
                format!("{LAYOUT} of this module has another number of parameters than this ENTRY");
            (entry.line(), format!("{given}, {count}"), why)
        }
        Difference::Shape(head, of) => {
            let why = format!("{LAYOUT} of this module and this instruction have different shapes");
            contradiction(of.line(), head, of, &why)
        }
    };
    differences(entry).map(why).collect()
}

/// A difference between the layout of an entry in the head of the module and in its instructions.
enum Difference<'a> {
    /// The number of parameters there and here.
    Count(usize, usize),
    /// The shape there, and the instruction.
    Shape(&'a str, HloInstruction<'a>),
}

/// Returns the differences between the head of a module and a computation, the number of parameters first: it alone tells most
/// computations from the entry.
fn differences(of: HloComputation<'_>) -> impl Iterator<Item = Difference<'_>> {
    of.module().entry_shapes().into_iter().flat_map(move |(members, result)| {
        let own = move || of.instructions().filter_map(|of| Some((of.parameter()?, of)));
        let (given, count) = (members.len(), own().count());
        let number = (given != count).then_some(Difference::Count(given, count));
        let pairs = own().filter_map(|(number, of)| Some((members.get(number)?.as_str(), of)));
        let pairs = pairs.chain(of.root().map(|root| (result.as_str(), root)));
        let differ = pairs.filter(|(head, of)| !is_like(head, of.shape_text()));
        number.into_iter().chain(differ.map(|(head, of)| Difference::Shape(head, of)))
    })
}

/// An array of a shape: its path, its type, and its extents without what they are bounds of.
type Sized = (Vec<usize>, XlaDtype, Vec<Option<u64>>);

/// Returns whether two shapes have the same arrays, whatever their layouts and whether dimensions are bounds. One that
/// cannot be read is unread elsewhere.
fn is_like(a: &str, b: &str) -> bool {
    without_layouts(a).eq(without_layouts(b))
        || arrays(a).zip(arrays(b)).is_none_or(|(a, b)| a == b)
}

/// The bytes outside braces, for shapes that need not be parsed.
fn without_layouts(text: &str) -> impl Iterator<Item = u8> {
    let mut depth = 0_usize;
    text.bytes().filter(move |byte| {
        let is_outside = depth == 0 && *byte != b'{';
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_outside
    })
}

fn arrays(text: &str) -> Option<Vec<Sized>> {
    let size = |dim: &XlaDim| match dim {
        XlaDim::Static(size) | XlaDim::Bounded(size) => Some(*size),
        XlaDim::Unbounded => None,
    };
    let shape = XlaParser::lenient().parse(text).ok()?;
    let arrays = shape.arrays().into_iter();
    let sized =
        arrays.map(|(path, array)| (path, array.dtype, array.dims.iter().map(size).collect()));
    Some(sized.collect())
}
