//! A placement in numbers: axes, digits, levels, padding, footprint.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;

use itertools::Itertools;

use tensor_layout::algebra::{Axis, Collision, Combine, Subaxis, Target};
use tensor_layout::notation::PadLayout;
use tensor_layout::placement::{Fit, Placement};
use tensor_layout::{Layout, LayoutError, Level, Location};
use tensor_layout_words::{counted, percent, readable_bytes, xor_factors};

use super::census::slots_of;

/// The numbers of a placement; `Display` prints them as a readable page.
///
/// ```
/// use tensor_layout::Placement;
/// use tensor_layout_show::report::Report;
/// let placement = Placement::of("(10,7)/((3:7, 4_PE), (7:1))".parse()?).build()?;
/// let report = Report::of(&placement)?;
/// assert_eq!((report.elements, report.slots, report.pads), (70, 84, 14));
/// assert_eq!(report.text.as_deref(), Some("(10,7)/((3:7, 4_PE:1), (7:1))"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The canonical PadLayout text, if that notation can express the map.
    pub text: Option<String>,
    /// The reason it cannot express the map.
    pub inexpressible: Option<String>,
    /// The tensor axes.
    pub axes: Vec<AxisReport>,
    /// The derived axes.
    pub derived_axes: Vec<AxisReport>,
    /// The levels, in the order of the columns.
    pub levels: Vec<LevelReport>,
    /// The number of elements.
    pub elements: u64,
    /// The number of places of each element.
    pub copies: u64,
    /// The number of slots of one copy.
    pub slots: u64,
    /// The number of slots of one copy that do not hold an element.
    pub pads: u64,
    /// The number of places of one copy where padding coincides with an element; `None` if counting
    /// them would take too long.
    pub pads_on_elements: Option<u64>,
    /// Places that several elements share, at most eight of them, each with at most eight indexes.
    pub shared: Vec<SharedPlace>,
    /// The unit of addresses, in the plural.
    pub address_unit: &'static str,
    /// Addresses per unit, base included.
    pub footprint_words: u64,
    /// The width of a long word in bits.
    pub word_bits: u64,
    /// The width of an element in bits, where known.
    pub element_bits: Option<u64>,
    /// The memories, with the long words that the layout takes in each, and the levels that are too small.
    pub fits: Vec<Fit>,
    /// The memory, if one was chosen.
    pub memory: Option<String>,
    /// The number of long words that the memory holds, where known.
    pub capacity_words: Option<u64>,
    /// The levels in which copies differ.
    pub replicated: Vec<Level>,
}

/// A place that several elements share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedPlace {
    /// The place.
    pub place: Location,
    /// The indexes of the elements at the place.
    pub indexes: Vec<Vec<u64>>,
}

/// One axis of a [`Report`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisReport {
    /// The number of values that are real.
    pub extent: u64,
    /// The number of values the digits can write.
    pub slots: u64,
    /// The operation by which digits make the value of a derived axis; a sum for axes of the tensor.
    pub combine: Combine,
    /// The value of a derived axis if all its digits are 0.
    pub start: u64,
    /// The digits, major to minor.
    pub digits: Vec<DigitReport>,
}

/// One digit of an axis: `value / step % size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigitReport {
    /// The number of values the digit has.
    pub size: u64,
    /// The number of values of the axis one step of the digit spans.
    pub step: u64,
    /// The level and stride that it lands with, or the derived axis that it feeds.
    pub target: Target,
}

/// One level of a [`Report`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelReport {
    /// The level.
    pub level: Level,
    /// The number of neighbouring units that share the memory, which count as one here; 1 in other levels.
    pub group: u64,
    /// The number of coordinates the machine or the memory has, where known.
    pub size: Option<u64>,
    /// 1 + the greatest coordinate of a slot.
    pub extent: u64,
    /// The number of coordinates a slot takes; `None` if counting would take too long.
    pub used: Option<u64>,
    /// The number of coordinates that no slot takes: of addresses up to the extent, otherwise up to the size
    /// where it is known.
    pub holes: Option<u64>,
    /// True if copies differ in this level.
    pub replicated: bool,
}

