//! Tables as `.npy` files, which NumPy and most array tools read directly.
//!
//! ```text
//! "\x93NUMPY" 1 0  length  {'descr': '<u4', 'fortran_order': False, 'shape': (1024, 512), }  data
//! ```
//!
//! Source: NumPy, "A simple file format for NumPy arrays", `numpy.lib.format`.

use std::io::Write;

use super::lanes::{Lane, to_bytes};
use super::npy_header::NpyHeader;
use crate::error::LayoutError;
use crate::number::{seam, to_u64};
use crate::program::{Cell, Program};
use crate::rows::WriteError;

/// The number of entries that are written at once.
fn block() -> u64 {
    seam(1 << 20, 8)
}

/// The content of a `.npy` table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NpyTable {
    /// The packed number of every element's place; the shape is that of the tensor.
    Packed,
    /// The coordinates of every element, column by column; the shape is the number of columns followed by the
    /// shape of the tensor.
    Columns,
    /// The row-major number of the element at every place; the greatest value of the type marks holes, and
    /// the next lower one padding. The shape is that of the columns.
    Inverse,
}

impl Program {
    /// Writes a table of the narrowest unsigned integers that hold it, in bounded memory.
    ///
    /// # Errors
    /// [`WriteError`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// use tensor_layout::image::{NpyHeader, NpyTable};
    /// let program = Placement::of("((4_PE, 3:8), (8:1))".parse()?).build()?.program()?;
    /// let mut file = Vec::new();
    /// program.write_npy(NpyTable::Packed, &mut file)?;
    /// let header = NpyHeader::read(&mut &file[..])?;
    /// assert_eq!((header.descr.as_str(), &header.shape[..]), ("|u1", &[12, 8][..]));
    /// assert_eq!(file[file.len() - 1], 95);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_npy(&self, table: NpyTable, out: &mut dyn Write) -> Result<(), WriteError> {
        let greatest = match table {
            NpyTable::Packed => self.places().saturating_sub(1),
            NpyTable::Columns => {
                let columns = self.columns();
                let last = columns.map(|(level, size)| {
                    size.saturating_sub(1).saturating_mul(self.units_per_memory(level))
                });
                last.max().unwrap_or(0)
            }
            // The markers need room too.
            NpyTable::Inverse => self.elements().saturating_add(1),
        };
        match greatest {
            0..=0xff => self.write_cells::<u8>(table, "|u1", out),
            0x100..=0xffff => self.write_cells::<u16>(table, "<u2", out),
            0x1_0000..=0xffff_ffff => self.write_cells::<u32>(table, "<u4", out),
            _ => self.write_cells::<u64>(table, "<u8", out),
        }
    }

    fn write_cells<T: Cell + Lane>(
        &self,
        table: NpyTable,
        descr: &str,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        let shape: Vec<u64> = self.ranges().iter().map(|range| range.end - range.start).collect();
        let columns: Vec<u64> = self.columns().map(|(_, size)| size).collect();
        let count = to_u64(columns.len());
        let shape = match table {
            NpyTable::Packed => shape,
            NpyTable::Columns => [count].into_iter().chain(shape).collect(),
            NpyTable::Inverse => columns,
        };
        NpyHeader { descr: descr.into(), shape }.write(out)?;
        match table {
            NpyTable::Packed => {
                for part in self.windows(block()) {
                    write_part::<T>(out, part.elements(), |c| part.fill_packed(c))?;
                }
            }
            NpyTable::Columns => {
                for (level, _) in self.columns() {
                    for part in self.windows(block()) {
                        write_part::<T>(out, part.elements(), |c| part.fill_column(level, c))?;
                    }
                }
            }
            NpyTable::Inverse => {
                for places in super::stream::parts(self.places(), block()) {
                    let length = places.end - places.start;
                    write_part::<T>(out, length, |c| self.fill_inverse_within(places, c))?;
                }
            }
        }
        Ok(())
    }
}

/// Fills cells and writes them, little-endian.
fn write_part<T: Cell + Lane>(
    out: &mut dyn Write,
    length: u64,
    fill: impl FnOnce(&mut [T]) -> Result<(), LayoutError>,
) -> Result<(), WriteError> {
    let length = usize::try_from(length).map_err(std::io::Error::other)?;
    let mut cells = vec![T::MAX; length];
    fill(&mut cells)?;
    Ok(out.write_all(&to_bytes(&cells))?)
}
