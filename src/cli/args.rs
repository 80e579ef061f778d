//! What the command line accepts, and what `--help` teaches.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use tensor_layout::notation::Notation;

/// Says where every element of a tensor lives.
#[derive(Debug, Parser)]
#[command(
    name = "tensor-layout",
    version,
    about,
    max_term_width = 80,
    after_help = "\
A LAYOUT is PadLayout text such as '((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))',
an XLA shape such as 'bf16[8,128]{1,0:T(8,128)(2,1)}', a CuTe layout such as
'((2,2),3):((24,2),8)', strides such as 'shape=(2, 3), strides=(3, 1)', or - to
read one from standard input.

Exit codes: 0 done; 1 not the same; 2 bad input, with the reason on stderr and
nothing on stdout.

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
  tensor-layout table '((12:8), (8:1))' --machine PE=4 --format jsonl -o table.jsonl
  tensor-layout table '((4_PE, 3:8), (8:1))' --format npy-packed -o packed.npy
  tensor-layout table '((4_PE, 3:8), (8:1))' --partition-by PE -o DIR")]
    Table(Table),
    /// Move a tensor into the memory of every unit.
    #[command(after_help = "\
The tensor is a .npy file in C order with the shape of LAYOUT. FILE is a .npy file,
one cell per place: units row-major, then Addr, then W. A DIR (an -o that ends in /)
has a file per unit, such as L2B=0/L1B=3/MAB=0/PE=1.npy. With --dtype (or a suffix
such as @LM0 / Half) on a machine, the image is in long words, lane 0 most
significant. Memory does not grow with the tensor.

Examples:
  tensor-layout pack w.npy '((4_PE, 3:8), (8:1))' -o image.npy
  tensor-layout pack w.npy '((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))' \\
    --machine mn-core -o image/")]
    Pack(Pack),
    /// Move the memory of every unit back into a tensor: the inverse of pack.
    #[command(after_help = "\
IMAGE is a FILE or DIR that `pack` wrote, with the same LAYOUT and options.

Example:
  tensor-layout unpack image.npy '((4_PE, 3:8), (8:1))' -o w.npy")]
    Unpack(Unpack),
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
    /// Draw where the elements go, as SVG or in the terminal.
    #[command(after_help = "\
The tensor as a grid: each cell has its address and the colour of its unit, padding
is hatched, borders nest as the levels of the tree do. Of a large tensor blocks are
drawn, and what is in the first of them. --from machine draws the memories instead.
Two layouts are drawn side by side, with how far each element comes from.

Examples:
  tensor-layout draw '(10,7)/((3:7, 4_PE), (7:1))'
  tensor-layout draw '(10,7)/((3:7, 4_PE), (7:1))' --from machine -o memory.svg
  tensor-layout draw 'bf16[4,8]{1,0:T(2,4)(2,1)}' -o tiles.svg
  tensor-layout draw '((4_PE, 3:8), (8:1))' '((12:2), (4_PE, 2:1))' --machine PE=4")]
    Draw(Draw),
    /// Say the same in another notation.
    #[command(after_help = "\
Where the other notation can say the map but not the span, the map is printed and
stderr says so. Where it cannot say the map, that is an error.

Examples:
  tensor-layout convert 'f32[3,5]{1,0:T(2,2)}' --to pad-layout
  tensor-layout convert '(3,5)/((2:12, 2:2), (3:4, 2:1))' --to xla --dtype bf16
  tensor-layout convert 'F32[3,5]{1,0:T(2,2)}' --to xla --lenient")]
    Convert(Convert),
    /// Tell whether two layouts are the same, and where they differ.
    #[command(after_help = "\
