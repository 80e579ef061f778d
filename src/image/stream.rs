//! Packing tensors that do not fit in memory: from a file to the memory image and back.
//!
//! One side is produced part by part, in order. For each part, the other side is traversed in smaller parts,
//! and only the blocks that hold cells of the part are read.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;

use super::lanes::{Lane, from_bytes, join_lanes, split_lanes, to_bytes};
use crate::algebra::strided::sums;
use crate::error::{LayoutError, WriteError, fault};
use crate::level::Level;
use crate::number::{to_index, to_u64};
use crate::program::Program;

/// The number of bytes that are in memory at once.
const BYTES: Sizes = Sizes { made: 128 << 20, read: 16 << 20, block: 4 << 10 };

/// The number of cells that pass through the buffer of a file at once.
const BUFFER: usize = 1 << 14;

/// Multiples of a long word.
#[derive(Clone, Copy)]
struct Sizes {
    /// The size of a part on the side that is produced, and on the side that is read.
    made: u64,
    read: u64,
    /// The least that is read at once.
    block: u64,
}

impl Sizes {
    fn cells<T: Lane>(self) -> Sizes {
        let cells = |bytes: u64| bytes * 8 / u64::from(T::BITS);
        Sizes { made: cells(self.made), read: cells(self.read), block: cells(self.block) }
    }
}

/// The form of the cells of an image in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageForm {
    /// One cell per place, little-endian.
    Cells,
    /// Long words, little-endian, of 64 / width cells each, lane 0 most significant.
    LongWords,
}

impl Program {
    /// Runs [`pack`](Program::pack) from a file to a file, in bounded memory. The tensor is little-endian
    /// numbers, from the current position of `tensor` on.
    ///
    /// The image is produced part by part; for each, only the blocks of the tensor that can reach it are
    /// read.
    ///
    /// # Errors
    /// [`WriteError`], including a tensor that ends early, and long words with fewer or more lanes than `T`
    /// fills (`Unsupported`).
    pub fn pack_stream<T: Lane>(
        &self,
        tensor: &mut (impl Read + Seek),
        image: &mut dyn Write,
        fill: T,
        form: ImageForm,
    ) -> Result<(), WriteError> {
        self.check_injective()?;
        self.check_words::<T>(form)?;
        self.pack_parts(
            &mut ImageSource::new(tensor, ImageForm::Cells)?,
            image,
            (fill, form),
            BYTES,
        )
    }

    /// Runs [`unpack`](Program::unpack) from a file to a file, in bounded memory.
    ///
    /// # Errors
    /// As [`pack_stream`](Program::pack_stream).
    pub fn unpack_stream<T: Lane>(
        &self,
        image: &mut (impl Read + Seek),
        tensor: &mut dyn Write,
        form: ImageForm,
    ) -> Result<(), WriteError> {
        self.check_words::<T>(form)?;
        self.unpack_parts::<T>(&mut ImageSource::new(image, form)?, tensor, BYTES)
    }

    /// Returns an error if the lanes of the layout do not fill long words.
    fn check_words<T: Lane>(&self, form: ImageForm) -> Result<(), LayoutError> {
        let last = self.columns().last();
        let lanes = last.filter(|(level, _)| *level == Level::W).map_or(1, |(_, size)| size);
        let element_bits = u64::from(T::BITS);
        match form == ImageForm::Cells || lanes.checked_mul(element_bits) == Some(64) {
            true => Ok(()),
            false => Err(fault!(
                Unsupported,
                "{lanes} lanes of {element_bits} bits do not fill a long word of 64 bits",
                [lanes, element_bits]
            )
            .with_help("write the image as cells, or use a type that fills the lanes")),
        }
    }

    fn pack_parts<T: Lane>(
        &self,
        tensor: &mut ImageSource<'_, T, impl Read + Seek>,
        image: &mut dyn Write,
        (fill, form): (T, ImageForm),
        sizes: Sizes,
    ) -> Result<(), WriteError> {
        let sizes = sizes.cells::<T>();
        let mut cells = Vec::new();
        for places in parts(self.places(), sizes.made) {
            cells.clear();
            cells.resize(to_index(places.end - places.start), fill);
            let windows = self.windows(sizes.read);
            for window in windows.filter(|window| overlap(&window.reach(), &places)) {
                let mut touched = Touched::new(window.elements(), sizes.block);
                window.visit_within(true, &places, &mut |grid| {
                    let steps = grid.steps.iter();
                    touched.add(grid.element, steps.map(|step| (step.size, step.weight)));
                });
                let elements = tensor.read(self.first(&window), &touched)?;
                window.scatter(elements, places.clone(), &mut cells)?;
            }
            write(image, &cells, form)?;
        }
        Ok(())
    }

