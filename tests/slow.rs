//! The slow definition: a layout as plain numbers, evaluated element by element.
//!
//! Written from the sentences of `docs/algebra.md` alone. It shares nothing with the crate except the names
//! of levels and [`Location`], a list of coordinates, and tests all of it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

use tensor_layout::algebra::{Combine, Subaxis, Target};
use tensor_layout::{Found, Layout, LayoutError, Level, Location};

/// The target of a digit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    /// Adds `digit x stride` to the coordinate in a level.
    Land(Level, u64),
    /// Adds `digit x weight` to the value of a derived axis.
    Feed(usize, u64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digit {
    pub(crate) size: u64,
    pub(crate) to: To,
}

/// Digits from major to minor; values from the extent on are padding.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Axis {
    pub(crate) extent: u64,
    pub(crate) digits: Vec<Digit>,
}

/// (size, level, stride) of a digit that does not belong to an index.
pub(crate) type Replica = (u64, Level, u64);

/// The contents of every place that a slot takes: all indexes, or an empty set for padding.
pub(crate) type Contents = BTreeMap<Location, BTreeSet<Vec<u64>>>;

#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Slow {
    pub(crate) axes: Vec<Axis>,
    /// (start, axis)
    pub(crate) derived: Vec<(u64, Axis)>,
    /// The derived axes that combine their values by XOR.
    pub(crate) xors: BTreeSet<usize>,
    pub(crate) replicas: Vec<Replica>,
    pub(crate) offsets: BTreeMap<Level, u64>,
    pub(crate) spans: BTreeMap<Level, u64>,
    pub(crate) marked: BTreeSet<Level>,
}

impl Axis {
    pub(crate) fn new(extent: u64, digits: impl IntoIterator<Item = Digit>) -> Axis {
        Axis { extent, digits: digits.into_iter().collect() }
    }

    /// The number of values that the digits can represent.
    pub(crate) fn slots(&self) -> u64 {
        self.digits.iter().map(|digit| digit.size).product()
    }
}

pub(crate) fn land(size: u64, level: Level, stride: u64) -> Digit {
    Digit { size, to: To::Land(level, stride) }
}

pub(crate) fn feed(size: u64, derived: usize, weight: u64) -> Digit {
    Digit { size, to: To::Feed(derived, weight) }
}

impl Slow {
    /// The layout of the crate.
    pub(crate) fn build(&self) -> Result<Layout, LayoutError> {
        let subaxes = |axis: &Axis| -> Vec<Subaxis> {
            let subaxis = |digit: &Digit| match digit.to {
                To::Land(level, stride) => Subaxis::land(digit.size, level, stride),
                To::Feed(derived, weight) => Subaxis::feed(digit.size, derived, weight),
            };
            axis.digits.iter().map(subaxis).collect()
        };
        let mut builder = Layout::builder();
        for axis in &self.axes {
            builder = builder.axis(axis.extent, subaxes(axis));
        }
        for (number, (start, axis)) in self.derived.iter().enumerate() {
            builder = match self.xors.contains(&number) {
                true => builder.xor(*start, subaxes(axis)),
                false => builder.derived(*start, axis.extent, subaxes(axis)),
            };
        }
        for &(size, level, stride) in &self.replicas {
            builder = builder.replica(size, level, stride);
        }
        for (level, offset) in &self.offsets {
            builder = builder.offset(*level, *offset);
        }
        for (level, span) in &self.spans {
            builder = builder.span(*level, *span);
        }
        self.marked.iter().fold(builder, |builder, level| builder.used(*level)).build()
    }

