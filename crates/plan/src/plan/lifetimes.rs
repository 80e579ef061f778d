//! The long words that values take in the memory of a PE, while they are there.
//!
//! ```text
//! of each operation three times     operands are brought | it computes | its result goes where it is kept
//! operands                          ===================================
//! its result                                               =====================================
//! the result where it is kept                                          =============== .. until its last reader has it
//! ```
//!
//! An operand that is read where it is kept counts twice as long as others need it there.

use std::collections::HashMap;

use tensor_layout::Level;

use super::variables::{Role, Variable};
use crate::choices::{Choice, Setting};
use crate::graph::{Graph, ValueId};
use crate::search::{Memory, Use};

/// The times of an operation.
const TIMES: u64 = 3;

/// The operations that make and read values, by their numbers in the order of the plan.
struct Order {
    /// The number of operations.
    all: u64,
    /// The operation that makes a value, or the first that reads one that is given.
    first: HashMap<ValueId, u64>,
    last: HashMap<ValueId, u64>,
}

impl Order {
    fn of(graph: &Graph, variables: &[Variable]) -> Order {
        let mut order = Order { all: 0, first: HashMap::new(), last: HashMap::new() };
        for operation in variables.iter().filter_map(Variable::operation) {
            let operation = &graph.operations[operation];
            for id in operation.reads() {
                let root = graph.root(id).0;
                order.first.entry(root).or_insert(order.all);
                order.last.insert(root, order.all);
            }
            order.first.insert(operation.result, order.all);
            order.last.entry(operation.result).or_insert(order.all);
            order.all += 1;
        }
        for output in &graph.outputs {
            order.last.insert(graph.root(*output).0, order.all);
        }
        order
    }

    /// The times from which a value is there and at which its last reader has it.
    fn times(&self, value: ValueId) -> (u64, u64) {
        let number = |of: &HashMap<ValueId, u64>| of.get(&value).copied().unwrap_or(0);
        (number(&self.first) * TIMES, number(&self.last) * TIMES + 1)
    }
}

/// The most long words that are taken while each of some operations is planned to run, in their order.
pub(super) fn curve(memory: &Memory, chosen: &[usize], operations: usize) -> Vec<u64> {
    let steps = memory.steps(chosen);
    let ends = steps.iter().skip(1).map(|(time, _)| *time).chain([u64::MAX]);
    let mut curve = vec![0; operations];
    for ((from, used), end) in steps.iter().zip(ends) {
        let used = u64::try_from(*used).unwrap_or(u64::MAX);
        let position = |time: u64| usize::try_from(time / TIMES).unwrap_or(usize::MAX);
        let met = curve.iter_mut().take(position(end - 1).saturating_add(1));
        met.skip(position(*from)).for_each(|most: &mut u64| *most = used.max(*most));
    }
    curve
}

/// A tensor in the memory of a PE, from a time on until another one.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) variable: usize,
    /// The number of the operand that it is; `None` for a value.
    pub(super) operand: Option<usize>,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) words: u64,
}

impl Buffer {
    pub(super) fn time(&self) -> u64 {
        self.to.saturating_sub(self.from)
    }

    /// Returns whether both are there at some time.
    pub(super) fn meets(&self, other: &Buffer) -> bool {
        self.from < other.to && other.from < self.to
    }
}

/// What a variable has in the memory of a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A value that is given or kept.
    Value,
    /// The operands of an operation.
    Operands,
    /// Its result.
    Result,
}

impl Part {
    fn words(self, choice: &Choice, setting: &Setting) -> u64 {
        let is_local = setting.is_local(&choice.result);
        match self {
            Part::Operands => choice.taken.iter().copied().fold(0, u64::saturating_add),
            Part::Value if is_local => choice.result.layout.extent(Level::ADDR),
            Part::Result if is_local => choice.given(),
            Part::Value | Part::Result => 0,
        }
    }
}

/// The parts of all variables with their times.
fn parts(graph: &Graph, variables: &[Variable]) -> Vec<(usize, Part, (u64, u64))> {
    let order = Order::of(graph, variables);
    // A kept layout comes directly after its value.
    let is_kept = |made: usize| variables.get(made + 1).is_some_and(|of| of.role == Role::Kept);
    let is_made = |made: usize| variables[made].operation().is_some();
    let mut parts = Vec::new();
    for (number, of) in variables.iter().enumerate() {
        let (first, end) = order.times(of.value);
        match of.role {
            Role::Given => parts.push((number, Part::Value, (0, end))),
            Role::Kept => {
                let made = number.checked_sub(1).is_some_and(is_made);
                parts.push((number, Part::Value, (first + if made { 2 } else { 0 }, end)));
            }
            Role::Computed(_) => {
                let end = if is_kept(number) { first + TIMES } else { end };
                parts.push((number, Part::Operands, (first, first + 2)));
                parts.push((number, Part::Result, (first + 1, end)));
            }
        }
    }
    parts
}

/// The usage of the memories of a PE by all choices.
pub(super) fn usage(
    graph: &Graph,
    variables: &[Variable],
    setting: &Setting,
    limit: u64,
) -> Memory {
    let uses = parts(graph, variables).into_iter().map(|(variable, part, (from, to))| {
        let choices = variables[variable].domain.choices.iter();
        let amounts = choices.map(|choice| part.words(choice, setting)).collect();
        Use { variable, from, to, amounts }
    });
    Memory { limit, uses: uses.collect() }
}

/// The tensors of some choices in the memories of a PE.
pub(super) fn buffers(
    graph: &Graph,
    variables: &[Variable],
    setting: &Setting,
    chosen: &[usize],
) -> Vec<Buffer> {
    let mut buffers = Vec::new();
    for (variable, part, (from, to)) in parts(graph, variables) {
        let choice = &variables[variable].domain.choices[chosen[variable]];
        let mut add = |operand, words| buffers.push(Buffer { variable, operand, from, to, words });
        match part {
            Part::Operands => {
                choice.taken.iter().enumerate().for_each(|(at, words)| add(Some(at), *words));
            }
            Part::Value | Part::Result => add(None, part.words(choice, setting)),
        }
    }
    buffers.retain(|of| of.words > 0 && of.from < of.to);
    buffers
}
