//! Tables filled by all cores.

use std::ops::Range;

use rayon::prelude::*;

use super::cell::Cell;
use super::compiled::{Program, check_length};
use super::weighted_sum::WeightedSum;
use crate::error::LayoutError;
use crate::level::Level;
use crate::number::{seam, to_index, to_u64};

/// Below this many elements a second core costs more than it saves.
fn few() -> u64 {
    seam(1 << 16, 8)
}

/// Parts of an image differ in their number of elements, so each core gets a few.
const PARTS_PER_THREAD: usize = 4;

impl Program {
    /// [`fill_packed`](Program::fill_packed) on all cores of the current rayon pool.
    ///
    /// # Errors
    /// As [`fill_packed`](Program::fill_packed).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, Placement};
    /// let layout = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))".parse()?;
    /// let program = Placement::of(layout).on(&Machine::mn_core()).build()?.program()?;
    /// let (mut one, mut all) = (vec![0_u32; 1024 * 512], vec![0_u32; 1024 * 512]);
    /// program.fill_packed(&mut one)?;
    /// program.par_fill_packed(&mut all)?;
    /// assert_eq!(one, all);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn par_fill_packed<T: Cell + Send>(&self, table: &mut [T]) -> Result<(), LayoutError> {
        self.par_fill(&self.compiled.packed, table)
    }

    /// [`fill_column`](Program::fill_column) on all cores of the current rayon pool.
    ///
    /// # Errors
    /// As [`fill_column`](Program::fill_column).
    pub fn par_fill_column<T: Cell + Send>(
        &self,
        level: Level,
        table: &mut [T],
    ) -> Result<(), LayoutError> {
        self.par_fill(&self.column(level), table)
    }

    /// [`fill_inverse`](Program::fill_inverse) on all cores of the current rayon pool: each fills a
    /// part of the places.
    ///
    /// # Errors
    /// As [`fill_inverse`](Program::fill_inverse).
    pub fn par_fill_inverse<T: Cell + Send>(&self, table: &mut [T]) -> Result<(), LayoutError> {
        check_length(table.len(), self.places())?;
        in_parts(table, |places, cells| self.fill_inverse_within(places, cells))
    }

    /// [`pack`](Program::pack) on all cores of the current rayon pool: each packs a part of the
    /// places.
    ///
    /// # Errors
    /// As [`pack`](Program::pack).
    pub fn par_pack<T: Copy + Send + Sync>(
        &self,
        tensor: &[T],
        image: &mut [T],
        fill: T,
    ) -> Result<(), LayoutError> {
        check_length(tensor.len(), self.elements())?;
        check_length(image.len(), self.places())?;
        self.check_injective()?;
        in_parts(image, |places, cells| {
            self.pack_within(tensor, &places, cells, fill);
            Ok(())
        })
    }

    /// [`unpack`](Program::unpack) on all cores of the current rayon pool.
    ///
    /// # Errors
    /// As [`unpack`](Program::unpack).
    pub fn par_unpack<T: Copy + Send + Sync>(
        &self,
        image: &[T],
        tensor: &mut [T],
    ) -> Result<(), LayoutError> {
        check_length(tensor.len(), self.elements())?;
        check_length(image.len(), self.places())?;
        self.halves(tensor, &|part, tensor| part.unpack(image, tensor))
    }

    fn par_fill<T: Cell + Send>(
        &self,
        form: &WeightedSum,
        table: &mut [T],
    ) -> Result<(), LayoutError> {
        check_length(table.len(), self.elements())?;
        self.halves(table, &|part, table| part.fill(form, table))
    }

    /// Cuts window and buffer in two, along the first axis that can be cut, until they are small:
    /// either half of a row-major table is one piece.
    fn halves<T: Send>(
        &self,
        buffer: &mut [T],
        work: &(impl Fn(&Program, &mut [T]) -> Result<(), LayoutError> + Sync),
    ) -> Result<(), LayoutError> {
        let length = |range: &Range<u64>| range.end - range.start;
        let axis = self.shape.iter().position(|range| length(range) > 1);
        let Some(axis) = axis.filter(|_| self.elements() > few()) else {
            return work(self, buffer);
        };
        let half = self.shape[axis].start + length(&self.shape[axis]) / 2;
        let (mut front, mut back) = (self.shape.clone(), self.shape.clone());
        (front[axis].end, back[axis].start) = (half, half);
        let (front, back) = (self.window(&front)?, self.window(&back)?);
        let middle = to_index(front.elements());
        let (first, second) = buffer.split_at_mut(middle.min(buffer.len()));
        let (a, b) = rayon::join(|| front.halves(first, work), || back.halves(second, work));
        a.and(b)
    }
}

/// Cuts a buffer that has a cell for every place into parts, and gives each its places.
fn in_parts<T: Send>(
    cells: &mut [T],
    work: impl Fn(Range<u64>, &mut [T]) -> Result<(), LayoutError> + Sync,
) -> Result<(), LayoutError> {
    let parts = rayon::current_num_threads() * PARTS_PER_THREAD;
    let most = cells.len().div_ceil(parts).max(to_index(few()));
    cells.par_chunks_mut(most).enumerate().try_for_each(|(part, cells)| {
        let from = to_u64(part * most);
        work(from..from + to_u64(cells.len()), cells)
    })
}