    /// A layout of the crate as plain numbers.
    pub(crate) fn of(layout: &Layout) -> Slow {
        let axis = |axis: &tensor_layout::algebra::Axis| {
            let digit = |subaxis: &Subaxis| match subaxis.target {
                Target::Land { level, stride } => land(subaxis.size, level, stride),
                Target::Feed { derived, weight } => feed(subaxis.size, derived, weight),
            };
            Axis::new(axis.extent, axis.subaxes.iter().map(digit))
        };
        let used = || layout.used_levels().iter().copied();
        let offsets = used().map(|level| (level, layout.offset(level)));
        let derived = layout.derived_axes().iter();
        let mut slow = Slow {
            axes: layout.axes().iter().map(axis).collect(),
            derived: derived.map(|derived| (derived.start, axis(&derived.axis))).collect(),
            xors: layout
                .derived_axes()
                .iter()
                .enumerate()
                .filter(|(_, derived)| derived.combine == Combine::Xor)
                .map(|(number, _)| number)
                .collect(),
            replicas: layout.replicas().iter().map(|r| (r.size, r.level, r.stride)).collect(),
            offsets: offsets.filter(|(_, offset)| *offset > 0).collect(),
            spans: BTreeMap::new(),
            marked: used().collect(),
        };
        let spans = used().map(|level| (level, layout.span(level)));
        slow.spans = spans.filter(|(level, span)| *span > slow.extent(*level)).collect();
        slow
    }

    pub(crate) fn layout(&self) -> Layout {
        self.build().unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn rank(&self) -> usize {
        self.axes.len()
    }

    pub(crate) fn shape(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.extent).collect()
    }

    pub(crate) fn elements(&self) -> u64 {
        self.shape().iter().product()
    }

    pub(crate) fn copies(&self) -> u64 {
        self.replicas.iter().map(|replica| replica.0).product()
    }

    fn nodes(&self) -> impl Iterator<Item = &Axis> {
        self.axes.iter().chain(self.derived.iter().map(|(_, axis)| axis))
    }

    /// All landing digits: (number of the digit, size, level, stride), replicas last.
    fn landings(&self) -> Vec<(usize, Replica)> {
        let digits = self.nodes().flat_map(|axis| &axis.digits);
        let landed = digits.map(|digit| match digit.to {
            To::Land(level, stride) => Some((digit.size, level, stride)),
            To::Feed(..) => None,
        });
        let all = landed.chain(self.replicas.iter().copied().map(Some)).enumerate();
        all.filter_map(|(at, landing)| Some((at, landing?))).collect()
    }

    pub(crate) fn used(&self) -> BTreeSet<Level> {
        let landed = self.landings().into_iter().map(|(_, (_, level, _))| level);
        // A constant or a rounded-up extent uses its level, just as a digit does.
        let offsets = self.offsets.iter().filter(|(_, at)| **at > 0).map(|(level, _)| *level);
        landed.chain(self.marked.iter().copied()).chain(offsets).chain([Level::ADDR]).collect()
    }

    pub(crate) fn offset(&self, level: Level) -> u64 {
        self.offsets.get(&level).copied().unwrap_or(0)
    }

    /// 1 + the greatest coordinate of a slot.
    pub(crate) fn extent(&self, level: Level) -> u64 {
        let steps = self.landings().into_iter().filter(|(_, landing)| landing.1 == level);
        // A coordinate that overflows is beyond every machine.
        steps.fold(self.offset(level).saturating_add(1), |sum, (_, (size, _, stride))| {
            sum.saturating_add((size - 1).saturating_mul(stride))
        })
    }

    /// The extent, rounded up if the layout says so.
    pub(crate) fn span(&self, level: Level) -> u64 {
        self.extent(level).max(self.spans.get(&level).copied().unwrap_or(0))
    }

    /// The layout with `step` added to every coordinate in a level. Rounded-up extents move along.
    pub(crate) fn moved(&self, level: Level, step: u64) -> Slow {
        let mut moved = self.clone();
        *moved.offsets.entry(level).or_default() += step;
        moved.offsets.retain(|_, offset| *offset > 0);
        if self.span(level) > self.extent(level) {
            moved.spans.insert(level, self.span(level) + step);
        }
        moved
    }

    /// Every index below the shape, row-major.
    pub(crate) fn indexes(&self) -> Vec<Vec<u64>> {
        count(&self.shape())
    }

