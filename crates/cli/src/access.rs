//! `access`: bank conflicts and sectors.

use clap::Args as ClapArgs;
use serde_json::{Value, json};
use tensor_layout::access::{self, Access as Cost, SwizzledAccess};
use tensor_layout::internals::{counted, percent};

use super::failure::Failure;
use super::input::{Form, Reading};
use super::output::print;

/// Count bank conflicts and sectors of an access by GPU threads.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
MEMORY is the layout of the tensor in shared or global memory; it lands in Addr
alone. HOLDERS says which lane and register hold each element: LANE is the lane
of a warp (at most 32), Addr the register, any other level a warp. Registers are
taken in vectors as long as the memory allows, up to 16 bytes; address 0 is
aligned to 128 bytes.
Shared memory has 32 banks of 4 bytes. That vectors of 8 and 16 bytes are served
in halves and quarters of a warp is how the hardware is generally described; it
was not measured here.
JSON: {\"vector_bytes\":..,\"requests\":..,\"wavefronts\":..,\"ideal_wavefronts\":..,
\"sectors\":..,\"lines\":..,\"bytes\":..,\"efficiency\":..,\"worst\":..,\"swizzles\":[..]}

Examples:
  tensor-layout access '(8,32):(64,1)' '((8_LANE:1), (4_LANE:8, 8:1))' --bits 16
  tensor-layout access 'S<3,3,3> o 0 o (8,32):(64,1)' \\
    '((8_LANE:1), (4_LANE:8, 8:1))' --bits 16")]
pub(super) struct Access {
    /// Where the tensor is in memory, or - for standard input.
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// Which lanes and registers hold it.
    #[arg(value_name = "HOLDERS")]
    holders: String,
    /// The width of an element.
    #[arg(long, value_name = "BITS", default_value_t = 32, help_heading = "Access")]
    bits: u64,
    /// Do not look for swizzles without conflicts.
    #[arg(long, help_heading = "Access")]
    as_is: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    form: Form,
}

impl Access {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (memory, holders) = self.reading.read_two(&self.memory, &self.holders)?;
        let (layout, holders) = (memory.lower()?, holders.lower()?);
        let cost = access::access(&layout, &holders, self.bits)?;
        let swizzles = match self.as_is || cost.conflicts() == 0 {
            true => Vec::new(),
            false => access::swizzles(&layout, &holders, self.bits)?,
        };
        match self.form.is_json() {
            true => print(&access_json(&cost, &swizzles).to_string()),
            false => print(&page(&cost, &swizzles)),
        }
    }
}

/// How many swizzles a page shows.
const MOST_SHOWN: usize = 4;

/// What an access costs, and what would make it cheaper.
fn page(cost: &Cost, swizzles: &[SwizzledAccess]) -> String {
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
    let used = percent(cost.distinct_bytes, 32 * cost.sectors);
    page.push_str(&format!(
        "global   {} of 32 bytes in {}, {used} used\n",
        counted(cost.sectors, "sector"),
        counted(cost.lines, "line"),
    ));
    page + &advice(swizzles)
}

fn advice(swizzles: &[SwizzledAccess]) -> String {
    let better = swizzles.iter().filter_map(|found| Some((found.swizzle?, &found.access)));
    let lines: Vec<String> = better
        .take(MOST_SHOWN)
        .map(|(swizzle, cost)| format!("  {swizzle}  {}\n", counted(cost.wavefronts, "wavefront")))
        .collect();
    match (swizzles.is_empty(), lines.is_empty()) {
        (true, _) => String::new(),
        (false, true) => "\nno swizzle of up to 5 bits takes fewer\n".into(),
        (false, false) => {
            let more = swizzles.len().saturating_sub(MOST_SHOWN);
            let more = if more > 0 { format!("  and {more} more\n") } else { String::new() };
            format!("\nbest swizzles of the memory, in elements:\n{}{more}", lines.concat())
        }
    }
}

fn access_json(cost: &Cost, swizzles: &[SwizzledAccess]) -> Value {
    let better = swizzles.iter().filter_map(|found| Some((found.swizzle?, &found.access)));
    let better: Vec<Value> = better
        .map(|(swizzle, cost)| {
            json!({ "swizzle": swizzle.to_string(), "wavefronts": cost.wavefronts })
        })
        .collect();
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
        "efficiency": cost.efficiency(), "worst": worst, "swizzles": better,
    })
}
