//! Live arrays: generated modules against a simulation written directly from the definition.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tensor_layout::error::ErrorKind;
use tensor_layout_hlo::{HloDump, HloMemory, HloModuleMemory, HloPeak};

mod simulation;

use simulation::Simulation;

pub(crate) fn memory(text: &str) -> HloMemory {
    let (mut dump, mut memory) = (HloDump::new(text.as_bytes()), HloMemory::default());
    while let Some(computation) = dump.next_computation().unwrap() {
        memory.add(computation).unwrap();
    }
    assert_eq!(dump.reading().lines, [], "{text}");
    memory.finish().unwrap();
    assert_eq!(memory.reading().lines, [], "{text}");
    memory
}

pub(crate) fn module(text: &str) -> HloModuleMemory {
    memory(text).modules()[0].clone()
}

/// Peaks by memory space.
pub(crate) fn peaks(text: &str) -> BTreeMap<i64, u64> {
    let module = module(text);
    let peaks = module.peaks.unwrap();
    for peak in &peaks {
        let live = peak.live.iter().map(|live| live.bytes.allocated).sum::<u64>();
        assert_eq!((live, peak.live.len() as u64), (peak.bytes.allocated, peak.bytes.count));
    }
    peaks.iter().map(|peak| (peak.space.0, peak.bytes.allocated)).collect()
}

/// The live bytes at each time, by memory space; the first of the greatest is the peak.
fn curves(text: &str) -> BTreeMap<i64, Vec<u64>> {
    let curve = |peak: &HloPeak| {
        let pairs = peak.curve.windows(2).map(|pair| (pair[0], pair[1]));
        let bytes = pairs.flat_map(|((from, bytes), (to, _))| (from..to).map(move |_| bytes));
        let bytes: Vec<u64> = bytes.collect();
        let first = bytes.iter().position(|bytes| *bytes == peak.bytes.allocated);
        assert_eq!(first.map(|first| first as u64), Some(peak.time), "{text}");
        assert_eq!(peak.curve.last(), Some(&(bytes.len() as u64, 0)), "{text}");
        (peak.space.0, bytes)
    };
    module(text).peaks.unwrap().iter().map(curve).collect()
}

/// A shape: an array of `rows` rows of 512 bytes in a memory space, or a tuple.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Array(u64, i64),
    Tuple(Vec<Shape>),
}

impl Shape {
    fn text(&self) -> String {
        match self {
            // A row and one element: the last tile is padded.
            Shape::Array(rows, space) => {
                let space = if *space == 0 { String::new() } else { format!("S({space})") };
                format!("f32[{}]{{0:T(128){space}}}", (rows - 1) * 128 + 1)
            }
            Shape::Tuple(members) => {
                let members: Vec<String> = members.iter().map(Shape::text).collect();
                format!("({})", members.join(", "))
            }
        }
    }

    fn leaves(&self) -> Vec<(u64, i64)> {
        match self {
            Shape::Array(rows, space) => vec![(rows * 512, *space)],
            Shape::Tuple(members) => members.iter().flat_map(Shape::leaves).collect(),
        }
    }

    fn paths(&self) -> Vec<Vec<usize>> {
        let Shape::Tuple(members) = self else { return vec![vec![]] };
        let below = |(at, member): (usize, &Shape)| {
            let paths = member.paths().into_iter();
            paths.map(|path| [vec![at], path].concat()).collect::<Vec<_>>()
        };
        members.iter().enumerate().flat_map(below).collect()
    }
}