    /// The digits of all axes, in order; `None` if a value is at or beyond an extent.
    pub(crate) fn digits(&self, index: &[u64]) -> Option<Vec<u64>> {
        let (values, digits) = self.evaluated(index);
        let real = values.iter().zip(self.nodes()).all(|(value, axis)| *value < axis.extent);
        (real && values.len() == self.nodes().count()).then_some(digits)
    }

    /// Values and digits of all axes in order, up to the first value that is out of range.
    fn evaluated(&self, index: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let mut evaluated = (Vec::new(), Vec::new());
        self.evaluate(index, &mut evaluated);
        evaluated
    }

    /// [`evaluated`](Slow::evaluated), in the vectors of the index before.
    fn evaluate(&self, index: &[u64], (values, digits): &mut (Vec<u64>, Vec<u64>)) {
        values.clear();
        values.reserve(index.len() + self.derived.len());
        values.extend(index.iter().copied().chain(self.derived.iter().map(|(start, _)| *start)));
        digits.clear();
        digits.resize(self.nodes().map(|axis| axis.digits.len()).sum(), 0);
        let mut first = 0;
        for (node, axis) in self.nodes().enumerate() {
            if values[node] >= axis.slots() {
                values.truncate(node + 1);
                digits.truncate(first);
                return;
            }
            let mut rest = values[node];
            for (at, digit) in axis.digits.iter().enumerate().rev() {
                let value = rest % digit.size;
                rest /= digit.size;
                digits[first + at] = value;
                if let To::Feed(derived, weight) = digit.to {
                    let to = &mut values[self.axes.len() + derived];
                    match self.xors.contains(&derived) {
                        true => (0..64)
                            .filter(|bit| value >> bit & 1 == 1)
                            .for_each(|bit| *to ^= weight << bit),
                        false => *to += value * weight,
                    }
                }
            }
            first += axis.digits.len();
        }
    }

    /// All landing digits, computed once for many elements.
    fn lands(&self) -> Lands {
        let levels: Vec<Level> = self.used().into_iter().collect();
        let origin = levels.iter().map(|level| self.offset(*level)).collect();
        let at = |level| levels.iter().position(|used| *used == level).unwrap();
        let landings = self.landings().into_iter();
        let steps =
            landings.map(|(digit, (_, level, stride))| (digit, at(level), stride)).collect();
        let copies = count(&self.replicas.iter().map(|replica| replica.0).collect::<Vec<_>>());
        Lands { levels, origin, steps, copies }
    }

    /// The settings of all landing digits for an element: one per copy, the first copy first.
    fn settings(&self, lands: &Lands, index: &[u64]) -> Vec<Vec<u64>> {
        let digits = self.digits(index).unwrap_or_else(|| panic!("{index:?} is not real"));
        let all = lands.copies.iter().map(|copy| [&digits[..], &copy[..]].concat());
        all.map(|all| lands.steps.iter().map(|(digit, ..)| all[*digit]).collect()).collect()
    }

    /// Every place of an element, the first copy first.
    pub(crate) fn places(&self, index: &[u64]) -> Vec<Location> {
        self.places_of(&self.lands(), index)
    }

    /// The places of every element, in row-major order.
    pub(crate) fn places_by_element(&self) -> Vec<Vec<Location>> {
        let lands = self.lands();
        self.indexes().iter().map(|index| self.places_of(&lands, index)).collect()
    }

    fn places_of(&self, lands: &Lands, index: &[u64]) -> Vec<Location> {
        self.coordinates_of(lands, index).iter().map(|at| lands.location(at)).collect()
    }

    /// The coordinates of every place of an element, the first copy first.
    fn coordinates_of(&self, lands: &Lands, index: &[u64]) -> Vec<Vec<u64>> {
        let digits = self.digits(index).unwrap_or_else(|| panic!("{index:?} is not real"));
        let (own, replicas) = lands.steps.split_at(lands.steps.len() - self.replicas.len());
        let mut first = lands.origin.clone();
        own.iter().for_each(|(digit, level, stride)| first[*level] += digits[*digit] * stride);
        let moved = |copy: &Vec<u64>| {
            let mut at = first.clone();
            let steps = replicas.iter().zip(copy);
            steps.for_each(|((_, level, stride), digit)| at[*level] += digit * stride);
            at
        };
        lands.copies.iter().map(moved).collect()
    }

