//! The distinct layouts of a text.

use std::io::{self, Read};

use crate::scan::facts::{LayoutFacts, ScanPlace};
use crate::scan::known::{Known, Verdict};
use crate::scan::stream::{LayoutScan, Parts, PassedOver};
use tensor_layout::LayoutText;
use tensor_layout::ParseError;
use tensor_layout::notation::Notation;
use tensor_layout::xla::XlaParser;

/// The distinct layouts of a text, in the order in which they are first seen.
///
/// ```
/// use tensor_layout_hlo::scan::{ScanPlace, ScanReport};
/// use tensor_layout::xla::XlaParser;
/// let log = "a: ((4_PE, 3:8), (8:1))\nb: ((4_PE, 3:8), (8:1))\nc: ((5_PE, 3))\n";
/// let report = ScanReport::read(log.as_bytes(), XlaParser::strict(), |_| {})?;
/// let rows: Vec<_> = report.rows().collect();
/// assert_eq!((rows[0].text, rows[0].line, rows[0].name, rows[0].count), ("((4_PE, 3:8), (8:1))", 1, Some("a"), 2));
/// assert_eq!(rows[0].facts(ScanPlace::default())?.shape, [12, 8]);
/// // The text of a layout that lacks a stride.
/// assert!(rows[1].facts(ScanPlace::default()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScanReport {
    known: Known,
    /// The first line, the name there, and the count of each known text.
    sights: Vec<Sight>,
    passed_over: Option<PassedOver>,
    parts: Parts,
    bytes: u64,
}

#[derive(Clone, Debug)]
struct Sight {
    line: u64,
    name: Option<String>,
    count: u64,
}

/// A distinct layout of a text.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LayoutRow<'a> {
    /// The text as written.
    pub text: &'a str,
    /// Its notation.
    pub notation: Notation,
    /// The line where it is first seen, from 1.
    pub line: u64,
    /// Its name there, if it has one.
    pub name: Option<&'a str>,
    /// The number of times it is seen.
    pub count: u64,
    xla: XlaParser,
}

/// A text that was meant as a layout but cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnreadLayout<'a> {
    /// The text as written.
    pub text: &'a str,
    /// The line where it is first seen, from 1.
    pub line: u64,
    /// The number of times it is seen.
    pub count: u64,
    /// The reason it cannot be read.
    pub reason: &'a str,
}

impl ScanReport {
    /// Reads a text, parsing XLA shapes with `xla`; calls `progress` from time to time with the number of
    /// bytes read.
    ///
    /// # Errors
    /// Those of `input`.
    pub fn read(
        input: impl Read,
        xla: XlaParser,
        mut progress: impl FnMut(u64),
    ) -> io::Result<ScanReport> {
        let mut scan = LayoutScan::with_parser(input, xla);
        let mut sights: Vec<Sight> = Vec::new();
        while let Some(seen) = scan.next_layout()? {
            match sights.get_mut(seen.number()) {
                Some(sight) => sight.count += 1,
                None => {
                    sights.push(Sight { line: seen.line(), name: seen.name(), count: 1 });
                    progress(scan.bytes());
                }
            }
        }
        let (bytes, passed_over) = (scan.bytes(), scan.passed_over().cloned());
        let parts = scan.parts();
        Ok(ScanReport { known: scan.into_known(), sights, passed_over, parts, bytes })
    }

    /// The layouts, in the order in which they are first seen.
    pub fn rows(&self) -> impl Iterator<Item = LayoutRow<'_>> {
        self.texts().filter_map(|(text, verdict, sight)| {
            let notation = *verdict.as_ref().ok()?;
            let (line, name, count) = (sight.line, sight.name.as_deref(), sight.count);
            let xla = self.known.parser();
            Some(LayoutRow { text, notation, line, name, count, xla })
        })
    }

    /// The texts that were meant as layouts and cannot be read.
    pub fn unread(&self) -> impl Iterator<Item = UnreadLayout<'_>> {
        self.texts().filter_map(|(text, verdict, sight)| {
            let reason = verdict.as_ref().err()?;
            Some(UnreadLayout { text, line: sight.line, count: sight.count, reason })
        })
    }

    /// The layouts in source code that were passed over, because they are made of names of the program.
    #[must_use]
    pub fn passed_over(&self) -> Option<&PassedOver> {
        self.passed_over.as_ref()
    }

    /// The encodings and shardings of the text, with or without the shape that they need.
    #[must_use]
    pub fn parts(&self) -> Parts {
        self.parts
    }

    /// The length of the text in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn texts(&self) -> impl Iterator<Item = (&str, &Verdict, &Sight)> {
        let sights = self.sights.iter().enumerate();
        sights.filter_map(|(number, sight)| {
            let (text, verdict) = self.known.get(number)?;
            Some((text, verdict, sight))
        })
    }
}

impl LayoutRow<'_> {
    /// Parses the text.
    ///
    /// # Errors
    /// Only errors that parsing the text has already returned.
    pub fn layout(&self) -> Result<LayoutText, ParseError> {
        LayoutText::parse_as(self.notation, self.xla, self.text)
    }

    /// Shape, bytes, padding, and whether it fits.
    ///
    /// # Errors
    /// As [`LayoutFacts::of`]: the text is well-formed, but the layout is invalid.
    pub fn facts(&self, place: ScanPlace<'_>) -> Result<LayoutFacts, ParseError> {
        LayoutFacts::of(&self.layout()?, place)
    }
}
