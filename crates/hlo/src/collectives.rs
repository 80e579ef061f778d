//! The collectives of a dump, worst first, and the bytes that they move in one run of the program.

use itertools::Itertools;
use rustc_hash::FxHashMap;

use crate::along::{self, MeshPlaces};
use crate::collective::{Collective, CollectiveKind};
use crate::roles::{Calls, HloRole, Roles, index};
use crate::runs::{ComputationRuns, HloRuns, StepSums};
use crate::unread::HloReading;
use crate::{CollectiveTraffic, HloComputation, HloInstruction};
use tensor_layout::LayoutError;
use tensor_layout::Level;
use tensor_layout::Machine;
use tensor_layout::sharding::Mesh;

/// A collective of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollectiveEntry {
    /// Its name in the dump.
    pub name: String,
    /// The opcode; `reduce-scatter` for an `all-reduce` in a fusion that keeps one part of it.
    pub opcode: String,
    /// The kind of collective.
    pub kind: CollectiveKind,
    /// The line of the dump.
    pub line: u64,
    /// Its computation.
    pub computation: String,
    /// The role of the computation in its module.
    pub role: HloRole,
    /// The fusion that it is in.
    pub fusion: Option<String>,
    /// The number of times it runs in one run of the program.
    pub runs: HloRuns,
    /// The operation of the program, where it is known.
    pub op_name: Option<String>,
    /// Bytes per device, as in [`Collective`](super::Collective::bytes).
    pub bytes: u64,
    /// The number of devices in its largest group.
    pub group: u64,
    /// The partitions that each number in its groups stands for: those of a replica, or one.
    pub partitions_of_number: u64,
    /// The axes of the mesh along which devices of a group are at different places, in the order of the mesh: the
    /// mesh that was [given](Collectives::along), or else the one in its text; `None` without either.
    pub axes: Option<Vec<String>>,
    /// The bytes that it moves each time it runs.
    pub traffic: CollectiveTraffic,
}

/// The collectives of a dump.
///
/// Each is listed once, with how often it [runs](CollectiveEntry::runs); the total is for one run of the
/// program: loops of known length count as often as they run, and to each sum the branch that adds most to it.
#[derive(Clone, Debug, Default)]
pub struct Collectives {
    /// The collectives, those that move the most bytes first.
    pub entries: Vec<CollectiveEntry>,
    /// The sums over all of them, in one run of the program.
    pub total: CollectiveTraffic,
    /// Sums over one step, and their certainty: the bytes that one device sends, the bytes that all devices
    /// receive, the steps of the machine, and the bytes into each level.
    pub in_a_step: StepSums,
    /// Instructions that could not be read: the line and the reason.
    pub reading: HloReading,
    mesh: Option<MeshPlaces>,
    calls: Calls,
    /// The collectives of the module that is being read, and the fusions around them.
    held: Vec<HeldCollective>,
    fusions: FxHashMap<String, Option<String>>,
}

#[derive(Clone, Debug)]
struct HeldCollective {
    computation: u32,
    entry: CollectiveEntry,
    /// The bytes and traffic of the reduce-scatter that this collective amounts to if its computation is
    /// inside a fusion.
    fused: Option<(u64, CollectiveTraffic)>,
}

