//! The meaning of colours: one decision for the tensor, its blocks, the memories and the film.
//!
//! The colour of a cell shows the unit of its elements' first copies or, on request, another level. For a
//! shape with tiles it shows the tile, and for a layout without units the address, on a ramp. Values are
//! numbered from the root of the machine, so that a part of a picture has the colours of the whole.

use std::ops::Range;

use itertools::Itertools;

use super::Cell;
use super::bank::{BANKS, BANKS_OF_A_COLOR, banks, four_banks};
use super::color::{Coloring, RANGE_OF};
use super::drawing::Drawing;
use super::palette::COLORS;
use tensor_layout::Level;
use tensor_layout::program::{CoordinateSpan, CoordinateSpans};
use tensor_layout_words::{to_index, to_u64};

/// The most values that are numbered from the root.
const MOST_VALUES: u64 = 1024;

/// The level of the values of a thread: registers have the colour of their thread.
const VALUES_OF_A_THREAD: &str = "V";

/// The things that the colours of a panel can follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// The coordinates in some levels.
    Levels(Vec<Level>),
    /// The ranges of coordinates in a level, of blocks that have more than one.
    Ranges(Level, Vec<CoordinateSpan>),
    /// The tile, of so many elements.
    Tile(u64),
    /// Four banks of shared memory, for elements of so many bits.
    Bank(u64),
    /// The address, in order.
    Address,
}

impl Drawing<'_> {
    /// The scheme of a picture whose cells have a coordinate each in these levels.
    pub(super) fn scheme(&self, levels: &[Level]) -> Scheme {
        if let Some(bits) = self.banks {
            return Scheme::Bank(bits);
        }
        match (self.by, self.tiles.first()) {
            (Some(Level::ADDR), _) => Scheme::Address,
            (Some(level), _) => Scheme::Levels(vec![level]),
            (None, Some((size, _))) => Scheme::Tile(*size),
            (None, None) if levels.is_empty() => Scheme::Address,
            (None, None) => Scheme::Levels(levels.to_vec()),
        }
    }

    /// The scheme of the elements and of the memories that they are in: the outer unit levels in which
    /// elements of the whole tensor differ, as long as there are colours.
    pub(super) fn scheme_of_elements(&self) -> Scheme {
        if let Some(shared) = &self.shared {
            return shared.clone();
        }
        let levels = self.coloring_levels();
        let spans = self.whole_spans(&levels);
        let differing = levels.into_iter().zip(spans).filter(|(_, span)| span.only().is_none());
        let mut values = 1_u64;
        let few = |(at, (_, span)): &(usize, (Level, CoordinateSpan))| {
            values = values.saturating_mul(to_u64(steps(*span).count()));
            *at == 0 || values <= to_u64(COLORS)
        };
        let levels = differing.enumerate().take_while(few).map(|(_, (level, _))| level);
        self.scheme(&levels.collect::<Vec<_>>())
    }

    /// The unit levels that colours can follow.
    pub(super) fn coloring_levels(&self) -> Vec<Level> {
        let mut levels = self.unit_levels();
        if levels.iter().any(|level| level.as_str() != VALUES_OF_A_THREAD) {
            levels.retain(|level| level.as_str() != VALUES_OF_A_THREAD);
        }
        levels
    }

    /// The coordinates that the first copies of all elements take in some levels.
    fn whole_spans(&self, levels: &[Level]) -> Vec<CoordinateSpan> {
        let layout = self.placement.with_copies();
        let all: Vec<Range<u64>> = layout.shape().into_iter().map(|extent| 0..extent).collect();
        match all.iter().any(Range::is_empty) {
            true => vec![CoordinateSpan::at(0); levels.len()],
            false => {
                let spans = CoordinateSpans::new(layout, levels).of(&all);
                spans.into_iter().map(|(_, span)| span).collect()
            }
        }
    }

    fn whole_span(&self, level: Level) -> CoordinateSpan {
        self.whole_spans(&[level]).first().copied().unwrap_or(CoordinateSpan::at(0))
    }

    /// The colouring of some cells by the places of first copies.
    pub(super) fn coloring(&self, cells: &[Cell], scheme: &Scheme) -> Coloring {
        let values = |value: &dyn Fn(&Cell) -> Option<Vec<u64>>| cells.iter().map(value).collect();
        let coloring = match scheme {
            Scheme::Levels(levels) => Coloring {
                meaning: levels.iter().join("."),
                all: self.all_values(levels),
                values: values(&|cell| levels.iter().map(|level| only(cell, *level)).collect()),
                ..Coloring::default()
            },
            Scheme::Ranges(level, ranges) => Coloring {
                meaning: format!("{RANGE_OF}{level}"),
                values: values(&|cell| {
                    let range = range_around(span_in(cell, *level)?, ranges)?;
                    Some(vec![range.first, range.last])
                }),
                ..Coloring::default()
            },
            Scheme::Tile(size) => Coloring {
                meaning: "tile".into(),
                values: values(&|cell| tile(cell, *size).map(|tile| vec![tile])),
                all: self.all_tiles(*size),
                ..Coloring::default()
            },
            Scheme::Bank(bits) => Coloring {
                meaning: format!("{RANGE_OF}bank"),
                values: values(&|cell| {
                    banks(span_in(cell, Level::ADDR)?, *bits).map(|span| four_banks(span.first))
                }),
                all: (0..BANKS).step_by(to_index(BANKS_OF_A_COLOR)).map(four_banks).collect(),
                ..Coloring::default()
            },
            Scheme::Address => {
                let whole = self.whole_span(Level::ADDR);
                let ends = |cell: &Cell| {
                    span_in(cell, Level::ADDR).map(|span| vec![span.first, span.last])
                };
                let differs = whole.only().is_none();
                Coloring {
                    meaning: if differs { Level::ADDR.to_string() } else { String::new() },
                    order: Some((whole.first, whole.last)),
                    values: values(&ends),
                    ..Coloring::default()
                }
            }
        };
        Coloring { scheme: Some(scheme.clone()), ..coloring }
    }

    fn all_values(&self, levels: &[Level]) -> Vec<Vec<u64>> {
        let values: Vec<_> = self.whole_spans(levels).into_iter().map(steps).collect();
        let counts = values.iter().map(|values| to_u64(values.clone().count()));
        if counts.fold(1, u64::saturating_mul) > MOST_VALUES {
            return Vec::new();
        }
        values.into_iter().multi_cartesian_product().collect()
    }

    fn all_tiles(&self, size: u64) -> Vec<Vec<u64>> {
        let whole = self.whole_span(Level::ADDR);
        let (first, last) = (whole.first / size, whole.last / size);
        if last - first < MOST_VALUES {
            (first..=last).map(|tile| vec![tile]).collect()
        } else {
            Vec::new()
        }
    }
}

