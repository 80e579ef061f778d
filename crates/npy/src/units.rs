//! An image as a directory with a `.npy` file per unit.
//!
//! ```text
//! image/L2B=0/L1B=3/MAB=0/PE=1.npy   the memory of one PE: an entry per address, and per lane
//! ```
//!
//! Read or written in sequence, the files form one image: the units row-major, one after the other.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tensor_layout::Level;
use tensor_layout::image::ImageForm;
use tensor_layout::program::Program;
use tensor_layout_words::{cut, product, to_index, to_u64};

use crate::header::NpyHeader;

/// The most units that have a file each.
const MOST_UNITS: u64 = 1 << 20;

fn invalid(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// A level of a path: `L2B=4` is the third memory of those that pairs of L2Bs share.
#[derive(Clone, Copy, Debug)]
struct PathLevel {
    level: Level,
    /// The number of memories.
    size: u64,
    /// The number of units that share one.
    step: u64,
}

/// The files of the units, as one run of bytes.
#[derive(Debug)]
struct Units<F> {
    dir: PathBuf,
    /// The levels of a path, from the root down.
    levels: Vec<PathLevel>,
    header: NpyHeader,
    /// Bytes of data per unit and in all, and the number of those before the current place.
    bytes: u64,
    end: u64,
    at: u64,
    /// The unit whose file is open.
    open: Option<(u64, F)>,
}

impl<F> Units<F> {
    fn new(dir: &Path, program: &Program, header: NpyHeader) -> io::Result<Units<F>> {
        let units = program.columns().filter(|(level, _)| !level.is_in_unit());
        let levels: Vec<PathLevel> = units
            .map(|(level, size)| PathLevel { level, size, step: program.units_per_memory(level) })
            .collect();
        let files = product(levels.iter().map(|level| level.size));
        let files = files.filter(|files| *files <= MOST_UNITS).ok_or_else(|| {
            let why = "units, each of which has a file; write to a single file";
            invalid(format!("more than {MOST_UNITS} {why}"))
        })?;
        let bytes = header.data_bytes().ok_or_else(|| {
            let descr = &header.descr;
            let wanted = "little-endian numbers of 1, 2, 4 or 8 bytes, such as <f4 or <u2";
            invalid(format!("entries are `{descr}`; expected {wanted}"))
        })?;
        let too_large = || invalid("more bytes than fit in 64 bits".into());
        let end = bytes.checked_mul(files).ok_or_else(too_large)?;
        Ok(Units { dir: dir.into(), levels, header, bytes, end, at: 0, open: None })
    }

    /// The unit of the current place, and the numbers of its bytes before and after the place; `None` at the
    /// end.
    fn place(&self) -> Option<(u64, u64, u64)> {
        let before = self.at.checked_rem(self.bytes)?;
        (self.at < self.end).then(|| (self.at / self.bytes, before, self.bytes - before))
    }

    fn path(&self, mut unit: u64) -> PathBuf {
        let mut numbers = vec![0; self.levels.len()];
        for (number, level) in numbers.iter_mut().zip(&self.levels).rev() {
            (unit, *number) = (unit / level.size, unit % level.size);
        }
        self.path_of(&numbers)
    }

    /// `L2B=0/L1B=3/MAB=0/PE=1.npy`, by the number of the memory in each level.
    fn path_of(&self, numbers: &[u64]) -> PathBuf {
        let levels = self.levels.iter().zip(numbers);
        let names: Vec<String> = levels
            .map(|(PathLevel { level, step, .. }, number)| format!("{level}={}", number * step))
            .collect();
        match names.split_last() {
            None => self.dir.join("memory.npy"),
            Some((last, dirs)) => {
                let dirs = dirs.iter().collect::<PathBuf>();
                self.dir.join(dirs).join(format!("{last}.npy"))
            }
        }
    }

    /// Checks that the header is that of a unit in one of the two forms.
    fn check_shape(&self, program: &Program) -> io::Result<()> {
        let [cells, words] = [ImageForm::Cells, ImageForm::LongWords]
            .map(|form| NpyHeader::of_unit(program, form, &self.header.descr));
        if self.header.shape == cells.shape || self.header == words {
            return Ok(());
        }
        let [found, wanted] =
            [&self.header.shape, &cells.shape].map(|shape| cut(&format!("{shape:?}"), 100));
        let why = format!("the shape is {found}, but that of a unit is {wanted}");
        Err(io::Error::new(io::ErrorKind::InvalidData, why))
    }

    /// A file of a unit that the levels do not have, if there is one.
    fn beyond(&self) -> Option<PathBuf> {
        let mut paths = (0..self.levels.len()).map(|at| {
            let mut numbers = vec![0; self.levels.len()];
            numbers[at] = self.levels[at].size;
            self.path_of(&numbers)
        });
        paths.find(|path| path.exists())
    }

    fn moved(&mut self, bytes: usize) -> usize {
        self.at += to_u64(bytes);
        bytes
    }
}

/// Writes an image as a file per unit: the target of [`pack_stream`](Program::pack_stream).
///
/// # Example
/// ```
/// use std::io::Cursor;
/// use tensor_layout::Placement;
/// use tensor_layout::image::ImageForm;
/// use tensor_layout_npy::{NpyHeader, UnitReader, UnitWriter};
/// let program = Placement::of("((2_PE, 2:1))".parse()?).build()?.program()?;
/// let dir = tempfile::tempdir()?;
/// let header = NpyHeader::of_unit(&program, ImageForm::Cells, "|u1");
/// let mut image = UnitWriter::new(dir.path(), &program, header)?;
/// let mut tensor = Cursor::new([10, 11, 12, 13]);
/// program.pack_stream::<u8>(&mut tensor, &mut image, 0, ImageForm::Cells)?;
/// drop(image);
/// assert!(std::fs::read(dir.path().join("PE=1.npy"))?.ends_with(&[12, 13]));
/// let mut image = UnitReader::open(dir.path(), &program)?;
/// let mut back = Vec::new();
/// program.unpack_stream::<u8>(&mut image, &mut back, ImageForm::Cells)?;
/// assert_eq!(back, [10, 11, 12, 13]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct UnitWriter(Units<File>);

impl UnitWriter {
    /// Starts an image in a directory; `header` is that of one unit.
    ///
    /// # Errors
    /// `InvalidInput` for more than 2^20 units, and for entries of a type without a plain
    /// little-endian form. Writing a buffer beyond the last unit fails with `WriteZero`.
    pub fn new(dir: &Path, program: &Program, header: NpyHeader) -> io::Result<UnitWriter> {
        Units::new(dir, program, header).map(UnitWriter)
    }
}

impl Write for UnitWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let units = &mut self.0;
        let Some((unit, _, left)) = units.place() else { return Ok(0) };
        if units.open.as_ref().is_none_or(|(open, _)| *open != unit) {
            let path = units.path(unit);
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            let mut file = File::create(path)?;
            units.header.write(&mut file)?;
            units.open = Some((unit, file));
        }
        let Some((_, file)) = &mut units.open else { return Ok(0) };
        let written = file.write(&bytes[..bytes.len().min(to_index(left))])?;
        Ok(units.moved(written))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.open.as_mut().map_or(Ok(()), |(_, file)| file.flush())
    }
}

