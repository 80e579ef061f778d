//! What `pack` and `unpack` share: `.npy` files, and directories with a file per unit.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use tensor_layout::Level;
use tensor_layout::image::{ImageForm, NpyHeader};
use tensor_layout::program::Program;
use tensor_layout::rows::WriteError;

use super::failure::Failure;
use super::input::{Place, Placed};
use super::interrupt::Unfinished;
use super::output::{MOST_FILES, Output, done_from, unfinished};

// What `pack` and `unpack` share.
#[derive(Debug, ClapArgs)]
pub(super) struct Image {
    #[command(flatten)]
    pub(super) place: Place,
    /// Write to a file, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    pub(super) output: PathBuf,
}

impl Image {
    /// The compiled layout, and the lanes of a long word if the image is made of long words.
    pub(super) fn program(&self) -> Result<(Program, Option<u64>), Failure> {
        let Placed { placement, .. } = self.place.placement()?;
        let program = placement.program()?;
        let column = program.columns().find(|(level, _)| *level == Level::W);
        let lanes = placement.lanes().filter(|lanes| *lanes == column.map_or(1, |(_, size)| size));
        Ok((program, lanes))
    }
}

/// Long words where the lanes are known, and then the elements must be as wide.
pub(super) fn form(lanes: Option<u64>, width: u64) -> Result<ImageForm, Failure> {
    match lanes {
        None => Ok(ImageForm::Cells),
        Some(lanes) if lanes * width == 8 => Ok(ImageForm::LongWords),
        Some(lanes) => Err(Failure::Argument(format!(
            "the tensor has elements of {} bits, but the layout has {lanes} lanes of {} bits",
            width * 8,
            64 / lanes
        ))),
    }
}

/// The bytes of an entry of a plain little-endian type.
pub(super) fn width(descr: &str) -> Option<u64> {
    match descr {
        "|u1" | "|i1" | "|b1" => Some(1),
        "<u2" | "<i2" | "<f2" => Some(2),
        "<u4" | "<i4" | "<f4" => Some(4),
        "<u8" | "<i8" | "<f8" => Some(8),
        _ => None,
    }
}

/// An array on disk, its data ahead.
pub(super) struct Npy {
    pub(super) file: File,
    pub(super) header: NpyHeader,
    pub(super) width: u64,
    path: PathBuf,
}

impl Npy {
    pub(super) fn open(path: &Path) -> Result<Npy, Failure> {
        let failed = |error| Failure::Io(path.display().to_string(), error);
        let mut file = File::open(path).map_err(failed)?;
        let header = NpyHeader::read(&mut file).map_err(failed)?;
        let width = width(&header.descr).ok_or_else(|| {
            Failure::Argument(format!(
                "{}: entries are `{}`; expected little-endian numbers of 1, 2, 4 or 8 bytes, such \
                 as <f4 or <u2",
                path.display(),
                header.descr
            ))
        })?;
        let npy = Npy { file, header, width, path: path.into() };
        npy.check_length().map_err(failed)?;
        Ok(npy)
    }

    /// Whether the file has as much data as its header says.
    fn check_length(&self) -> io::Result<()> {
        let header = (&self.file).stream_position()?;
        let found = self.file.metadata()?.len().saturating_sub(header);
        let wanted = self.header.entries().and_then(|entries| entries.checked_mul(self.width));
        if wanted == Some(found) {
            return Ok(());
        }
        let shape = &self.header.shape;
        let why = format!("the header says the shape {shape:?}, but {found} bytes of data follow");
        Err(io::Error::new(io::ErrorKind::InvalidData, why))
    }

    pub(super) fn check_shape(&self, shape: &[u64], what: &str) -> Result<(), Failure> {
        if self.header.shape == shape {
            return Ok(());
        }
        let (path, found) = (self.path.display(), &self.header.shape);
        let why = format!("{path}: the shape is {found:?}, but that of {what} is {shape:?}");
        Err(Failure::Argument(why))
    }
}

/// The shape of a memory image, units left out or not.
fn image_shape(program: &Program, form: ImageForm, units: bool) -> Vec<u64> {
    let kept = |level: Level| match level {
        Level::ADDR => true,
        Level::W => form == ImageForm::Cells,
        _ => units,
    };
    program.columns().filter(|(level, _)| kept(*level)).map(|(_, size)| size).collect()
}

/// `L2B=0/L1B=3/MAB=0/PE=1.npy`
fn unit_path(unit: &[(Level, u64)]) -> PathBuf {
    let names: Vec<String> = unit.iter().map(|(level, at)| format!("{level}={at}")).collect();
    match names.split_last() {
        None => PathBuf::from("memory.npy"),
        Some((last, dirs)) => dirs.iter().collect::<PathBuf>().join(format!("{last}.npy")),
    }
}