    fn unpack_parts<T: Lane>(
        &self,
        image: &mut ImageSource<'_, T, impl Read + Seek>,
        tensor: &mut dyn Write,
        sizes: Sizes,
    ) -> Result<(), WriteError> {
        let sizes = sizes.cells::<T>();
        let mut elements = Vec::new();
        for window in self.windows(sizes.made) {
            elements.clear();
            elements.resize(to_index(window.elements()), T::from_bits(0));
            let parts = parts(self.places(), sizes.read);
            for places in parts.filter(|places| overlap(&window.reach(), places)) {
                let mut touched = Touched::new(places.end - places.start, sizes.block);
                window.visit_within(false, &places, &mut |grid| {
                    let steps = grid.steps.iter();
                    let first = grid.place - places.start;
                    touched.add(first, steps.map(|step| (step.size, step.stride)));
                });
                let cells = image.read(places.start, &touched)?;
                window.gather(cells, places, &mut elements)?;
            }
            write(tensor, &elements, ImageForm::Cells)?;
        }
        Ok(())
    }

    /// The row-major number of the first element of a window.
    fn first(&self, window: &Program) -> u64 {
        let index: Vec<u64> = window.ranges().iter().map(|range| range.start).collect();
        self.number(&index).unwrap_or(0)
    }
}

/// Ranges of at most `most` places.
fn parts(places: u64, most: u64) -> impl Iterator<Item = Range<u64>> {
    (0..places.div_ceil(most)).map(move |part| part * most..places.min((part + 1) * most))
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// A file of cells, a part of which is in memory.
struct ImageSource<'a, T, F> {
    file: &'a mut F,
    form: ImageForm,
    /// The position of the first cell in the file, in bytes.
    start: u64,
    cells: Vec<T>,
    bytes: Vec<u8>,
}

impl<'a, T: Lane, F: Read + Seek> ImageSource<'a, T, F> {
    fn new(file: &'a mut F, form: ImageForm) -> Result<ImageSource<'a, T, F>, WriteError> {
        let start = file.stream_position().map_err(WriteError::Read)?;
        Ok(ImageSource { file, form, start, cells: Vec::new(), bytes: Vec::new() })
    }

    /// Reads a part that begins at `first`; the cells of blocks that are not touched have unspecified values.
    fn read(&mut self, first: u64, touched: &Touched) -> Result<&[T], WriteError> {
        self.cells.resize(to_index(touched.cells()), T::from_bits(0));
        for range in touched.ranges() {
            let start = self.start + (first + range.start) * to_u64(size_of::<T>());
            self.file.seek(SeekFrom::Start(start)).map_err(WriteError::Read)?;
            let cells = &mut self.cells[to_index(range.start)..to_index(range.end)];
            for cells in cells.chunks_mut(BUFFER) {
                self.bytes.resize(size_of_val(cells), 0);
                self.file.read_exact(&mut self.bytes).map_err(WriteError::Read)?;
                decode(&self.bytes, self.form, cells)?;
            }
        }
        Ok(&self.cells)
    }
}

fn decode<T: Lane>(bytes: &[u8], form: ImageForm, cells: &mut [T]) -> Result<(), WriteError> {
    if form == ImageForm::Cells {
        from_bytes(bytes, cells);
        return Ok(());
    }
    let mut words = vec![0_u64; bytes.len() / size_of::<u64>()];
    from_bytes(bytes, &mut words);
    Ok(split_lanes(&words, cells)?)
}

fn write<T: Lane>(out: &mut dyn Write, cells: &[T], form: ImageForm) -> Result<(), WriteError> {
    for cells in cells.chunks(BUFFER) {
        out.write_all(&encode(cells, form)?)?;
    }
    Ok(())
}

fn encode<T: Lane>(cells: &[T], form: ImageForm) -> Result<Vec<u8>, WriteError> {
    if form == ImageForm::Cells {
        return Ok(to_bytes(cells));
    }
    let mut words = vec![0; size_of_val(cells) / size_of::<u64>()];
    join_lanes(cells, &mut words)?;
    Ok(to_bytes(&words))
}

/// The blocks of a part of a file; a wanted cell marks its block.
struct Touched {
    cells: u64,
    /// Cells per block.
    block: u64,
    blocks: Vec<bool>,
}

impl Touched {
    fn new(cells: u64, block: u64) -> Touched {
        Touched { cells, block, blocks: vec![false; to_index(cells.div_ceil(block))] }
    }

