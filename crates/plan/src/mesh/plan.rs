//! The plan of a program on a mesh.

use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::choices::MeshChoice;
use super::grid::Mesh;
use super::problem::{End, Joint, Network};
use super::reshard::Reshard;
use super::spec::Spec;
use crate::plan::Watch;
use crate::program::{Program, TensorId};
use crate::search::{FORBIDDEN, Limits, Memory};

/// The constraints that a plan has to satisfy.
#[derive(Clone, Debug, Default)]
pub struct MeshOptions {
    /// The bytes of a device.
    pub device_memory: Option<u64>,
    /// True if arguments, results and constraints keep the shardings that the program gives them.
    pub keep_shardings: bool,
    /// The limits of the search.
    pub limits: Limits,
}

/// A plan: a spec for every tensor.
#[derive(Debug)]
pub struct MeshPlan<'a> {
    pub(super) network: Network<'a>,
    pub(super) chosen: Vec<usize>,
    /// The picoseconds of the plan.
    pub cost: u64,
    /// A lower bound on the picoseconds of every plan over the same choices.
    pub bound: u64,
}

/// Plans a program on a mesh.
///
/// Devices have equal parts of what they share. If the search is exact, no plan over these choices costs less.
/// Cost: a table for each operand, of its choices and those of what makes it; then the [search](crate::search).
///
/// # Errors
/// `TooLarge` for an operation with more than 4,096 choices, and where no plan fits into the memory of a device; `Invalid` and
/// `Unsupported` for shardings that are to be kept and name other axes or cut unequal parts.
///
/// # Example
/// ```
/// use tensor_layout_plan::mesh::{Mesh, MeshOptions, plan_mesh};
/// use tensor_layout_plan::stablehlo::read_stablehlo;
/// let program = read_stablehlo("module @jit_f {
///   func.func public @main(%arg0: tensor<4096x512xf32>, %arg1: tensor<512x512xf32>) -> (tensor<4096x512xf32>) {
///     %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x512xf32>) -> tensor<4096x512xf32>
///     return %0 : tensor<4096x512xf32>
///   }
/// }")?;
/// let mesh: Mesh = "x=8".parse()?;
/// let plan = plan_mesh(&program, &mesh, &MeshOptions::default(), &|_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!(plan.spec(program.results[0]).partition_spec(&mesh), "P('x')");
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
pub fn plan_mesh<'a>(
    program: &'a Program,
    mesh: &'a Mesh,
    options: &MeshOptions,
    watch: &Watch<'_>,
) -> Result<MeshPlan<'a>, LayoutError> {
    if options.keep_shardings && program.unread > 0 {
        let count = program.unread;
        return Err(fault!(
            Unsupported,
            "{count} shardings of this program are written as `mhlo.sharding`, which is not read: lower it with Shardy",
            [count]
        ));
    }
    let network = Network::new(program, mesh, options.keep_shardings)?;
    let solve = |limit: Option<u64>| {
        let problem = network.problem(limit)?;
        Ok::<_, LayoutError>(problem.solve_watched(&options.limits, watch))
    };
    let mut found = solve(None)?;
    if let Some(limit) = options.device_memory
        && network.memory(limit).peak(&found.choices) > u128::from(limit)
    {
        let free = network.memory(limit).peak(&found.choices).to_string();
        found = solve(Some(limit))?;
        if found.cost >= FORBIDDEN {
            return Err(fault!(
                TooLarge,
                "no plan was found that takes at most {limit} bytes of a device; without a limit it takes {free}",
                [limit, free]
            ));
        }
    }
    Ok(MeshPlan { network, chosen: found.choices, cost: found.cost, bound: found.bound })
}

impl MeshPlan<'_> {
    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        self.network.program
    }

    /// The mesh.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        self.network.mesh
    }

    /// The spec in which a tensor is made or given; what depends on no argument is whole.
    ///
    /// A result that takes over the memory of an argument has the spec of the argument.
    #[must_use]
    pub fn spec(&self, id: TensorId) -> Spec {
        let root = self.program().root(id);
        let whole = || Spec::whole(self.program().tensor(root).dims.shape.len());
        let end = self.network.made.get(&root);
        end.map_or_else(whole, |end| self.at(*end))
    }

    /// The spec of a result of the program, by its number: that in which other readers find it, or of the argument whose
    /// memory it takes over.
    #[must_use]
    pub fn result_spec(&self, number: usize) -> Spec {
        let donor = self.program().donated.iter().find(|(_, result)| *result == number);
        if let Some((argument, _)) = donor {
            return self.spec(*argument);
        }
        self.found(self.program().results[number])
    }

    /// The spec in which readers find a tensor.
    pub(super) fn found(&self, id: TensorId) -> Spec {
        self.network.found(id).map_or_else(|| self.spec(id), |(_, end)| self.at(end))
    }

    /// The spec of an end.
    pub(super) fn at(&self, end: End) -> Spec {
        end.spec(self.choice(end.variable)).clone()
    }

    /// The most bytes of a device that tensors take at any time.
    #[must_use]
    pub fn peak(&self) -> u64 {
        let memory: Memory = self.network.memory(FORBIDDEN);
        u64::try_from(memory.peak(&self.chosen)).unwrap_or(u64::MAX)
    }

    /// The choice of an operation, by its number; `None` if it depends on no argument.
    #[must_use]
    pub fn operation(&self, number: usize) -> Option<&MeshChoice> {
        self.network.computed.get(number)?.map(|variable| self.choice(variable))
    }

    pub(super) fn choice(&self, variable: usize) -> &MeshChoice {
        &self.network.variables[variable].choices[self.chosen[variable]]
    }

    /// The two specs of a joint, and the way between them.
    pub(super) fn way(&self, joint: &Joint) -> (Spec, Spec, Reshard) {
        let (from, to) = (self.at(joint.from), self.at(joint.to));
        let dims = &self.program().tensor(joint.tensor).dims;
        let way = Reshard::of(&from, &to, dims, self.mesh());
        (from, to, way)
    }
}
