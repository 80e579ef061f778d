//! Ways to share the loops of an operation among devices.

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::grid::{Backend, Mesh};
use super::spec::Spec;
use crate::program::{Axes, Dims, Fold, Operation, Program, TensorId};

/// The most choices of an operation.
const MOST: usize = 1 << 12;

/// A way to have tensors: specs of operands and results, and the price.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshChoice {
    /// The specs that the operands have to have.
    pub reads: Vec<Spec>,
    /// The specs of the results.
    pub results: Vec<Spec>,
    /// The axes over which results are added up.
    pub sums: u8,
    /// Those of the axes in `sums` that then cut a result: a reduce-scatter.
    pub scattered: u8,
    /// The picoseconds of one run: computing.
    pub computing: u64,
    /// The picoseconds of one run: adding up.
    pub summing: u64,
    /// The bytes that a device sends in one run.
    pub sent: u64,
}

impl MeshChoice {
    /// A place for what is given.
    pub(super) fn given(spec: Spec) -> MeshChoice {
        MeshChoice {
            reads: Vec::new(),
            results: vec![spec],
            sums: 0,
            scattered: 0,
            computing: 0,
            summing: 0,
            sent: 0,
        }
    }

    /// The picoseconds of one run.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.computing.saturating_add(self.summing)
    }
}

/// All ways to cut the loops of an operation into equal parts.
///
/// # Errors
/// `TooLarge` for more than 4,096.
pub(super) fn choices(
    operation: &Operation,
    program: &Program,
    mesh: &Mesh,
) -> Result<Vec<MeshChoice>, LayoutError> {
    let rule = &operation.rule;
    let has = |axes: &[Axes], number: usize| axes.iter().flatten().any(|of| *of == Some(number));
    let is_shared = |number: &usize| match rule.loops[*number].1 {
        Fold::Kept => has(&rule.results, *number),
        Fold::Reduced => has(&rule.reads, *number),
    };
    let shared = (0..rule.loops.len()).filter(is_shared).collect_vec();
    let mut cuts = vec![vec![0_u8; rule.loops.len()]];
    for axis in 0..mesh.axes().len() {
        let more = cuts.iter().flat_map(|cut| {
            shared.iter().filter_map(|number| with(cut, *number, axis, rule.loops[*number].0, mesh))
        });
        cuts.extend(more.collect_vec());
        if cuts.len() > MOST {
            let kind = operation.kind.clone();
            return Err(fault!(
                TooLarge,
                "a {kind} can be shared in more than {MOST} ways: use fewer axes",
                [kind, MOST]
            ));
        }
    }
    let maker = Maker { operation, program, mesh };
    Ok(cuts.iter().flat_map(|cut| maker.choices(cut)).collect())
}

/// The cuts with one loop cut by an axis more.
fn with(cut: &[u8], number: usize, axis: usize, extent: u64, mesh: &Mesh) -> Option<Vec<u8>> {
    let mut cut = cut.to_vec();
    cut[number] |= 1 << axis;
    (mesh.size(1 << axis) > 1 && extent.is_multiple_of(mesh.size(cut[number]))).then_some(cut)
}

struct Maker<'a> {
    operation: &'a Operation,
    program: &'a Program,
    mesh: &'a Mesh,
}

impl Maker<'_> {
    /// The choice of some cuts, and its sums scattered where the backend can.
    fn choices(&self, cut: &[u8]) -> Vec<MeshChoice> {
        let plain = self.choice(cut, 0, None);
        let mut all = vec![plain.clone()];
        if self.mesh.backend == Backend::Accelerator && plain.sums != 0 {
            let dims = 0..plain.results[0].0.len();
            all.extend(dims.filter_map(|dim| {
                let spec = &plain.results[0].0;
                let extent = self.dims(self.operation.results[0]).shape[dim];
                let is_even = extent.is_multiple_of(self.mesh.size(spec[dim] | plain.sums));
                is_even.then(|| self.choice(cut, plain.sums, Some(dim)))
            }));
        }
        all
    }

    fn dims(&self, id: TensorId) -> &Dims {
        &self.program.tensor(id).dims
    }

    fn choice(&self, cut: &[u8], scattered: u8, over: Option<usize>) -> MeshChoice {
        let rule = &self.operation.rule;
        let spec = |axes: &Axes| Spec(axes.iter().map(|of| of.map_or(0, |at| cut[at])).collect());
        let reads = rule.reads.iter().map(spec).collect_vec();
        let summed = rule.results.iter().map(spec).collect_vec();
        let sums = rule.loops.iter().zip(cut).filter(|((_, fold), _)| *fold == Fold::Reduced);
        let sums = sums.fold(0, |all, (_, cut)| all | cut);
        let mut results = summed.clone();
        if let (Some(dim), Some(result)) = (over, results.first_mut()) {
            result.0[dim] |= scattered;
        }
        let bytes = |ids: &[TensorId], specs: &[Spec]| {
            let each = ids.iter().zip(specs).filter(|(id, _)| !self.program.tensor(**id).is_free);
            each.map(|(id, spec)| spec.bytes(self.dims(*id), self.mesh))
                .fold(0, u64::saturating_add)
        };
        let partial = bytes(&self.operation.results, &summed);
        let touched = partial.saturating_add(bytes(&self.operation.reads, &reads));
        let parts = self.mesh.size(cut.iter().fold(0, |all, of| all | of));
        let (mut sent, mut summing) = (0, 0);
        if sums != 0 {
            // A ring: g - 1 of g parts to reduce, and as many to gather.
            let group = u128::from(self.mesh.size(sums));
            let rounds = if scattered == 0 { 2 } else { 1 };
            let parts = (u128::from(partial) * rounds * (group - 1)).div_ceil(group);
            sent = u64::try_from(parts).unwrap_or(u64::MAX);
            summing = self.mesh.sending(sums, sent);
        }
        let computing = self.mesh.computing(rule.work.div_ceil(parts), touched);
        MeshChoice { reads, results, sums, scattered, computing, summing, sent }
    }
}