    /// The number of cells the part has.
    fn cells(&self) -> u64 {
        self.cells
    }

    /// Marks the blocks of the cells at `first` plus any sum of (size, step), and those between cells that
    /// are at most a block apart.
    fn add(&mut self, first: u64, steps: impl Iterator<Item = (u64, u64)>) {
        let (near, far): (Vec<_>, Vec<_>) = steps.partition(|(_, step)| *step <= self.block);
        let span: u64 = near.iter().map(|(size, step)| (size - 1) * step).sum();
        for ahead in sums(far.into_iter(), usize::MAX) {
            let block = |cell: u64| to_index(cell / self.block);
            self.blocks[block(first + ahead)..=block(first + ahead + span)].fill(true);
        }
    }

    /// The cells of blocks that are marked, neighbours joined.
    fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let mut end = 0;
        let alike = self.blocks.chunk_by(|block, next| block == next).map(move |alike| {
            let start = end;
            end = self.cells.min(start + to_u64(alike.len()) * self.block);
            (alike[0], start..end)
        });
        alike.filter(|(marked, _)| *marked).map(|(_, range)| range)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::{ImageForm, ImageSource, Sizes, join_lanes, to_bytes, to_index};
    use crate::program::Program;
    use crate::{LayoutText, Placement};

    /// A program, a tensor for it, and its image.
    fn packed(placement: Placement) -> (Program, Vec<u16>, Vec<u16>) {
        let program = placement.program().unwrap();
        let tensor: Vec<u16> = (1..).take(to_index(program.elements())).collect();
        let mut image = vec![7; to_index(program.places())];
        program.pack(&tensor, &mut image, 7).unwrap();
        (program, tensor, image)
    }

    /// Moves the tensor to this file and back.
    fn check(program: &Program, tensor: &[u16], form: ImageForm, image: &[u8], sizes: Sizes) {
        let (mut written, mut back) = (Vec::new(), Vec::new());
        let mut file = Cursor::new(to_bytes(tensor));
        let mut source = ImageSource::new(&mut file, ImageForm::Cells).unwrap();
        program.pack_parts(&mut source, &mut written, (7_u16, form), sizes).unwrap();
        assert_eq!(written, image, "{program:?}");
        let mut file = Cursor::new(written);
        let mut source = ImageSource::<u16, _>::new(&mut file, form).unwrap();
        program.unpack_parts(&mut source, &mut back, sizes).unwrap();
        assert_eq!(back, to_bytes(tensor), "{program:?}");
    }

    #[test]
    fn a_file_moves_part_by_part_as_a_tensor_does_in_memory() {
        for text in [
            "((7:1), (5:7))",
            "(10,7)/((3:7, 4_PE), (7:1))",
            "((4_PE, 3:8), (8:1); B@[3_MAB:1])",
            "((8:8), (2:4, 2_PE, 4:1))",
            "f32[6,10,7]{1,2,0:T(*,2,4)}",
            "bf16[5,9,7]{2,1,0:T(5,4)(3,1)}",
            "(40)/((5:9, 9:1))",
        ] {
            let layout = LayoutText::parse(text).unwrap().lower().unwrap();
            let (program, tensor, image) = packed(Placement::of(layout).build().unwrap());
            for (made, read, block) in [(64, 32, 8), (8, 8, 8), (128, 8, 8), (8, 256, 32)] {
                let sizes = Sizes { made, read, block };
                check(&program, &tensor, ImageForm::Cells, &to_bytes(&image), sizes);
            }
        }
    }

    #[test]
    fn long_words_are_not_cut_between_parts() {
        let layout = "((3_PE, 5:4), (4:1, 4_W))".parse().unwrap();
        let placement = Placement::of(layout).element_bits(16).build().unwrap();
        let (program, tensor, image) = packed(placement);
        let mut words = vec![0; image.len() / 4];
        join_lanes(&image, &mut words).unwrap();
        for (made, read, block) in [(64, 32, 8), (8, 8, 8), (8, 256, 32)] {
            let sizes = Sizes { made, read, block };
            check(&program, &tensor, ImageForm::LongWords, &to_bytes(&words), sizes);
        }
    }
}
