//! The error of everything but texts, and the macro that makes one.

use std::borrow::Cow;
use std::fmt;

use itertools::Itertools;

use super::fact::{Fact, Named, write_with};
use super::{ErrorKind, Site, did_you_mean};
use crate::level::Level;
use crate::number::to_u64;
use crate::words::counted;

/// The reason a layout or a placement is invalid, or a question about one cannot be answered.
///
/// `Display` is one line without a final stop; [`help`](LayoutError::help) is the remedy. Match on
/// [`kind`](LayoutError::kind), and ask for the values in the message by their names.
///
/// ```
/// use tensor_layout::error::ErrorKind;
/// use tensor_layout::notation::Strided;
/// use tensor_layout::{Layout, LayoutError};
/// let layout: Layout = "(3)/((2:4, 2:1))".parse()?;
/// let error = Strided::of(&layout).unwrap_err();
/// assert_eq!(error.to_string(),
///     "shape and strides cannot express this layout: axis 0 does not step evenly: 2 x 2");
/// assert_eq!((error.kind(), error.number("axis")), (ErrorKind::Inexpressible, Some(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct LayoutError(Box<Fault>);

/// The message is written when it is shown: many errors only say that another way has to be tried.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Fault {
    kind: ErrorKind,
    task: Option<Cow<'static, str>>,
    text: &'static str,
    facts: Vec<Named>,
    help: Option<&'static str>,
    site: Site,
    related: Option<Site>,
}

/// Makes a `LayoutError` of a kind, a text and the values that the text names, as `format!` would.
///
/// ```
/// use tensor_layout::{error::fault, error::Site};
/// let (axis, extent) = (1_usize, 5_u64);
/// let error = fault!(Argument, "axis {axis} has extent {extent}, not {to}", [axis, extent, to = 4_u64])
///     .at(Site::Axis(axis))
///     .with_help("pad it to a multiple of {to}");
/// assert_eq!(error.to_string(), "axis 1 has extent 5, not 4");
/// assert_eq!(error.help().as_deref(), Some("pad it to a multiple of 4"));
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! layout_fault {
    (@fact $name:ident) => { $crate::error::Fact::from($name) };
    (@fact $name:ident $value:expr) => { $crate::error::Fact::from($value) };
    ($kind:ident, $text:literal $(, [$($name:ident $(= $value:expr)?),* $(,)?])? $(,)?) => {{
        // The compiler checks that the text and the values have the same names.
        let _ = || { let _ = ::std::format_args!($text $($(, $name = "")*)?); };
        $crate::LayoutError::new(
            $crate::error::ErrorKind::$kind,
            $text,
            ::std::vec![$($((stringify!($name), $crate::error::fault!(@fact $name $($value)?))),*)?],
        )
    }};
}

#[doc(inline)]
pub use layout_fault as fault;

impl LayoutError {
    /// An error of this kind; [`fault!`] checks the names in the text.
    pub fn new(
        kind: ErrorKind,
        text: &'static str,
        facts: Vec<(&'static str, Fact)>,
    ) -> LayoutError {
        let (task, help, related) = (None, None, None);
        LayoutError(Box::new(Fault { kind, task, text, facts, help, site: Site::Layout, related }))
    }

    /// Returns the error for this part of the layout.
    pub fn at(mut self, site: Site) -> LayoutError {
        self.0.site = site;
        self
    }

    /// Returns the error with a second part that it is about.
    pub(crate) fn beside(mut self, other: Site) -> LayoutError {
        self.0.related = Some(other);
        self
    }

    /// Returns the error with a remedy, which may name the values of the message.
    pub fn with_help(mut self, text: &'static str) -> LayoutError {
        self.0.help = Some(text);
        self
    }

    /// Returns the error with a remedy that was made for it.
    pub fn with_advice(self, advice: Option<String>) -> LayoutError {
        match advice {
            Some(advice) => self.with("advice", advice).with_help("{advice}"),
            None => self,
        }
    }

    /// Returns the error with a value for [`fact`](LayoutError::fact) that the message does not name.
    pub fn with(mut self, name: &'static str, fact: impl Into<Fact>) -> LayoutError {
        self.0.facts.push((name, fact.into()));
        self
    }

    /// Returns the error with another value of this name.
    pub(crate) fn replacing(mut self, name: &str, fact: impl Into<Fact>) -> LayoutError {
        if let Some(named) = self.0.facts.iter_mut().find(|fact| fact.0 == name) {
            named.1 = fact.into();
        }
        self
    }

    /// Returns the error with the failed operation in front of its message: `the layout cannot be inverted`.
    pub fn of_task(mut self, task: impl Into<Cow<'static, str>>) -> LayoutError {
        self.0.task = Some(task.into());
        self
    }

    /// Returns the error as the reason of one of this kind, without its own remedy.
    pub(crate) fn into_reason_of(mut self, kind: ErrorKind) -> LayoutError {
        (self.0.kind, self.0.help) = (kind, None);
        self
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message without the operation that failed.
    #[must_use]
    pub fn reason(&self) -> String {
        self.filled(self.0.text)
    }

    /// The remedy, if one is known.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        self.0.help.map(|text| self.filled(text))
    }

    /// The part of the layout that the error is about.
    #[must_use]
    pub fn site(&self) -> Site {
        self.0.site
    }

    /// A second part that the error is about.
    #[must_use]
    pub fn related(&self) -> Option<Site> {
        self.0.related
    }

    /// The value of this name in the message.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&Fact> {
        self.0.facts.iter().find(|fact| fact.0 == name).map(|fact| &fact.1)
    }

