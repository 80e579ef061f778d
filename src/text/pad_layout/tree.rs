//! TensorLayout and PadLayout text: `(10,7)/((3:7, 4_PE), (7:1); B@[L1B])`.

use std::fmt;

use itertools::Itertools;

use super::dtype::Dtype;
use crate::error::{LayoutError, ParseError, Site, Span};
use crate::level::Level;
use crate::text::written::NotCompared;

/// A PadLayout as written.
///
/// Keeps elided strides, bare axes, an explicit broadcast and the memory suffix, but not blanks. `==` and
/// `Hash` compare the content, not the spans.
/// Law: `parse(print(x)) == x`, and printing a parsed text is a fixed point.
/// Source: "MN-Core におけるテンソルのメモリ配置レイアウト表現", Preferred Networks.
///
/// ```
/// use tensor_layout::notation::PadLayout;
/// let layout: PadLayout = "(10,7)/(( 3:7,4_PE ), (7:1))".parse()?;
/// assert_eq!(layout.to_string(), "(10,7)/((3:7, 4_PE), (7:1))");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PadLayout {
    /// The logical extents, if they were written.
    pub shape: Option<Vec<u64>>,
    /// The axes, in the order of the index.
    pub axes: Vec<AxisText>,
    /// The entries of `B@[..]`; empty if it was not written.
    pub broadcast: Vec<ReplicaText>,
    /// The memory of the suffix `@LM0 / Float`.
    pub memory: Option<MemoryText>,
    /// The dtype of the suffix `@LM0 / Float`.
    pub dtype: Option<Dtype>,
    pub(crate) source: NotCompared<TreeSource>,
}

/// The text that a tree was parsed from, and the spans of its larger parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeSource {
    pub(crate) text: Box<str>,
    pub(super) shape: Span,
    pub(super) replicas: Vec<Span>,
    pub(super) memory: Span,
}

/// One axis as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AxisText {
    /// The subaxes, major to minor.
    pub subaxes: Vec<SubaxisText>,
    /// True for a single subaxis without brackets, as in `(2:3, 3:1)`.
    pub bare: bool,
    pub(crate) span: NotCompared<Span>,
}

/// One subaxis as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SubaxisText {
    /// The number of values its digit has.
    pub size: u64,
    /// The level, if one was written; `_Addr` is kept.
    pub level: Option<Level>,
    /// The stride, if one was written.
    pub stride: Option<u64>,
    pub(crate) span: NotCompared<Span>,
}

impl SubaxisText {
    /// A subaxis from the parts that are to be written.
    #[must_use]
    pub fn new(size: u64, level: Option<Level>, stride: Option<u64>) -> SubaxisText {
        SubaxisText { size, level, stride, ..SubaxisText::default() }
    }

    /// The bytes of the text that it was read from; empty if it was not read.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::notation::PadLayout;
    /// let text = "((4_PE, 3:8), (8:1))";
    /// let tree: PadLayout = text.parse()?;
    /// let span = tree.axes[0].subaxes[1].span();
    /// assert_eq!(&text[span.start..span.end], "3:8");
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    #[must_use]
    pub fn span(&self) -> Span {
        self.span.0
    }
}

impl AxisText {
    /// An axis in brackets; subaxes are major to minor.
    #[must_use]
    pub fn new(subaxes: Vec<SubaxisText>) -> AxisText {
        AxisText { subaxes, ..AxisText::default() }
    }

    /// An axis that is a single subaxis without brackets.
    #[must_use]
    pub fn bare(subaxis: SubaxisText) -> AxisText {
        AxisText { subaxes: vec![subaxis], bare: true, ..AxisText::default() }
    }
}

/// One entry of `B@[..]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplicaText {
    /// A level without a number: each of its units that the machine has holds a copy.
    Bare(Level),
    /// Copies with a number and a stride.
    Sized {
        /// The number of copies.
        size: u64,
        /// The level in which the copies differ.
        level: Level,
        /// The distance between copies, if written.
        stride: Option<u64>,
    },
}

impl ReplicaText {
    /// The level of the entry.
    #[must_use]
    pub fn level(self) -> Level {
        match self {
            ReplicaText::Bare(level) | ReplicaText::Sized { level, .. } => level,
        }
    }
}

