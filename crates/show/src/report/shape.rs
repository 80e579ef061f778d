//! An XLA shape and its cost.

use std::fmt;

use tensor_layout::error::{LayoutError, ParseError};
use tensor_layout::placement::Placement;
use tensor_layout::xla::{XlaAdvice, XlaArray, XlaLayout, XlaShape, XlaSizes};
use tensor_layout_words::{counted, percent, readable_bytes};

use super::Report;

/// The number of pieces of advice on a page.
const MOST_ADVICE: usize = 8;

/// An XLA shape explained; `Display` prints it as a readable page.
///
/// ```
/// use tensor_layout::xla::XlaShape;
/// use tensor_layout_show::report::ShapeReport;
/// let shape: XlaShape = "s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}".parse()?;
/// let report = ShapeReport::of(&shape)?;
/// assert_eq!(report.sizes.unpadded_bytes, 512 << 20);
/// assert_eq!(report.sizes.allocated_bytes, 16 << 30); // 32 times as much
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShapeReport {
    /// XLA's canonical text.
    pub text: String,
    /// The arrays in the shape.
    pub members: Vec<MemberSizes>,
    /// The sizes of all of them.
    pub sizes: XlaSizes,
    /// The report on the array, if the shape is one.
    array: Option<Box<MemberReport>>,
}

/// One array of a [`ShapeReport`]. A tuple may have very many, so each is only explained when it is asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MemberSizes {
    /// The tuple indexes that lead to it.
    pub path: Vec<usize>,
    /// The array, its layout written out.
    pub array: XlaArray,
    /// Its sizes.
    pub sizes: XlaSizes,
}

/// One array of a [`ShapeReport`], explained.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MemberReport {
    /// The array, its layout written out.
    pub array: XlaArray,
    /// Its sizes.
    pub sizes: XlaSizes,
    /// The number of elements of the allocation that are padding.
    pub padding_elements: u64,
    /// The array as TPU compilers tile it, if it is untiled and would take more memory tiled.
    pub on_tpu: Option<XlaAdvice>,
    /// Its layout in numbers; addresses count elements.
    pub layout: Report,
    /// This and other orders and tilings: those that TPU dumps show first, then by size.
    pub advice: Vec<XlaAdvice>,
}

impl ShapeReport {
    /// Explains the shape and its cost.
    ///
    /// # Errors
    /// As [`XlaShape::sizes`].
    pub fn of(shape: &XlaShape) -> Result<ShapeReport, ParseError> {
        let canonical = shape.canonical();
        let members = canonical.arrays().into_iter().map(|(path, array)| {
            let (array, sizes) = (array.clone(), array.sizes()?);
            Ok(MemberSizes { path, array, sizes })
        });
        let members: Vec<MemberSizes> = members.collect::<Result<_, ParseError>>()?;
        let sizes = members.iter().try_fold(XlaSizes::default(), |total, member| {
            total.plus(member.sizes).map_err(|error| member.array.refuse(error))
        })?;
        let array = members.first().filter(|_| canonical.as_array().is_some());
        let array = array.map(MemberSizes::report).transpose()?.map(Box::new);
        Ok(ShapeReport { text: canonical.to_string(), members, sizes, array })
    }
}

impl MemberSizes {
    /// Explains the array.
    ///
    /// # Errors
    /// As [`XlaShape::sizes`].
    pub fn report(&self) -> Result<MemberReport, ParseError> {
        let (array, sizes) = (&self.array, self.sizes);
        let (lowered, advice) = (array.lower()?, array.advice()?);
        let report =
            || -> Result<Report, LayoutError> { Report::of(&Placement::of(lowered).build()?) };
        let layout = report().map_err(|error| array.refuse(error))?.counting("elements");
        let (padding_elements, on_tpu) = (padding_elements(array)?, on_tpu(array, sizes));
        Ok(MemberReport { array: array.clone(), sizes, padding_elements, on_tpu, layout, advice })
    }
}

/// The bytes of padding, were every element one byte.
fn padding_elements(array: &XlaArray) -> Result<u64, ParseError> {
    let layout = XlaLayout { element_bits: 8, ..array.layout_or_default() };
    let in_bytes = XlaArray::new(array.dtype, array.dims.clone(), Some(layout));
    Ok(in_bytes.sizes()?.padding_bytes())
}

fn on_tpu(array: &XlaArray, sizes: XlaSizes) -> Option<XlaAdvice> {
    let array = array.tiled_for_tpu()?;
    let allocated_bytes = array.sizes().ok()?.allocated_bytes;
    let takes_more = allocated_bytes > sizes.allocated_bytes;
    takes_more.then_some(XlaAdvice { array, allocated_bytes, is_seen: true })
}

impl fmt::Display for ShapeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(array) = &self.array {
            return array.fmt(f);
        }
        writeln!(f, "{}\n", self.text)?;
        for member in &self.members {
            let path: String = member.path.iter().map(|at| format!("{{{at}}}")).collect();
            let MemberSizes { array, sizes, .. } = member;
            let allocated = readable_bytes(sizes.allocated_bytes);
            let share = percent(sizes.padding_bytes(), sizes.allocated_bytes);
            writeln!(f, "{path:8} {allocated:>12}  {share:>7} padding  {array}")?;
        }
        writeln!(f)?;
        write_sizes(f, &self.sizes)
    }
}

impl fmt::Display for MemberReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.array)?;
        write_sizes(f, &self.sizes)?;
        writeln!(f, "padding    {}", counted(self.padding_elements, "element"))?;
        if let Some(XlaAdvice { array, allocated_bytes, .. }) = &self.on_tpu {
            let bytes = readable_bytes(*allocated_bytes);
            writeln!(f, "on a TPU   {bytes}, tiled as {array}")?;
        }
        writeln!(f)?;
        write!(f, "{}", self.layout)?;
        if self.advice.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\norders and tilings by size; those marked * occur in TPU dumps and come first"
        )?;
        let is_shown =
            |(at, advice): &(usize, &XlaAdvice)| *at < MOST_ADVICE || advice.array == self.array;
        let shown: Vec<_> = self.advice.iter().enumerate().filter(is_shown).collect();
        for (_, advice) in &shown {
            let XlaAdvice { array, allocated_bytes, is_seen } = advice;
            let same = if *array == self.array { "  (this one)" } else { "" };
            let mark = if *is_seen { '*' } else { ' ' };
            writeln!(f, "{:>12} {mark} {array}{same}", readable_bytes(*allocated_bytes))?;
        }
        match self.advice.len() - shown.len() {
            0 => Ok(()),
            more => writeln!(f, "{more} more"),
        }
    }
}

fn write_sizes(f: &mut fmt::Formatter<'_>, sizes: &XlaSizes) -> fmt::Result {
    let mut line = |name: &str, bytes: u64, note: String| {
        writeln!(f, "{name:10} {bytes:>20} bytes  {:>12}{note}", readable_bytes(bytes))
    };
    let padding = percent(sizes.padding_bytes(), sizes.allocated_bytes);
    line("unpadded", sizes.unpadded_bytes, String::new())?;
    line("allocated", sizes.allocated_bytes, format!("  ({padding} padding)"))?;
    line("span", sizes.span_bytes, String::new())?;
    line("data", sizes.data_bytes, String::new())
}
