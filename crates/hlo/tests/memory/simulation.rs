//! The definition of liveness, step by step: slow, and independent of the package.

use std::collections::BTreeMap;

use super::{Computation, Module, Op, parameters};

/// An array: computation, instruction, leaf.
type Array = (usize, usize, usize);

/// The computation and the instruction that call a computation.
type Caller = Option<(usize, usize)>;

/// The definition, step by step.
pub(super) struct Simulation<'m> {
    module: &'m Module,
    time: BTreeMap<(usize, usize), usize>,
    /// Start and end of a computation, and its caller.
    span: BTreeMap<usize, (usize, usize, Caller)>,
}

impl Simulation<'_> {
    pub(super) fn of(module: &Module) -> BTreeMap<i64, Vec<u64>> {
        let module = &flattened(module);
        let entry = module.computations.len() - 1;
        let (time, span) = (BTreeMap::new(), BTreeMap::new());
        let mut simulation = Simulation { module, time, span };
        simulation.run(entry, None);
        simulation.curves(entry)
    }

    /// Numbers the instructions of a computation; callees come before their caller.
    pub(super) fn run(&mut self, number: usize, caller: Option<(usize, usize)>) {
        let start = self.time.len();
        self.span.insert(number, (start, start, caller));
        let instructions = &self.module.computations[number].instructions;
        for (at, instruction) in instructions.iter().enumerate() {
            for callee in callees(&instruction.op) {
                self.run(callee, Some((number, at)));
            }
            self.time.insert((number, at), self.time.len());
        }
        self.span.insert(number, (start, self.time.len() - 1, caller));
    }

    /// Pairs of arrays that share a buffer.
    fn shared(&self, entry: usize) -> Vec<(Array, Array)> {
        let mut pairs: Vec<(Array, Array)> = Vec::new();
        let leaves = |(c, i): (usize, usize)| {
            self.module.computations[c].instructions[i].shape.leaves().len()
        };
        for number in self.span.keys().copied() {
            let of = &self.module.computations[number];
            for (at, instruction) in of.instructions.iter().enumerate() {
                let own = (number, at);
                let operand = |at: usize| (number, instruction.operands[at]);
                let root = |callee: usize| (callee, self.module.computations[callee].root);
                let parameter =
                    |callee: usize| (callee, parameters(&self.module.computations[callee])[0].1);
                let mut all = |a: (usize, usize), b: (usize, usize)| {
                    pairs.extend((0..leaves(a)).map(|leaf| ((a.0, a.1, leaf), (b.0, b.1, leaf))));
                };
                match &instruction.op {
                    Op::Parameter(_) | Op::New => {}
                    Op::Same(_) | Op::InPlace(_) => all(own, operand(0)),
                    Op::Tuple => {
                        let mut to = 0;
                        for from in 0..instruction.operands.len() {
                            let from = operand(from);
                            for leaf in 0..leaves(from) {
                                pairs.push(((number, at, to), (from.0, from.1, leaf)));
                                to += 1;
                            }
                        }
                    }
                    Op::Element(_, first) | Op::Done(_, first) => {
                        let from = operand(0);
                        for leaf in 0..leaves(own) {
                            pairs.push(((number, at, leaf), (from.0, from.1, first + leaf)));
                        }
                    }
                    Op::While(condition, body) => {
                        all(operand(0), parameter(*condition));
                        all(operand(0), parameter(*body));
                        all(parameter(*body), root(*body));
                        all(root(*body), own);
                    }
                    Op::Call(callee) => {
                        all(operand(0), parameter(*callee));
                        all(root(*callee), own);
                    }
                    Op::Conditional(branches) => {
                        for (branch, callee) in branches.iter().enumerate() {
                            all(operand(branch + 1), parameter(*callee));
                            all(root(*callee), own);
                        }
                    }
                    Op::CopyStart => pairs.push(((number, at, 1), (number, operand(0).1, 0))),
                    Op::Sugar => all(operand(0), own),
                    Op::Start(callee) => {
                        all(operand(0), parameter(*callee));
                        all(operand(0), own);
                        let behind = leaves(operand(0));
                        for leaf in 0..leaves(root(*callee)) {
                            let from = root(*callee);
                            pairs.push(((number, at, behind + leaf), (from.0, from.1, leaf)));
                        }
                    }
                }
            }
        }
        let of = &self.module.computations[entry];
        for (leaf, number, at) in &self.module.donated {
            let parameter = parameters(of)[*number].1;
            pairs.push(((entry, of.root, *leaf), (entry, parameter, *at)));
        }
        pairs
    }

    /// The live range of an array: from its instruction to its last use.
    fn life(&self, (number, at, leaf): Array, entry: usize) -> (usize, usize) {
        let of = &self.module.computations[number];
        let (begin, last, _) = self.span[&number];
        let parameter = match of.instructions[at].op {
            Op::Parameter(parameter) => Some(parameter),
            _ => None,
        };
        let own = self.time[&(number, at)];
        let start = if parameter.is_some() { begin } else { own };
        let mut end = own;
        for (user, instruction) in of.instructions.iter().enumerate() {
            let is_used = instruction.operands.contains(&at)
                && match instruction.op {
                    Op::Element(_, from) => {
                        (from..from + instruction.shape.leaves().len()).contains(&leaf)
                    }
                    _ => true,
                };
            if is_used {
                let handed = match instruction.op {
                    Op::While(_, callee) | Op::Call(callee) => self.span[&callee],
                    _ => (0, 0, None),
                };
                let is_handed = handed.2 == Some((number, user));
                end = end.max(if is_handed { handed.0 } else { self.time[&(number, user)] });
            }
        }
        let is_kept = |parameter: usize| {
            number == entry
                && !self.module.donated.iter().any(|of| (of.1, of.2) == (parameter, leaf))
        };
        if at == of.root || parameter.is_some_and(is_kept) {
            end = last;
        }
        (start, end)
    }

    /// The sum of live bytes at each time, by memory space.
    pub(super) fn curves(&self, entry: usize) -> BTreeMap<i64, Vec<u64>> {
        let mut buffer: BTreeMap<Array, usize> = BTreeMap::new();
        let mut sizes: Vec<(u64, i64)> = Vec::new();
        for number in self.span.keys() {
            for (at, of) in self.module.computations[*number].instructions.iter().enumerate() {
                for (leaf, size) in of.shape.leaves().into_iter().enumerate() {
                    buffer.insert((*number, at, leaf), sizes.len());
                    sizes.push(size);
                }
            }
        }
        let shared = self.shared(entry);
        loop {
            let mut is_same = true;
            for (a, b) in &shared {
                let least = buffer[a].min(buffer[b]);
                for array in [a, b] {
                    is_same &= buffer.insert(*array, least) == Some(least);
                }
            }
            if is_same {
                break;
            }
        }
        let lives: Vec<(usize, (usize, usize))> =
            buffer.iter().map(|(array, buffer)| (*buffer, self.life(*array, entry))).collect();
        let mut curves: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
        for time in 0..self.time.len() {
            let mut live: Vec<usize> = lives
                .iter()
                .filter(|(_, (start, end))| (*start..=*end).contains(&time))
                .map(|(buffer, _)| *buffer)
                .collect();
            live.sort_unstable();
            live.dedup();
            let mut sums: BTreeMap<i64, u64> = BTreeMap::new();
            for (bytes, space) in live.iter().map(|buffer| sizes[*buffer]) {
                *sums.entry(space).or_default() += bytes;
            }
            for (space, sum) in sums {
                curves.entry(space).or_insert_with(|| vec![0; self.time.len()])[time] = sum;
            }
        }
        curves
    }
}

/// The computations that an instruction runs first.
fn callees(op: &Op) -> Vec<usize> {
    callees_mut(&mut op.clone()).into_iter().map(|callee| *callee).collect()
}

fn callees_mut(op: &mut Op) -> Vec<&mut usize> {
    match op {
        Op::While(condition, body) => vec![condition, body],
        Op::Call(callee) | Op::Start(callee) => vec![callee],
        Op::Conditional(branches) => branches.iter_mut().collect(),
        _ => vec![],
    }
}

/// The module in which every instruction calls a copy of its own, as XLA makes them before it assigns buffers.
fn flattened(module: &Module) -> Module {
    let mut computations = Vec::new();
    let entry = copied(module, module.computations.len() - 1, &mut computations);
    computations.push(entry);
    Module { computations, donated: module.donated.clone(), random: module.random }
}

/// A copy of a computation; those of its callees are added before it.
fn copied(module: &Module, number: usize, all: &mut Vec<Computation>) -> Computation {
    let mut of = module.computations[number].clone();
    for instruction in &mut of.instructions {
        for callee in callees_mut(&mut instruction.op) {
            let copy = copied(module, *callee, all);
            all.push(copy);
            *callee = all.len() - 1;
        }
    }
    of
}
