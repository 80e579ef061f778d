//! The faults that a file of test vectors can have.

use super::line::IndexList;
use super::place::VectorPlace;
use tensor_layout::error::fault;
use tensor_layout::notation::{Dtype, MemoryText};
use tensor_layout::{LayoutError, ParseError};
use tensor_layout_words::counted;

/// A fault with the number of its line.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The number of the line, from 1.
    pub line: u64,
    /// The fault.
    pub fault: Fault,
}

/// A fault of a file of test vectors, at a line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A line that cannot be read.
    #[error("{0}")]
    Text(ParseError),
    /// A header with an invalid layout, such as one beyond the capacity of its memory.
    #[error("{0}")]
    Layout(ParseError),
    /// A line of a tensor before the first header.
    #[error("this line comes before any header")]
    NoHeader,
    /// A file without tensors.
    #[error("the file has no header, such as `# ======= In(0): ((2_W:1))@LM0 / Float =======`")]
    NoTensor,
    /// A tensor with two headers.
    #[error("{tensor} has two headers")]
    Repeated {
        /// Its name.
        tensor: String,
    },
    /// A line that reads where the tensor is set, or vice versa.
    #[error("the line {}, but {tensor} is {}", if *.reads {"reads"} else {"sets"}, if *.reads {"set"} else {"read"})]
    Direction {
        /// The tensor.
        tensor: String,
        /// True if the line reads, false if it sets.
        reads: bool,
    },
    /// A line for a memory other than that of the tensor.
    #[error("`{found}` is in {}, but {tensor} is in {}", .found.memory.name(), .memory.name())]
    Memory {
        /// The tensor.
        tensor: String,
        /// The place that the line names.
        found: VectorPlace,
        /// The memory of the tensor.
        memory: MemoryText,
    },
    /// A comment whose type differs from that of the tensor.
    #[error("the comment says {found}, but the header says {wanted}")]
    Dtype {
        /// The type in the comment.
        found: Dtype,
        /// The type in the header.
        wanted: Dtype,
    },
    /// An index outside the tensor.
    #[error("{} is not an index of the shape {shape:?}", one(.index))]
    Index {
        /// The index.
        index: Vec<u64>,
        /// The shape.
        shape: Vec<u64>,
    },
    /// An element that the layout puts elsewhere.
    #[error("{} lives at `{wanted}`, not at `{found}`{}", one(.index), decimal(.found, .wanted))]
    Place {
        /// The element.
        index: Vec<u64>,
        /// The place that the line names.
        found: VectorPlace,
        /// The place that the layout gives.
        wanted: VectorPlace,
    },
    /// A place where the tensor has no element.
    #[error("{tensor} has no element at `{found}`")]
    NoElement {
        /// The tensor.
        tensor: String,
        /// The place.
        found: VectorPlace,
    },
    /// A comment whose elements differ from those in the lanes.
    #[error("the lanes hold {}, but the comment says {}", IndexList(.wanted), IndexList(.found))]
    Lanes {
        /// The indexes in the comment.
        found: Vec<Vec<u64>>,
        /// The indexes by the layout, in the order of the lanes.
        wanted: Vec<Vec<u64>>,
    },
    /// A number of values that matches neither the indexes nor the lanes.
    #[error(
        "the comment has {}, but {}", counted(*.values, "value"),
        counted(*.indexes, "index")
    )]
    Count {
        /// The number of values.
        values: usize,
        /// The number of indexes.
        indexes: usize,
    },
    /// A long word whose value differs from the comment.
    #[error("lane {lane} holds {held} ({bits:X}), but the comment says {said} for {}", one(.index))]
    Value {
        /// The lane.
        lane: u64,
        /// Its element.
        index: Vec<u64>,
        /// The bits of the lane.
        bits: u64,
        /// Their value.
        held: String,
        /// The value in the comment.
        said: String,
    },
    /// A long word that an earlier line already covers.
    #[error("an earlier line already has `{place}` of {tensor}")]
    Doubled {
        /// The tensor.
        tensor: String,
        /// The place.
        place: VectorPlace,
    },
    /// A lane that holds no element, but is not 0.
    #[error("lane {lane} of `{place}` holds no element of {tensor}, but {bits:X} instead of 0")]
    Hole {
        /// The tensor.
        tensor: String,
        /// The long word.
        place: VectorPlace,
        /// The lane.
        lane: u64,
        /// The bits of the lane.
        bits: u64,
    },
    /// A place whose value of an element differs from that in an earlier place.
    #[error("{} is {held} here, but {known} where it was set before", one(.index))]
    Copy {
        /// The element.
        index: Vec<u64>,
        /// Its value on this line.
        held: String,
        /// Its value in another lane, or on an earlier line.
        known: String,
    },
    /// Long words that lines set in only some of their units.
    #[error(
        "{tensor} is set in {units} of its {of} units: {}{} in `{place}`, where letters that are left \
         out mean all units", one(.first), until(.first, .last)
    )]
    Partial {
        /// The tensor.
        tensor: String,
        /// All units of the first long word.
        place: VectorPlace,
        /// The number of long words.
        words: u64,
        /// The first element of the first one.
        first: Vec<u64>,
        /// The first element of the last one.
        last: Vec<u64>,
        /// The number of units in which lines set them.
        units: u64,
        /// The number of units that hold them.
        of: u64,
    },
    /// Long words without a line, expected before this line.
    #[error("{} of {tensor} missing before this line: {}{}", counted(*.words, "line"), one(.first), until(.first, .last))]
    Missing {
        /// The tensor.
        tensor: String,
        /// The number of long words.
        words: u64,
        /// The first element of the first one.
        first: Vec<u64>,
        /// The first element of the last one.
        last: Vec<u64>,
    },
    /// Long words that were not compared with the lines, because so many before them have no line.
    #[error("{tensor} was not checked from {} on: {words} of its lines before that are missing", one(.from))]
    NotChecked {
        /// The tensor.
        tensor: String,
        /// The first element of the first long word that was not checked.
        from: Vec<u64>,
        /// The number of long words before it that lack a line or some of their units.
        words: u64,
    },
    /// Two tensors in one place.
    #[error("`{place}` of {tensor} also belongs to {other}")]
    Overlap {
        /// The tensor of the line.
        tensor: String,
        /// The other tensor, above it.
        other: String,
        /// The place.
        place: VectorPlace,
    },
}

