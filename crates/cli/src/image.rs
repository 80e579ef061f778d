//! Parts shared by `pack` and `unpack`: `.npy` files, and directories with a file per unit.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use itertools::Either;
use tensor_layout::Level;
use tensor_layout::error::WriteError;
use tensor_layout::image::ImageForm;
use tensor_layout::program::Program;
use tensor_layout_npy::{NpyHeader, UnitReader, UnitWriter};
use tensor_layout_words::cut;

use super::failure::{Failure, note};
use super::files::Files;
use super::output::{Output, done, extension_of, not_written};
use super::placing::{Place, PlacementSource};

impl Place {
    /// The compiled layout, and the type of its elements.
    pub(super) fn program(&self) -> Result<(Program, ImageType), Failure> {
        let PlacementSource { placement, syntax } = self.placement()?;
        let program = placement.program()?;
        let column = program.columns().find(|(level, _)| *level == Level::W);
        let lanes = placement.lanes().filter(|lanes| *lanes == column.map_or(1, |(_, size)| size));
        let lanes = lanes.filter(|_| placement.machine().is_some());
        let bits = placement.word_bits();
        let words = lanes.map(|lanes| WordImage { lanes, bits });
        let element_bits = placement.element_bits().or_else(|| syntax.element_bits());
        Ok((program, ImageType { element_bits, words }))
    }
}

/// Says that a file is an array where its name ends as that of another format.
pub(super) fn note_format(file: &Path) {
    let ending = extension_of(file);
    if !matches!(&*ending, "" | "npy") {
        note(&format!("a file that ends in .{ending} is written as .npy"));
    }
}

/// The bits of a long word in a file.
pub(super) const WORD_BITS: u64 = 64;

/// The long words of an image: their lanes and the bits of each.
#[derive(Clone, Copy)]
pub(super) struct WordImage {
    pub(super) lanes: u64,
    pub(super) bits: u64,
}

/// The type of the elements of an image.
#[derive(Clone, Copy)]
pub(super) struct ImageType {
    /// The bits of the type that was given, if there was one.
    element_bits: Option<u64>,
    /// The long words that the elements are in, on a machine.
    pub(super) words: Option<WordImage>,
}

/// Long words if the lanes are known; the elements must then be as wide as a lane, and always as the type.
pub(super) fn form(of: ImageType, width: u64) -> Result<ImageForm, Failure> {
    let Some(WordImage { lanes, bits }) = of.words else {
        // An array has a byte for an element of less.
        return match of.element_bits.filter(|bits| bits.div_ceil(8) != width) {
            None => Ok(ImageForm::Cells),
            Some(bits) => Err(Failure::Argument(format!(
                "the tensor has elements of {} bits, but the type of the layout has {bits}",
                width * 8
            ))),
        };
    };
    if lanes * width * 8 != bits {
        return Err(Failure::Argument(format!(
            "the tensor has elements of {} bits, but the layout has {lanes} lanes of {} bits",
            width * 8,
            bits / lanes
        )));
    }
    match (bits, lanes) {
        (WORD_BITS, _) => Ok(ImageForm::LongWords),
        (_, 1) => Ok(ImageForm::Cells),
        _ => Err(Failure::Advised(
            format!(
                "files hold long words of {WORD_BITS} bits, but those of the machine have {bits}"
            ),
            "leave out the type of the layout: every lane is an entry then".into(),
        )),
    }
}

/// An array on disk, positioned at its data.
pub(super) struct Npy {
    pub(super) file: File,
    pub(super) header: NpyHeader,
    pub(super) width: u64,
    path: PathBuf,
}

impl Npy {
    pub(super) fn open(path: &Path) -> Result<Npy, Failure> {
        let failed = |error| Failure::Io(path.display().to_string(), error);
        let is_pipe = path == Path::new("-")
            || path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
        if is_pipe {
            let why = format!("{} is not a file that can be read in any order", path.display());
            return Err(Failure::Advised(why, "write the array to a .npy file first".into()));
        }
        let mut file = File::open(path).map_err(failed)?;
        let header = NpyHeader::read(&mut file).map_err(failed)?;
        let width = header.entry_bytes().ok_or_else(|| {
            Failure::Argument(format!(
                "{}: entries are `{}`; expected little-endian numbers of 1, 2, 4 or 8 bytes, such \
                 as <f4 or <u2",
                path.display(),
                header.descr
            ))
        })?;
        header.check_length(&file).map_err(failed)?;
        Ok(Npy { file, header, width, path: path.into() })
    }