    pub(crate) fn place_set(&self, index: &[u64]) -> BTreeSet<Location> {
        self.places(index).into_iter().collect()
    }

    /// Every setting of all landing digits.
    fn slot_settings(&self) -> Vec<Vec<u64>> {
        count(&self.landings().iter().map(|(_, landing)| landing.0).collect::<Vec<_>>())
    }

    /// Size and stride of all digits that land in a level.
    pub(crate) fn steps_in(&self, level: Level) -> Vec<(u64, u64)> {
        let all = self.landings().into_iter().map(|(_, landing)| landing);
        all.filter(|(_, of, _)| *of == level).map(|(size, _, stride)| (size, stride)).collect()
    }

    /// The product of the sizes of all landing digits.
    pub(crate) fn slots(&self) -> u64 {
        self.landings().iter().map(|(_, landing)| landing.0).product()
    }

    /// The number of slots without an element.
    pub(crate) fn pads(&self) -> u64 {
        self.slots() - self.held(&self.lands()).len() as u64
    }

    /// The settings of all landing digits that hold an element.
    fn held(&self, lands: &Lands) -> HashSet<Vec<u64>> {
        self.indexes().iter().flat_map(|index| self.settings(lands, index)).collect()
    }

    /// The places of all slots without an element, one for each.
    pub(crate) fn pads_by_slot(&self) -> Vec<Location> {
        let lands = self.lands();
        let held = self.held(&lands);
        let pads = self.slot_settings().into_iter().filter(|setting| !held.contains(setting));
        pads.map(|setting| lands.place(&setting)).collect()
    }

    /// True if no two copies share a place.
    pub(crate) fn is_injective(&self) -> bool {
        let lands = self.lands();
        let mut seen = HashSet::new();
        let shape = self.shape();
        let indexes = counted(&shape);
        let mut places = indexes.flat_map(|index| self.coordinates_of(&lands, &index));
        places.all(|place| seen.insert(place))
    }

    pub(crate) fn contents(&self) -> Contents {
        let lands = self.lands();
        // By coordinates, which are compared sooner than places, in the same order.
        let mut contents: BTreeMap<Vec<u64>, BTreeSet<Vec<u64>>> = BTreeMap::new();
        for setting in self.slot_settings() {
            contents.entry(lands.coordinates(&setting)).or_default();
        }
        for index in self.indexes() {
            for place in self.coordinates_of(&lands, &index) {
                contents.entry(place).or_default().insert(index.clone());
            }
        }
        contents.into_iter().map(|(at, held)| (lands.location(&at), held)).collect()
    }

    /// All valid answers for a place with a coordinate in every used level: one per element there.
    pub(crate) fn found(&self, contents: &Contents, place: &Location) -> Vec<Found> {
        if self.used().into_iter().any(|level| place.get(level).unwrap() >= self.span(level)) {
            return vec![Found::Outside];
        }
        let named: Location =
            self.used().into_iter().map(|level| (level, place.get(level).unwrap())).collect();
        match contents.get(&named) {
            None => vec![Found::Hole],
            Some(held) if held.is_empty() => vec![Found::Padding],
            Some(held) => held.iter().cloned().map(Found::Element).collect(),
        }
    }

    /// The number of coordinates in a level that some slot takes.
    pub(crate) fn used_in(&self, level: Level) -> u64 {
        let lands = self.lands();
        let places = self.slot_settings();
        let places = places.iter().map(|setting| lands.place(setting).get(level).unwrap_or(0));
        places.collect::<BTreeSet<u64>>().len() as u64
    }

    /// The number of settings of the digits landing in a level that yield this coordinate.
    pub(crate) fn settings_at(&self, level: Level, coordinate: u64) -> usize {
        let mut terms = self.landings();
        terms.retain(|(_, landing)| landing.1 == level);
        let sizes: Vec<u64> = terms.iter().map(|(_, landing)| landing.0).collect();
        let sum = |setting: &Vec<u64>| -> u64 {
            terms.iter().zip(setting).map(|((_, (_, _, stride)), digit)| digit * stride).sum()
        };
        let there = count(&sizes).into_iter().filter(|s| self.offset(level) + sum(s) == coordinate);
        there.count()
    }