/// The memory after `@`: a name that begins with a capital letter. The machine decides which names are valid.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryText {
    /// Short names are kept as levels keep them.
    name: Level,
}

impl MemoryText {
    /// Local memory 0 of a PE.
    pub const LM0: MemoryText = MemoryText { name: Level::literal("LM0") };
    /// Local memory 1 of a PE.
    pub const LM1: MemoryText = MemoryText { name: Level::literal("LM1") };
    /// DRAM.
    pub const DRAM: MemoryText = MemoryText { name: Level::literal("DRAM") };

    /// A name of at most [`Level::MAX_LEN`] letters, digits and `_` that begins with a capital letter.
    ///
    /// ```
    /// use tensor_layout::notation::MemoryText;
    /// assert_eq!(MemoryText::of("L2BM").unwrap().name(), "L2BM");
    /// assert_eq!(MemoryText::of("lm0"), None);
    /// ```
    #[must_use]
    pub fn of(name: &str) -> Option<MemoryText> {
        let is_word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let starts = name.bytes().next().is_some_and(|b| b.is_ascii_uppercase());
        let fits = starts && is_word && name.len() <= Level::MAX_LEN;
        fits.then(|| MemoryText { name: Level::literal(name) })
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }
}

impl fmt::Debug for MemoryText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PadLayout {
    /// A tree from its parts, without a memory; `shape` is the logical shape, if it is to be written.
    #[must_use]
    pub fn new(
        shape: Option<Vec<u64>>,
        axes: Vec<AxisText>,
        broadcast: Vec<ReplicaText>,
    ) -> PadLayout {
        PadLayout { shape, axes, broadcast, ..PadLayout::default() }
    }

    /// The span of a part in the text that it was parsed from; the whole text if the part has none.
    pub(crate) fn span(&self, site: Site) -> Span {
        let source = &self.source.0;
        let axis = |axis: usize| self.axes.get(axis).map(|axis| axis.span.0);
        let span = match site {
            Site::Shape if self.shape.is_some() => Some(source.shape),
            Site::Axis(at) => axis(at),
            Site::Subaxis(at, subaxis) => {
                self.axes.get(at).and_then(|a| a.subaxes.get(subaxis)).map(|s| s.span.0)
            }
            Site::Replica(replica) => source.replicas.get(replica).copied(),
            Site::Memory if self.memory.is_some() => Some(source.memory),
            _ => None,
        };
        span.unwrap_or(Span::new(0, source.text.len()))
    }

    /// Wraps `error` in a [`ParseError`] that points at the part of this text that caused it.
    pub fn refuse(&self, error: impl Into<LayoutError>) -> ParseError {
        if self.source.0.text.is_empty()
            && let Ok(parsed) = self.to_string().parse::<PadLayout>()
        {
            return parsed.refuse(error);
        }
        let error = error.into();
        let related = error.related().map(|site| self.span(site));
        let span = self.span(error.site());
        ParseError::meaning(error, span, &self.source.0.text).with_related(related)
    }
}

impl fmt::Display for PadLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(shape) = &self.shape {
            write!(f, "({})/", shape.iter().format(","))?;
        }
        write!(f, "({}", self.axes.iter().format(", "))?;
        if !self.broadcast.is_empty() {
            write!(f, "; B@[{}]", self.broadcast.iter().format(","))?;
        }
        f.write_str(")")?;
        if let Some(memory) = self.memory {
            write!(f, "@{}", memory.name())?;
        }
        self.dtype.map_or(Ok(()), |dtype| write!(f, " / {dtype}"))
    }
}

impl fmt::Display for AxisText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.bare, self.subaxes.as_slice()) {
            (true, [subaxis]) => subaxis.fmt(f),
            (_, subaxes) => write!(f, "({})", subaxes.iter().format(", ")),
        }
    }
}

impl fmt::Display for SubaxisText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.size)?;
        if let Some(level) = self.level {
            write!(f, "_{level}")?;
        }
        self.stride.map_or(Ok(()), |stride| write!(f, ":{stride}"))
    }
}

impl fmt::Display for ReplicaText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ReplicaText::Bare(level) => level.fmt(f),
            ReplicaText::Sized { size, level, stride: None } => write!(f, "{size}_{level}"),
            ReplicaText::Sized { size, level, stride: Some(stride) } => {
                write!(f, "{size}_{level}:{stride}")
            }
        }
    }
}