    pub(super) fn check_shape(&self, shape: &[u64], what: &str) -> Result<(), Failure> {
        if self.header.shape == shape {
            return Ok(());
        }
        let [found, wanted] =
            [&self.header.shape, shape].map(|shape| cut(&format!("{shape:?}"), 100));
        let path = self.path.display();
        let why = format!("{path}: the shape is {found}, but that of {what} is {wanted}");
        Err(Failure::Argument(why))
    }
}

/// The target of an image.
pub(super) enum ImageOut {
    File(Output),
    /// A file per unit, in a directory that gets its name when it is complete.
    Dir {
        files: Files,
        path: PathBuf,
        units: UnitWriter,
    },
}

impl ImageOut {
    pub(super) fn new(
        path: &Path,
        program: &Program,
        form: ImageForm,
        descr: &str,
    ) -> Result<ImageOut, Failure> {
        if !path.as_os_str().to_string_lossy().ends_with('/') && !path.is_dir() {
            let mut out = Output::new(Some(path))?;
            let header = NpyHeader::of_image(program, form, descr).write(&mut out);
            header.map_err(|error| out.failed(error))?;
            return Ok(ImageOut::File(out));
        }
        check_absent(path)?;
        let files = Files::new(path)?;
        let header = NpyHeader::of_unit(program, form, descr);
        let units = files.fill(|dir| UnitWriter::new(dir, program, header));
        let units = units.map_err(|error| refused(path, error))?;
        Ok(ImageOut::Dir { files, path: path.into(), units })
    }

    pub(super) fn finish(
        self,
        written: Result<(), WriteError>,
        source: &Path,
    ) -> Result<(), Failure> {
        match self {
            ImageOut::File(out) => done(written, out, Some(source)),
            ImageOut::Dir { files, path, .. } => {
                let failed = |error| Failure::Io(path.display().to_string(), error);
                written.map_err(|error| not_written(error, Some(source), failed))?;
                check_absent(&path)?;
                files.finish()
            }
        }
    }
}

/// The failure for a directory of units whose content is invalid, or that cannot be read.
fn refused(path: &Path, error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            Failure::Argument(error.to_string())
        }
        _ => Failure::Io(path.display().to_string(), error),
    }
}

/// Units of two images must not be in one directory.
fn check_absent(path: &Path) -> Result<(), Failure> {
    match path.exists() {
        false => Ok(()),
        true => Err(Failure::Argument(format!(
            "{} already exists; remove it or choose another name",
            path.display()
        ))),
    }
}

impl Write for ImageOut {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            ImageOut::File(out) => out.write(bytes),
            // This creates files.
            ImageOut::Dir { files, units, .. } => files.fill(|_| units.write(bytes)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            ImageOut::File(out) => out.flush(),
            ImageOut::Dir { units, .. } => units.flush(),
        }
    }
}

/// An image: a file, or a directory with a file per unit.
pub(super) struct ImageIn {
    pub(super) header: NpyHeader,
    pub(super) source: Either<File, UnitReader>,
}

impl ImageIn {
    pub(super) fn open(path: &Path, program: &Program) -> Result<ImageIn, Failure> {
        if !path.is_dir() {
            let Npy { file, header, .. } = Npy::open(path)?;
            return Ok(ImageIn { header, source: Either::Left(file) });
        }
        let units = UnitReader::open(path, program).map_err(|error| refused(path, error))?;
        Ok(ImageIn { header: units.header().clone(), source: Either::Right(units) })
    }

    /// Checks that the image has the shape and the entries that `pack` gives it.
    pub(super) fn check(
        &self,
        program: &Program,
        form: ImageForm,
        descr: &str,
    ) -> Result<(), Failure> {
        let expected = match self.source {
            Either::Left(_) => NpyHeader::of_image(program, form, descr),
            Either::Right(_) => NpyHeader::of_unit(program, form, descr),
        };
        let found = &self.header;
        if found.shape == expected.shape && found.entry_bytes() == expected.entry_bytes() {
            return Ok(());
        }
        let bytes = expected.entry_bytes().unwrap_or(0);
        Err(Failure::Argument(format!(
            "the image has entries `{}` and the shape {:?}, but this layout makes entries of \
             {bytes} bytes and the shape {:?}",
            found.descr, found.shape, expected.shape
        )))
    }
}
