//! Layouts of Triton as MLIR prints them: `tensor<128x64xf16, #blocked>` with its aliases.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use itertools::Itertools;

use super::bases::LinearLayout;
use crate::error::{LayoutError, ParseError, Span};
use crate::text::written::NotCompared;

/// The encodings that are read.
pub(crate) const ENCODINGS: &str = "blocked linear generic_linear slice dot_op nvidia_mma amd_mfma amd_wmma dpas \
                                    swizzled_shared nvmma_shared padded_shared partitioned_shared \
                                    shared_linear shared tensor_memory_encoding \
                                    tensor_memory_scales_encoding";

/// A layout of Triton: the encoding of a tensor or of shared memory, with the shape that it is for, or
/// a linear layout.
///
/// Reads what MLIR prints, both today and with the older prefix `#triton_gpu`: a type, after the lines of its
/// aliases or as the only one in a module, or an encoding alone, whose shape is set by
/// [`with_shape`](TritonLayout::with_shape). Printing expands aliases.
/// Law: `parse(print(x)) == x`.
///
/// ```
/// use tensor_layout::notation::TritonLayout;
/// let text = "#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], \
///             warpsPerCTA = [4, 1], order = [1, 0]}>\n tensor<128x64xf16, #blocked>";
/// let layout = text.parse::<TritonLayout>()?.lower()?;
/// assert_eq!(layout.locate(&[37, 22])?.to_string(), "WARP=0,LANE=21,Addr=22");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TritonLayout {
    pub(crate) said: TritonMeaning,
    pub(crate) source: NotCompared<Box<str>>,
}

/// The meaning of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TritonMeaning {
    /// An encoding, and the type that contains it, if it is part of one.
    Encoding(Arc<Attribute>, Option<TensorType>),
    /// The lines of a linear layout.
    Linear(LinearLayout),
}

/// The tensor or the piece of memory that an encoding is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TensorType {
    pub(crate) shape: Vec<u64>,
    /// The type of the elements, as MLIR calls it; `None` if the shape was given separately.
    pub(crate) element: Option<Box<str>>,
    /// The memory space and further attributes after the encoding, for a memory descriptor.
    pub(crate) memory: Option<TritonMemory>,
    pub(crate) span: NotCompared<Span>,
}

/// The attributes of a memory descriptor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TritonMemory {
    pub(crate) space: Option<Arc<Attribute>>,
    pub(crate) is_mutable: bool,
    /// The shape of the whole piece, of which this may be a part.
    pub(crate) allocated: Option<Vec<u64>>,
}

/// An encoding: a name and its keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Attribute {
    pub(crate) name: Box<str>,
    /// The intervals of padded memory: for `[8:+2]`, 2 elements of padding after every 8.
    pub(crate) intervals: Vec<(u64, u64)>,
    /// The keys in braces.
    pub(crate) entries: Vec<TritonEntry>,
    /// The keys after the braces.
    pub(crate) outside: Vec<TritonEntry>,
    /// True if the encoding has brackets at all.
    pub(crate) has_body: bool,
    /// True if it has braces inside.
    pub(crate) has_braces: bool,
    /// The depth of nested encodings.
    pub(crate) depth: NotCompared<usize>,
    pub(crate) span: NotCompared<Span>,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TritonEntry {
    pub(crate) key: Box<str>,
    pub(crate) value: Value,
    pub(crate) span: NotCompared<Span>,
}

/// The value of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Number(u64),
    Boolean(bool),
    Word(Box<str>),
    List(Vec<Value>),
    Dict(Vec<TritonEntry>),
    Attribute(Arc<Attribute>),
}

impl TritonLayout {
    /// A linear layout.
    #[must_use]
    pub fn linear(layout: LinearLayout) -> TritonLayout {
        TritonLayout { said: TritonMeaning::Linear(layout), source: NotCompared::default() }
    }

    /// An encoding with the shape of its tensor, and the type of the elements as MLIR calls it, `f16`.
    ///
    /// # Errors
    /// [`ParseError`] if the text already has a shape.
    pub fn with_shape(
        mut self,
        shape: Vec<u64>,
        element: Option<&str>,
    ) -> Result<TritonLayout, ParseError> {
        match &mut self.said {
            TritonMeaning::Encoding(_, of @ None) => {
                let (element, memory) = (element.map(Into::into), None);
                let span = NotCompared(Span::new(0, 0));
                *of = Some(TensorType { shape, element, memory, span });
                Ok(self)
            }
            _ => {
                let message = "the text already has a shape, so no other can be given";
                let text = self.text();
                Err(ParseError::invalid(message, Span::new(0, text.len()), &text))
            }
        }
    }

    /// Wraps `error` in a [`ParseError`] that points at this text.
    pub(crate) fn refuse(&self, error: impl Into<LayoutError>) -> ParseError {
        ParseError::whole(error, &self.text())
    }

    /// The text as it was read, or else as it is printed.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        self.source.text(self)
    }
}

impl fmt::Display for TritonLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.said {
            TritonMeaning::Linear(layout) => layout.fmt(f),
            TritonMeaning::Encoding(encoding, None) => encoding.fmt(f),
            TritonMeaning::Encoding(encoding, Some(of)) => of.written(encoding, f),
        }
    }
}

impl TensorType {
    /// Returns whether this may be a piece of memory: a memory descriptor, or a shape that was given separately.
    pub(crate) fn may_be_memory(&self) -> bool {
        self.memory.is_some() || self.span.0.start == self.span.0.end
    }

    fn written(&self, encoding: &Attribute, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extents = self.shape.iter().map(|extent| format!("{extent}x")).join("");
        // A shape that was given separately has no element type, but a type needs one.
        let element = self.element.as_deref().unwrap_or("f32");
        let Some(memory) = &self.memory else {
            return write!(f, "tensor<{extents}{element}, {encoding}>");
        };
        write!(f, "!ttg.memdesc<{extents}{element}, {encoding}")?;
        if let Some(space) = &memory.space {
            write!(f, ", {space}")?;
        }
        if memory.is_mutable {
            f.write_str(", mutable")?;
        }
        if let Some(allocated) = &memory.allocated {
            write!(f, ", {}", allocated.iter().join("x"))?;
        }
        f.write_str(">")
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dialect = match &*self.name {
            name if name.starts_with("tensor_memory") => "ttng",
            "dpas" | "warp" | "subgroup_2d_block" => "ttig",
            _ => "ttg",
        };
        write!(f, "#{dialect}.{}", self.name)?;
        if !self.has_body {
            return Ok(());
        }
        f.write_str("<")?;
        if !self.intervals.is_empty() {
            let pieces = self.intervals.iter().map(|(every, add)| format!("{every}:+{add}"));
            write!(f, "[{}] ", pieces.format(", "))?;
        }
        let braces = self.has_braces.then(|| format!("{{{}}}", self.entries.iter().format(", ")));
        let outside = self.outside.iter().map(TritonEntry::to_string);
        write!(f, "{}>", braces.into_iter().chain(outside).format(", "))
    }
}

impl fmt::Display for TritonEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.key, self.value)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Boolean(is) => is.fmt(f),
            Value::Word(word) => word.fmt(f),
            Value::List(values) => write!(f, "[{}]", values.iter().format(", ")),
            Value::Dict(entries) => write!(f, "{{{}}}", entries.iter().format(", ")),
            Value::Attribute(attribute) => attribute.fmt(f),
        }
    }
}
