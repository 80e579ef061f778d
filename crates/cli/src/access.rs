//! `access`: bank conflicts and sectors.

use clap::Args as ClapArgs;
use itertools::Itertools;
use serde_json::{Value, json};
use tensor_layout::LayoutError;
use tensor_layout::access::{self, Access, AddressChange, ChangedAccess};
use tensor_layout::internals::{counted, percent};
use tensor_layout::{Layout, LayoutText};

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
        print_as(self.form, || access_json(&cost, &better), || page(&cost, &better))
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

/// The most changes of each kind that a page shows.
const MOST_SHOWN: usize = 4;

/// The cost of an access, and the changes that lower it: swizzles, then paddings.
#[must_use]
pub fn page(cost: &Access, better: &[Vec<ChangedAccess>; 2]) -> String {
    let requests = counted(cost.requests, "request");
    let mut page = format!(
        "vectors  {} a lane, {requests}\nshared   {}, {} without conflicts\n",
        counted(cost.vector_bytes, "byte"),
        counted(cost.wavefronts, "wavefront"),
        cost.ideal_wavefronts,
    );
    if let Some(worst) = cost.worst.as_ref().filter(|_| cost.conflicts() > 0) {
        let first =
            worst.addresses.iter().take(4).map(u64::to_string).collect::<Vec<_>>().join(" ");
        let more = if worst.addresses.len() > 4 { " .." } else { "" };
        let warp = match worst.warp.iter().len() {
            0 => String::new(),
            _ => format!("{}, ", worst.warp),
        };
        page.push_str(&format!(
            "         worst: {warp}vector {}: {} for the bytes at {first}{more}\n",
            worst.vector,
            counted(worst.wavefronts, "wavefront"),
        ));
    }
    let used = match cost.sectors {
        0 => String::new(),
        sectors => format!(", {} used", percent(cost.distinct_bytes, 32 * sectors)),
    };
    page.push_str(&format!(
        "global   {} of 32 bytes in {}{used}\n",
        counted(cost.sectors, "sector"),
        counted(cost.lines, "line"),
    ));
    let [swizzles, paddings] = better;
    page + &advice("swizzle", swizzles) + &advice("padding", paddings)
}

/// The best changes of one kind.
fn advice(kind: &str, found: &[ChangedAccess]) -> String {
    if found.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = changes(found).take(MOST_SHOWN).map(line).collect();
    if lines.is_empty() {
        return format!("\nno {kind} takes fewer wavefronts\n");
    }
    let more = found.len().saturating_sub(MOST_SHOWN);
    let more = if more > 0 { format!("  and {more} more\n") } else { String::new() };
    format!("\nbest {kind}s of the memory, in elements:\n{}{more}", lines.concat())
}

fn changes(found: &[ChangedAccess]) -> impl Iterator<Item = (AddressChange, &ChangedAccess)> {
    found.iter().filter_map(|found| Some((found.change?, found)))
}

/// A change and its cost, which for padding includes memory.
fn line((change, found): (AddressChange, &ChangedAccess)) -> String {
    let wavefronts = counted(found.access.wavefronts, "wavefront");
    match change {
        AddressChange::Padding { .. } => {
            let memory = counted(found.extent, "element");
            let layout =
                found.memory.to_cute().map_or_else(|_| String::new(), |cute| format!(": {cute}"));
            format!("  {change}  {wavefronts}, {memory} of memory{layout}\n")
        }
        _ => format!("  {change}  {wavefronts}\n"),
    }
}

fn access_json(cost: &Access, better: &[Vec<ChangedAccess>; 2]) -> Value {
    let [swizzles, paddings] = better;
    let swizzles = changes(swizzles).map(|(change, found)| {
        json!({ "swizzle": change.to_string(), "wavefronts": found.access.wavefronts })
    });
    let paddings = changes(paddings).map(|(change, found)| {
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
