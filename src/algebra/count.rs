//! How many elements, copies, slots, pads and holes.

use itertools::Itertools;
use num_integer::Integer;

use crate::algebra::layout::{Axis, Landing, Layout, Target, product};
use crate::algebra::solve::{BUDGET, nests};
use crate::error::LayoutError;
use crate::level::Level;

impl Layout {
    /// The number of elements: the product of the logical extents.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.axes.iter().map(|axis| axis.extent).product()
    }

    /// The number of copies of each element by sized replicas.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.replicas.iter().map(|replica| replica.size).product()
    }

    /// The number of slots: the product of the sizes of all that lands, replicas included.
    ///
    /// Law: `slots == elements x copies + pads`.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.landings().map(|landing| landing.size).product()
    }

    /// The number of slots that hold no element.
    ///
    /// # Errors
    /// [`NotDecided`](LayoutError::NotDecided) where different digits may feed a derived axis the
    /// same value, so that elements could share a slot.
    pub fn pads(&self) -> Result<u64, LayoutError> {
        let question = "how many slots hold no element";
        let not_decided = LayoutError::NotDecided { question, budget: BUDGET };
        let fed_apart = (0..self.derived.len()).all(|derived| nests(self.feeds(derived)));
        let elements = self.elements() * self.copies();
        self.slots().checked_sub(elements).filter(|_| fed_apart).ok_or(not_decided)
    }

    /// 1 + the greatest coordinate in `level`, padding and replicas included; 1 if unused.
    #[must_use]
    pub fn extent(&self, level: Level) -> u64 {
        let steps = self.landings_in(level).map(|l| (l.size - 1) * l.stride);
        1 + self.offset(level) + steps.sum::<u64>()
    }

    /// The extent of `level`, rounded up where the layout says so (XLA's `L`).
    #[must_use]
    pub fn span(&self, level: Level) -> u64 {
        let given = self.spans.iter().find(|(of, _)| *of == level);
        given.map_or_else(|| self.extent(level), |(_, span)| *span)
    }

    /// The number of different coordinates in `level` that some slot takes.
    ///
    /// Law: `used <= extent - offset`; the difference is the holes of the level.
    /// Cost: O(subaxes) where strides nest or fill up; else proportional to the extent.
    ///
    /// # Errors
    /// [`NotDecided`](LayoutError::NotDecided) past the budget.
    pub fn used_in(&self, level: Level) -> Result<u64, LayoutError> {
        let terms = self.landings_in(level).map(|l| (l.size, l.stride));
        count_sums(terms.collect())
    }

    pub(crate) fn landings_in(&self, level: Level) -> impl Iterator<Item = Landing> + '_ {
        self.landings().filter(move |landing| landing.level == level)
    }

    /// (greatest digit, weight) of everything that feeds a derived axis.
    pub(crate) fn feeds(&self, derived: usize) -> Vec<(u64, u64)> {
        let all = self.nodes().flat_map(|axis: &Axis| &axis.subaxes);
        let fed = all.filter_map(|subaxis| match subaxis.target {
            Target::Feed { derived: to, weight } if to == derived => {
                Some((subaxis.size - 1, weight))
            }
            _ => None,
        });
        fed.collect()
    }
}

/// How many values the sums of digit x stride take, over (size, stride) terms.
///
/// Ascending by stride, the terms from some place on are independent of those before it if the
/// greatest common divisor of their strides is more than those before can add: then the counts
/// multiply. Within such a cluster an even run is counted at once, anything else is enumerated.
fn count_sums(mut terms: Vec<(u64, u64)>) -> Result<u64, LayoutError> {
    terms.retain(|(size, stride)| *size > 1 && *stride > 0);
    terms.sort_unstable_by_key(|(_, stride)| *stride);
    let mut steps: Vec<u64> = terms.iter().map(|(_, stride)| *stride).collect();
    for at in (1..steps.len()).rev() {
        steps[at - 1] = steps[at - 1].gcd(&steps[at]);
    }
    let mut clusters: Vec<Vec<(u64, u64)>> = Vec::new();
    let mut reach = 0;
    for ((size, stride), step) in terms.into_iter().zip(steps) {
        match clusters.last_mut().filter(|_| step <= reach) {
            Some(cluster) => cluster.push((size, stride)),
            None => clusters.push(vec![(size, stride)]),
        }
        reach += (size - 1) * stride;
    }
    let counts: Vec<u64> = clusters.into_iter().map(count_cluster).try_collect()?;
    // There are at most as many sums as the extent, which fits.
    Ok(product(counts).unwrap_or(u64::MAX))
}

fn count_cluster(terms: Vec<(u64, u64)>) -> Result<u64, LayoutError> {
    const MOST: u64 = 1 << 26;
    let step = terms.first().map_or(1, |(_, stride)| *stride);
    let run = terms.iter().try_fold(1, |run, (size, stride)| {
        (stride % step == 0 && stride / step <= run).then(|| run + (size - 1) * (stride / step))
    });
    if let Some(run) = run {
        return Ok(run);
    }
    let reach: u64 = terms.iter().map(|(size, stride)| (size - 1) * stride).sum();
    let len = usize::try_from(reach).ok().filter(|_| reach < MOST);
    let not_decided = LayoutError::NotDecided { question: "the used coordinates", budget: MOST };
    let len = len.ok_or(not_decided)? + 1;
    let mut taken = vec![false; len];
    taken[0] = true;
    for (size, stride) in terms {
        let stride = usize::try_from(stride).unwrap_or(len);
        for residue in 0..stride.min(len) {
            spread(&mut taken, residue, stride, size);
        }
    }
    Ok(taken.iter().map(|taken| u64::from(*taken)).sum())
}

/// Within one residue class, takes up to `size - 1` steps onward from every taken place.
fn spread(taken: &mut [bool], residue: usize, stride: usize, size: u64) {
    let mut since = size;
    for at in (residue..taken.len()).step_by(stride) {
        since = if taken[at] { 0 } else { since.saturating_add(1) };
        taken[at] = since < size;
    }
}
