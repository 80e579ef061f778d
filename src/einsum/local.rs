//! Einstein sums whose products find their operands where they are computed.

use itertools::Itertools;

use super::dense::loop_rank;
use super::dense::{outside, plain, with_axes};
use super::labels::Einsum;
use super::loops::Loops;
use crate::algebra::{Axis, Layout};
use crate::error::{LayoutError, fault};
use crate::level::Level;

/// An operation with the layouts that make it local.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    /// The layout of each operand, addresses row-major.
    operands: Vec<Layout>,
    /// The loops that are the axes of each operand.
    pub(super) axes: Vec<Vec<usize>>,
    pub(super) loops: Loops,
}

impl Einsum {
    /// Returns the layouts that the operands must have to make the operation local.
    ///
    /// `result` places the partial sums of every element; `runs` gives the extent and the digits of each
    /// axis that is summed over. The strides of its address digits do not matter.
    /// Law: the unit, time slice and lane in which a product is computed hold its operands, and no other has
    /// a copy. The exception is padding: if an axis that an operand lacks ends within digits whose places are
    /// not evenly spaced, such as digits of two levels, there are copies without a product.
    /// Cost: by the digits.
    ///
    /// # Errors
    /// [`LayoutError`] for a wrong rank, a layout that is not plain, a label that is summed
    /// over but missing in `runs`, or a label in `runs` that is not summed over; `Collision` if partial sums of
    /// different elements, or two of one, share a place: the reported index is that of the result followed by
    /// that of the sums; `Collision` if copies of an operand overlap because an axis that it lacks is not full,
    /// or there are no products.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Level};
    /// use tensor_layout::algebra::{Axis, Subaxis};
    /// use tensor_layout::einsum::Einsum;
    /// let result: Layout = "((4_L2B:1), (16:1), (8_MAB:1))".parse()?;
    /// let over_pes = [Subaxis::land(4, Level::PE, 1), Subaxis::land(32, Level::ADDR, 1)];
    /// let k = Axis { extent: 128, subaxes: over_pes.to_vec() };
    /// let local = "bsk,kn->bsn".parse::<Einsum>()?.local(&result, &[('k', k)])?;
    /// let x = "((4_L2B:1), (16:32), (4_PE:1, 32:1); B@[8_MAB:1])";
    /// let w = "((4_PE:1, 32:1), (8_MAB:1); B@[4_L2B:1])";
    /// assert_eq!(local.operands(), [x.parse()?, w.parse()?]);
    /// assert_eq!(local.partial_levels(), [Level::PE]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn local(&self, result: &Layout, runs: &[(char, Axis)]) -> Result<Local, LayoutError> {
        let (labels, rank) = (self.result().len(), result.rank());
        if labels != rank {
            return Err(fault!(
                Shape,
                "the result of the einsum has {labels} axes, but its layout has {rank}",
                [labels, rank]
            ));
        }
        let contracted = self.contracted();
        let stray = |(label, _): &&(char, Axis)| !contracted.contains(label);
        if let Some((label, _)) = runs.iter().find(stray) {
            return Err(fault!(Argument, "`{label}` is not summed over", [label = *label]));
        }
        if let Some(label) = runs.iter().map(|(label, _)| label).duplicates().next() {
            return Err(fault!(Argument, "`{label}` is specified twice", [label = *label]));
        }
        let run = |label: &char| {
            let run = runs.iter().find(|(of, _)| of == label).map(|(_, axis)| axis.clone());
            run.ok_or_else(|| {
                fault!(Missing, "`{label}` is summed over; give its layout", [label = *label])
            })
        };
        self.over(Loops::new(result, contracted.iter().map(run).try_collect()?)?)
    }

    /// Returns the layouts that the operands must have if a layout of all labels, those of the result first, determines
    /// where products are computed; addresses do not matter.
    ///
    /// So the [candidates](crate::candidates) for the shape of all labels are all ways to carry out the
    /// operation: every layout of its result with every placement of the sums, including levels that are
    /// divided between them.
    /// Law: as [`local`](Einsum::local) of its first axes and of those summed over.
    ///
    /// # Errors
    /// [`LayoutError`] for another rank; also the errors of [`local`](Einsum::local).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::candidates::{Candidates, Orders, Side};
    /// use tensor_layout::einsum::{Einsum, Sums};
    /// use tensor_layout::Machine;
    /// let (matmul, machine): (Einsum, Machine) = ("sk,kf->sf".parse()?, "MAB=4".parse()?);
    /// let all = Candidates::new(&machine, &[8, 8, 8]);
    /// let all = Candidates { orders: Orders::RowMajor, sides: vec![Side::Major], ..all };
    /// // The four MABs go to `s`, `k` or `f`, or hold copies.
    /// let (mut all, mut locals) = (all.iter()?, Vec::new());
    /// all.try_for_each(|loops| {
    ///     locals.push(matmul.local_in(&loops?.layout)?);
    ///     Ok::<_, Box<dyn std::error::Error>>(())
    /// })?;
    /// assert_eq!(locals.len(), 4);
    /// let over_mabs = locals.iter().find(|local| !local.partial_levels().is_empty()).unwrap();
    /// assert_eq!(over_mabs.operands()[0], "((8:2), (4_MAB, 2:1))".parse()?);
    /// assert_eq!(over_mabs.summed(Sums::Scattered)?, "((4_MAB, 2:8), (8:1))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn local_in(&self, loops: &Layout) -> Result<Local, LayoutError> {
        let (labels, rank) = (self.labels().len(), loops.rank());
        if labels != rank {
            return Err(loop_rank(labels, rank));
        }
        let mut result = plain(loops)?.to_builder().without_spans();
        let contracted = result.split_axes(self.result().len());
        // The result does not use a level because sums run over it.
        let is_summed = |level: Level| {
            contracted.iter().flat_map(|axis| &axis.subaxes).any(|s| s.lands() == Some(level))
        };
        let result = result.without_marks(is_summed).build()?;
        let result = with_axes(&result, result.axes(), |_| true)?;
        self.over(Loops::new(&result, contracted)?)
    }

    fn over(&self, loops: Loops) -> Result<Local, LayoutError> {
        let all = self.labels();
        let number = |label: &char| all.iter().position(|of| of == label);
        let axes = |labels: &Vec<char>| labels.iter().filter_map(number).collect();
        Local::new(loops, self.operands().iter().map(axes).collect())
    }
}

