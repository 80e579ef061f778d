//! `pack`: moves a tensor into the memory of every unit.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use tensor_layout::image::Lane;

use super::failure::Failure;
use super::image::{ImageOut, Npy, form, note_format};
use super::input::count;
use super::placing::Place;
use super::slips::check_order;

/// Arrange a tensor as an image of every unit's memory.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The tensor is a .npy file in C order with the shape of LAYOUT. FILE is a .npy
file with one cell per place: units row-major, then Addr, then W. A DIR (an -o
that ends in /) gets a file per unit, such as L2B=0/L1B=3/MAB=0/PE=1.npy. With
--dtype (or a suffix such as @LM0 / Half) on a machine, the image is in long
words, lane 0 most significant. Memory use does not grow with the tensor.

Examples:
  tensor-layout pack w.npy '((4_PE, 3:8), (8:1))' -o image.npy
  tensor-layout pack w.npy '((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))' \\
    --machine mn-core -o image/")]
pub(super) struct Pack {
    /// The tensor, as a .npy file.
    #[arg(value_name = "TENSOR.npy")]
    tensor: PathBuf,
    #[command(flatten)]
    place: Place,
    /// Write to a file or, if it ends in /, to a directory; it appears only when it is complete.
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    output: PathBuf,
    /// The bits to write to padding and holes.
    #[arg(long, value_name = "BITS", default_value_t = 0, value_parser = count::<u64>, help_heading = "Output")]
    fill: u64,
}

impl Pack {
    pub(super) fn run(&self) -> Result<(), Failure> {
        check_order(&self.tensor, "the tensor")?;
        let (program, of) = self.place.program()?;
        let mut tensor = Npy::open(&self.tensor)?;
        let shape: Vec<u64> = program.ranges().iter().map(|range| range.end).collect();
        tensor.check_shape(&shape, "the layout")?;
        let form = form(of, tensor.width)?;
        note_format(&self.output);
        let mut image = ImageOut::new(&self.output, &program, form, &tensor.header.descr)?;
        let file = &mut tensor.file;
        let written = match tensor.width {
            1 => program.pack_stream::<u8>(file, &mut image, narrow(self.fill)?, form),
            2 => program.pack_stream::<u16>(file, &mut image, narrow(self.fill)?, form),
            4 => program.pack_stream::<u32>(file, &mut image, narrow(self.fill)?, form),
            _ => program.pack_stream::<u64>(file, &mut image, self.fill, form),
        };
        image.finish(written, &self.tensor)
    }
}

fn narrow<T: TryFrom<u64> + Lane>(fill: u64) -> Result<T, Failure> {
    let too_wide = || Failure::Argument(format!("--fill: {fill} needs more than {} bits", T::BITS));
    T::try_from(fill).map_err(|_| too_wide())
}