impl LevelReport {
    /// The units that count as one: the level, or groups of its units that share the memory.
    #[must_use]
    pub fn node(&self) -> Level {
        self.level.in_groups_of(self.group)
    }
}

impl Report {
    /// Explains a placement in numbers.
    ///
    /// Cost: O(levels x subaxes) where strides nest, for tensors of any size.
    ///
    /// # Errors
    /// As [`Layout::pads`](tensor_layout::Layout::pads).
    pub fn of(placement: &Placement) -> Result<Report, LayoutError> {
        let (layout, spread) = (placement.layout(), placement.with_copies());
        let (copies, replicated) = (placement.copies(), placement.replicated());
        let copied: BTreeSet<Level> = replicated.iter().copied().collect();
        let level = |level: &Level| LevelReport::of(placement, *level, copied.contains(level));
        let derived = layout.derived_axes().iter().map(|derived| AxisReport {
            combine: derived.combine,
            start: derived.start,
            ..axis_report(&derived.axis)
        });
        let (text, inexpressible) = match PadLayout::map_of(layout) {
            Ok((text, _)) => (Some(text.to_string()), None),
            Err(error) => (None, Some(error.reason())),
        };
        Ok(Report {
            text,
            inexpressible,
            axes: layout.axes().iter().map(axis_report).collect(),
            derived_axes: derived.collect(),
            levels: placement.columns().iter().map(level).collect(),
            elements: layout.elements(),
            copies,
            slots: spread.slots() / copies.max(1),
            pads: spread.pads()? / copies.max(1),
            pads_on_elements: pads_on_elements(layout),
            shared: shared_indexes(placement)?,
            address_unit: "long words",
            footprint_words: placement.footprint_words(),
            word_bits: placement.word_bits(),
            element_bits: placement.element_bits(),
            fits: placement.fits(),
            memory: placement.memory().map(|(name, _)| name.into()),
            capacity_words: placement.memory().and_then(|(_, memory)| memory.capacity),
            replicated,
        })
    }

    /// The report of a layout whose addresses count these units. Unless they are long words, what a memory holds says nothing
    /// about them.
    #[must_use]
    pub fn counting(mut self, unit: &'static str) -> Report {
        let is_level = |fit: &Fit| self.levels.iter().any(|of| of.level.as_str() == fit.name);
        self.fits.retain(|fit| unit == "long words" || is_level(fit));
        Report { address_unit: unit, ..self }
    }
}

impl LevelReport {
    fn of(placement: &Placement, level: Level, replicated: bool) -> LevelReport {
        let (group, spread) = (placement.units_per_memory(level), placement.with_copies());
        let (extent, used) = (spread.extent(level).div_ceil(group), spread.used_in(level).ok());
        let size = placement.size(level).map(|size| size.div_ceil(group));
        // A memory may be larger than the layout, but every long word has all of its lanes.
        let room = if level == Level::ADDR { extent } else { size.unwrap_or(extent) };
        let holes = used.and_then(|used| room.checked_sub(used));
        LevelReport { level, group, size, extent, used, holes, replicated }
    }
}

