//! Variables, costs between them, and the memory of a device.

use std::collections::{HashMap, HashSet};

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;
use tensor_layout::sharding::MeshDims;

use super::choices::{MeshChoice, choices};
use super::grid::Mesh;
use super::reshard::Reshard;
use super::spec::Spec;
use crate::program::{Dims, Program, Step, TensorId};
use crate::search::{Edge, Problem};

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

/// A program on a mesh, ready for the search.
#[derive(Debug)]
pub(super) struct Network<'a> {
    pub(super) program: &'a Program,
    pub(super) mesh: &'a Mesh,
    pub(super) variables: Vec<Variable>,
    pub(super) joints: Vec<Joint>,
    /// The variable in which readers find each tensor.
    found: HashMap<TensorId, End>,
    /// The variable that makes each tensor.
    pub(super) made: HashMap<TensorId, End>,
    /// The variable of each operation; `None` for one that depends on no argument.
    pub(super) computed: Vec<Option<usize>>,
    /// The shardings that tensors keep.
    pinned: HashMap<TensorId, &'a MeshDims>,
}

impl<'a> Network<'a> {
    /// The variables of a program. Donated arguments and their results have one spec; those that are annotated keep theirs
    /// where it is asked for.
    pub(super) fn new(
        program: &'a Program,
        mesh: &'a Mesh,
        keeps_shardings: bool,
    ) -> Result<Network<'a>, LayoutError> {
        let pinned = program.annotated.iter().filter(|_| keeps_shardings);
        let mut network = Network {
            program,
            mesh,
            variables: Vec::new(),
            joints: Vec::new(),
            found: HashMap::new(),
            made: HashMap::new(),
            computed: vec![None; program.operations.len()],
            pinned: pinned.map(|(id, said)| (*id, said)).collect(),
        };
        let uses = uses(program);
        for id in &program.arguments {
            network.given(*id, 1, &uses)?;
        }
        network.steps(&program.body, &uses)?;
        for id in &program.results {
            network.pin(*id)?;
        }
        for (argument, result) in &program.donated {
            if let Some(result) = program.results.get(*result) {
                let to = network.made[argument];
                network.join(*result, to, 1)?;
            }
        }
        Ok(network)
    }

    /// The specs that a tensor may have: all, or those that its sharding says.
    fn specs(&self, id: TensorId) -> Result<Vec<MeshChoice>, LayoutError> {
        let all = Spec::all(&self.program.tensor(id).dims.shape, self.mesh);
        let Some(said) = self.pinned.get(&id) else { return Ok(given(all)) };
        let mut specs = Vec::new();
        for spec in all {
            if spec.is_said(said, self.mesh)? {
                specs.push(spec);
            }
        }
        if specs.is_empty() {
            let name = self.program.tensor(id).name.clone();
            return Err(fault!(
                Unsupported,
                "the sharding of `{name}` does not cut it into equal parts, or cuts two dimensions along one axis",
                [name]
            ));
        }
        Ok(given(specs))
    }

    fn steps(&mut self, body: &[Step], uses: &HashMap<TensorId, usize>) -> Result<(), LayoutError> {
        for step in body {
            match step {
                Step::Operation(at) => self.operation(*at, uses)?,
                Step::Loop(at) => {
                    let of = &self.program.loops[*at];
                    for id in &of.carried {
                        self.given(*id, of.times, uses)?;
                    }
                    for (start, carried) in of.starts.iter().zip(&of.carried) {
                        self.join(*start, self.made[carried], of.begins)?;
                    }
                    self.steps(&of.body, uses)?;
                    for (yielded, carried) in of.yields.iter().zip(&of.carried) {
                        self.join(*yielded, self.made[carried], of.times)?;
                    }
                    for (result, carried) in of.results.iter().zip(&of.carried) {
                        self.make(*result, self.made[carried], of.begins, uses)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn given(
        &mut self,
        id: TensorId,
        times: u64,
        uses: &HashMap<TensorId, usize>,
    ) -> Result<(), LayoutError> {
        let variable = self.add(Role::Given(id), self.specs(id)?, times);
        self.make(id, End { variable, part: Part::Result(0) }, times, uses)
    }

    fn operation(&mut self, at: usize, uses: &HashMap<TensorId, usize>) -> Result<(), LayoutError> {
        let operation = &self.program.operations[at];
        let is_free = |id: &TensorId| self.program.tensor(*id).is_free;
        if operation.results.iter().all(is_free) {
            return Ok(());
        }
        let choices = choices(operation, self.program, self.mesh)?;
        let variable = self.add(Role::Computed(at), choices, operation.times);
        self.computed[at] = Some(variable);
        for (number, id) in operation.reads.iter().enumerate() {
            self.join(*id, End { variable, part: Part::Read(number) }, operation.times)?;
        }
        for (number, id) in operation.results.iter().enumerate() {
            let end = End { variable, part: Part::Result(number) };
            self.make(*id, end, operation.times, uses)?;
        }
        Ok(())
    }

    fn add(&mut self, role: Role, choices: Vec<MeshChoice>, times: u64) -> usize {
        self.variables.push(Variable { role, choices, times });
        self.variables.len() - 1
    }

    /// A tensor that is made; several readers find it in one spec, to which it is brought once.
    fn make(
        &mut self,
        id: TensorId,
        end: End,
        times: u64,
        uses: &HashMap<TensorId, usize>,
    ) -> Result<(), LayoutError> {
        self.made.insert(id, end);
        self.found.insert(id, end);
        let shape = &self.program.tensor(id).dims.shape;
        if uses.get(&id).is_some_and(|count| *count > 1) && !shape.is_empty() {
            self.keep(id, id, given(Spec::all(shape, self.mesh)), times)?;
        }
        Ok(())
    }

    /// A spec in which the readers of a tensor find it under a name.
    fn keep(
        &mut self,
        id: TensorId,
        name: TensorId,
        choices: Vec<MeshChoice>,
        times: u64,
    ) -> Result<(), LayoutError> {
        let variable = self.add(Role::Kept(name), choices, times);
        let kept = End { variable, part: Part::Result(0) };
        self.join(id, kept, times)?;
        self.found.insert(name, kept);
        Ok(())
    }

    /// The tensor that a name stands for, or the pinned name on the way to it, and the variable in which readers find it;
    /// `None` for one that depends on no argument.
    pub(super) fn found(&self, id: TensorId) -> Option<(TensorId, End)> {
        match self.found.get(&id) {
            Some(end) => Some((id, *end)),
            None => self.found(self.program.tensor(id).is?),
        }
    }

    /// Returns whether a tensor keeps a sharding.
    pub(super) fn pins(&self, id: TensorId) -> bool {
        self.pinned.contains_key(&id)
    }

    /// Gives the names of a tensor that keep their shardings a variable, at their first reader.
    fn pin(&mut self, id: TensorId) -> Result<(), LayoutError> {
        let Some(of) = self.program.tensor(id).is else { return Ok(()) };
        self.pin(of)?;
        match self.found(of).filter(|_| self.pins(id) && !self.found.contains_key(&id)) {
            Some((_, end)) => {
                self.keep(of, id, self.specs(id)?, self.variables[end.variable].times)
            }
            None => Ok(()),
        }
    }

    fn join(&mut self, id: TensorId, to: End, times: u64) -> Result<(), LayoutError> {
        self.pin(id)?;
        let is_scalar = self.program.tensor(id).dims.shape.is_empty();
        if let Some((tensor, from)) = self.found(id).filter(|_| !is_scalar) {
            self.joints.push(Joint { tensor, from, to, times });
        }
        Ok(())
    }

    /// The costs in picoseconds.
    pub(super) fn problem(&self, limit: Option<u64>) -> Result<Problem, LayoutError> {
        let own = |of: &Variable| {
            of.choices.iter().map(|choice| choice.time().saturating_mul(of.times)).collect()
        };
        let mut times = HashMap::new();
        let edges = self.joints.iter().map(|joint| self.edge(joint, &mut times)).collect();
        let problem = Problem::new(self.variables.iter().map(own).collect(), edges)?;
        problem.with_memories(limit.map(|limit| self.memory(limit)).into_iter().collect())
    }

    fn edge<'s>(&'s self, joint: &Joint, times: &mut HashMap<&'s Dims, Times<'s>>) -> Edge {
        let dims = &self.program.tensor(joint.tensor).dims;
        let times = times.entry(dims).or_insert_with(|| Times::new(dims, self.mesh));
        let mut numbers = |end: End| {
            let choices = &self.variables[end.variable].choices;
            choices.iter().map(|choice| times.number(end.spec(choice))).collect_vec()
        };
        let (rows, columns) = (numbers(joint.from), numbers(joint.to));
        let pairs = rows.iter().cartesian_product(&columns);
        let costs = pairs.map(|(from, to)| times.time(*from, *to).saturating_mul(joint.times));
        let costs = costs.collect();
        Edge { from: joint.from.variable, to: joint.to.variable, costs }
    }
}

/// The picoseconds from one spec of a tensor to another, each computed once.
struct Times<'s> {
    dims: &'s Dims,
    mesh: &'s Mesh,
    specs: Vec<&'s Spec>,
    numbers: HashMap<&'s Spec, usize>,
    known: Vec<Vec<Option<u64>>>,
}

impl<'s> Times<'s> {
    fn new(dims: &'s Dims, mesh: &'s Mesh) -> Times<'s> {
        Times { dims, mesh, specs: Vec::new(), numbers: HashMap::new(), known: Vec::new() }
    }

    fn number(&mut self, spec: &'s Spec) -> usize {
        let new = self.specs.len();
        let number = *self.numbers.entry(spec).or_insert(new);
        if number == new {
            self.specs.push(spec);
            self.known.push(Vec::new());
        }
        number
    }

    fn time(&mut self, from: usize, to: usize) -> u64 {
        let row = &mut self.known[from];
        if row.len() <= to {
            row.resize(self.specs.len(), None);
        }
        *row[to].get_or_insert_with(|| {
            let way = Reshard::of(self.specs[from], self.specs[to], self.dims, self.mesh);
            way.time(self.mesh)
        })
    }
}

fn given(specs: Vec<Spec>) -> Vec<MeshChoice> {
    specs.into_iter().map(MeshChoice::given).collect()
}

/// The number of readers of each tensor; those after a loop are apart from those in it.
fn uses(program: &Program) -> HashMap<TensorId, usize> {
    let after: HashSet<TensorId> =
        program.loops.iter().flat_map(|of| &of.results).copied().collect();
    let found = |mut id: TensorId| {
        while let Some(of) = program.tensor(id).is.filter(|_| !after.contains(&id)) {
            id = of;
        }
        id
    };
    let reads = program.operations.iter().flat_map(|of| of.reads.iter());
    let loops = program.loops.iter().flat_map(|of| of.starts.iter().chain(&of.yields));
    let donated = program.donated.iter().filter_map(|(_, result)| program.results.get(*result));
    reads.chain(loops).chain(donated).map(|id| found(*id)).counts()
}
