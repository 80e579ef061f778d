//! Packing tensors that do not fit in memory: from a file to the memory image and back.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use super::lanes::{Lane, from_bytes, join_lanes, split_lanes, to_bytes};
use crate::program::Program;
use crate::rows::WriteError;

/// How many bytes of either side are in memory at once.
const PART_BYTES: u64 = 64 << 20;

/// How the cells of an image are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageForm {
    /// One cell per place, little-endian.
    Cells,
    /// Long words, little-endian, of 64 / width cells each, lane 0 most significant.
    LongWords,
}

impl Program {
    /// [`pack`](Program::pack) from a file of little-endian numbers, which begins where `tensor`
    /// stands, to a file; in bounded memory.
    ///
    /// The image is made part by part; for each the tensor is read where it can reach the part.
    ///
    /// # Errors
    /// [`WriteError`]; a tensor that ends early among them.
    pub fn pack_stream<T: Lane>(
        &self,
        tensor: &mut (impl Read + Seek),
        image: &mut dyn Write,
        fill: T,
        form: ImageForm,
    ) -> Result<(), WriteError> {
        self.check_injective()?;
        let start = tensor.stream_position().map_err(WriteError::Read)?;
        for places in parts::<T>(self.places()) {
            let mut cells = vec![fill; length(&places)?];
            for window in self.windows(per_part::<T>()) {
                if overlap(&window.reach(), &places) {
                    let part = read::<T>(tensor, start, self.first(&window), window.elements())?;
                    window.scatter(&part, places.clone(), &mut cells)?;
                }
            }
            image.write_all(&image_bytes(&cells, form)?)?;
        }
        Ok(())
    }

    /// [`unpack`](Program::unpack) from a file to a file; in bounded memory.
    ///
    /// # Errors
    /// As [`pack_stream`](Program::pack_stream).
    pub fn unpack_stream<T: Lane>(
        &self,
        image: &mut (impl Read + Seek),
        tensor: &mut dyn Write,
        form: ImageForm,
    ) -> Result<(), WriteError> {
        let start = image.stream_position().map_err(WriteError::Read)?;
        for window in self.windows(per_part::<T>()) {
            let mut elements = vec![T::from_bits(0); length(&(0..window.elements()))?];
            for places in parts::<T>(self.places()) {
                if overlap(&window.reach(), &places) {
                    let count = places.end - places.start;
                    let cells = read::<T>(image, start, places.start, count)?;
                    let cells = image_cells(cells, form)?;
                    window.gather(&cells, places, &mut elements)?;
                }
            }
            tensor.write_all(&to_bytes(&elements))?;
        }
        Ok(())
    }

    /// The row-major number of the first element of a window.
    fn first(&self, window: &Program) -> u64 {
        let index: Vec<u64> = window.ranges().iter().map(|range| range.start).collect();
        self.number(&index).unwrap_or(0)
    }
}

fn per_part<T: Lane>() -> u64 {
    PART_BYTES * 8 / u64::from(T::BITS)
}

/// Ranges of whole long words.
fn parts<T: Lane>(places: u64) -> impl Iterator<Item = Range<u64>> {
    let most = per_part::<T>();
    let count = places.div_ceil(most);
    (0..count).map(move |part| part * most..places.min((part + 1) * most))
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

fn length(range: &Range<u64>) -> io::Result<usize> {
    usize::try_from(range.end - range.start).map_err(io::Error::other)
}

fn read<T: Lane>(
    file: &mut (impl Read + Seek),
    start: u64,
    first: u64,
    count: u64,
) -> Result<Vec<T>, WriteError> {
    let width = u64::from(T::BITS / 8);
    file.seek(SeekFrom::Start(start + first * width)).map_err(WriteError::Read)?;
    let count = usize::try_from(count).map_err(io::Error::other)?;
    let mut bytes = vec![0; count * size_of::<T>()];
    file.read_exact(&mut bytes).map_err(WriteError::Read)?;
    let mut cells = vec![T::from_bits(0); count];
    from_bytes(&bytes, &mut cells);
    Ok(cells)
}

fn image_bytes<T: Lane>(cells: &[T], form: ImageForm) -> Result<Vec<u8>, WriteError> {
    if form == ImageForm::Cells {
        return Ok(to_bytes(cells));
    }
    let mut words = vec![0; size_of_val(cells) / 8];
    join_lanes(cells, &mut words)?;
    Ok(to_bytes(&words))
}

fn image_cells<T: Lane>(cells: Vec<T>, form: ImageForm) -> Result<Vec<T>, WriteError> {
    if form == ImageForm::Cells {
        return Ok(cells);
    }
    let mut words = vec![0; size_of_val(&cells[..]) / 8];
    from_bytes::<u64>(&to_bytes(&cells), &mut words);
    let mut lanes = cells;
    split_lanes(&words, &mut lanes)?;
    Ok(lanes)
}