    /// The greatest value of a derived axis over all real indexes; `None` without elements.
    pub(crate) fn greatest(&self, derived: usize) -> Option<u64> {
        let (at, mut evaluated) = (self.axes.len() + derived, Default::default());
        let value = |index: Vec<u64>| {
            self.evaluate(&index, &mut evaluated);
            evaluated.0[at]
        };
        counted(&self.shape()).map(value).max()
    }

    /// True if both are one map: equal shapes and used levels, and equal answers for every place.
    pub(crate) fn same_map(&self, other: &Slow) -> bool {
        self.shape() == other.shape()
            && self.used() == other.used()
            && self.used().into_iter().all(|level| self.span(level) == other.span(level))
            && self.contents() == other.contents()
    }
}

/// All landing digits, for many elements of one layout.
struct Lands {
    /// The used levels, and the coordinates where all digits are 0.
    levels: Vec<Level>,
    origin: Vec<u64>,
    /// The number of each digit, the number of its level, and its stride.
    steps: Vec<(usize, usize, u64)>,
    /// The digits of every copy.
    copies: Vec<Vec<u64>>,
}

impl Lands {
    /// The coordinates of a setting, in the order of the levels.
    fn coordinates(&self, setting: &[u64]) -> Vec<u64> {
        let mut at = self.origin.clone();
        for ((_, level, stride), digit) in self.steps.iter().zip(setting) {
            at[*level] += digit * stride;
        }
        at
    }

    fn location(&self, coordinates: &[u64]) -> Location {
        self.levels.iter().copied().zip(coordinates.iter().copied()).collect()
    }

    fn place(&self, setting: &[u64]) -> Location {
        self.location(&self.coordinates(setting))
    }
}

/// Every tuple of numbers below `limits`; the last varies fastest.
pub(crate) fn count(limits: &[u64]) -> Vec<Vec<u64>> {
    counted(limits).collect()
}

/// [`count`], one by one.
fn counted(limits: &[u64]) -> impl Iterator<Item = Vec<u64>> {
    let mut next = vec![0; limits.len()];
    (0..limits.iter().product::<u64>()).map(move |_| {
        let here = next.clone();
        for (entry, limit) in next.iter_mut().zip(limits).rev() {
            *entry += 1;
            if *entry < *limit {
                break;
            }
            *entry = 0;
        }
        here
    })
}

/// A place reduced to some levels.
pub(crate) fn cut_to(place: &Location, levels: &BTreeSet<Level>) -> Location {
    place.iter().filter(|(level, _)| levels.contains(level)).collect()
}

impl fmt::Debug for Digit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to {
            To::Land(level, stride) => write!(f, "land({}, {level}, {stride})", self.size),
            To::Feed(derived, weight) => write!(f, "feed({}, {derived}, {weight})", self.size),
        }
    }
}

/// Prints the layout as the calls of the builder.
impl fmt::Debug for Slow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for axis in &self.axes {
            write!(f, ".axis({}, {:?})", axis.extent, axis.digits)?;
        }
        for (number, (start, axis)) in self.derived.iter().enumerate() {
            match self.xors.contains(&number) {
                true => write!(f, ".xor({start}, {:?})", axis.digits)?,
                false => write!(f, ".derived({start}, {}, {:?})", axis.extent, axis.digits)?,
            }
        }
        for (size, level, stride) in &self.replicas {
            write!(f, ".replica({size}, {level}, {stride})")?;
        }
        for (level, offset) in &self.offsets {
            write!(f, ".offset({level}, {offset})")?;
        }
        for (level, span) in &self.spans {
            write!(f, ".span({level}, {span})")?;
        }
        self.marked.iter().try_for_each(|level| write!(f, ".used({level})"))?;
        if self.nodes().count() == 0 { f.write_str("()") } else { Ok(()) }
    }
}