/// Where an image goes.
pub(super) enum ImageOut {
    File(Output),
    /// A file per unit, in a directory that gets its name when it is complete.
    Dir {
        dir: tempfile::TempDir,
        guard: Unfinished,
        path: PathBuf,
        units: Units<File>,
    },
}

/// The files of the units, one after the other.
pub(super) struct Units<F> {
    /// The levels of a path with their sizes, from the root down.
    levels: Vec<(Level, u64)>,
    header: NpyHeader,
    /// Bytes of data per unit, and how many lie before the place at hand.
    bytes: u64,
    at: u64,
    /// The unit whose file is open.
    open: Option<(u64, F)>,
}

/// The levels of units with their sizes; their number is bounded, each has a file.
fn unit_levels(program: &Program) -> Result<Vec<(Level, u64)>, Failure> {
    let inner = Level::is_in_unit;
    let levels: Vec<(Level, u64)> = program.columns().filter(|(level, _)| !inner(*level)).collect();
    let files = levels.iter().try_fold(1_u64, |files, (_, size)| files.checked_mul(*size));
    match files.filter(|files| *files <= MOST_FILES) {
        Some(_) => Ok(levels),
        None => Err(Failure::Argument(format!(
            "more than {MOST_FILES} units, each of which has a file; write to a single file"
        ))),
    }
}

impl<F> Units<F> {
    fn new(levels: Vec<(Level, u64)>, header: NpyHeader, width: u64) -> Units<F> {
        let bytes = (header.entries().unwrap_or(0) * width).max(1);
        Units { levels, header, bytes, at: 0, open: None }
    }

    /// The unit of the place at hand, and how many bytes of it lie before and after.
    fn place(&self) -> (u64, u64, u64) {
        let before = self.at % self.bytes;
        (self.at / self.bytes, before, self.bytes - before)
    }

    fn path(&self, dir: &Path, unit: u64) -> PathBuf {
        let mut rest = unit;
        let mut place: Vec<(Level, u64)> = Vec::new();
        for (level, size) in self.levels.iter().rev() {
            place.insert(0, (*level, rest % size));
            rest /= size;
        }
        dir.join(unit_path(&place))
    }

    /// A unit that the levels do not have, if the directory has one.
    fn beyond(&self, dir: &Path) -> Option<PathBuf> {
        let mut place: Vec<(Level, u64)> =
            self.levels.iter().map(|(level, _)| (*level, 0)).collect();
        (0..place.len()).find_map(|at| {
            place[at].1 = self.levels[at].1;
            let path = dir.join(unit_path(&place));
            place[at].1 = 0;
            path.exists().then_some(path)
        })
    }
}

impl ImageOut {
    pub(super) fn new(
        path: &Path,
        program: &Program,
        form: ImageForm,
        descr: &str,
    ) -> Result<ImageOut, Failure> {
        let descr = if form == ImageForm::LongWords { "<u8" } else { descr };
        let header =
            |units| NpyHeader { descr: descr.into(), shape: image_shape(program, form, units) };
        if !path.as_os_str().to_string_lossy().ends_with('/') && !path.is_dir() {
            let mut out = Output::new(Some(path))?;
            header(true).write(&mut out).map_err(|error| out.failed(error))?;
            return Ok(ImageOut::File(out));
        }
        if path.exists() {
            let why = format!("{}: there is such a directory already", path.display());
            return Err(Failure::Argument(why));
        }
        let levels = unit_levels(program)?;
        let make = |builder: &tempfile::Builder<'_, '_>, parent: &Path| builder.tempdir_in(parent);
        let (dir, guard) = unfinished(path, make, tempfile::TempDir::path)?;
        let units = Units::new(levels, header(false), width(descr).unwrap_or(8));
        Ok(ImageOut::Dir { dir, guard, path: path.into(), units })
    }

    pub(super) fn finish(
        self,
        written: Result<(), WriteError>,
        source: &Path,
    ) -> Result<(), Failure> {
        match self {
            ImageOut::File(out) => done_from(written, out, source),
            ImageOut::Dir { dir, path, guard: _guard, .. } => {
                let failed = |error| Failure::Io(path.display().to_string(), error);
                match written {
                    Ok(()) => publish(dir, &path).map_err(failed),
                    Err(WriteError::Io(error)) => Err(failed(error)),
                    Err(WriteError::Read(error)) => {
                        Err(Failure::Io(source.display().to_string(), error))
                    }
                    Err(WriteError::Layout(error)) => Err(error.into()),
                    Err(error) => Err(Failure::Argument(error.to_string())),
                }
            }
        }
    }
}