impl Collectives {
    /// Starts an empty list, in which every collective that is added has the axes of a mesh that it is along.
    ///
    /// # Errors
    /// As [`Mesh::device_order`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout_hlo::{Collectives, HloDump};
    /// let text = "HloModule m, num_partitions=8
    /// ENTRY e {
    ///   a = f32[4,8]{1,0} parameter(0)
    ///   ROOT g = f32[16,8]{1,0} all-gather(a), channel_id=1, replica_groups=[2,4]<=[8], use_global_device_ids=true, dimensions={0}
    /// }";
    /// let mut collectives = Collectives::along(&"data=2,model=4".parse()?)?;
    /// let mut dump = HloDump::new(text.as_bytes());
    /// while let Some(computation) = dump.next_computation()? {
    ///     collectives.add(computation, None)?;
    /// }
    /// let found = collectives.finish()?;
    /// assert_eq!(found.entries[0].axes, Some(vec!["model".to_owned()]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn along(mesh: &Mesh) -> Result<Collectives, LayoutError> {
        Ok(Collectives { mesh: Some(MeshPlaces::new(mesh)?), ..Collectives::default() })
    }

    /// The axes that a collective is along.
    fn axes(
        &self,
        of: HloInstruction<'_>,
        collective: &Collective,
    ) -> Result<Option<Vec<String>>, LayoutError> {
        let Some(mesh) = &self.mesh else { return Ok(along::named(of)) };
        mesh.along(of.computation().module(), collective).map(Some)
    }

    /// Adds the collectives of a computation.
    ///
    /// # Errors
    /// As [`Collective::traffic`](super::Collective::traffic), and `Invalid` if the module has other devices than the
    /// [mesh](Collectives::along); collectives that cannot be read are kept in
    /// [`reading`](Collectives::reading).
    pub fn add(
        &mut self,
        computation: HloComputation<'_>,
        machine: Option<&Machine>,
    ) -> Result<(), LayoutError> {
        if !self.calls.is_of(computation.module()) {
            self.end_module();
        }
        let number = self.calls.add(computation)?;
        let before = self.held.len();
        for instruction in computation.instructions() {
            self.note_fusion(instruction);
            match instruction.collective() {
                Ok(None) => {}
                Err(error) => {
                    self.in_a_step.is_at_least = true;
                    let name = instruction.name().as_bytes();
                    self.reading.push(instruction.line(), name, error.to_string());
                }
                Ok(Some(collective)) => {
                    let fused = match instruction.fused_scatter() {
                        Some(scatter) => Some((scatter.bytes, scatter.traffic(machine)?)),
                        None => None,
                    };
                    let traffic = collective.traffic(machine)?;
                    let axes = self.axes(instruction, &collective)?;
                    let entry = entry(instruction, &collective, axes, traffic);
                    self.held.push(HeldCollective { computation: number, entry, fused });
                }
            }
        }
        if self.held.len() > before {
            self.fusions.insert(computation.name().to_owned(), None);
        }
        Ok(())
    }

    /// Notes the fusion that a computation with collectives is in.
    fn note_fusion(&mut self, of: HloInstruction<'_>) {
        if of.opcode() != "fusion" || self.fusions.is_empty() {
            return;
        }
        let callee = of.attribute("calls").map(|callee| callee.trim_start_matches('%'));
        if let Some(fusion) = callee.and_then(|callee| self.fusions.get_mut(callee)) {
            fusion.get_or_insert_with(|| of.name().to_owned());
        }
    }

    fn end_module(&mut self) {
        let mut calls = std::mem::take(&mut self.calls);
        let fusions = std::mem::take(&mut self.fusions);
        let roles = calls.roles();
        self.in_a_step.is_at_least |= calls.lacks_part();
        let runs = ComputationRuns::of(&calls);
        let mut own: Vec<Vec<u128>> = vec![Vec::new(); calls.len()];
        for held in std::mem::take(&mut self.held) {
            let number = held.computation;
            let entry = settled(held, &roles, &runs, &fusions);
            self.in_a_step.note(entry.runs);
            self.in_a_step.is_at_most |= entry.is_at_most();
            let traffic = &entry.traffic;
            let levels = traffic.into.iter().map(|(_, bytes)| *bytes);
            let sums = [traffic.sent, traffic.received, traffic.steps.unwrap_or(0)];
            let sums = sums.into_iter().chain(levels).map(u128::from);
            if let Some(own) = own.get_mut(index(number)) {
                own.resize(3 + traffic.into.len(), 0);
                own.iter_mut().zip(sums).for_each(|(sum, bytes)| *sum = sum.saturating_add(bytes));
            }
            self.entries.push(entry);
        }
        self.in_a_step.add(&runs.total(&own));
    }

    /// Sorts the entries and adds them up.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn finish(mut self) -> Result<Collectives, LayoutError> {
        self.end_module();
        let key = |entry: &CollectiveEntry| {
            let all = entry.traffic.into.iter().map(|(_, bytes)| *bytes);
            let all = all.chain([entry.traffic.received]);
            all.map(|bytes| u128::from(bytes) * u128::from(entry.runs.times)).collect_vec()
        };
        self.entries.sort_by(|a, b| key(b).cmp(&key(a)).then_with(|| a.line.cmp(&b.line)));
        let levels = self.entries.first().map(|entry| entry.traffic.into.clone());
        let levels = levels.into_iter().flatten().enumerate();
        let into = levels.map(|(at, (level, _))| Ok((level, self.in_a_step.bytes(3 + at)?)));
        let into = into.collect::<Result<Vec<(Level, u64)>, LayoutError>>()?;
        let (sent, received) = (self.in_a_step.bytes(0)?, self.in_a_step.bytes(1)?);
        let steps = self.entries.iter().any(|entry| entry.traffic.steps.is_some());
        let steps = steps.then(|| self.in_a_step.bytes(2)).transpose()?;
        self.total = CollectiveTraffic { received, sent, into, steps };
        Ok(self)
    }
}

impl CollectiveEntry {
    /// Returns whether its bytes are a bound: the sizes of a `ragged-all-to-all` are only known at run time.
    #[must_use]
    pub fn is_at_most(&self) -> bool {
        self.kind == CollectiveKind::RaggedAllToAll
    }
}

