//! The headers between the lines: those of tensors, and the marker for the kernel.

use std::fmt;
use std::str::FromStr;

use tensor_layout::ParseError;
use tensor_layout::notation::PadLayout;
use tensor_layout_words::Cursor;

/// The text of the marker at which the kernel is inserted.
pub(super) const KERNEL: &str = "YOUR VSM WILL BE INSERTED HERE";
/// The text of the marker before the lines that read.
pub(super) const OUTPUT: &str = "Output";
const FENCE: &str = "=======";

/// The direction of a tensor: set before a run, or read after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorDirection {
    /// Set before the run.
    In,
    /// Read after the run, and compared.
    Out,
}

impl TensorDirection {
    /// The name, as headers write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TensorDirection::In => "In",
            TensorDirection::Out => "Out",
        }
    }
}

/// The header of a tensor.
///
/// Law: `parse(print(header)) == header`.
///
/// ```
/// use tensor_layout_vectors::VectorHeader;
/// let text = "# ======= In(0):  ((2:1,4_PE:1, 2_W:1))@LM0 / Float =======";
/// let header: VectorHeader = text.parse()?;
/// assert_eq!(header.to_string(), "# ======= In(0): ((2:1, 4_PE:1, 2_W:1))@LM0 / Float =======");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VectorHeader {
    /// The direction: set before the run, or read after it.
    pub direction: TensorDirection,
    /// The number of the tensor among those of its direction.
    pub number: u64,
    /// The layout with memory and dtype.
    pub layout: PadLayout,
}

impl VectorHeader {
    /// `In(0)`, as messages call the tensor.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}({})", self.direction.name(), self.number)
    }
}

impl FromStr for VectorHeader {
    type Err = ParseError;

    /// Reads a header; blanks may vary. An error in the layout points into the text of the header.
    fn from_str(text: &str) -> Result<VectorHeader, ParseError> {
        let mut cursor = Cursor::new(text);
        fence(&mut cursor)?;
        let direction = match () {
            () if cursor.takes_all("In") => TensorDirection::In,
            () if cursor.takes_all("Out") => TensorDirection::Out,
            () => return Err(cursor.expected("`In(N):` or `Out(N):`")),
        };
        cursor.expect("(", "`(`")?;
        let number = cursor.expect_number("the number of a tensor")?;
        cursor.expect("):", "`):`")?;
        cursor.blanks();
        let rest = cursor.rest().trim_end();
        let Some(layout) = rest.strip_suffix(FENCE) else {
            cursor.take(|_| true);
            return Err(cursor.expected("`=======`"));
        };
        let layout = layout.trim_end().parse::<PadLayout>();
        let layout = layout.map_err(|error| error.within(text, cursor.at()))?;
        Ok(VectorHeader { direction, number, layout })
    }
}

/// `# =======`
fn fence(cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
    cursor.blanks();
    cursor.expect("#", "`#`")?;
    cursor.blanks();
    cursor.expect(FENCE, "`=======`")?;
    cursor.blanks();
    Ok(())
}

impl fmt::Display for VectorHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "# {FENCE} {}: {} {FENCE}", self.name(), self.layout)
    }
}

/// A comment line: a header, a marker, or other text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    Header(VectorHeader),
    /// A marker: the lines after it are those of a kernel, up to the next header.
    Kernel,
    /// Any other comment.
    Comment,
}

impl Mark {
    /// Reads a line that begins with `#`.
    pub(super) fn read(text: &str) -> Result<Mark, ParseError> {
        let mut cursor = Cursor::new(text);
        if fence(&mut cursor).is_err() {
            return Ok(Mark::Comment);
        }
        let text_behind = cursor.rest().trim_end();
        if text_behind.starts_with("In(") || text_behind.starts_with("Out(") {
            return text.parse().map(Mark::Header);
        }
        Ok(match text_behind.strip_suffix(FENCE).map(str::trim_end) {
            Some(KERNEL | OUTPUT) => Mark::Kernel,
            _ => Mark::Comment,
        })
    }
}

/// The text of a marker.
pub(super) fn marker(what: &str) -> String {
    format!("# {FENCE} {what} {FENCE}")
}