/// Gives a complete directory its name, and the mode of any new directory.
fn publish(dir: tempfile::TempDir, path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755))?;
    }
    std::fs::rename(dir.path(), path)?;
    // It is not there any more under its old name.
    let _ = dir.keep();
    Ok(())
}

impl Write for ImageOut {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (dir, units) = match self {
            ImageOut::File(out) => return out.write(bytes),
            ImageOut::Dir { dir, units, .. } => (dir, units),
        };
        let (unit, _, left) = units.place();
        if units.open.as_ref().is_none_or(|(open, _)| *open != unit) {
            let path = units.path(dir.path(), unit);
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            let mut file = File::create(path)?;
            units.header.write(&mut file)?;
            units.open = Some((unit, file));
        }
        let Some((_, file)) = &mut units.open else { return Ok(0) };
        let count = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let written = file.write(&bytes[..count])?;
        units.at += u64::try_from(written).unwrap_or(0);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            ImageOut::File(out) => out.flush(),
            ImageOut::Dir { units, .. } => units.open.as_mut().map_or(Ok(()), |(_, f)| f.flush()),
        }
    }
}

/// Where an image comes from.
pub(super) struct ImageIn {
    pub(super) descr: String,
    kind: ImageKind,
}

enum ImageKind {
    File(Npy),
    /// The directory, and its files with the place where their data begins.
    Dir {
        dir: PathBuf,
        units: Units<(File, u64)>,
    },
}

impl ImageIn {
    pub(super) fn open(path: &Path, program: &Program) -> Result<ImageIn, Failure> {
        if !path.is_dir() {
            let npy = Npy::open(path)?;
            return Ok(ImageIn { descr: npy.header.descr.clone(), kind: ImageKind::File(npy) });
        }
        let levels = unit_levels(program)?;
        let zeros: Vec<(Level, u64)> = levels.iter().map(|(level, _)| (*level, 0)).collect();
        let first = Npy::open(&path.join(unit_path(&zeros)))?;
        let (descr, header) = (first.header.descr.clone(), first.header.clone());
        let units = Units::new(levels, header, first.width);
        if let Some(beyond) = units.beyond(path) {
            let why = format!("{}: this unit does not exist in the layout", beyond.display());
            return Err(Failure::Argument(why));
        }
        Ok(ImageIn { descr, kind: ImageKind::Dir { dir: path.into(), units } })
    }

    pub(super) fn check(
        &self,
        program: &Program,
        form: ImageForm,
        width: u64,
    ) -> Result<(), Failure> {
        let (found, units) = match &self.kind {
            ImageKind::File(npy) => (&npy.header, true),
            ImageKind::Dir { units, .. } => (&units.header, false),
        };
        let shape = image_shape(program, form, units);
        let expected = if form == ImageForm::LongWords { 8 } else { width };
        if found.shape != shape || self::width(&found.descr) != Some(expected) {
            return Err(Failure::Argument(format!(
                "the image has entries `{}` and the shape {:?}, but this layout makes entries of \
                 {expected} bytes and the shape {shape:?}",
                found.descr, found.shape
            )));
        }
        Ok(())
    }
}

impl Read for ImageIn {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (dir, units) = match &mut self.kind {
            ImageKind::File(npy) => return npy.file.read(buffer),
            ImageKind::Dir { dir, units } => (dir, units),
        };
        let (unit, before, left) = units.place();
        if units.open.as_ref().is_none_or(|(open, _)| *open != unit) {
            let path = units.path(dir, unit);
            let named = |error: io::Error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            };
            let mut file = File::open(&path).map_err(named)?;
            if NpyHeader::read(&mut file).map_err(named)? != units.header {
                return Err(named(io::Error::other("not the shape of the other units")));
            }
            let data = file.stream_position()?;
            units.open = Some((unit, (file, data)));
        }
        let Some((_, (file, data))) = &mut units.open else { return Ok(0) };
        file.seek(SeekFrom::Start(*data + before))?;
        let count = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = file.read(&mut buffer[..count])?;
        units.at += u64::try_from(read).unwrap_or(0);
        Ok(read)
    }
}

impl Seek for ImageIn {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match (&mut self.kind, to) {
            (ImageKind::File(npy), to) => npy.file.seek(to),
            (ImageKind::Dir { units, .. }, SeekFrom::Start(at)) => {
                units.at = at;
                Ok(at)
            }
            (ImageKind::Dir { units, .. }, SeekFrom::Current(0)) => Ok(units.at),
            _ => Err(io::Error::from(io::ErrorKind::Unsupported)),
        }
    }
}