/// The first places that several elements share.
fn shared_indexes(placement: &Placement) -> Result<Vec<SharedPlace>, LayoutError> {
    const MOST: usize = 8;
    let Some(Collision { first, second, place, .. }) = placement.layout().collision()? else {
        return Ok(Vec::new());
    };
    let mut shared: Vec<SharedPlace> = Vec::new();
    let mut group = SharedPlace { place: Location::default(), indexes: Vec::new() };
    let listed = placement.table().for_each(|row| {
        let place: Location =
            placement.columns().iter().copied().zip(row.place.iter().copied()).collect();
        if place != group.place || group.indexes.is_empty() {
            let next = SharedPlace { place, indexes: Vec::new() };
            keep_shared(&mut shared, std::mem::replace(&mut group, next));
        }
        if group.indexes.len() < MOST {
            group.indexes.push(row.index.unwrap_or_default().to_vec());
        }
        if shared.len() < MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    keep_shared(&mut shared, group);
    match listed {
        Ok(_) if !shared.is_empty() => Ok(shared),
        // There are too many rows to sort, so only the collision that is already known is reported.
        _ => Ok(vec![SharedPlace { place, indexes: vec![first, second] }]),
    }
}

/// Places of one copy that hold an element and padding as well.
fn pads_on_elements(layout: &Layout) -> Option<u64> {
    const MOST_SLOTS: u64 = 1 << 20;
    let nothing_is_shared =
        || slots_of(layout).is_ok_and(|slots| matches!(slots.collision(), Ok(None)));
    if layout.pads().is_ok_and(|pads| pads == 0) || nothing_is_shared() {
        return Some(0);
    }
    let one = Placement::of(layout.clone()).shared_places().build().ok()?;
    let table = one.table().with_padding(true);
    if table.most_rows() > MOST_SLOTS {
        return None;
    }
    // Rows of one place are consecutive, the element first.
    let (mut shared, mut element, mut counted) = (0, Vec::new(), true);
    let outcome = table.for_each(|row| {
        if row.index.is_some() {
            (element, counted) = (row.place.to_vec(), false);
        } else if !counted && element == row.place {
            (shared, counted) = (shared + 1, true);
        }
        ControlFlow::<()>::Continue(())
    });
    outcome.ok().map(|_| shared)
}

/// Keeps a place that has more than one index.
fn keep_shared(shared: &mut Vec<SharedPlace>, group: SharedPlace) {
    if group.indexes.len() > 1 {
        shared.push(group);
    }
}

fn axis_report(axis: &Axis) -> AxisReport {
    let mut step = axis.slots();
    let digit = |subaxis: &Subaxis| {
        step /= subaxis.size;
        DigitReport { size: subaxis.size, step, target: subaxis.target }
    };
    let digits = axis.subaxes.iter().map(digit).collect();
    let (combine, start) = (Combine::Sum, 0);
    AxisReport { extent: axis.extent, slots: axis.slots(), combine, start, digits }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.text, &self.inexpressible) {
            (Some(text), _) => writeln!(f, "{text}\n")?,
            (None, Some(reason)) => {
                writeln!(f, "a PadLayout cannot express this map:\n{reason}\n")?;
            }
            (None, None) => {}
        }
        for (number, axis) in self.axes.iter().enumerate() {
            self.write_axis(f, &format!("axis {number}"), &format!("i{number}"), axis)?;
        }
        for (number, axis) in self.derived_axes.iter().enumerate() {
            self.write_axis(f, &format!("derived axis {number}"), &format!("x{number}"), axis)?;
        }
        self.write_levels(f)?;
        self.write_totals(f)
    }
}