fn entry(
    of: HloInstruction<'_>,
    collective: &Collective,
    axes: Option<Vec<String>>,
    traffic: CollectiveTraffic,
) -> CollectiveEntry {
    CollectiveEntry {
        name: of.name().into(),
        opcode: of.opcode().into(),
        kind: collective.kind,
        line: of.line(),
        computation: of.computation().name().into(),
        role: HloRole::Uncalled,
        fusion: None,
        runs: HloRuns::ONCE,
        op_name: of.op_name().map(std::borrow::Cow::into_owned),
        bytes: collective.bytes,
        group: collective.group,
        partitions_of_number: of.partitions_of_number(collective.kind),
        axes,
        traffic,
    }
}

/// The entry, once the callers of its computation are known.
fn settled(
    held: HeldCollective,
    roles: &Roles,
    runs: &ComputationRuns,
    fusions: &FxHashMap<String, Option<String>>,
) -> CollectiveEntry {
    let HeldCollective { computation, mut entry, fused } = held;
    (entry.role, entry.runs) = (roles.of(computation), runs.get(computation));
    entry.fusion = fusions.get(&entry.computation).cloned().flatten();
    if let (HloRole::Fused, Some((bytes, traffic))) = (entry.role, fused) {
        entry.kind = CollectiveKind::ReduceScatter;
        entry.opcode = entry.kind.name().into();
        (entry.bytes, entry.traffic) = (bytes, traffic);
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::Collectives;
    use crate::HloDump;
    use tensor_layout::{Level, Machine};

    fn collectives(text: &str, machine: &Machine) -> Collectives {
        let (mut dump, mut all) = (HloDump::new(text.as_bytes()), Collectives::default());
        while let Some(computation) = dump.next_computation().unwrap() {
            all.add(computation, Some(machine)).unwrap();
        }
        all.finish().unwrap()
    }

    #[test]
    fn steps_are_those_of_the_busiest_unit() {
        let text = "HloModule m, num_partitions=4\nENTRY e {\n a = f32[64] parameter(0)\n \
                    p = f32[64] collective-permute(a), channel_id=1, source_target_pairs={{0,2},{1,3}}\n \
                    ROOT q = f32[64] collective-permute(p), channel_id=2, source_target_pairs={{0,1},{1,0}}\n}\n";
        let read = |rates: &[(Level, u64)]| {
            let machine: Machine = "HOST=2,CHIP=2".parse().unwrap();
            collectives(text, &machine.with_bandwidth(rates.iter().copied()).unwrap())
        };
        let steps = |all: &Collectives| {
            let mut steps: Vec<_> = all.entries.iter().map(|of| of.traffic.steps).collect();
            steps.sort();
            (steps, all.total.steps)
        };
        let [host, chip] = ["HOST", "CHIP"].map(|level| Level::new(level).unwrap());
        assert_eq!(steps(&read(&[])), (vec![None, None], None));
        // A chip sends 32 long words in each; of the first, host 1 receives 64.
        assert_eq!(steps(&read(&[(chip, 4)])), (vec![Some(8), Some(8)], Some(16)));
        assert_eq!(steps(&read(&[(host, 1)])), (vec![Some(0), Some(64)], Some(64)));
        assert_eq!(steps(&read(&[(host, 5), (chip, 4)])), (vec![Some(8), Some(13)], Some(21)));
    }

    #[test]
    fn a_branch_counts_at_most_and_a_loop_of_unknown_length_at_least() {
        let gather = |name: &str, rows: u64| {
            format!(
                "{name} {{\n p = f32[{rows}] parameter(0)\n ROOT g = f32[{}] all-gather(p), channel_id=1, replica_groups=[1,4]<=[4], use_global_device_ids=true, dimensions={{0}}\n}}\n",
                4 * rows
            )
        };
        let text = format!(
            "HloModule m, num_partitions=4\n{}{}{}ENTRY e {{\n a = f32[64] parameter(0)\n \
             c = f32[] conditional(a, a, a), branch_computations={{small, large}}\n \
             ROOT w = f32[] while(a), condition=none, body=body\n}}\n",
            gather("small", 1),
            gather("large", 2),
            gather("body", 4)
        );
        let all = collectives(&text, &"CHIP=4".parse().unwrap());
        // Three hops of one row each leave a device; of the branches the greater one runs.
        let bytes = |rows: u64| 3 * 4 * rows;
        assert_eq!(all.total.sent, bytes(2) + bytes(4));
        assert_eq!(all.in_a_step.bound(), "about ");
        let marks: Vec<String> = all.entries.iter().map(|entry| entry.runs.mark()).collect();
        assert_eq!(marks, [" x ?", " x1 at most", " x1 at most"]);
    }
}
