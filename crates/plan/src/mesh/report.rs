//! The plan as data, and as a page of text.

use std::fmt::{self, Display, Formatter};

use itertools::Itertools;
use serde::Serialize;
use tensor_layout_words::{counted, readable_bytes};

use super::against::MeshComparison;
use super::choices::MeshChoice;
use super::grid::Backend;
use super::plan::MeshPlan;
use super::problem::Role;
use super::spec::Spec;
use crate::program::TensorId;

/// A plan on a mesh as data.
#[derive(Clone, Debug, Serialize)]
pub struct MeshReport {
    /// The name of the module.
    pub module: String,
    /// The axes of the mesh: names and sizes.
    pub mesh: Vec<(String, u64)>,
    /// `cpu`, or `gpu and tpu`.
    pub backend: &'static str,
    /// The picoseconds of the plan at the rates of the mesh.
    pub time: u64,
    /// A lower bound on the picoseconds of every plan over the same choices.
    pub bound: u64,
    /// The bytes that a device sends, by the kind of the collective.
    pub sent: Vec<(&'static str, u64)>,
    /// The most bytes of a device that tensors take at any time.
    pub peak: u64,
    /// The arguments.
    pub arguments: Vec<ShardedReport>,
    /// The results.
    pub results: Vec<ShardedReport>,
    /// The collectives, in the order of the program.
    pub collectives: Vec<CollectiveReport>,
    /// The operations without a rule: each is computed by every device.
    pub uncovered: Vec<String>,
    /// The number of loops whose trips are not known: they count once.
    pub uncounted: usize,
    /// The comparison with other shardings, if they were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<MeshComparison>,
}

/// A tensor on a mesh.
#[derive(Clone, Debug, Serialize)]
pub struct ShardedReport {
    /// Its name in the text, or that of the result.
    pub name: String,
    /// The type as MLIR writes it.
    pub tensor: String,
    /// The spec as JAX writes it.
    pub spec: String,
    /// The axes that cut each dimension.
    pub axes: Vec<Vec<String>>,
    /// The placements of PyTorch's `DTensor`.
    pub placements: String,
    /// The bytes that a device holds.
    pub device_bytes: u64,
    /// The bytes of the whole tensor.
    pub bytes: u64,
}

/// A collective that the plan expects.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CollectiveReport {
    /// The kind.
    pub kind: &'static str,
    /// The tensor that is moved or added up.
    pub tensor: String,
    /// The operation whose sums it adds up, or that reads it.
    pub operation: String,
    /// The spec before it; `None` for sums.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The spec after it.
    pub to: String,
    /// The axes along which devices send.
    pub along: Vec<String>,
    /// The bytes that a device sends each time.
    pub sent: u64,
    /// The number of times.
    pub times: u64,
}

impl MeshPlan<'_> {
    /// The plan as data.
    #[must_use]
    pub fn report(&self) -> MeshReport {
        let program = self.program();
        let collectives = self.collectives();
        let sent = collectives.iter().map(|of| (of.kind, of.all_sent()));
        let sent = sent.into_grouping_map().fold(0, |all: u64, _, sent| all.saturating_add(sent));
        let arguments = program
            .arguments
            .iter()
            .map(|id| self.sharded(program.tensor(*id).name.clone(), *id, &self.spec(*id)));
        let results = program.results.iter().enumerate().map(|(number, id)| {
            let name = program.names.get(number).cloned().flatten();
            let name = name.unwrap_or_else(|| format!("result {number}"));
            self.sharded(name, *id, &self.result_spec(number))
        });
        MeshReport {
            module: program.name.clone(),
            mesh: self.mesh().axes().to_vec(),
            backend: match self.mesh().backend {
                Backend::Cpu => "cpu",
                Backend::Accelerator => "gpu and tpu",
            },
            time: self.cost,
            bound: self.bound,
            sent: sent.into_iter().sorted().collect(),
            peak: self.peak(),
            arguments: arguments.collect(),
            results: results.collect(),
            collectives,
            uncovered: program.uncovered.iter().map(|(kind, _)| kind.clone()).collect(),
            uncounted: program.loops.iter().filter(|of| !of.is_counted).count(),
            against: None,
        }
    }

    fn sharded(&self, name: String, id: TensorId, spec: &Spec) -> ShardedReport {
        let dims = &self.program().tensor(id).dims;
        let names = |cut: &u8| self.names(*cut);
        ShardedReport {
            name,
            tensor: dims.text(),
            spec: spec.partition_spec(self.mesh()),
            axes: spec.0.iter().map(names).collect(),
            placements: spec.placements(self.mesh()).to_string(),
            device_bytes: spec.bytes(dims, self.mesh()),
            bytes: dims.bytes(),
        }
    }

    fn names(&self, axes: u8) -> Vec<String> {
        self.mesh().names(axes).map(str::to_owned).collect()
    }

    fn collectives(&self) -> Vec<CollectiveReport> {
        let mut all: Vec<(usize, CollectiveReport)> = Vec::new();
        for joint in &self.network.joints {
            let (from, to, way) = self.way(joint);
            let specs = [&from, &to].map(|spec| spec.partition_spec(self.mesh()));
            for step in &way.steps {
                let Some(kind) = step.kind.collective() else { continue };
                let [from, to] = specs.clone();
                let collective = CollectiveReport {
                    kind,
                    tensor: self.program().tensor(joint.tensor).name.clone(),
                    operation: self.reader(joint.to.variable),
                    from: Some(from),
                    to,
                    along: self.names(step.along),
                    sent: step.sent,
                    times: joint.times,
                };
                all.push((joint.to.variable, collective));
            }
        }
        for (at, variable) in self.network.variables.iter().enumerate() {
            if let Role::Computed(number) = variable.role
                && self.choice(at).sums != 0
            {
                all.push((at, self.sum(number, self.choice(at), variable.times)));
            }
        }
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, of)| of).collect()
    }

    /// What the tensor is brought to another spec for.
    fn reader(&self, variable: usize) -> String {
        match self.network.variables[variable].role {
            Role::Computed(at) => self.program().operations[at].kind.clone(),
            Role::Kept(_) => "all that read it".into(),
            Role::Given(id) => self.program().tensor(id).name.clone(),
        }
    }

    fn sum(&self, number: usize, choice: &MeshChoice, times: u64) -> CollectiveReport {
        let operation = &self.program().operations[number];
        CollectiveReport {
            kind: if choice.scattered == 0 { "all-reduce" } else { "reduce-scatter" },
            tensor: operation
                .results
                .first()
                .map_or_else(String::new, |id| self.program().tensor(*id).name.clone()),
            operation: operation.kind.clone(),
            from: None,
            to: choice.results[0].partition_spec(self.mesh()),
            along: self.names(choice.sums),
            sent: choice.sent,
            times,
        }
    }
}