/// The effect of an instruction on memory.
#[derive(Clone, Debug)]
enum Op {
    Parameter(usize),
    /// Writes all of its result.
    New,
    Tuple,
    /// The arrays from this leaf on.
    Element(usize, usize),
    /// Aliases all of its operand: a bitcast, a barrier.
    Same(&'static str),
    /// The first array reuses the buffer of operand 0.
    InPlace(&'static str),
    While(usize, usize),
    Call(usize),
    Conditional(Vec<usize>),
    /// The asynchronous start of a computation, of another operation, of a copy.
    Start(usize),
    Sugar,
    CopyStart,
    /// The matching end: the arrays of the start from this leaf on.
    Done(&'static str, usize),
}

#[derive(Clone, Debug)]
struct Instruction {
    shape: Shape,
    op: Op,
    operands: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Computation {
    instructions: Vec<Instruction>,
    root: usize,
}

#[derive(Debug)]
struct Module {
    computations: Vec<Computation>,
    /// Results in the buffers of parameters: leaf of the root, parameter, leaf of the parameter.
    donated: Vec<(usize, usize, usize)>,
    random: u64,
}

const BARRIER: &str = "opt-barrier";
const FUSION: &str = "fusion";

impl Module {
    fn generate(seed: u64) -> Module {
        let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut module = Module { computations: Vec::new(), donated: Vec::new(), random };
        let shapes: Vec<Shape> = (0..1 + module.below(4)).map(|_| module.shape(1)).collect();
        let entry = module.computation(&shapes, None, 3);
        module.computations.push(entry);
        module.donate();
        module
    }

    fn below(&mut self, count: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as usize % count
    }

    fn array(&mut self) -> Shape {
        Shape::Array(1 + self.below(64) as u64, [0, 0, 0, 1, 5][self.below(5)])
    }

    fn shape(&mut self, depth: usize) -> Shape {
        if depth > 0 && self.below(3) == 0 {
            return Shape::Tuple((0..1 + self.below(3)).map(|_| self.shape(depth - 1)).collect());
        }
        self.array()
    }

    fn entry(&self) -> &Computation {
        self.computations.last().unwrap()
    }

    fn donate(&mut self) {
        let entry = self.entry().clone();
        let root = entry.instructions[entry.root].shape.leaves();
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for (leaf, array) in root.iter().enumerate() {
            for (number, of) in parameters(&entry) {
                let leaves = entry.instructions[of].shape.leaves();
                for (at, given) in leaves.iter().enumerate() {
                    let is_free = !taken.contains(&(number, at))
                        && self.donated.last().is_none_or(|last| last.0 != leaf);
                    if given == array && is_free && self.below(4) > 0 {
                        taken.push((number, at));
                        self.donated.push((leaf, number, at));
                    }
                }
            }
        }
    }

    /// A computation with parameters, and with a result of a given shape, if any.
    fn computation(
        &mut self,
        parameters: &[Shape],
        result: Option<&Shape>,
        depth: usize,
    ) -> Computation {
        let mut of = Computation::default();
        for (number, shape) in parameters.iter().enumerate() {
            let op = Op::Parameter(number);
            of.instructions.push(Instruction { shape: shape.clone(), op, operands: vec![] });
        }
        for _ in 0..1 + self.below(8) {
            self.grow(&mut of, depth);
        }
        of.root = match result {
            Some(shape) => self.made(&mut of, shape),
            None => self.below(of.instructions.len()),
        };
        of
    }

    /// An instruction with a shape: an existing one, or a new one.
    fn made(&mut self, of: &mut Computation, shape: &Shape) -> usize {
        let there: Vec<usize> =
            (0..of.instructions.len()).filter(|at| of.instructions[*at].shape == *shape).collect();
        if !there.is_empty() && self.below(2) == 0 {
            return there[self.below(there.len())];
        }
        let (op, operands) = match shape {
            Shape::Array(..) => (Op::New, vec![self.below(of.instructions.len().max(1))]),
            Shape::Tuple(members) => {
                (Op::Tuple, members.iter().map(|member| self.made(of, member)).collect())
            }
        };
        let operands = operands.into_iter().filter(|at| *at < of.instructions.len()).collect();
        push(of, shape.clone(), op, operands)
    }

    fn any(&mut self, of: &Computation) -> (usize, Shape) {
        let at = self.below(of.instructions.len());
        (at, of.instructions[at].shape.clone())
    }

    /// Adds instructions.
    fn grow(&mut self, of: &mut Computation, depth: usize) {
        let (at, shape) = self.any(of);
        match (self.below(13), &shape) {
            (0, Shape::Tuple(members)) => {
                let member = self.below(members.len());
                let from = members[..member].iter().map(|of| of.leaves().len()).sum();
                push(of, members[member].clone(), Op::Element(member, from), vec![at]);
            }
            (1, _) => {
                push(of, shape, Op::Same(BARRIER), vec![at]);
            }
            (2, Shape::Array(..)) => {
                push(of, shape, Op::Same("bitcast"), vec![at]);
            }
            (3, Shape::Array(..)) => {
                let kind = ["dynamic-update-slice", FUSION, "custom-call", "all-reduce-start"];
                let kind = kind[self.below(4)];
                let update = self.any(of).0;
                let start = push(of, shape.clone(), Op::InPlace(kind), vec![at, update]);
                if kind == "all-reduce-start" {
                    of.instructions[start].operands.truncate(1);
                    push(of, shape, Op::Done("all-reduce-done", 0), vec![start]);
                }
            }
            (4, Shape::Array(..)) => {
                let result = self.array();
                let context = Shape::Array(1, 0);
                let start = Shape::Tuple(vec![result.clone(), shape, context]);
                let start = push(of, start, Op::CopyStart, vec![at]);
                self.grow(of, 0);
                push(of, result, Op::Done("copy-done", 0), vec![start]);
            }
            (5, _) => {
                let (result, context) = (self.array(), self.array());
                let operands = Shape::Tuple(vec![shape.clone()]);
                let start = Shape::Tuple(vec![operands, result.clone(), context]);
                let mut start = push(of, start.clone(), Op::Sugar, vec![at]);
                if self.below(2) == 0 {
                    let shape = of.instructions[start].shape.clone();
                    start = push(of, shape, Op::Same("sine-update"), vec![start]);
                }
                self.grow(of, 0);
                push(of, result, Op::Done("sine-done", shape.leaves().len()), vec![start]);
            }
            (6, _) if depth > 0 => {
                let body = self.computation(std::slice::from_ref(&shape), Some(&shape), depth - 1);
                let condition = self.computation(std::slice::from_ref(&shape), None, depth - 1);
                self.computations.extend([body, condition]);
                let called = self.computations.len();
                push(of, shape, Op::While(called - 1, called - 2), vec![at]);
            }
            (7, _) if depth > 0 => {
                let known: Vec<usize> = (0..self.computations.len())
                    .filter(|number| {
                        let of = &self.computations[*number];
                        let parameters = parameters(of);
                        parameters.len() == 1 && of.instructions[parameters[0].1].shape == shape
                    })
                    .collect();
                // Sometimes a computation that already has a caller.
                let callee = match known.is_empty() || self.below(4) > 0 {
                    true => {
                        let callee = self.computation(&[shape], None, depth - 1);
                        self.computations.push(callee);
                        self.computations.len() - 1
                    }
                    false => known[self.below(known.len())],
                };
                let callee_of = &self.computations[callee];
                let result = callee_of.instructions[callee_of.root].shape.clone();
                push(of, result, Op::Call(callee), vec![at]);
            }
            (8, _) if depth > 0 => {
                let result = self.shape(1);
                let (other, other_shape) = self.any(of);
                let branches = [shape, other_shape].map(|shape| {
                    let branch = self.computation(&[shape], Some(&result), depth - 1);
                    self.computations.push(branch);
                    self.computations.len() - 1
                });
                let index = self.made(of, &Shape::Array(1, 0));
                push(of, result, Op::Conditional(branches.to_vec()), vec![index, at, other]);
            }
            (9, _) if depth > 0 => {
                let callee = self.computation(std::slice::from_ref(&shape), None, depth - 1);
                let result = callee.instructions[callee.root].shape.clone();
                self.computations.push(callee);
                let (operands, context) = (Shape::Tuple(vec![shape.clone()]), Shape::Array(2, 1));
                let start = Shape::Tuple(vec![operands, result.clone(), context]);
                let start = push(of, start, Op::Start(self.computations.len() - 1), vec![at]);
                self.grow(of, 0);
                push(of, result, Op::Done("async-done", shape.leaves().len()), vec![start]);
            }
            (10, _) => {
                let operands: Vec<usize> = (0..1 + self.below(3)).map(|_| self.any(of).0).collect();
                let members = operands.iter().map(|at| of.instructions[*at].shape.clone());
                push(of, Shape::Tuple(members.collect()), Op::Tuple, operands);
            }
            _ => {
                let result = self.shape(1);
                let other = self.any(of).0;
                push(of, result, Op::New, vec![at, other]);
            }
        }
    }

    fn text(&self) -> String {
        let mut text = String::from("HloModule m, is_scheduled=true");
        let entry = self.entry();
        let root = entry.instructions[entry.root].shape.paths();
        if !self.donated.is_empty() {
            let pair = |(leaf, number, at): &(usize, usize, usize)| {
                let of = parameters(entry)[*number].1;
                let given = &entry.instructions[of].shape.paths()[*at];
                format!("{{{}}}: ({number}, {{{}}}, may-alias)", list(&root[*leaf]), list(given))
            };
            let pairs: Vec<String> = self.donated.iter().map(pair).collect();
            let _ = write!(text, ", input_output_alias={{ {} }}", pairs.join(", "));
        }
        text += "\n\n";
        for (number, of) in self.computations.iter().enumerate() {
            let entry = if number + 1 == self.computations.len() { "ENTRY " } else { "" };
            let mut body = String::new();
            for (at, instruction) in of.instructions.iter().enumerate() {
                let root = if at == of.root { "ROOT " } else { "" };
                let _ = writeln!(
                    body,
                    "  {root}%v{at} = {}",
                    self.line(number, at, instruction, &mut text)
                );
            }
            let result = of.instructions[of.root].shape.text();
            let _ = write!(text, "{entry}%c{number} (p: f32[]) -> {result} {{\n{body}}}\n\n");
        }
        text
    }

    /// The text of an instruction, preceded by the computation of its fusion.
    fn line(&self, number: usize, at: usize, of: &Instruction, before: &mut String) -> String {
        let Instruction { shape, op, operands } = of;
        let names: Vec<String> = operands.iter().map(|at| format!("%v{at}")).collect();
        let (shape, names) = (shape.text(), names.join(", "));
        match op {
            Op::Parameter(number) => format!("{shape} parameter({number})"),
            Op::New => format!("{shape} custom-call({names}), custom_call_target=\"new\""),
            Op::Tuple => format!("{shape} tuple({names})"),
            Op::Element(member, _) => format!("{shape} get-tuple-element({names}), index={member}"),
            Op::InPlace(FUSION) => {
                let other = self.computations[number].instructions[operands[1]].shape.text();
                let _ = write!(
                    before,
                    "%inside.{number}.{at} (p: f32[]) -> {shape} {{\n  %p = {shape} parameter(0)\n  \
                     %q = {other} parameter(1)\n  %b = {shape} bitcast(%p)\n  \
                     %d = {shape} dynamic-update-slice(%b, %q)\n  ROOT %r = {shape} bitcast(%d)\n}}\n\n"
                );
                format!("{shape} fusion({names}), kind=kLoop, calls=%inside.{number}.{at}")
            }
            Op::InPlace("custom-call") => format!(
                "{shape} custom-call({names}), custom_call_target=\"in_place\", output_to_operand_aliasing={{{{}}: (0, {{}})}}"
            ),
            Op::Same(name) | Op::InPlace(name) | Op::Done(name, _) => {
                format!("{shape} {name}({names})")
            }
            Op::While(condition, body) => {
                format!("{shape} while({names}), condition=%c{condition}, body=%c{body}")
            }
            Op::Call(callee) => format!("{shape} call({names}), to_apply=%c{callee}"),
            Op::Conditional(branches) => {
                let branches: Vec<String> = branches.iter().map(|of| format!("%c{of}")).collect();
                format!(
                    "{shape} conditional({names}), branch_computations={{{}}}",
                    branches.join(", ")
                )
            }
            Op::Start(callee) => format!("{shape} async-start({names}), calls=%c{callee}"),
            Op::Sugar => format!("{shape} sine-start({names})"),
            Op::CopyStart => format!("{shape} copy-start({names})"),
        }
    }
}

fn list(path: &[usize]) -> String {
    path.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn push(of: &mut Computation, shape: Shape, op: Op, operands: Vec<usize>) -> usize {
    of.instructions.push(Instruction { shape, op, operands });
    of.instructions.len() - 1
}

/// The parameters, as (number, instruction).
fn parameters(of: &Computation) -> Vec<(usize, usize)> {
    let numbered = of.instructions.iter().enumerate();
    let parameter = |(at, of): (usize, &Instruction)| match of.op {
        Op::Parameter(number) => Some((number, at)),
        _ => None,
    };
    numbered.filter_map(parameter).collect()
}

#[test]
fn the_live_bytes_of_generated_modules_are_those_of_the_definition() {
    let (mut instructions, mut donated, mut callees) = (0, 0, 0);
    for seed in 1..=600 {
        let module = Module::generate(seed);
        let text = module.text();
        let curves = curves(&text);
        assert_eq!(curves, Simulation::of(&module), "seed {seed}\n{text}");
        let greatest =
            curves.into_iter().filter_map(|(space, of)| Some((space, of.into_iter().max()?)));
        assert_eq!(peaks(&text), greatest.collect(), "seed {seed}\n{text}");
        instructions += module.computations.iter().map(|of| of.instructions.len()).sum::<usize>();
        donated += module.donated.len();
        callees += module.computations.len() - 1;
    }
    assert!(
        instructions > 6_000 && donated > 100 && callees > 600,
        "{instructions} {donated} {callees}"
    );
}

fn entry(head: &str, body: &str) -> String {
    format!("HloModule m{head}\n\nENTRY e {{\n{body}}}\n")
}

const TWO: &str = "  a = f32[1024]{0} parameter(0)\n  b = f32[256]{0} parameter(1)\n  \
    c = f32[1024]{0} negate(a)\n  ROOT t = (f32[1024]{0}, f32[256]{0}) tuple(c, b)\n";

#[test]
fn an_unscheduled_module_has_arguments_and_results_and_no_peak() {
    let module = module(&entry("", TWO));
    let main = module.interface[&tensor_layout_hlo::HloMemorySpace(0)];
    // The tuple of the results is a table of two pointers.
    assert_eq!((main.arguments, main.outputs, main.aliased), (5120, 5120 + 16, 0));
    assert_eq!(
        module.peaks.unwrap_err().to_string(),
        "this module is not scheduled: which values are live together is not decided"
    );
}

#[test]
fn memory_spaces_are_sums_of_their_own() {
    let body = "  a = f32[1024]{0:T(128)} parameter(0)\n  h = f32[64]{0:T(128)S(5)} parameter(1)\n  \
        s = (f32[1024]{0:T(128)S(1)}, f32[1024]{0:T(128)}, u32[]{:S(2)}) copy-start(a)\n  \
        d = f32[1024]{0:T(128)S(1)} copy-done(s)\n  ROOT r = f32[1024]{0:T(128)} negate(d)\n";
    let module = module(&entry(", is_scheduled=true", body));
    let arguments =
        module.interface.iter().map(|(space, bytes)| (space.to_string(), bytes.arguments));
    assert_eq!(arguments.collect::<Vec<_>>(), [("HBM".to_owned(), 4096), ("host".to_owned(), 512)]);
    let peaks = module.peaks.unwrap();
    let peaks = peaks.iter().map(|peak| (peak.space.to_string(), peak.bytes.allocated, peak.line));
    let wanted = [("HBM", 8192, 8), ("VMEM", 4096, 6), ("S(2)", 4, 6), ("host", 512, 4)];
    assert_eq!(
        peaks.collect::<Vec<_>>(),
        wanted.map(|(name, bytes, line)| (name.to_owned(), bytes, line))
    );
}

#[test]
fn a_donation_in_vain_is_named_with_its_reason() {
    let reasons = |head: &str| {
        let module = module(&entry(head, TWO));
        let reason =
            |of: &tensor_layout_hlo::HloUnusedDonor| (of.parameter.clone(), of.reason.clone());
        module.unused_donors.iter().map(reason).collect::<Vec<_>>()
    };
    let alias = ", input_output_alias={ {1}: (1, {}, must-alias) }";
    assert_eq!(reasons(alias), []);
    let given = ("1".to_owned(), "1 result of its shape and layout could take it".to_owned());
    assert_eq!(reasons(", is_scheduled=true, buffer_donor={ (1, {}) }"), [given]);
    let other = TWO.replace("f32[256]", "f32[1024]");
    let text = entry(
        ", is_scheduled=true, input_output_alias={ {0}: (0, {}), {1}: (0, {}) }, buffer_donor={ (1, {}) }",
        &other,
    );
    assert_eq!(
        module(&text).unused_donors[0].describe(),
        "parameter 1 (b, 4.00 KiB) is donated in vain: 2 results of its shape and layout, each in the buffer of another parameter"
    );
}

#[test]
fn no_donor_is_in_vain_before_a_schedule_is_known() {
    let donated =
        |head: &str| module(&entry(&format!("{head}, buffer_donor={{ (1, {{}}) }}"), TWO));
    assert_eq!(donated("").unused_donors, []);
    assert_eq!(donated(", is_scheduled=false").unused_donors, []);
    assert_eq!(donated(", is_scheduled=true").unused_donors.len(), 1);
}

#[test]
fn what_a_fusion_and_a_call_both_name_has_no_answer() {
    let text = "HloModule m, is_scheduled=true\n\nboth {\n  ROOT p = f32[8] parameter(0)\n}\n\n\
        ENTRY e {\n  a = f32[8] parameter(0)\n  b = f32[8] fusion(a), kind=kLoop, calls=both\n  \
        ROOT c = f32[8] call(b), to_apply=both\n}\n";
    let message = module(text).peaks.unwrap_err().to_string();
    assert!(message.starts_with("computation `both` is called by a fusion and by another"));
}

/// With work in proportion to a power of their number, these would take minutes or hours.
#[test]
fn many_donors_many_operands_and_many_leaves_cost_little_each() {
    const MANY: usize = 20_000;
    let list = |item: &dyn Fn(usize) -> String| (0..MANY).map(item).collect::<Vec<_>>().join(", ");
    let row = "f32[8]{0}".to_owned();
    let tuple = format!("({})", list(&|_| row.clone()));
    let donors = list(&|number| format!("({number}, {{}})"));
    let parameters: String =
        (0..MANY).map(|at| format!("  p{at} = {row} parameter({at})\n")).collect();
    let operands = list(&|at| format!("p{at}"));
    let text = entry(
        &format!(", is_scheduled=true, buffer_donor={{ {donors} }}"),
        &format!("{parameters}  ROOT t = {tuple} tuple({operands})\n"),
    );
    let memory = module(&text);
    assert_eq!(memory.unused_donors.len(), MANY);
    assert_eq!(memory.peaks.unwrap()[0].bytes.allocated, 32 * MANY as u64);
    let alias = "input_output_alias={ {0}: (0, {1}, may-alias) }";
    let text = entry(
        &format!(", is_scheduled=true, {alias}"),
        &format!("  ROOT p = {tuple} parameter(0)\n"),
    );
    assert_eq!(module(&text).peaks.unwrap()[0].bytes.count, MANY as u64 - 1);
}

/// Buffers are followed from value to value, through calls and along chains of sums.
#[test]
fn long_chains_of_values_and_of_calls_cost_little_each() {
    const MANY: usize = 20_000;
    let row = "f32[8]{0}";
    let each = |line: &dyn Fn(usize) -> String| (1..MANY).map(line).collect::<String>();
    let sums = each(&|at| format!("  v{at} = {row} add(v{}, v0)\n", at - 1));
    let callees = each(&|at| {
        format!("f{at} {{\n  q = {row} parameter(0)\n  ROOT z = {row} negate(q)\n}}\n\n")
    });
    let calls = each(&|at| format!("  v{at} = {row} call(v{}), to_apply=f{at}\n", at - 1));
    for (callees, lines) in [("", sums), (&callees[..], calls)] {
        let last = MANY - 1;
        let text = entry(
            ", is_scheduled=true",
            &format!("  v0 = {row} parameter(0)\n{lines}  ROOT r = {row} negate(v{last})\n"),
        );
        let (head, entry) = text.split_once("\n\n").unwrap();
        let memory = module(&format!("{head}\n\n{callees}{entry}"));
        assert_eq!(memory.peaks.unwrap()[0].bytes.count, 2);
    }
}

#[test]
fn a_dump_without_entry_has_no_peak() {
    let text =
        "HloModule m, is_scheduled=true\n\nfused_computation {\n  ROOT p = f32[8] parameter(0)\n";
    let mut dump = HloDump::new(text.as_bytes());
    let mut memory = HloMemory::default();
    while let Some(computation) = dump.next_computation().unwrap() {
        memory.add(computation).unwrap();
    }
    memory.finish().unwrap();
    let refused = memory.modules()[0].peaks.as_ref().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Missing, "{refused}");
}
