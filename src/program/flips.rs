//! XOR axes in a weighted sum: the bits that each axis flips, separate from the number that it adds.
//!
//! ```text
//! (8,64), rows feed 72, columns 1 of an XOR      row 3 flips 216, column 17 flips 17
//!
//! number = sums of both axes + (216 ^ 17)        bits outside an XOR are never flipped
//! ```
//!
//! Law: the numbers are those that decoding the XOR axes gives. `take` returns `None` if the bits of a value
//! do not stay apart in the number.

use std::ops::Range;

use indexmap::IndexMap;

use crate::algebra::{DerivedAxis, Layout, Target, is_carried, rows, xor_product};
use crate::number::to_index;

/// The bits of a digit whose flips are looked up at once.
const TABLE_BITS: u32 = 8;

/// The most rows that are kept ready.
const MOST_VARIANTS: usize = 64;

/// The bits that an element flips.
#[derive(Clone, Debug)]
pub(super) struct Flips {
    /// Those of the first axis first.
    tables: Vec<FlipTable>,
    /// The flips that depend on no axis.
    pub(super) start: u64,
    /// All bits that may be set.
    pub(super) mask: u64,
}

/// The bits that an axis flips, by the bits of its digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisFlips<'a>(&'a [FlipTable]);

/// Some bits of a digit, and the bits that each of their values flips.
#[derive(Clone, Debug)]
struct FlipTable {
    axis: usize,
    /// A step of the lowest of these bits, in the axis: a divisor, and a power of two.
    divisor: u64,
    shift: u32,
    flips: Vec<u64>,
}

impl Flips {
    /// Takes the XOR axes out of a layout with one level, whose strides are the numbers that steps add; the
    /// remaining layout has no XOR.
    pub(super) fn take(layout: &Layout) -> Option<(Layout, Flips)> {
        let xors = || layout.derived_axes().iter().filter(|derived| derived.is_xor());
        let lands: Option<Vec<u64>> = xors().flat_map(rows).map(stride).collect();
        let fed_by_derived = layout.derived_axes().iter().flat_map(|derived| &derived.axis.subaxes);
        if is_carried(0, lands?)
            || fed_by_derived.into_iter().any(|subaxis| layout.fed_xor(subaxis).is_some())
        {
            return None;
        }
        let tables = (0..layout.rank()).flat_map(|axis| FlipTable::of_axis(layout, axis)).collect();
        let spread = |derived: &DerivedAxis, value: u64| number(&rows(derived), value);
        let start = xors().map(|derived| spread(derived, derived.start)).sum();
        let mask = xors().map(|derived| spread(derived, u64::MAX)).sum();
        Some((layout.without_xors(), Flips { tables, start, mask }))
    }

    /// The flips of an index.
    #[inline]
    pub(super) fn at(&self, index: &[u64]) -> u64 {
        self.tables.iter().fold(self.start, |all, table| all ^ table.value(index[table.axis]))
    }

    pub(super) fn axis(&self, axis: usize) -> AxisFlips<'_> {
        let from = self.tables.partition_point(|table| table.axis < axis);
        let until = self.tables.partition_point(|table| table.axis <= axis);
        AxisFlips(&self.tables[from..until])
    }
}

impl AxisFlips<'_> {
    #[inline]
    pub(super) fn value(&self, entry: u64) -> u64 {
        self.0.iter().fold(0, |all, table| all ^ table.value(entry))
    }

    pub(super) fn values(&self, range: Range<u64>) -> Vec<u64> {
        range.map(|entry| self.value(entry)).collect()
    }
}

impl FlipTable {
    fn of_axis(layout: &Layout, axis: usize) -> Vec<FlipTable> {
        let (mut tables, mut weight) = (Vec::new(), 1_u64);
        for subaxis in layout.axes()[axis].subaxes.iter().rev() {
            if let Some((derived, feeds)) = layout.fed_xor(subaxis) {
                let rows = rows(derived);
                for low in (0..subaxis.size.ilog2()).step_by(to_index(TABLE_BITS.into())) {
                    let bits = TABLE_BITS.min(subaxis.size.ilog2() - low);
                    let flips = |value| number(&rows, xor_product(feeds << low, value));
                    let flips = (0..1 << bits).map(flips).collect();
                    let shift = low + weight.trailing_zeros();
                    let divisor = weight >> (shift - low);
                    tables.push(FlipTable { axis, divisor, shift, flips });
                }
            }
            weight *= subaxis.size;
        }
        tables
    }

    #[inline]
    fn value(&self, entry: u64) -> u64 {
        let shifted = entry >> self.shift;
        let digit = if self.divisor == 1 { shifted } else { shifted / self.divisor };
        // The size of the table is a power of two.
        self.flips[to_index(digit) & (self.flips.len() - 1)]
    }
}

/// The number that a bit of a value adds to the packed number; `None` if it feeds another axis.
fn stride(target: Target) -> Option<u64> {
    match target {
        Target::Land { stride, .. } => Some(stride),
        Target::Feed { .. } => None,
    }
}

/// The sum of the numbers that the bits of a value add.
fn number(rows: &[Target], value: u64) -> u64 {
    let set = rows.iter().enumerate().filter(|(bit, _)| value >> bit & 1 == 1);
    set.filter_map(|(_, row)| stride(*row)).sum()
}

/// Values made for the flips of each row, a bounded number of which is kept.
#[derive(Debug)]
pub(super) struct Variants<V> {
    made: IndexMap<u64, V>,
    /// The number of the variant that was used last.
    last: usize,
}

impl<V> Default for Variants<V> {
    fn default() -> Variants<V> {
        Variants { made: IndexMap::new(), last: 0 }
    }
}

impl<V> Variants<V> {
    #[inline]
    pub(super) fn of(&mut self, flips: u64, make: impl FnOnce() -> V) -> &V {
        if self.made.get_index(self.last).is_none_or(|(of, _)| *of != flips) {
            self.last = self.number(flips, make);
        }
        &self.made[self.last]
    }

    fn number(&mut self, flips: u64, make: impl FnOnce() -> V) -> usize {
        if self.made.len() == MOST_VARIANTS && !self.made.contains_key(&flips) {
            self.made.clear();
        }
        let entry = self.made.entry(flips);
        let number = entry.index();
        entry.or_insert_with(make);
        number
    }
}
