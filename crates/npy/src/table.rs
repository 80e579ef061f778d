//! Tables as `.npy` files, which NumPy and most array tools read directly.
//!
//! ```text
//! "\x93NUMPY" 1 0  length  {'descr': '<u4', 'fortran_order': False, 'shape': (1024, 512), }  data
//! ```

use std::io::Write;

use tensor_layout::error::WriteError;
use tensor_layout::image::Lane;
use tensor_layout::program::{Cell, Program};
use tensor_layout::{LayoutError, Level};
use tensor_layout_words::to_u64;

use crate::header::NpyHeader;

/// The number of entries that are written at once.
const BLOCK: u64 = 1 << 20;

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

impl NpyTable {
    /// Writes the table, of the narrowest unsigned integers that hold it, in bounded memory.
    ///
    /// # Errors
    /// [`WriteError`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// use tensor_layout_npy::{NpyHeader, NpyTable};
    /// let program = Placement::of("((4_PE, 3:8), (8:1))".parse()?).build()?.program()?;
    /// let mut file = Vec::new();
    /// NpyTable::Packed.write(&program, &mut file)?;
    /// let header = NpyHeader::read(&mut &file[..])?;
    /// assert_eq!((header.descr.as_str(), &header.shape[..]), ("|u1", &[12, 8][..]));
    /// assert_eq!(file[file.len() - 1], 95);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(self, program: &Program, out: &mut dyn Write) -> Result<(), WriteError> {
        self.write_in_blocks(program, BLOCK, out)
    }

    fn write_in_blocks(
        self,
        program: &Program,
        block: u64,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        match self.greatest(program) {
            0..=0xff => self.write_cells::<u8>(program, "|u1", block, out),
            0x100..=0xffff => self.write_cells::<u16>(program, "<u2", block, out),
            0x1_0000..=0xffff_ffff => self.write_cells::<u32>(program, "<u4", block, out),
            _ => self.write_cells::<u64>(program, "<u8", block, out),
        }
    }

    /// The greatest number of the table.
    fn greatest(self, program: &Program) -> u64 {
        let last = |(level, size): (Level, u64)| {
            size.saturating_sub(1).saturating_mul(program.units_per_memory(level))
        };
        match self {
            NpyTable::Packed => program.places().saturating_sub(1),
            NpyTable::Columns => program.columns().map(last).max().unwrap_or(0),
            // The markers need room too.
            NpyTable::Inverse => program.elements().saturating_add(1),
        }
    }

    fn shape(self, program: &Program) -> Vec<u64> {
        let columns: Vec<u64> = program.columns().map(|(_, size)| size).collect();
        let extents = program.ranges().iter().map(|range| range.end - range.start);
        match self {
            NpyTable::Packed => extents.collect(),
            NpyTable::Columns => [to_u64(columns.len())].into_iter().chain(extents).collect(),
            NpyTable::Inverse => columns,
        }
    }

    fn write_cells<T: Cell + Lane>(
        self,
        program: &Program,
        descr: &str,
        block: u64,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        NpyHeader { descr: descr.into(), shape: self.shape(program) }.write(out)?;
        match self {
            NpyTable::Packed => {
                for part in program.windows(block) {
                    write_part::<T>(out, part.elements(), |c| part.fill_packed(c))?;
                }
            }
            NpyTable::Columns => {
                for (level, _) in program.columns() {
                    for part in program.windows(block) {
                        write_part::<T>(out, part.elements(), |c| part.fill_column(level, c))?;
                    }
                }
            }
            NpyTable::Inverse => {
                let places = program.places();
                for part in 0..places.div_ceil(block) {
                    let part = part * block..places.min((part + 1) * block);
                    let length = part.end - part.start;
                    write_part::<T>(out, length, |c| program.fill_inverse_within(part, c))?;
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
    let mut cells = vec![<T as Cell>::MAX; length];
    fill(&mut cells)?;
    let mut bytes = vec![0; size_of_val(&cells[..])];
    for (bytes, cell) in bytes.chunks_exact_mut(size_of::<T>()).zip(cells) {
        cell.write_le(bytes);
    }
    Ok(out.write_all(&bytes)?)
}

#[cfg(test)]
mod tests {
    use super::NpyTable;
    use tensor_layout::{LayoutText, Placement};

    #[test]
    fn a_table_in_small_blocks_is_the_table_in_one() {
        for text in ["(10,7)/((3:7, 4_PE), (7:1))", "((4_PE, 3:8), (8:1); B@[2_MAB])", "f32[9,5]"] {
            let layout = LayoutText::parse(text).unwrap().lower().unwrap();
            let program = Placement::of(layout).build().unwrap().program().unwrap();
            for table in [NpyTable::Packed, NpyTable::Columns, NpyTable::Inverse] {
                let written = [8, super::BLOCK].map(|block| {
                    let mut file = Vec::new();
                    table.write_in_blocks(&program, block, &mut file).unwrap();
                    file
                });
                assert_eq!(written[0], written[1], "{table:?} of {text}");
            }
        }
    }
}
