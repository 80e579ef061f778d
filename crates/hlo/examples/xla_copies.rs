//! The copies and transposes of a compiled program that a different layout of its weights would save.
//!
//! ```text
//! cargo run --release --example xla_copies -- module_0001.after_optimizations.txt
//! ```
//!
//! A copy or a transpose that begins at a parameter of the program, directly or inside a fusion,
//! exists because the parameter arrives in an order that its consumer cannot use. Had the parameter
//! the layout that is written here, the result would be the same bytes. That is proved, not guessed:
//! the wanted layout is lowered, permuted as the transposes say, and compared with the result.

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::BufReader;

use tensor_layout::Layout;
use tensor_layout::xla::{XlaArray, XlaShape};
use tensor_layout_hlo::{HloComputation, HloDump, HloInstruction};

/// A copy or transpose that begins at a parameter of its computation.
struct Move {
    name: String,
    parameter: usize,
    /// The layout with which the parameter would arrive as it leaves.
    wanted: XlaArray,
    /// The bytes read and written for it.
    bytes: u64,
    source: String,
}

/// The bytes that another layout of one parameter of the program would save.
struct Saving {
    parameter: String,
    from: String,
    to: String,
    bytes: u64,
    moves: Vec<String>,
    /// The number of instructions that use the parameter in another way.
    others: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/sharded.txt");
    let path = std::env::args().nth(1).unwrap_or_else(|| sample.to_owned());
    let mut dump = HloDump::new(BufReader::new(File::open(&path)?));
    // Fusions are written before the computations that call them, so one pass is enough.
    let mut inside: HashMap<String, Vec<Move>> = HashMap::new();
    while let Some(computation) = dump.next_computation()? {
        let moves = moves(computation)?;
        if computation.is_entry() {
            report(computation.module().name(), savings(computation, moves, &inside)?);
            inside.clear();
        } else {
            inside.insert(computation.name().to_owned(), moves);
        }
    }
    Ok(())
}

/// The moves in a computation that begin at its parameters.
fn moves(computation: HloComputation<'_>) -> Result<Vec<Move>, Box<dyn Error>> {
    let mut moves = Vec::new();
    for end in computation.instructions().filter(|i| is_move(*i)) {
        // A transpose that a copy follows is told with the copy.
        let is_followed = |i: HloInstruction<'_>| {
            is_move(i) && i.operand(0).map(|o| o.index()) == Some(end.index())
        };
        if computation.instructions().any(is_followed) {
            continue;
        }
        if let Some((parameter, permutation)) = origin(end)
            && let Some(number) = parameter.parameter()
            && let Some(wanted) = wanted(parameter, end, &permutation)?
        {
            let bytes =
                parameter.shape()?.sizes()?.allocated_bytes + end.shape()?.sizes()?.allocated_bytes;
            let source = end.source().map_or_else(String::new, |source| format!(" ({source})"));
            moves.push(Move { name: end.name().into(), parameter: number, wanted, bytes, source });
        }
    }
    Ok(moves)
}

fn is_move(instruction: HloInstruction<'_>) -> bool {
    matches!(instruction.opcode(), "copy" | "transpose")
}

fn array(shape: &XlaShape) -> Option<&XlaArray> {
    match shape {
        XlaShape::Array(array) => Some(array),
        _ => None,
    }
}

/// The parameter at which a chain of copies and transposes begins, and for every dimension of the
/// end of the chain the one of the parameter that it is.
fn origin(end: HloInstruction<'_>) -> Option<(HloInstruction<'_>, Vec<usize>)> {
    let rank = array(&end.shape().ok()?)?.dims.len();
    let mut at = end;
    let mut permutation: Vec<usize> = (0..rank).collect();
    while is_move(at) {
        if at.opcode() == "transpose" {
            let dimensions = at.attribute("dimensions")?.trim_matches(['{', '}']);
            let dimensions: Vec<usize> =
                dimensions.split(',').map(|d| d.trim().parse()).collect::<Result<_, _>>().ok()?;
            permutation =
                permutation.iter().map(|d| dimensions.get(*d).copied()).collect::<Option<_>>()?;
        }
        at = at.operand(0)?;
    }
    (at.opcode() == "parameter").then_some((at, permutation))
}