impl Report {
    fn write_axis(
        &self,
        f: &mut fmt::Formatter<'_>,
        title: &str,
        value: &str,
        axis: &AxisReport,
    ) -> fmt::Result {
        write!(f, "{title}: extent {}", axis.extent)?;
        if axis.start > 0 {
            write!(f, ", from {}", axis.start)?;
        }
        match axis.slots - axis.extent {
            0 => writeln!(f)?,
            pads => writeln!(f, ", padded by {pads} to {}", axis.slots)?,
        }
        for digit in &axis.digits {
            let whole = digit.step.checked_mul(digit.size) == Some(axis.slots);
            let divided =
                if digit.step == 1 { value.into() } else { format!("{value} / {}", digit.step) };
            let digits = if whole { divided } else { format!("{divided} % {}", digit.size) };
            let factor = if digits == value { digits.clone() } else { format!("({digits})") };
            match digit.target {
                Target::Land { level, stride: 1 } => writeln!(f, "  {level} += {digits}")?,
                Target::Land { level, stride } => writeln!(f, "  {level} += {stride} x {factor}")?,
                Target::Feed { derived, weight } => {
                    let (sign, weights) = self.fed(derived, digit.size, weight);
                    for weight in weights {
                        match weight {
                            1 => writeln!(f, "  x{derived} {sign} {digits}")?,
                            _ => writeln!(f, "  x{derived} {sign} {weight} x {factor}")?,
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The operator by which a digit feeds a derived axis, and its factors: in an XOR, one for each bit of
    /// the weight if the shifted copies of the digit overlap.
    fn fed(&self, derived: usize, size: u64, weight: u64) -> (&'static str, Vec<u64>) {
        let combine = self.derived_axes.get(derived).map_or(Combine::Sum, |axis| axis.combine);
        match combine {
            Combine::Sum => ("+=", vec![weight]),
            Combine::Xor => ("^=", xor_factors(weight, size)),
        }
    }

    fn write_levels(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.levels.iter().map(LevelReport::node);
        let width = nodes.map(|node| node.as_str().len()).max().unwrap_or(0).max(5);
        writeln!(
            f,
            "\n{:width$} {:>12} {:>12} {:>12} {:>12}",
            "level", "size", "extent", "used", "holes"
        )?;
        let number = |n: Option<u64>| n.map_or("?".into(), |n| n.to_string());
        for level in &self.levels {
            let size = level.size.map_or("-".into(), |n| n.to_string());
            let (extent, used, holes) = (level.extent, number(level.used), number(level.holes));
            let name = level.node();
            write!(f, "{name:width$} {size:>12} {extent:>12} {used:>12} {holes:>12}")?;
            writeln!(f, "{}", if level.replicated { "  replicated" } else { "" })?;
        }
        writeln!(f)
    }

    fn write_totals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "elements   {}{}", self.elements, self.element_bytes())?;
        let levels = self.replicated.iter().format(", ");
        match self.copies {
            1 => writeln!(f, "copies     1")?,
            copies => writeln!(f, "copies     {copies} of each, over {levels}")?,
        }
        write!(f, "padding    {} of {}", self.pads, counted(self.slots, "slot"))?;
        writeln!(f, " ({})", percent(self.pads, self.slots))?;
        self.write_lanes(f)?;
        match self.pads_on_elements {
            Some(0) => {}
            Some(1) => writeln!(f, "           in 1 place padding overlaps an element")?,
            Some(places) => {
                writeln!(f, "           in {places} places padding overlaps an element")?;
            }
            None => writeln!(f, "           overlaps of padding and elements were not counted")?,
        }
        for SharedPlace { place, indexes } in &self.shared {
            let indexes = indexes.iter().map(|i| format!("({})", i.iter().format(", "))).join(" ");
            writeln!(f, "shared     {place} by {indexes}")?;
        }
        let words = counted(self.footprint_words, self.address_unit.trim_end_matches('s'));
        write!(f, "footprint  {words} per unit{}", self.footprint_bytes())?;
        match (&self.memory, self.capacity_words) {
            (Some(memory), None) => writeln!(f, "; the capacity of {memory} is not known")?,
            _ => writeln!(f)?,
        }
        self.fits.iter().try_for_each(|fit| self.write_fit(f, fit))
    }

    /// A line where long words have empty lanes.
    fn write_lanes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = self.levels.iter().find(|row| row.level == Level::W && row.holes != Some(0));
        match lanes.and_then(|row| Some((row.used?, row.size?))) {
            Some((used, lanes)) if used < lanes => writeln!(
                f,
                "lanes      {used} of the {lanes} in a long word are used; the others are empty"
            ),
            _ => Ok(()),
        }
    }

    fn write_fit(&self, f: &mut fmt::Formatter<'_>, fit: &Fit) -> fmt::Result {
        let Fit { name, needed, capacity } = fit;
        let is_level = self.levels.iter().any(|level| level.level.as_str() == name);
        let unit = if is_level { "unit" } else { "long word" };
        match fit.fits() {
            true => {
                let (share, capacity) = (percent(*needed, *capacity), counted(*capacity, unit));
                writeln!(f, "fits       {name}: {needed} of {capacity} ({share})")
            }
            false => {
                let needed = counted(*needed, unit);
                writeln!(f, "           does not fit {name}: needs {needed}, has {capacity}")
            }
        }
    }

    /// The bytes of all elements, one copy of each.
    fn element_bytes(&self) -> String {
        let bits = self.element_bits.and_then(|bits| self.elements.checked_mul(bits));
        bits.map_or(String::new(), |bits| format!(" ({})", readable_bytes(bits.div_ceil(8))))
    }

    /// The bytes of the long words.
    fn footprint_bytes(&self) -> String {
        let known = self.address_unit == "long words";
        let bits = self.footprint_words.checked_mul(self.word_bits).filter(|_| known);
        bits.map_or(String::new(), |bits| format!(" ({})", readable_bytes(bits.div_ceil(8))))
    }
}
