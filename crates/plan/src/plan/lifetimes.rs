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
use crate::choices::{Choice, Held, Setting};
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

/// The usage of the memories of a PE by all choices.
pub(super) fn usage(
    graph: &Graph,
    variables: &[Variable],
    setting: &Setting,
    limit: u64,
) -> Memory {
    let order = Order::of(graph, variables);
    // A kept layout comes directly after its value.
    let is_kept = |made: usize| variables.get(made + 1).is_some_and(|of| of.role == Role::Kept);
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
                let end = if is_kept(number) { first + TIMES } else { end };
                uses_for((first + 1, end), &|choice| {
                    local(&choice.result, choice.words - choice.taken)
                });
            }
        }
    }
    Memory { limit, uses }
}