impl Local {
    pub(super) fn new(loops: Loops, axes: Vec<Vec<usize>>) -> Result<Local, LayoutError> {
        let operands = axes.iter().map(|axes| loops.operand(axes)).try_collect()?;
        Ok(Local { operands, axes, loops })
    }

    /// The layout of the result before its partial sums are added: the coordinates of the parts of each
    /// element, without those that the axes summed over contribute.
    #[must_use]
    pub fn result(&self) -> &Layout {
        &self.loops.result
    }

    /// The axes along which products are computed: those of the result, then those that are summed over.
    pub fn loops(&self) -> impl Iterator<Item = &Axis> {
        self.loops.result.axes().iter().chain(&self.loops.contracted)
    }

    /// The layout of each operand, in the order of the text.
    #[must_use]
    pub fn operands(&self) -> &[Layout] {
        &self.operands
    }

    /// The levels in which the partial sums of an element differ: units and lanes over which a sum runs.
    /// Sums over addresses or time add up in place.
    #[must_use]
    pub fn partial_levels(&self) -> Vec<Level> {
        let moving = self.loops.contracted.iter().flat_map(|axis| {
            let reaches = axis.reaches(axis.extent.saturating_sub(1));
            let subaxes = axis.subaxes.iter().zip(reaches).filter(|(_, reach)| *reach > 0);
            subaxes.filter_map(|(subaxis, _)| outside(subaxis)).map(|(_, level, _)| level)
        });
        moving.filter(|level| *level != Level::TIME).sorted_unstable().dedup().collect()
    }
}
