//! Variables, costs between them, and the memory of a device.

use std::collections::HashMap;

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::choices::{MeshChoice, choices};
use super::grid::Mesh;
use super::reshard::Reshard;
use super::spec::Spec;
use crate::search::{Edge, Problem};
use crate::stablehlo::{Dims, Program, Step, TensorId};

/// What a variable chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The place of an argument, or of a tensor that a loop carries.
    Given(TensorId),
    /// An operation.
    Computed(usize),
    /// The spec in which all readers find a tensor.
    Kept(TensorId),
}

#[derive(Debug)]
pub(super) struct Variable {
    pub(super) role: Role,
    pub(super) choices: Vec<MeshChoice>,
    /// The number of times that it runs.
    pub(super) times: u64,
}

/// A tensor on its way from a variable to a reader.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    pub(super) tensor: TensorId,
    pub(super) from: End,
    pub(super) to: End,
    pub(super) times: u64,
}

/// A variable, and which spec of its choice is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct End {
    pub(super) variable: usize,
    pub(super) part: Part,
}

/// A spec of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Read(usize),
    Result(usize),
}

impl End {
    pub(super) fn spec(self, choice: &MeshChoice) -> &Spec {
        match self.part {
            Part::Read(at) => &choice.reads[at],
            Part::Result(at) => &choice.results[at],
        }
    }
}

/// The picoseconds from one spec of a tensor to another.
type Times<'s> = HashMap<(&'s Dims, &'s Spec, &'s Spec), u64>;

/// A program on a mesh, ready for the search.
#[derive(Debug)]
pub(super) struct Network<'a> {
    pub(super) program: &'a Program,
    pub(super) mesh: &'a Mesh,
    pub(super) variables: Vec<Variable>,
    pub(super) joints: Vec<Joint>,
    /// The variable in which readers find each tensor.
    pub(super) found: HashMap<TensorId, End>,
    /// The variable that makes each tensor.
    pub(super) made: HashMap<TensorId, End>,
}