/// The most collectives of a page.
const ROWS: usize = 24;

impl Display for MeshReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let axes = self.mesh.iter().map(|(name, size)| format!("{name}={size}")).join(",");
        writeln!(f, "{} on {axes}, with the collectives of {}", self.module, self.backend)?;
        for (heading, tensors) in [("Arguments", &self.arguments), ("Results", &self.results)] {
            writeln!(f, "\n{heading}")?;
            let width = tensors.iter().map(|of| of.name.len()).max().unwrap_or(0).min(30);
            let spec = tensors.iter().map(|of| of.spec.len()).max().unwrap_or(0).min(30);
            for of in tensors {
                let (device, whole) = (readable_bytes(of.device_bytes), readable_bytes(of.bytes));
                let part = if of.device_bytes == of.bytes {
                    whole
                } else {
                    format!("{device} of {whole}")
                };
                writeln!(f, "  {:width$}  {:spec$}  {part}", of.name, of.spec)?;
            }
        }
        write_collectives(f, "Collectives", &self.collectives)?;
        let sent = self.sent();
        let kinds =
            self.sent.iter().map(|(kind, sent)| format!("{kind} {}", readable_bytes(*sent)));
        let kinds = if self.sent.is_empty() { "nothing".into() } else { { kinds }.join(", ") };
        writeln!(f, "\nA device sends {}: {kinds}.", readable_bytes(sent))?;
        writeln!(f, "Tensors take at most {} of a device at a time.", readable_bytes(self.peak))?;
        let gap = self.time.saturating_sub(self.bound);
        let proof = match gap {
            0 => "no plan over the same choices takes less".to_owned(),
            _ => format!("no plan over the same choices takes less than {}", seconds(self.bound)),
        };
        writeln!(f, "At these rates it takes {}; {proof}.", seconds(self.time))?;
        if !self.uncovered.is_empty() {
            let kinds = self.uncovered.iter().unique().join(", ");
            let count = counted(self.uncovered.len(), "operation");
            writeln!(f, "Every device computes all of {count} without a rule: {kinds}.")?;
        }
        if self.uncounted > 0 {
            let loops = counted(self.uncounted, "loop");
            writeln!(f, "The trips of {loops} are not known and count once.")?;
        }
        self.against.as_ref().map_or(Ok(()), |against| write!(f, "\n{against}"))
    }
}

/// The collectives of a page, the dearest first.
pub(super) fn write_collectives(
    f: &mut Formatter<'_>,
    heading: &str,
    all: &[CollectiveReport],
) -> fmt::Result {
    writeln!(f, "\n{heading}, the dearest first: {}", all.len())?;
    for of in all.iter().sorted_by_key(|of| std::cmp::Reverse(of.all_sent())).take(ROWS) {
        writeln!(f, "  {of}")?;
    }
    match all.len().saturating_sub(ROWS) {
        0 => Ok(()),
        more => writeln!(f, "  and {more} more"),
    }
}

impl MeshReport {
    /// The bytes that a device sends.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent.iter().map(|(_, sent)| *sent).fold(0, u64::saturating_add)
    }
}

impl CollectiveReport {
    /// The bytes that a device sends all times.
    #[must_use]
    pub fn all_sent(&self) -> u64 {
        self.sent.saturating_mul(self.times)
    }
}

impl Display for CollectiveReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sent = readable_bytes(self.all_sent());
        let along = self.along.join(", ");
        write!(f, "{sent}  {} along {along} of {}", self.kind, self.tensor)?;
        match &self.from {
            Some(from) => write!(f, ": {from} to {} for {}", self.to, self.operation)?,
            None => write!(f, ": sums of {}", self.operation)?,
        }
        if self.times > 1 { write!(f, ", {} times", self.times) } else { Ok(()) }
    }
}

/// Picoseconds in words.
pub(super) fn seconds(picoseconds: u64) -> String {
    let units = [("s", 1_000_000_000_000), ("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1000)];
    let (unit, size) =
        units.into_iter().find(|(_, size)| picoseconds >= *size).unwrap_or(("ps", 1));
    let tenths = picoseconds.saturating_mul(10) / size;
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}