/// Reads an image from a file per unit: the source of [`unpack_stream`](Program::unpack_stream).
///
/// See [`UnitWriter`] for an example.
#[derive(Debug)]
pub struct UnitReader(Units<(File, u64)>);

impl UnitReader {
    /// Opens the directory of an image.
    ///
    /// # Errors
    /// The errors of the file system; `InvalidData` for a file that is not `.npy`, that does not have the
    /// shape of a unit, or that belongs to a unit that the program lacks; `InvalidInput` as for
    /// [`UnitWriter::new`].
    pub fn open(dir: &Path, program: &Program) -> io::Result<UnitReader> {
        let header = NpyHeader::of_unit(program, ImageForm::LongWords, "");
        let first = Units::<File>::new(dir, program, header)?;
        let first = first.path(0);
        let named = |error: io::Error| named(&first, &error);
        let header = NpyHeader::read(&mut File::open(&first).map_err(named)?).map_err(named)?;
        let units = Units::new(dir, program, header).map_err(named)?;
        units.check_shape(program).map_err(named)?;
        match units.beyond() {
            Some(beyond) => {
                let why = "this unit does not exist in the layout";
                Err(self::named(&beyond, &io::Error::new(io::ErrorKind::InvalidData, why)))
            }
            None => Ok(UnitReader(units)),
        }
    }

    /// The header of every unit.
    #[must_use]
    pub fn header(&self) -> &NpyHeader {
        &self.0.header
    }
}

/// An error with the file that it is about.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

impl Read for UnitReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let units = &mut self.0;
        let Some((unit, before, left)) = units.place() else { return Ok(0) };
        if units.open.as_ref().is_none_or(|(open, _)| *open != unit) {
            let path = units.path(unit);
            let named = |error: io::Error| named(&path, &error);
            let mut file = File::open(&path).map_err(named)?;
            if NpyHeader::read(&mut file).map_err(named)? != units.header {
                return Err(named(io::Error::other("not the shape of the other units")));
            }
            units.header.check_length(&file).map_err(named)?;
            let data = file.stream_position()?;
            units.open = Some((unit, (file, data)));
        }
        let Some((_, (file, data))) = &mut units.open else { return Ok(0) };
        file.seek(SeekFrom::Start(*data + before))?;
        let count = buffer.len().min(to_index(left));
        let read = file.read(&mut buffer[..count])?;
        Ok(units.moved(read))
    }
}

impl Seek for UnitReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Start(at) => self.0.at = at,
            SeekFrom::Current(0) => {}
            _ => return Err(io::Error::from(io::ErrorKind::Unsupported)),
        }
        Ok(self.0.at)
    }
}
