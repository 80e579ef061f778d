//! A plan beside other shardings of the same program, such as those that it has.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;
use tensor_layout_words::readable_bytes;

use super::report::{CollectiveReport, MeshReport, seconds, write_collectives};

/// The cost of other shardings of a program, and the differences.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshComparison {
    /// The picoseconds of the plan, and of the others.
    pub time: [u64; 2],
    /// The bytes that a device sends.
    pub sent: [u64; 2],
    /// The most bytes of a device that tensors take at any time.
    pub peak: [u64; 2],
    /// Arguments and results that have another spec: name, spec of the plan, other spec.
    pub specs: Vec<(String, String, String)>,
    /// The collectives that only the plan has.
    pub gained: Vec<CollectiveReport>,
    /// The collectives that only the others have.
    pub lost: Vec<CollectiveReport>,
}

impl MeshReport {
    /// Adds what other shardings of the same program cost.
    #[must_use]
    pub fn beside(mut self, other: &MeshReport) -> MeshReport {
        let pairs = [(&self.arguments, &other.arguments), (&self.results, &other.results)];
        let pairs = pairs.into_iter().flat_map(|(ours, theirs)| ours.iter().zip(theirs));
        let changed = pairs.filter(|(ours, theirs)| ours.spec != theirs.spec);
        let specs = changed
            .map(|(ours, theirs)| (ours.name.clone(), ours.spec.clone(), theirs.spec.clone()));
        self.against = Some(MeshComparison {
            time: [self.time, other.time],
            sent: [self.sent(), other.sent()],
            peak: [self.peak, other.peak],
            specs: specs.collect(),
            gained: without(&self.collectives, &other.collectives),
            lost: without(&other.collectives, &self.collectives),
        });
        self
    }
}

/// The collectives that others are not, each as often as it is more often there.
fn without(all: &[CollectiveReport], others: &[CollectiveReport]) -> Vec<CollectiveReport> {
    let mut left = others.to_vec();
    let mut is_new = |of: &&CollectiveReport| match left.iter().position(|other| other == *of) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    };
    all.iter().filter(|of| is_new(of)).cloned().collect()
}

impl Display for MeshComparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "Against the shardings of the program")?;
        let [sent, theirs] = self.sent.map(readable_bytes);
        writeln!(f, "  sent by a device   {sent} in place of {theirs}")?;
        let [peak, theirs] = self.peak.map(readable_bytes);
        writeln!(f, "  memory of a device {peak} in place of {theirs}")?;
        let [time, theirs] = self.time.map(seconds);
        writeln!(f, "  time               {time} in place of {theirs}")?;
        if self.specs.is_empty() {
            writeln!(f, "Arguments and results have the same shardings.")?;
        }
        for (name, ours, theirs) in &self.specs {
            writeln!(f, "  {name}: {ours} in place of {theirs}")?;
        }
        write_collectives(f, "Collectives of the plan alone", &self.gained)?;
        write_collectives(f, "Collectives of those shardings alone", &self.lost)
    }
}
