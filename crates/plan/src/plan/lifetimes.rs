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

use itertools::Itertools;
use tensor_layout::Level;

use super::variables::{Role, Variable};
use crate::choices::{Choice, Held, Setting};
use crate::graph::{Graph, ValueId};
use crate::search::{Memory, Use};

/// The times of an operation.
const TIMES: u64 = 3;
const TIMES_OF_ONE: usize = 3;

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

/// The most long words that are taken while each operation is planned to run, in their order.
pub(super) fn curve(memory: &Memory, chosen: &[usize]) -> Vec<u64> {
    let end = memory.uses.iter().map(|of| of.to).max().unwrap_or(0);
    let mut changes = vec![(0_u64, 0_u64); at(end) + 1];
    for of in memory.uses.iter().filter(|of| of.from < of.to) {
        let words = of.amounts[chosen[of.variable]];
        changes[at(of.from)].0 += words;
        changes[at(of.to)].1 += words;
    }
    let used = changes.iter().scan(0_u64, |used, (more, less)| {
        *used = *used + more - less;
        Some(*used)
    });
    let used = used.collect_vec();
    used.chunks(TIMES_OF_ONE).map(|times| times.iter().copied().max().unwrap_or(0)).collect()
}

/// The position of a time.
fn at(time: u64) -> usize {
    usize::try_from(time).unwrap_or(usize::MAX)
}

/// The usage of the memories of a PE by all choices.
pub(super) fn usage(
    graph: &Graph,
    variables: &[Variable],
    setting: &Setting,
    limit: u64,
) -> Memory {
    let order = Order::of(graph, variables);
    let is_kept = |value| variables.iter().any(|of| of.value == value && of.role == Role::Kept);
    let mut uses = Vec::new();
    for (number, of) in variables.iter().enumerate() {
        let (first, end) = order.times(of.value);
        let mut uses_for = |(from, to): (u64, u64), words: &dyn Fn(&Choice) -> u64| {
            let amounts = of.domain.choices.iter().map(words).collect();
            uses.push(Use { variable: number, from, to, amounts });
        };
        let local = |held: &Held, words: u64| if setting.is_local(held) { words } else { 0 };
        let whole =
            |choice: &Choice| local(&choice.result, choice.result.layout.extent(Level::ADDR));
        match of.role {
            Role::Given => uses_for((0, end), &whole),
            Role::Kept => {
                let is_made =
                    number.checked_sub(1).is_some_and(|made| variables[made].operation().is_some());
                uses_for((first + if is_made { 2 } else { 0 }, end), &whole);
            }
            Role::Computed(_) => {
                uses_for((first, first + 2), &|choice| choice.taken);
                let end = if is_kept(of.value) { first + TIMES } else { end };
                uses_for((first + 1, end), &|choice| {
                    local(&choice.result, choice.words - choice.taken)
                });
            }
        }
    }
    Memory { limit, uses }
}
