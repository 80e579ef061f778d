//! What the command line accepts, and what `--help` teaches.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// Says where every element of a tensor lives.
#[derive(Debug, Parser)]
#[command(
    name = "tensor-layout",
    version,
    about,
    max_term_width = 80,
    after_help = "\
A LAYOUT is PadLayout text such as '((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))',
an XLA shape such as 'bf16[8,128]{1,0:T(8,128)(2,1)}', or - to read either from
standard input.

Exit codes: 0 done; 2 bad input, with the reason on stderr and nothing on stdout.

Examples:
  tensor-layout explain '(10,7)/((3:7, 4_PE), (7:1))'
  tensor-layout locate '((12:8), (8:1))' 3,5 --machine mn-core --json
  tensor-layout table '((4_PE, 3:8), (8:1))' --at PE=2"
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print where every element lives, one row per element and copy, sorted by place.
    #[command(after_help = "\
Columns: Time (if used), the levels of the machine from the root down (without a
machine: those that the layout names), Addr, W (if used), then the index i0,i1,..

Examples:
  tensor-layout table '((4_PE, 3:8), (8:1))'
  tensor-layout table '(10,7)/((3:7, 4_PE), (7:1))' --padding --at PE=3
  tensor-layout table '((12:8), (8:1))' --machine PE=4 --format jsonl -o table.jsonl")]
    Table(Table),
    /// Print where one element lives: its first copy.
    #[command(after_help = "\
JSON: {\"index\":[100,37],\"location\":{\"L2B\":1,..,\"Addr\":33},\"copies\":1,\"replicated\":[]}

Example:
  tensor-layout locate '((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))' 100,37")]
    Locate(Locate),
    /// Print which element lives at a place, or why there is none.
    #[command(after_help = "\
Levels left out of the place must be replicated ones.
JSON: {\"location\":{..},\"index\":[100,37]}, or \"index\":null with
\"why\":\"padding\", \"hole\" or \"outside\".

Example:
  tensor-layout element '(10,7)/((3:7, 4_PE), (7:1))' PE=3,Addr=14")]
    Element(Element),
    /// Explain a layout: axes, digits, levels, padding, footprint, replication.
    #[command(after_help = "\
Example:
  tensor-layout explain '((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1))' --machine mn-core-2
  tensor-layout explain 's32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}'")]
    Explain(Explain),
    /// Say the same in another notation.
    #[command(after_help = "\
Where the other notation can say the map but not the span, the map is printed and
stderr says so. Where it cannot say the map, that is an error.

Examples:
  tensor-layout convert 'f32[3,5]{1,0:T(2,2)}' --to pad-layout
  tensor-layout convert '(3,5)/((2:12, 2:2), (3:4, 2:1))' --to xla --dtype bf16
  tensor-layout convert 'F32[3,5]{1,0:T(2,2)}' --to xla --lenient")]
    Convert(Convert),
    /// Report the shapes of an XLA compiler dump, those that waste most first.
    #[command(after_help = "\
Bytes are of one occurrence; totals count all of them.
JSON: {\"shapes\":[{\"shape\":..,\"count\":..,\"unpadded_bytes\":..,
\"allocated_bytes\":..,\"waste_bytes\":..},..],\"totals\":{..},\"unread_lines\":[..]}

Example:
  tensor-layout hlo module_0001.after_optimizations.txt --top 10")]
    Hlo(Hlo),
}

#[derive(Debug, ClapArgs)]
pub(super) struct Table {
    #[command(flatten)]
    pub(super) place: Place,
    /// Only this unit or subtree, such as L2B=0,L1B=3.
    #[arg(long, value_name = "LEVEL=N,..")]
    pub(super) at: Option<String>,
    /// Also print the slots that hold no element, with empty index cells.
    #[arg(long)]
    pub(super) padding: bool,
    /// The form of the table.
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: TableFormat,
    /// Write to a file, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum TableFormat {
    /// A header, then one line per row.
    #[default]
    Csv,
    /// One JSON object per row.
    Jsonl,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Locate {
    #[command(flatten)]
    pub(super) place: Place,
    /// The index: one entry per axis, such as 100,37; '' for rank 0.
    #[arg(value_name = "I,J,..")]
    pub(super) index: String,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Element {
    #[command(flatten)]
    pub(super) place: Place,
    /// The place, such as L2B=1,PE=0,Addr=33.
    #[arg(value_name = "LEVEL=N,..")]
    pub(super) location: String,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Explain {
    #[command(flatten)]
    pub(super) place: Place,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Convert {
    #[command(flatten)]
    pub(super) source: Source,
    /// The notation to write.
    #[arg(long, value_enum)]
    pub(super) to: NotationArg,
    /// The element type of an XLA shape made from another notation.
    #[arg(long, value_name = "DTYPE", default_value = "f32")]
    pub(super) dtype: String,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Hlo {
    /// The dump, or - for standard input.
    #[arg(value_name = "FILE")]
    pub(super) file: String,
    /// Print JSON.
    #[arg(long, conflicts_with = "csv")]
    pub(super) json: bool,
    /// Print CSV.
    #[arg(long)]
    pub(super) csv: bool,
    /// Only the N worst shapes (a page for a person has 20).
    #[arg(long, value_name = "N")]
    pub(super) top: Option<usize>,
    /// Refuse a dump with a line that cannot be read.
    #[arg(long)]
    pub(super) strict: bool,
}

/// A layout in some notation.
#[derive(Debug, ClapArgs)]
pub(super) struct Source {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    pub(super) layout: String,
    /// How to read LAYOUT, if not by its look.
    #[arg(long, value_enum)]
    pub(super) from: Option<NotationArg>,
    /// Take XLA shapes as people write them: F32, ∗, attributes in any order.
    #[arg(long)]
    pub(super) lenient: bool,
}

/// A layout and where it is placed.
#[derive(Debug, ClapArgs)]
pub(super) struct Place {
    #[command(flatten)]
    pub(super) source: Source,
    /// mn-core, mn-core-2, levels such as L2B=4,PE=4, or a TOML file.
    #[arg(long, value_name = "MACHINE")]
    pub(super) machine: Option<String>,
    /// The memory, whose capacity is checked: LM0, LM1, DRAM, ..
    #[arg(long, value_name = "NAME")]
    pub(super) memory: Option<String>,
    /// The type of the elements: Float, Int, UInt, Long, ULong, Double, Half, Byte, UByte.
    #[arg(long, value_name = "DTYPE")]
    pub(super) dtype: Option<String>,
    /// The logical extents, where LAYOUT does not say them: 151936,1536.
    #[arg(long, value_name = "N,M,..")]
    pub(super) shape: Option<String>,
    /// The address of the first long word.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) base: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum NotationArg {
    /// TensorLayout / PadLayout.
    PadLayout,
    /// XLA shapes.
    Xla,
}