/// The layout of the parameter that makes `end` the same bytes, unless it has it already.
fn wanted(
    parameter: HloInstruction<'_>,
    end: HloInstruction<'_>,
    permutation: &[usize],
) -> Result<Option<XlaArray>, Box<dyn Error>> {
    let (from, to) = (parameter.shape()?, end.shape()?);
    let (Some(from), Some(to)) = (array(&from), array(&to)) else { return Ok(None) };
    let mut layout = to.layout_or_default();
    for dim in &mut layout.minor_to_major {
        *dim = i64::try_from(permutation[usize::try_from(*dim)?])?;
    }
    let wanted = XlaArray::new(from.dtype, from.dims.clone(), Some(layout));
    let arrives: Layout = wanted.lower()?.permute(permutation)?;
    let proved = arrives.same_up_to_padding(&to.lower()?)?.is_none();
    let moves_at_all = from.lower()?.same_up_to_padding(&wanted.lower()?)?.is_some();
    Ok((proved && moves_at_all).then_some(wanted))
}

/// All moves of the program, by the parameter at which they begin and the layout that saves them.
fn savings(
    entry: HloComputation<'_>,
    own: Vec<Move>,
    inside: &HashMap<String, Vec<Move>>,
) -> Result<Vec<Saving>, Box<dyn Error>> {
    let mut found: Vec<(HloInstruction<'_>, &Move, String)> = Vec::new();
    for m in &own {
        let parameter = entry.instructions().find(|i| i.parameter() == Some(m.parameter));
        found.extend(parameter.map(|p| (p, m, format!("{}{}", m.name, m.source))));
    }
    for call in entry.instructions() {
        let callee = call.attribute("calls").map(|name| name.trim_start_matches('%'));
        for m in callee.and_then(|name| inside.get(name)).into_iter().flatten() {
            let parameter = call.operand(m.parameter).filter(|o| o.opcode() == "parameter");
            found.extend(
                parameter.map(|p| (p, m, format!("{} in {}{}", m.name, call.name(), m.source))),
            );
        }
    }
    let mut savings: Vec<Saving> = Vec::new();
    for (parameter, m, told) in found {
        let (from, to) = (parameter.shape_text().to_owned(), m.wanted.to_string());
        let name =
            parameter.op_name().map_or(parameter.name().to_owned(), std::borrow::Cow::into_owned);
        let same = savings.iter_mut().find(|s| s.parameter == name && s.to == to);
        match same {
            Some(saving) => {
                saving.bytes += m.bytes;
                saving.moves.push(told);
                saving.others = saving.others.saturating_sub(1);
            }
            None => {
                let uses =
                    |i: &HloInstruction<'_>| i.operands().any(|o| o.name() == parameter.name());
                let others = entry.instructions().filter(uses).count().saturating_sub(1);
                let moves = vec![told];
                savings.push(Saving { parameter: name, from, to, bytes: m.bytes, moves, others });
            }
        }
    }
    savings.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.parameter.cmp(&b.parameter)));
    Ok(savings)
}

fn report(module: &str, savings: Vec<Saving>) {
    let total: u64 = savings.iter().map(|saving| saving.bytes).sum();
    println!("{module}: {total} bytes read and written by moves that other layouts save");
    for Saving { parameter, from, to, bytes, moves, others } in savings {
        println!("\n{bytes:>12} bytes  {parameter}: {from} -> {to}");
        println!("{:>12}        saves {}", "", moves.join(", "));
        if others > 0 {
            println!("{:>12}        {others} other instructions use it as it is", "");
        }
    }
}
