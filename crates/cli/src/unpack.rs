//! `unpack`: moves the memory of every unit back into a tensor.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use tensor_layout::error::WriteError;
use tensor_layout_npy::NpyHeader;

use super::failure::Failure;
use super::image::{ImageIn, WORD_BITS, WordImage, form, note_format};
use super::output::{Output, done};
use super::placing::Place;
use super::slips::check_order;

/// Restore a tensor from an image of every unit's memory: the inverse of pack.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
IMAGE is a FILE or DIR that `pack` wrote, with the same LAYOUT and options.

Example:
  tensor-layout unpack image.npy '((4_PE, 3:8), (8:1))' -o w.npy")]
pub(super) struct Unpack {
    /// The image that `pack` wrote.
    #[arg(value_name = "IMAGE")]
    source: PathBuf,
    #[command(flatten)]
    place: Place,
    /// Write to a file, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,
    /// The element type of the tensor, such as <f4, if IMAGE holds long words; the default is an
    /// unsigned integer as wide as a lane, so a float array needs this option.
    #[arg(long, value_name = "DESCR", help_heading = "Output")]
    descr: Option<String>,
}

impl Unpack {
    pub(super) fn run(&self) -> Result<(), Failure> {
        check_order(&self.source, "the image")?;
        let (program, of) = self.place.program()?;
        let mut image = ImageIn::open(&self.source, &program)?;
        let descr = self.descr.clone().unwrap_or_else(|| match of.words {
            // Lanes without a named type are raw bits.
            Some(WordImage { lanes, bits: WORD_BITS })
                if image.header.descr == "<u8" && lanes > 1 =>
            {
                lane_descr(lanes)
            }
            _ => image.header.descr.clone(),
        });
        let shape = program.ranges().iter().map(|range| range.end).collect();
        let header = NpyHeader { descr, shape };
        let width = header.entry_bytes().ok_or_else(|| {
            Failure::Argument(format!("--descr: `{}` is not a plain type", header.descr))
        })?;
        let form = form(of, width)?;
        image.check(&program, form, &header.descr)?;
        note_format(&self.output);
        let mut out = Output::new(Some(&self.output))?;
        let header = header.write(&mut out);
        let written = header.map_err(WriteError::from).and_then(|()| match width {
            1 => program.unpack_stream::<u8>(&mut image.source, &mut out, form),
            2 => program.unpack_stream::<u16>(&mut image.source, &mut out, form),
            4 => program.unpack_stream::<u32>(&mut image.source, &mut out, form),
            _ => program.unpack_stream::<u64>(&mut image.source, &mut out, form),
        });
        done(written, out, Some(&self.source))
    }
}

fn lane_descr(lanes: u64) -> String {
    match 8 / lanes {
        1 => "|u1".into(),
        width => format!("<u{width}"),
    }
}
