//! Einstein sums whose products find their operands where they are computed.

use itertools::Itertools;

use super::EinsumError;
use super::loops::{Loops, outside};
use crate::algebra::{Axis, Layout};
use crate::level::Level;
use crate::notation::Einsum;

/// An operation with the layouts that make it local.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    /// The layout of each operand, addresses row-major.
    operands: Vec<Layout>,
    pub(super) loops: Loops,
}

impl Einsum {
    /// The layouts that the operands must have so that the operation is local.
    ///
    /// `result` is where the partial sums of every element are; `runs` says for each axis that is
    /// summed over what its extent is and where it runs: the strides of its address digits do
    /// not matter.
    /// Law: the unit, time slice and lane in which a product is computed hold its operands; no other
    /// has a copy. Only padding does where an axis that an operand lacks ends within digits whose places
    /// are not evenly apart, such as those of two levels.
    /// Cost: by the digits.
    ///
    /// # Errors
    /// [`EinsumError`](super::EinsumError) for another rank, a label that is missing in `runs`, or is not
    /// summed over, or a layout that is not plain; [`Collision`](crate::LayoutError::Collision) where
    /// partial sums of different elements, or two of one, meet in a place: the index is that of
    /// the result, then that of the sums; [`ReplicaOverlap`](crate::LayoutError::ReplicaOverlap) where copies of an
    /// operand meet, because an axis that it lacks is not full, or there are no products.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Level};
    /// use tensor_layout::algebra::{Axis, Subaxis};
    /// use tensor_layout::einsum::Einsum;
    /// let result: Layout = "((4_L2B:1), (16:1), (8_MAB:1))".parse()?;
    /// let over_pes = [Subaxis::land(4, Level::PE, 1), Subaxis::land(32, Level::ADDR, 1)];
    /// let k = Axis { extent: 128, subaxes: over_pes.to_vec() };
    /// let local = Einsum::parse("bsk,kn->bsn")?.local(&result, &[('k', k)])?;
    /// let x = "((4_L2B:1), (16:32), (4_PE:1, 32:1); B@[8_MAB:1])";
    /// let w = "((4_PE:1, 32:1), (8_MAB:1); B@[4_L2B:1])";
    /// assert_eq!(local.operands(), [x.parse()?, w.parse()?]);
    /// assert_eq!(local.partial_levels(), [Level::PE]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn local(&self, result: &Layout, runs: &[(char, Axis)]) -> Result<Local, EinsumError> {
        let (labels, rank) = (self.result().len(), result.rank());
        if labels != rank {
            return Err(EinsumError::ResultRank { labels, rank });
        }
        let contracted = self.contracted();
        let stray = |(label, _): &&(char, Axis)| !contracted.contains(label);
        if let Some((label, _)) = runs.iter().find(stray) {
            return Err(EinsumError::NotSummed(*label));
        }
        if let Some(label) = runs.iter().map(|(label, _)| label).duplicates().next() {
            return Err(EinsumError::DuplicateRun(*label));
        }
        let run = |label: &char| {
            let run = runs.iter().find(|(of, _)| of == label).map(|(_, axis)| axis.clone());
            run.ok_or(EinsumError::MissingRun(*label))
        };
        let loops = Loops::new(result, contracted.iter().map(run).try_collect()?)?;
        let all: Vec<char> = self.result().iter().chain(&contracted).copied().collect();
        let number = |label: &char| all.iter().position(|of| of == label);
        let operand = |labels: &Vec<char>| {
            loops.operand(&labels.iter().filter_map(number).collect::<Vec<usize>>())
        };
        let operands = self.operands().iter().map(operand).try_collect()?;
        Ok(Local { operands, loops })
    }
}

impl Local {
    pub(super) fn new(loops: Loops, operands: &[&[usize]]) -> Result<Local, EinsumError> {
        let operands = operands.iter().map(|axes| loops.operand(axes)).try_collect()?;
        Ok(Local { operands, loops })
    }

    /// The layout of each operand, in the order of the text.
    #[must_use]
    pub fn operands(&self) -> &[Layout] {
        &self.operands
    }

    /// The levels in which the partial sums of an element lie apart: units and lanes over which
    /// a sum runs. Sums that run over addresses or time add up in place.
    #[must_use]
    pub fn partial_levels(&self) -> Vec<Level> {
        let moving = |axis: &Axis| {
            let reaches = axis.reaches(axis.extent.saturating_sub(1));
            let subaxes = axis.subaxes.iter().zip(reaches).filter(|(_, reach)| *reach > 0);
            subaxes.filter_map(|(subaxis, _)| outside(subaxis)).map(|(_, level, _)| level).collect()
        };
        let levels: Vec<Vec<Level>> = self.loops.contracted.iter().map(moving).collect();
        let levels = levels.into_iter().flatten().filter(|level| *level != Level::TIME);
        levels.sorted_unstable().dedup().collect()
    }
}