fn one(index: &Vec<u64>) -> IndexList<'_> {
    IndexList(std::slice::from_ref(index))
}

fn until(first: &Vec<u64>, last: &Vec<u64>) -> String {
    if first == last { String::new() } else { format!(" to {}", one(last)) }
}

/// The remedy for an address of `r` that was written in decimal.
fn decimal(found: &VectorPlace, wanted: &VectorPlace) -> String {
    let digits = format!("{:X}", found.address);
    let is_decimal = found.memory == MemoryText::DRAM
        && found.address != wanted.address
        && digits.parse() == Ok(wanted.address);
    match is_decimal {
        true => format!("; addresses of `r` are hexadecimal: {:09X}", wanted.address),
        false => String::new(),
    }
}

/// Names the task in an error of a layout that cannot be used in a file of test vectors.
fn of_vectors(error: LayoutError) -> LayoutError {
    error.of_task("a test vector cannot express this layout")
}

/// A layout that does not name its memory.
pub fn no_memory() -> LayoutError {
    of_vectors(fault!(Missing, "it does not name its memory, as in `@LM0 / Float`"))
}

/// A layout that names its memory, but not the type of its elements.
pub fn no_dtype() -> LayoutError {
    of_vectors(fault!(Missing, "it does not name its dtype, as in `@LM0 / Float`"))
}

/// A layout in a memory that lines of test vectors do not name.
pub(super) fn other_memory(name: &str) -> LayoutError {
    of_vectors(fault!(
        Unsupported,
        "it is in `{name}`, but test vectors set and read LM0, LM1 and DRAM",
        [name = name.to_owned()]
    ))
}

/// A layout over several steps of `Time`.
pub(super) fn in_time(steps: u64) -> LayoutError {
    of_vectors(fault!(
        Unsupported,
        "it takes {steps} steps of `Time`, but a memory is set once",
        [steps]
    ))
}
