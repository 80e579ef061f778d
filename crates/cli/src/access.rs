//! `access`: bank conflicts and sectors.

use clap::Args as ClapArgs;
use itertools::Itertools;
use serde_json::{Value, json};
use tensor_layout::LayoutError;
use tensor_layout::{Layout, LayoutText};
use tensor_layout_access::{self as access, Access, ChangedAccess, Gpu, Instruction};
use tensor_layout_show::pages;

use super::failure::Failure;
use super::input::{Form, Reading};
use super::output::print_as;

/// Count the bank conflicts and sectors of a memory access by GPU threads.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
MEMORY is the layout of the tensor in shared or global memory; it may use only
Addr. HOLDERS says which lane and register hold each element: LANE is the lane
of a warp, Addr the register, any other level a warp. Registers are grouped into
vectors as long as the memory allows, up to 16 bytes; address 0 is in bank 0 and
begins a line of 128 bytes.
Shared memory has 32 banks of 4 bytes. As the hardware is generally described,
NVIDIA's serves vectors of 8 and 16 bytes by half-warp and quarter-warp; this
was not measured here. For AMD's, give the target by --gpu; the lanes that are
served together are those that others measured, and loads of gfx950 have 64
banks.
JSON: {\"gpu\":..,\"store\":..,\"repeats\":[..],\"vector_bytes\":..,\"requests\":..,
\"wavefronts\":..,\"ideal_wavefronts\":..,\"sectors\":..,\"lines\":..,\"bytes\":..,
\"distinct_bytes\":..,\"efficiency\":..,\"worst\":..,\"stored_by\":..,\"swizzles\":[..],
\"paddings\":[..]}

Examples:
  tensor-layout access '(8,32):(64,1)' '((8_LANE:1), (4_LANE:8, 8:1))' --bits 16
  tensor-layout access '(64,64):(64,1)' SM75_U32x4_LDSM_N:S --bits 16 \\
    --stored-by '((4:16, 4_WARP:4, 4_LANE:8), (8_LANE:1, 8:1))'")]
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
    /// The GPU: nvidia, gfx942 (MI300), gfx950 (MI350), gfx1100 (RDNA 3) or gfx1201 (RDNA 4).
    #[arg(long, value_name = "GPU", help_heading = "Access", default_value = "nvidia")]
    gpu: String,
    /// Count stores to the memory, which AMD serves differently from loads.
    #[arg(long, help_heading = "Access")]
    store: bool,
    /// The holders that store what HOLDERS load: changes of the memory are those that are best for both.
    #[arg(long, value_name = "HOLDERS", help_heading = "Access", conflicts_with = "store")]
    stored_by: Option<String>,
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
        let stored_by =
            self.stored_by.as_ref().map(|text| self.reading.read_operand(text)).transpose()?;
        let bits = self.width([&memory, &holders].into_iter().chain(&stored_by))?;
        let (layout, holders) = (memory.lower()?, holders.lower()?);
        let stored_by = stored_by.map(|text| text.lower()).transpose()?;
        let own = self.instruction()?;
        let stores = stored_by.iter().map(|holders| (holders, Instruction::store(own.gpu)));
        let accesses = stores.chain([(&holders, own)]).collect_vec();
        let cost =
            |(holders, own): &(&Layout, Instruction)| access::access(&layout, holders, bits, *own);
        let costs: Vec<Access> = accesses.iter().map(cost).try_collect()?;
        let is_best = costs.iter().all(|cost| cost.conflicts() == 0);
        let search = |changes: Search| match self.as_is || is_best {
            true => Ok(Vec::new()),
            false => changes(&layout, &accesses, bits),
        };
        let better = [search(access::swizzles)?, search(access::paddings)?];
        print_as(self.form, || access_json(&costs, &better), || pages::access(&costs, &better))
    }

    fn instruction(&self) -> Result<Instruction, Failure> {
        match (self.gpu.parse()?, self.store) {
            (Gpu::Nvidia, true) => Err(Failure::Argument(
                "--store has no effect: NVIDIA serves loads and stores alike; for AMD, give --gpu"
                    .into(),
            )),
            (gpu, true) => Ok(Instruction::store(gpu)),
            (gpu, false) => Ok(Instruction::load(gpu)),
        }
    }

    /// The element width, on which the option and the types in the texts agree.
    fn width<'t>(&self, texts: impl Iterator<Item = &'t LayoutText>) -> Result<u64, Failure> {
        let given = self.bits.into_iter().chain(texts.filter_map(LayoutText::element_bits));
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

type Search =
    fn(&Layout, &[(&Layout, Instruction)], u64) -> Result<Vec<ChangedAccess>, LayoutError>;

/// The keys of the access of HOLDERS, the last one; the stores before it are one of them.
fn access_json(costs: &[Access], better: &[Vec<ChangedAccess>; 2]) -> Value {
    let Some((own, stores)) = costs.split_last() else { return Value::Null };
    let [swizzles, paddings] = better;
    let swizzles = pages::changes(swizzles).map(|(change, found)| {
        let wavefronts = found.wavefronts();
        json!({ "swizzle": change.to_string(), "wavefronts": wavefronts, "each": each(found) })
    });
    let paddings = pages::changes(paddings).map(|(change, found)| {
        json!({
            "padding": change.to_string(), "wavefronts": found.wavefronts(), "each": each(found),
            "extent": found.extent,
        })
    });
    let mut value = cost_json(own);
    value["stored_by"] = stores.first().map_or(Value::Null, cost_json);
    value["swizzles"] = swizzles.collect();
    value["paddings"] = paddings.collect();
    value
}

/// The wavefronts of each access.
fn each(found: &ChangedAccess) -> Vec<u64> {
    found.accesses.iter().map(|access| access.wavefronts).collect()
}

fn cost_json(cost: &Access) -> Value {
    let worst = cost.worst.as_ref().map(|worst| {
        json!({
            "warp": worst.warp.to_string(), "vector": worst.vector,
            "wavefronts": worst.wavefronts, "addresses": worst.addresses,
        })
    });
    json!({
        "gpu": cost.instruction.gpu.name(), "store": cost.instruction.is_store, "repeats": cost.repeats,
        "vector_bytes": cost.vector_bytes, "requests": cost.requests, "bytes": cost.bytes,
        "wavefronts": cost.wavefronts, "ideal_wavefronts": cost.ideal_wavefronts,
        "sectors": cost.sectors, "lines": cost.lines, "distinct_bytes": cost.distinct_bytes,
        "efficiency": cost.efficiency(), "worst": worst,
    })
}