impl<'a> Network<'a> {
    /// The variables of a program. Donated arguments and their results have one spec.
    pub(super) fn new(program: &'a Program, mesh: &'a Mesh) -> Result<Network<'a>, LayoutError> {
        let mut network = Network {
            program,
            mesh,
            variables: Vec::new(),
            joints: Vec::new(),
            found: HashMap::new(),
            made: HashMap::new(),
        };
        let uses = uses(program);
        for id in &program.arguments {
            network.given(*id, 1, &uses);
        }
        network.steps(&program.body, &uses)?;
        for (argument, result) in &program.donated {
            if let Some(result) = program.results.get(*result) {
                let to = network.made[argument];
                network.join(*result, to, 1);
            }
        }
        Ok(network)
    }

    /// Leaves arguments the sharding alone that the program gives them.
    pub(super) fn keep_shardings(&mut self) -> Result<(), LayoutError> {
        for (id, axes) in &self.program.annotated {
            let spec = Spec::named(axes, self.mesh)?;
            let choices = &mut self.variables[self.made[id].variable].choices;
            choices.retain(|choice| choice.results[0] == spec);
            if choices.is_empty() {
                let name = self.program.tensor(*id).name.clone();
                return Err(fault!(
                    Unsupported,
                    "the sharding of `{name}` does not cut it into equal parts",
                    [name]
                ));
            }
        }
        Ok(())
    }

    fn steps(&mut self, body: &[Step], uses: &HashMap<TensorId, usize>) -> Result<(), LayoutError> {
        for step in body {
            match step {
                Step::Operation(at) => self.operation(*at, uses)?,
                Step::Loop(at) => {
                    let of = &self.program.loops[*at];
                    of.carried.iter().for_each(|id| self.given(*id, of.times, uses));
                    for (start, carried) in of.starts.iter().zip(&of.carried) {
                        let to = self.made[carried];
                        self.join(*start, to, of.begins);
                    }
                    self.steps(&of.body, uses)?;
                    for (yielded, carried) in of.yields.iter().zip(&of.carried) {
                        let to = self.made[carried];
                        self.join(*yielded, to, of.times);
                    }
                }
            }
        }
        Ok(())
    }

    fn given(&mut self, id: TensorId, times: u64, uses: &HashMap<TensorId, usize>) {
        let specs = Spec::all(&self.program.tensor(id).dims.shape, self.mesh);
        let choices = specs.into_iter().map(MeshChoice::given).collect();
        let variable = self.add(Role::Given(id), choices, times);
        self.make(id, End { variable, part: Part::Result(0) }, uses);
    }

    fn operation(&mut self, at: usize, uses: &HashMap<TensorId, usize>) -> Result<(), LayoutError> {
        let operation = &self.program.operations[at];
        let is_free = |id: &TensorId| self.program.tensor(*id).is_free;
        if operation.results.iter().all(is_free) {
            return Ok(());
        }
        let found = choices(operation, self.program, self.mesh)?;
        let variable = self.add(Role::Computed(at), found, operation.times);
        for (number, id) in operation.reads.iter().enumerate() {
            self.join(*id, End { variable, part: Part::Read(number) }, operation.times);
        }
        for (number, id) in operation.results.iter().enumerate() {
            self.make(*id, End { variable, part: Part::Result(number) }, uses);
        }
        Ok(())
    }

    fn add(&mut self, role: Role, choices: Vec<MeshChoice>, times: u64) -> usize {
        self.variables.push(Variable { role, choices, times });
        self.variables.len() - 1
    }

    /// A tensor that is made; several readers find it in one spec, to which it is brought once.
    fn make(&mut self, id: TensorId, end: End, uses: &HashMap<TensorId, usize>) {
        self.made.insert(id, end);
        self.found.insert(id, end);
        let dims = &self.program.tensor(id).dims;
        if uses.get(&id).is_some_and(|count| *count > 1) && !dims.shape.is_empty() {
            let specs = Spec::all(&dims.shape, self.mesh);
            let times = self.variables[end.variable].times;
            let choices = specs.into_iter().map(MeshChoice::given).collect();
            let variable = self.add(Role::Kept(id), choices, times);
            let kept = End { variable, part: Part::Result(0) };
            self.join(id, kept, times);
            self.found.insert(id, kept);
        }
    }

    fn join(&mut self, id: TensorId, to: End, times: u64) {
        let tensor = self.program.root(id);
        let dims = &self.program.tensor(tensor).dims;
        if let Some(from) = self.found.get(&tensor).filter(|_| !dims.shape.is_empty()) {
            self.joints.push(Joint { tensor, from: *from, to, times });
        }
    }

    /// The costs in picoseconds.
    pub(super) fn problem(&self, limit: Option<u64>) -> Result<Problem, LayoutError> {
        let own = |of: &Variable| {
            of.choices.iter().map(|choice| choice.time().saturating_mul(of.times)).collect()
        };
        let mut known = HashMap::new();
        let edges = self.joints.iter().map(|joint| self.edge(joint, &mut known)).collect();
        let problem = Problem::new(self.variables.iter().map(own).collect(), edges)?;
        problem.with_memories(limit.map(|limit| self.memory(limit)).into_iter().collect())
    }

    fn edge<'s>(&'s self, joint: &Joint, known: &mut Times<'s>) -> Edge {
        let dims = &self.program.tensor(joint.tensor).dims;
        let specs = |end: End| {
            let choices = &self.variables[end.variable].choices;
            choices.iter().map(move |choice| end.spec(choice)).collect_vec()
        };
        let (from, to) = (specs(joint.from), specs(joint.to));
        // Few of the specs differ.
        let (rows, columns) = (numbered(&from), numbered(&to));
        let mut table = Vec::with_capacity(rows.0.len() * columns.0.len());
        for (one, other) in rows.0.iter().cartesian_product(&columns.0) {
            let time = *known
                .entry((dims, *one, *other))
                .or_insert_with(|| Reshard::of(one, other, dims, self.mesh).time(self.mesh));
            table.push(time.saturating_mul(joint.times));
        }
        let costs = rows.1.iter().cartesian_product(&columns.1);
        let costs = costs.map(|(row, column)| table[row * columns.0.len() + column]).collect();
        Edge { from: joint.from.variable, to: joint.to.variable, costs }
    }
}

/// The different ones, and the number of each.
fn numbered<'s>(specs: &[&'s Spec]) -> (Vec<&'s Spec>, Vec<usize>) {
    let mut different: Vec<&Spec> = Vec::new();
    let mut known: HashMap<&Spec, usize> = HashMap::new();
    let numbers = specs.iter().map(|spec| {
        *known.entry(*spec).or_insert_with(|| {
            different.push(*spec);
            different.len() - 1
        })
    });
    let numbers = numbers.collect();
    (different, numbers)
}

/// The number of readers of each tensor.
fn uses(program: &Program) -> HashMap<TensorId, usize> {
    let reads = program.operations.iter().flat_map(|of| of.reads.iter());
    let loops = program.loops.iter().flat_map(|of| of.starts.iter().chain(&of.yields));
    let all = reads
        .chain(loops)
        .chain(program.donated.iter().filter_map(|(_, result)| program.results.get(*result)));
    all.map(|id| program.root(*id)).counts()
}
