//! Tables as `.npy` files, which NumPy, and most that reads arrays, reads as they are.
//!
//! ```text
//! "\x93NUMPY" 1 0  length  {'descr': '<u4', 'fortran_order': False, 'shape': (1024, 512), }  data
//! ```
//!
//! Source: NumPy, "A simple file format for NumPy arrays", `numpy.lib.format`.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use itertools::Itertools;

use super::lanes::{Lane, to_bytes};
use super::npy_header;
use crate::error::LayoutError;
use crate::number::{to_index, to_u64};
use crate::program::Cell;
use crate::program::Program;
use crate::rows::WriteError;

/// How many entries are written at once.
const BLOCK: u64 = 1 << 20;

/// The header of a `.npy` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyHeader {
    /// The type of the entries, such as `<u4` or `|u1`.
    pub descr: String,
    /// The extents, row-major.
    pub shape: Vec<u64>,
}

impl NpyHeader {
    /// Writes the header, padded so that the data begins at a multiple of 64 bytes.
    ///
    /// # Errors
    /// `InvalidInput` where the data would be longer than a file can be; what `out` says.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let longest = u64::MAX >> 1;
        if self.entry_bytes().is_some() && self.data_bytes().is_none_or(|bytes| bytes > longest) {
            let why = format!("an array of shape {:?} is larger than any file can be", self.shape);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
        let comma = if self.shape.len() == 1 { "," } else { "" };
        let (descr, shape) = (&self.descr, self.shape.iter().join(", "));
        let mut text =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}{comma}), }}");
        let unpadded = MAGIC.len() + 2 + text.len() + 1;
        text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
        text.push('\n');
        let length = u16::try_from(text.len()).map_err(io::Error::other)?;
        out.write_all(MAGIC)?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(text.as_bytes())
    }

    /// Reads a header, up to the data.
    ///
    /// # Errors
    /// `InvalidData` for a file that is not `.npy` of version 1.0, 2.0 or 3.0, for a header that is
    /// not a dict of `descr`, `fortran_order` and `shape`, and for arrays in Fortran order or with
    /// fields.
    pub fn read(input: &mut dyn Read) -> io::Result<NpyHeader> {
        let [0x93, b'N', b'U', b'M', b'P', b'Y', major, minor] = exactly(input, "not a .npy file")?
        else {
            return Err(invalid("not a .npy file"));
        };
        const CUT: &str = "the .npy header is cut off";
        let length = match (major, minor) {
            (1, 0) => u16::from_le_bytes(exactly(input, CUT)?).into(),
            (2 | 3, 0) => u32::from_le_bytes(exactly(input, CUT)?),
            _ => {
                let known = "1.0, 2.0 or 3.0";
                return Err(invalid(&format!(
                    "version {major}.{minor} of .npy is not known; expected {known}"
                )));
            }
        };
        // NumPy itself refuses longer headers.
        if length > 10_000 {
            return Err(invalid("a .npy header of more than 10 000 bytes"));
        }
        let mut text = vec![0; to_index(length.into())];
        input.read_exact(&mut text).map_err(|error| cut_off(error, CUT))?;
        let text =
            String::from_utf8(text).map_err(|_| invalid("a .npy header that is not text"))?;
        npy_header::parse(&text).map_err(|error| invalid(&format!("invalid .npy header: {error}")))
    }

    /// Refuses a file that has more or less data behind the header than the header says.
    pub(crate) fn check_length(&self, mut file: &File) -> io::Result<()> {
        let data = file.stream_position()?;
        let found = file.metadata()?.len().saturating_sub(data);
        if self.data_bytes() == Some(found) {
            return Ok(());
        }
        let shape = &self.shape;
        let why = format!("the header gives the shape {shape:?}, but {found} bytes of data follow");
        Err(invalid(&why))
    }

    /// The number of entries; `None` if it does not fit.
    #[must_use]
    pub fn entries(&self) -> Option<u64> {
        crate::algebra::product(self.shape.iter().copied())
    }

    /// The bytes of an entry of a plain little-endian type; `None` for another type.
    #[must_use]
    pub fn entry_bytes(&self) -> Option<u64> {
        match &*self.descr {
            "|u1" | "|i1" | "|b1" => Some(1),
            "<u2" | "<i2" | "<f2" => Some(2),
            "<u4" | "<i4" | "<f4" => Some(4),
            "<u8" | "<i8" | "<f8" => Some(8),
            _ => None,
        }
    }

    /// The bytes behind the header; `None` for another type, or if their number does not fit.
    #[must_use]
    pub fn data_bytes(&self) -> Option<u64> {
        self.entries()?.checked_mul(self.entry_bytes()?)
    }
}

/// So many bytes; `cut` says what it means that there are fewer.
fn exactly<const N: usize>(input: &mut dyn Read, cut: &str) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).map_err(|error| cut_off(error, cut))?;
    Ok(bytes)
}

fn cut_off(error: io::Error, cut: &str) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => invalid(cut),
        _ => error,
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// What a `.npy` table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NpyTable {
    /// The packed number of every element's place; the shape is that of the tensor.
    Packed,
    /// The coordinates of every element: first all of the first column, then the next; the shape is
    /// the number of columns and then that of the tensor.
    Columns,
    /// The row-major number of the element at every place; the greatest value of the type marks
    /// holes, the one before padding. The shape is that of the columns.
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
                self.columns().map(|(_, size)| size.saturating_sub(1)).max().unwrap_or(0)
            }
            // The markers are numbers too.
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
                for part in self.windows(BLOCK) {
                    write_part::<T>(out, part.elements(), |cells| part.fill_packed(cells))?;
                }
            }
            NpyTable::Columns => {
                for (level, _) in self.columns() {
                    for part in self.windows(BLOCK) {
                        write_part::<T>(out, part.elements(), |c| part.fill_column(level, c))?;
                    }
                }
            }
            NpyTable::Inverse => {
                for places in super::stream::parts(self.places(), BLOCK) {
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
    let length = usize::try_from(length).map_err(io::Error::other)?;
    let mut cells = vec![T::MAX; length];
    fill(&mut cells)?;
    Ok(out.write_all(&to_bytes(&cells))?)
}