    /// The number of this name in the message.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.fact(name) {
            Some(Fact::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The level of this name in the message.
    #[must_use]
    pub fn level(&self, name: &str) -> Option<Level> {
        match self.fact(name) {
            Some(Fact::Level(level)) => Some(*level),
            _ => None,
        }
    }

    fn filled(&self, text: &str) -> String {
        let mut written = String::new();
        // A `String` takes everything.
        let _ = write_with(&mut written, text, &self.0.facts);
        written
    }
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let task = self.0.task.iter();
        task.into_iter().try_for_each(|task| write!(f, "{task}: "))?;
        write_with(f, self.0.text, &self.0.facts)
    }
}

impl std::error::Error for LayoutError {}

/// Faults that several operations find.
impl LayoutError {
    /// The error for a number beyond 64 bits; `what` is the subject of the sentence.
    pub fn too_large(site: Site, what: &'static str) -> LayoutError {
        let part = site.of_part();
        fault!(TooLarge, "{what}{part} does not fit in 64 bits", [what, part]).at(site)
    }

    /// The error for a question whose answer would take more steps than `budget`; `question` is the subject of the sentence.
    pub fn not_decided(question: &'static str, budget: u64) -> LayoutError {
        fault!(
            NotDecided,
            "not decided: {question} takes more than {budget} steps",
            [question, budget]
        )
    }

    /// An index of another rank than the layout.
    pub fn index_rank(found: usize, rank: usize) -> LayoutError {
        let (entries, axes) = (counted(to_u64(found), "entry"), counted(to_u64(rank), "axis"));
        fault!(Shape, "the index has {entries}, but the layout has {axes}", [entries, axes])
    }

    /// An index beyond the extent of its axis.
    pub fn index_out_of_range(axis: usize, index: u64, extent: u64) -> LayoutError {
        fault!(
            OutOfRange,
            "index {index} is out of range for axis {axis}: it must be below {extent}",
            [index, axis, extent]
        )
    }

    /// A coordinate at or beyond the size of its level.
    pub fn coordinate_out_of_range(level: Level, at: u64, size: u64) -> LayoutError {
        fault!(
            OutOfRange,
            "`{level}={at}` is out of range: `{level}` has {size} coordinates, from 0",
            [level, at, size]
        )
    }

    /// A shape with another number of extents than the layout has axes.
    pub(crate) fn rank_mismatch(shape: usize, axes: usize) -> LayoutError {
        fault!(Shape, "the shape has rank {shape}, but the layout has rank {axes}", [shape, axes])
            .at(Site::Shape)
    }

    /// An index map that lands in a level other than the axes of the layout; with rank 0, other than `Addr`.
    pub(crate) fn map_level(level: Level, rank: usize) -> LayoutError {
        let levels: Cow<'static, str> = match rank {
            0 => "only `Addr` can".into(),
            1 => "a map targets either `Addr` or the axis `i0`".into(),
            rank => {
                format!("a map targets either `Addr` or the axes `i0` to `i{}`", rank - 1).into()
            }
        };
        fault!(Argument, "level `{level}` cannot be used here: {levels}", [level, levels])
    }

    /// An index map that leaves the extents of the layout; without an axis, in its linear index.
    pub(crate) fn outside_domain(axis: Option<usize>, extent: u64, reach: u64) -> LayoutError {
        let of = axis.map_or("the linear index".into(), |axis| format!("axis {axis}"));
        fault!(
            OutsideDomain,
            "the map produces index {reach} for {of}, which has extent {extent}",
            [reach, of, extent]
        )
    }

    /// A level that the machine, or a table, lacks.
    pub fn level_unknown(level: Level, machine: String, known: String, site: Site) -> LayoutError {
        let advice = did_you_mean(level.as_str(), known.split(", "));
        fault!(
            Unknown,
            "`{level}` is not a level of the {machine}, whose levels are {known}",
            [level, machine, known]
        )
        .at(site)
        .with_advice(advice)
    }

    /// Two sides that differ in `what`, so that nothing can move between them.
    pub fn differ(what: &'static str, from: impl Into<Fact>, to: impl Into<Fact>) -> LayoutError {
        let (from, to) = (from.into(), to.into());
        fault!(NotComparable, "the {what} differ: {from:?} and {to:?}", [what, from, to])
    }

    /// A placement without a machine, where units are compared.
    pub(crate) fn no_machine() -> LayoutError {
        fault!(NotComparable, "without a machine there are no units to compare")
    }

    /// A device that the machine lacks.
    pub fn no_such_device(device: u64, units: u64, machine: String) -> LayoutError {
        fault!(
            Limit,
            "the {machine} has {units} units, numbered from 0; device {device} is \
             beyond the last",
            [machine, units, device]
        )
    }

    /// A level that is on no path between the units or, for a question about both ends, not on both sides.
    pub(crate) fn not_on_paths(level: Level, known: &[Level]) -> LayoutError {
        let others = match known {
            [] => String::new(),
            _ => format!(": they go through {}", known.iter().join(", ")),
        };
        fault!(Unknown, "`{level}` is not a level of the paths{others}", [level, others])
    }

    /// Copies that do not line up with the groups of units that share a memory.
    pub(crate) fn uneven_copies(level: Level, group: u64) -> LayoutError {
        fault!(
            Uneven,
            "there is one memory for every {group} units of `{level}`, and the copies of an \
             element do not line up with these groups",
            [group, level]
        )
        .with_help("choose copies that are a multiple of {group} units apart")
    }
}
