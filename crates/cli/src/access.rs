//! `access`: bank conflicts and sectors.

use clap::Args as ClapArgs;
use itertools::Itertools;
use serde_json::{Value, json};
use tensor_layout::LayoutError;
use tensor_layout::access::{self, Access, ChangedAccess};
use tensor_layout::{Layout, LayoutText};
use tensor_layout_show::pages;

use super::failure::Failure;
use super::input::{Form, Reading};
use super::output::print_as;

/// Count the bank conflicts and sectors of a memory access by GPU threads.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
MEMORY is the layout of the tensor in shared or global memory; it may use only
Addr. HOLDERS says which lane and register hold each element: LANE is the lane
of a warp (at most 32), Addr the register, any other level a warp. Registers are
grouped into vectors as long as the memory allows, up to 16 bytes; address 0 is
aligned to 128 bytes.
Shared memory has 32 banks of 4 bytes. As the hardware is generally described,
it serves vectors of 8 and 16 bytes by half-warp and quarter-warp; this was not
measured here.
JSON: {\"vector_bytes\":..,\"requests\":..,\"wavefronts\":..,\"ideal_wavefronts\":..,
\"sectors\":..,\"lines\":..,\"bytes\":..,\"distinct_bytes\":..,\"efficiency\":..,\"worst\":..,
\"swizzles\":[..],\"paddings\":[..]}

Examples:
  tensor-layout access '(8,32):(64,1)' '((8_LANE:1), (4_LANE:8, 8:1))' --bits 16
  tensor-layout access 'S<3,3,3> o 0 o (8,32):(64,1)' \\
    '((8_LANE:1), (4_LANE:8, 8:1))' --bits 16")]
pub(super) struct AccessArgs {
    /// The layout of the tensor in memory, or - for standard input.
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// The layout of the tensor over lanes and registers.
    #[arg(value_name = "HOLDERS")]
    holders: String,
    /// The element width in bits; by default that of the types in the texts, else 32.
    #[arg(long, value_name = "BITS", help_heading = "Access")]
    bits: Option<u64>,
    /// Do not look for swizzles and padding that reduce conflicts.
    #[arg(long, help_heading = "Access")]
    as_is: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    form: Form,
}

impl AccessArgs {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (memory, holders) = self.reading.read_two(&self.memory, &self.holders)?;
        let bits = self.width([&memory, &holders])?;
        let (layout, holders) = (memory.lower()?, holders.lower()?);
        let cost = access::access(&layout, &holders, bits)?;
        let search = |changes: Search| match self.as_is || cost.conflicts() == 0 {
            true => Ok(Vec::new()),
            false => changes(&layout, &holders, bits),
        };
        let better = [search(access::swizzles)?, search(access::paddings)?];
        print_as(self.form, || access_json(&cost, &better), || pages::access(&cost, &better))
    }

    /// The element width, on which the option and the types in the texts agree.
    fn width(&self, texts: [&LayoutText; 2]) -> Result<u64, Failure> {
        let given =
            self.bits.into_iter().chain(texts.into_iter().filter_map(LayoutText::element_bits));
        match given.unique().collect_vec()[..] {
            [] => Ok(32),
            [bits] => Ok(bits),
            [bits, other, ..] => Err(Failure::Argument(format!(
                "the elements have {bits} bits by {}, but {other} by the type in a text",
                if self.bits.is_some() { "--bits" } else { "the type in MEMORY" },
            ))),
        }
    }
}

type Search = fn(&Layout, &Layout, u64) -> Result<Vec<ChangedAccess>, LayoutError>;

fn access_json(cost: &Access, better: &[Vec<ChangedAccess>; 2]) -> Value {
    let [swizzles, paddings] = better;
    let swizzles = pages::changes(swizzles).map(|(change, found)| {
        json!({ "swizzle": change.to_string(), "wavefronts": found.access.wavefronts })
    });
    let paddings = pages::changes(paddings).map(|(change, found)| {
        json!({
            "padding": change.to_string(), "wavefronts": found.access.wavefronts,
            "extent": found.extent,
        })
    });
    let worst = cost.worst.as_ref().map(|worst| {
        json!({
            "warp": worst.warp.to_string(), "vector": worst.vector,
            "wavefronts": worst.wavefronts, "addresses": worst.addresses,
        })
    });
    json!({
        "vector_bytes": cost.vector_bytes, "requests": cost.requests, "bytes": cost.bytes,
        "wavefronts": cost.wavefronts, "ideal_wavefronts": cost.ideal_wavefronts,
        "sectors": cost.sectors, "lines": cost.lines, "distinct_bytes": cost.distinct_bytes,
        "efficiency": cost.efficiency(), "worst": worst,
        "swizzles": swizzles.collect::<Vec<_>>(), "paddings": paddings.collect::<Vec<_>>(),
    })
}