/// The range that has all coordinates of a span; one with gaps has those of an equal span.
fn range_around(span: CoordinateSpan, ranges: &[CoordinateSpan]) -> Option<CoordinateSpan> {
    let has = |range: &&CoordinateSpan| {
        let inside =
            range.step.is_some() && range.contains(span.first) && range.contains(span.last);
        **range == span || (inside && (span.step == range.step || span.only().is_some()))
    };
    ranges.iter().find(has).copied()
}

/// The coordinates of a span, those in its gaps among them.
fn steps(span: CoordinateSpan) -> impl Iterator<Item = u64> + Clone {
    let step = span.step.filter(|step| *step > 0).unwrap_or(1);
    (span.first..=span.last).step_by(to_index(step)).take(to_index(MOST_VALUES + 1))
}

impl Scheme {
    /// The scheme for blocks, of which one may be in several tiles: then the ramp of addresses.
    pub(super) fn of_blocks(self, cells: &[Cell]) -> Scheme {
        match self {
            Scheme::Tile(_) if !self.colors_all(cells) => Scheme::Address,
            scheme => scheme,
        }
    }

    /// Returns whether every cell with elements is in one tile, or in four banks.
    pub(super) fn colors_all(&self, cells: &[Cell]) -> bool {
        let is_colored = |cell: &Cell| match self {
            Scheme::Tile(size) => tile(cell, *size).is_some(),
            Scheme::Bank(bits) => {
                span_in(cell, Level::ADDR).is_some_and(|span| banks(span, *bits).is_some())
            }
            _ => true,
        };
        cells.iter().filter(|cell| cell.elements > 0).all(is_colored)
    }
}

/// The tile that all of a cell is in.
fn tile(cell: &Cell, size: u64) -> Option<u64> {
    let address = span_in(cell, Level::ADDR)?;
    (address.first / size == address.last / size).then_some(address.first / size)
}

pub(super) fn span_in(cell: &Cell, level: Level) -> Option<CoordinateSpan> {
    cell.places.iter().find(|(of, _)| *of == level).map(|(_, span)| *span)
}

pub(super) fn only(cell: &Cell, level: Level) -> Option<u64> {
    span_in(cell, level).and_then(|span| span.only())
}