Prints `same` and exits with 0, or a place where they differ and exits with 1.
JSON: {\"same\":true} or {\"same\":false,\"witness\":{..}}

Examples:
  tensor-layout same '(3)/((2:2, 2:1))' '(3)/((4:1))'
  tensor-layout same '((12:8), (8:1))' '((1_PE, 12:8), (8:1))' --serves
  tensor-layout same '((12:1))' '((12:1); B@[4_PE:1])' --copyable --machine PE=4")]
    Same(Same),
    /// Tell what it takes to go from one layout to another on a machine.
    #[command(after_help = "\
Counts are exact, for tensors of any size: of the destination copies by the distance
to the nearest source copy, and of what has to enter the units of each level at
least, whatever the algorithm.
JSON: {\"elements\":..,\"copies\":..,\"by_distance\":{\"in_place\":..,\"address\":..,
\"PE\":..,..},\"into\":{\"PE\":..,..},\"out_of\":{..},\"moves\":[..],\"copies_moved\":[..]}
With --transfers, a line per run: what moves from where to where.

Examples:
  tensor-layout relayout '((4_PE, 3:8), (8:1))' '((12:2), (4_PE, 2:1))' \\
    --machine PE=4
  tensor-layout relayout '((1_PE, 4:1))' '((4:1))' --machine PE=4 --transfers")]
    Relayout(Relayout),
    /// Change a layout, step by step in the order given, and print the new one.
    #[command(after_help = "\
CuTe layouts are composed, inverted, divided and multiplied as CuTe does: as functions
of their colexicographic linear index. Elsewhere B lands in the axes i0, i1, .. of
LAYOUT, or in Addr, its row-major linear index.

Examples:
  tensor-layout edit '((4_PE, 3:8), (8:1))' --permute 1,0 --reshape 96
  tensor-layout edit '((), (2_Time:1), (), (8:1))' --drop 0 --broadcast 1=6_Time
  tensor-layout edit '(6,2):(8,2)' --compose '(4,3):(3,1)'")]
    Edit(Box<Edit>),
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
    /// Only part K of N, from 1: N processes write disjoint parts of one table.
    #[arg(long, value_name = "K/N")]
    pub(super) part: Option<String>,
    /// One file per coordinate of these levels, DIR/L2B=0/L1B=3/part-1.csv, as the engines
    /// that read tables expect.
    #[arg(long, value_name = "LEVEL,..", requires = "output")]
    pub(super) partition_by: Option<String>,
    /// Write to a file, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(super) output: Option<PathBuf>,
}

/// What `pack` and `unpack` share.
#[derive(Debug, ClapArgs)]
pub(super) struct Image {
    #[command(flatten)]
    pub(super) place: Place,
    /// Write to a file, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(super) output: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Pack {
    /// The tensor, a .npy file.
    #[arg(value_name = "TENSOR.npy")]
    pub(super) tensor: PathBuf,
    #[command(flatten)]
    pub(super) image: Image,
    /// What padding and holes are filled with: the bits of a cell.
    #[arg(long, value_name = "BITS", default_value_t = 0)]
    pub(super) fill: u64,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Unpack {
    /// What `pack` wrote.
    #[arg(value_name = "IMAGE")]
    pub(super) source: PathBuf,
    #[command(flatten)]
    pub(super) image: Image,
    /// The type of the tensor where IMAGE holds long words, such as <f2; if not said, <u2.
    #[arg(long, value_name = "DESCR")]
    pub(super) descr: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum TableFormat {
    /// A header, then one line per row.
    #[default]
    Csv,
    /// One JSON object per row.
    Jsonl,
    /// The packed number of every element's place: unit x words + address.
    NpyPacked,
    /// The coordinates of every element, an array per column.
    NpyColumns,
    /// The number of the element at every place; the greatest number of the type for holes, the
    /// one before for padding.
    NpyInverse,
    /// An Arrow IPC file (build with the feature `arrow`).
    Arrow,
    /// A Parquet file (build with the feature `parquet`).
    Parquet,
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
    /// The element type of an XLA shape made from another notation; that of the suffix
    /// `@LM0 / Half`, or f32, if not said.
    #[arg(long, value_name = "DTYPE")]
    pub(super) dtype: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Same {
    /// One layout, or - for standard input.
    #[arg(value_name = "A")]
    pub(super) first: String,
    /// The other.
    #[arg(value_name = "B")]
    pub(super) second: String,
    /// Only ask that every element has the same places.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) up_to: Option<UpTo>,
    /// Ask whether A serves where B is wanted: the places of A contain those of B.
    #[arg(long, conflicts_with_all = ["up_to", "copyable"])]
    pub(super) serves: bool,
    /// Ask whether a plain copy of every unit's memory turns one into the other.
    #[arg(long, requires = "machine", conflicts_with = "up_to")]
    pub(super) copyable: bool,
    /// mn-core, mn-core-2, levels such as L2B=4,PE=4, or a TOML file.
    #[arg(long, value_name = "MACHINE")]
    pub(super) machine: Option<String>,
    /// The memory: LM0, LM1, DRAM, ..
    #[arg(long, value_name = "NAME", requires = "machine")]
    pub(super) memory: Option<String>,
    /// Take XLA shapes as people write them.
    #[arg(long)]
    pub(super) lenient: bool,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Draw {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    pub(super) layout: String,
    /// Another layout of the tensor, drawn beside it.
    #[arg(value_name = "AFTER", requires = "machine")]
    pub(super) after: Option<String>,
    #[command(flatten)]
    pub(super) on: On,
    /// The side that is drawn.
    #[arg(long, value_enum, default_value_t, conflicts_with = "after")]
    pub(super) from: View,
    /// Colour by the coordinate in one level, such as PE or Addr.
    #[arg(long, value_name = "LEVEL")]
    pub(super) by: Option<String>,
    /// Only these ranges of axes.
    #[arg(long, value_name = "iK=START:STOP,..")]
    pub(super) slice: Option<String>,
    /// Write the unit into every cell as well.
    #[arg(long)]
    pub(super) labels: bool,
    /// The form; svg if FILE ends in .svg, else text.
    #[arg(long, value_enum)]
    pub(super) format: Option<PictureFormat>,
    /// Take XLA shapes as people write them.
    #[arg(long)]
    pub(super) lenient: bool,
    /// Write to a file, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum View {
    /// The tensor, cell by cell.
    #[default]
    Tensor,
    /// The memories of the units.
    Machine,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum PictureFormat {
    /// A picture that stands on its own.
    Svg,
    /// For the terminal, coloured where it is one.
    Text,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Relayout {
    /// Where the tensor is, or - for standard input.
    #[arg(value_name = "SOURCE")]
    pub(super) source: String,
    /// Where it is wanted.
    #[arg(value_name = "DESTINATION")]
    pub(super) destination: String,
    #[command(flatten)]
    pub(super) on: On,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Print the moves themselves.
    #[arg(long)]
    pub(super) transfers: bool,
    /// Take XLA shapes as people write them.
    #[arg(long)]
    pub(super) lenient: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum UpTo {
    /// Where padding lies does not matter.
    Padding,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Edit {
    #[command(flatten)]
    pub(super) source: Source,
    /// The logical extents, where LAYOUT does not say them.
    #[arg(long, value_name = "N,M,..")]
    pub(super) shape: Option<String>,
    /// The notation to write, if not that of LAYOUT.
    #[arg(long, value_enum)]
    pub(super) to: Option<NotationArg>,
    #[command(flatten)]
    pub(super) steps: Steps,
}

/// The steps of an edit; their order is read off the command line.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Steps, applied in the order given")]
pub(super) struct Steps {
    /// Reorder the axes, as NumPy's transpose.
    #[arg(long, value_name = "K,L,..")]
    permute: Vec<String>,
    /// Insert a unit axis in front of axis K.
    #[arg(long, value_name = "K")]
    insert: Vec<String>,
    /// Drop unit axis K.
    #[arg(long, value_name = "K")]
    drop: Vec<String>,
    /// Split axis K.
    #[arg(long, value_name = "K=N,M,..")]
    split: Vec<String>,
    /// Merge COUNT axes from axis K on.
    #[arg(long, value_name = "K=COUNT")]
    merge: Vec<String>,
    /// Give the tensor another shape of as many elements.
    #[arg(long, value_name = "N,M,..")]
    reshape: Vec<String>,
    /// Keep every STEP-th index of axis K.
    #[arg(long, value_name = "K=START:STOP[:STEP]")]
    slice: Vec<String>,
    /// Expand unit axis K to N along a level.
    #[arg(long, value_name = "K=N_LEVEL")]
    broadcast: Vec<String>,
    /// Repeat axis K N times, along a level (Addr if not said).
    #[arg(long, value_name = "K=N[_LEVEL]")]
    tile: Vec<String>,
    /// Enlarge the tensor to a shape; elements stay in their places.
    #[arg(long, value_name = "N,M,..")]
    pad: Vec<String>,
    /// Cut padding that units do not need.
    #[arg(long, num_args = 0, default_missing_value = "")]
    minimal_padding: Vec<String>,
    /// Compose: LAYOUT after B.
    #[arg(long, value_name = "B")]
    compose: Vec<String>,
    /// From a place to the index.
    #[arg(long, value_name = "left|right")]
    inverse: Vec<String>,
    /// What the layout leaves free of a space.
    #[arg(long, value_name = "N|LEVEL=N,..")]
    complement: Vec<String>,
    /// Divide into tiles B.
    #[arg(long, value_name = "B")]
    divide: Vec<String>,
    /// Multiply by the pattern B.
    #[arg(long, value_name = "B")]
    product: Vec<String>,
    /// Keep what has these coordinates.
    #[arg(long, value_name = "LEVEL=N,..")]
    restrict: Vec<String>,
    /// Keep the coordinates in one level.
    #[arg(long, value_name = "LEVEL")]
    project: Vec<String>,
}

/// The names of the steps, as clap knows them.
pub(super) const STEPS: [&str; 18] = [
    "permute",
    "insert",
    "drop",
    "split",
    "merge",
    "reshape",
    "slice",
    "broadcast",
    "tile",
    "pad",
    "minimal_padding",
    "compose",
    "inverse",
    "complement",
    "divide",
    "product",
    "restrict",
    "project",
];

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
    #[command(flatten)]
    pub(super) on: On,
}

/// Where layouts are placed.
#[derive(Debug, ClapArgs)]
pub(super) struct On {
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
    /// CuTe shape:stride.
    Cute,
    /// shape=(..), strides=(..), as in NumPy and PyTorch.
    Strided,
}

impl From<NotationArg> for Notation {
    fn from(arg: NotationArg) -> Notation {
        match arg {
            NotationArg::PadLayout => Notation::PadLayout,
            NotationArg::Xla => Notation::Xla,
            NotationArg::Cute => Notation::Cute,
            NotationArg::Strided => Notation::Strided,
        }
    }
}
