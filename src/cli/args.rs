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
or - to read it from standard input.

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
  tensor-layout explain '((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1))' --machine mn-core-2")]
    Explain(Explain),
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

/// A layout and where it is placed.
#[derive(Debug, ClapArgs)]
pub(super) struct Place {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    pub(super) layout: String,
    /// How to read LAYOUT, if not by its look.
    #[arg(long, value_enum)]
    pub(super) from: Option<Notation>,
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
pub(super) enum Notation {
    /// TensorLayout / PadLayout.
    PadLayout,
}
