//! Generated pairs of layouts, and maps into the axes of a layout.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;
use tensor_layout::algebra::IndexOrder;
use tensor_layout::{Level, Location};

use crate::generate::{all_digits, any_layout, frame, is_built, layouts, no_feed};
use crate::slow::{Axis, Digit, Slow, To, feed, land};

/// Two layouts of the same shape, often the same map.
pub(crate) fn pair() -> impl Strategy<Value = (Slow, Slow)> {
    let small = || {
        let digit = (
            select(vec![1_u64, 2, 3, 4]),
            select(vec![Level::ADDR, Level::PE]),
            0_u64..5,
            prop::option::weighted(0.5, (0_usize..2, 0_u64..4)),
            Just(false),
        );
        let axes = |most| prop::collection::vec(prop::collection::vec(digit.clone(), 0..4), most);
        let more = digit.clone();
        let derived = prop_oneof![2 => Just(0_usize), 1 => Just(1)].prop_flat_map(move |n| {
            prop::collection::vec(prop::collection::vec(more.clone(), 0..3), n)
        });
        layouts(axes(0..3), derived, frame())
    };
    let related = (any_layout(), any::<u64>()).prop_map(|(a, how)| (a.clone(), rewritten(a, how)));
    let related = related.prop_filter("refused", |(_, b)| is_built(b));
    let unrelated = (small(), small()).prop_map(|(mut a, mut b)| {
        common_shape(&mut a, &mut b);
        (a, b)
    });
    let unrelated = unrelated.prop_filter("refused", |(a, b)| is_built(a) && is_built(b));
    prop_oneof![related, unrelated]
}

/// Cuts both to the smaller rank and the smaller extents.
pub(crate) fn common_shape(a: &mut Slow, b: &mut Slow) {
    let rank = a.axes.len().min(b.axes.len());
    a.axes.truncate(rank);
    b.axes.truncate(rank);
    for (x, y) in a.axes.iter_mut().zip(&mut b.axes) {
        x.extent = x.extent.min(y.extent);
        y.extent = x.extent;
    }
}

/// The changes that turn one layout into another, drawn as the bits of a number, which stored failures keep.
struct Rewriting {
    bits: u64,
    cuts_digits: bool,
    /// True if each axis gets a digit of size 1.
    adds_empty_digit: bool,
    /// Selects the axis that is rewritten through a derived axis.
    derives: Option<usize>,
    /// From here on, the changes no longer preserve the map.
    changes_a_stride: bool,
    shortens_an_axis: bool,
    change: Option<Change>,
}

/// A change of the map outside its axes.
enum Change {
    MarkedLevel,
    Offset,
    Copies { stride: u64 },
    LongerDigit,
    LongerSpan,
}

impl Rewriting {
    fn of(bits: u64) -> Rewriting {
        let none_of = |mask: u64| bits & mask == 0;
        let change = match bits >> 40 & 31 {
            0 => Some(Change::MarkedLevel),
            1 => Some(Change::Offset),
            2 => Some(Change::Copies { stride: bits >> 45 & 7 }),
            3 => Some(Change::LongerDigit),
            4 => Some(Change::LongerSpan),
            _ => None,
        };
        Rewriting {
            bits,
            cuts_digits: none_of(4),
            adds_empty_digit: none_of(8),
            derives: none_of(0x400).then_some((bits >> 11) as usize),
            changes_a_stride: none_of(0x70),
            shortens_an_axis: none_of(0x380),
            change,
        }
    }

    /// The number by which the digits of an axis are cut.
    fn factor(&self, axis: usize) -> u64 {
        2 + (self.bits >> axis & 1)
    }

    /// The digits of an axis, cut in two and with a digit of size 1 among them.
    fn digits(&self, at: usize, axis: &Axis) -> Vec<Digit> {
        let factor = self.factor(at);
        let mut digits = Vec::new();
        for &digit in &axis.digits {
            if self.cuts_digits && digit.size % factor == 0 && digit.size > factor {
                digits.push(Digit { size: digit.size / factor, to: stepped(digit.to, factor) });
                digits.push(Digit { size: factor, ..digit });
            } else {
                digits.push(digit);
            }
        }
        if self.adds_empty_digit && !digits.is_empty() {
            let nothing = stepped(digits[0].to, 5);
            digits.insert(self.bits as usize % digits.len(), Digit { size: 1, to: nothing });
        }
        digits
    }
}

impl Change {
    fn make(&self, slow: &mut Slow) {
        match self {
            Change::MarkedLevel => {
                let _ = slow.marked.insert(Level::PE);
            }
            Change::Offset => *slow = slow.clone().moved(Level::ADDR, 1),
            Change::Copies { stride } => slow.replicas.push((2, Level::ADDR, *stride)),
            Change::LongerDigit => {
                let first = slow.axes.first_mut().and_then(|axis| axis.digits.first_mut());
                first.into_iter().for_each(|digit| digit.size += 1);
            }
            Change::LongerSpan => {
                let _ = slow.spans.insert(Level::ADDR, slow.span(Level::ADDR) + 1);
            }
        }
    }
}

/// The layout written in another form of the same map, or of nearly the same one.
fn rewritten(mut slow: Slow, how: u64) -> Slow {
    let how = Rewriting::of(how);
    for (at, axis) in slow.axes.iter_mut().enumerate() {
        axis.digits = how.digits(at, axis);
    }
    if let Some(pick) = how.derives
        && !slow.axes.is_empty()
    {
        let axis = pick % slow.axes.len();
        through_derived(&mut slow, axis, 0, 1);
    }
    if how.changes_a_stride {
        let digits = slow.axes.iter_mut().flat_map(|axis| &mut axis.digits);
        let stride = digits.filter_map(|digit| match &mut digit.to {
            To::Land(_, stride) => Some(stride),
            To::Feed(..) => None,
        });
        stride.take(1).for_each(|stride| *stride = stride.saturating_add(1).min(1 << 20));
    }
    if how.shortens_an_axis
        && let Some(axis) = slow.axes.first_mut()
    {
        axis.extent = axis.extent.saturating_sub(1);
    }
    if let Some(change) = how.change {
        change.make(&mut slow);
    }
    hold_values(&mut slow);
    slow
}

/// Removes the feeds of the first derived axis that would exceed its extent.
fn hold_values(slow: &mut Slow) {
    let beyond = (0..slow.derived.len()).find(|derived| {
        slow.greatest(*derived).is_some_and(|most| most >= slow.derived[*derived].1.extent)
    });
    if let Some(derived) = beyond {
        no_feed(slow, derived);
    }
}

fn stepped(to: To, factor: u64) -> To {
    match to {
        To::Land(level, stride) => To::Land(level, stride.saturating_mul(factor)),
        To::Feed(derived, weight) => To::Feed(derived, weight.saturating_mul(factor)),
    }
}

/// Makes an axis feed a new derived axis with its digits: index i becomes `start + step x i`.
pub(crate) fn through_derived(slow: &mut Slow, axis: usize, start: u64, step: u64) {
    for digit in all_digits(slow) {
        if let To::Feed(derived, _) = &mut digit.to {
            *derived += 1;
        }
    }
    let old = slow.axes[axis].clone();
    let extent = old.extent.saturating_sub(start).div_ceil(step);
    let fed = [feed(extent.max(1), 0, if extent > 1 { step } else { 1 })];
    slow.axes[axis] = Axis::new(extent, fed);
    // Without elements, nothing bounds the values of the derived axis.
    let start = if extent == 0 { 0 } else { start };
    let held = if extent == 0 && old.extent == 0 { 0 } else { old.extent };
    slow.derived.insert(0, (start, Axis { extent: held, ..old }));
    slow.xors = slow.xors.iter().map(|number| number + 1).collect();
}

/// A map into the axes of a layout, or into its linear index.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    pub(crate) slow: Slow,
}

impl Map {
    /// True if the map names no axis, so that it yields the linear index.
    pub(crate) fn is_linear(&self) -> bool {
        self.slow.used().len() == 1
    }
}

/// A map as drawn, before its target shape is known.
#[derive(Clone, Debug)]
pub(crate) struct MapDraw {
    axes: Vec<Vec<(u64, prop::sample::Index, prop::sample::Index)>>,
    linear: bool,
    cut: prop::sample::Index,
    offset: prop::sample::Index,
    /// For each axis, the start and step of the derived axis that it goes through, if any.
    derived: Vec<Option<(u64, u64)>>,
    odd: u32,
}

pub(crate) fn index_map() -> impl Strategy<Value = MapDraw> {
    let index = any::<prop::sample::Index>;
    let digit = (select(vec![1_u64, 2, 3, 4, 6]), index(), index());
    let axes = prop::collection::vec(prop::collection::vec(digit, 0..3), 0..3);
    let derived = prop::option::weighted(0.3, (0_u64..3, 1_u64..3));
    let derived = prop::collection::vec(derived, 3);
    (axes, any::<bool>(), index(), index(), derived, any::<u32>()).prop_map(
        |(axes, linear, cut, offset, derived, odd)| MapDraw {
            axes,
            linear,
            cut,
            offset,
            derived,
            odd,
        },
    )
}

/// A layout and a map into its axes, which may exceed them.
pub(crate) fn with_map() -> impl Strategy<Value = (Slow, Map)> {
    let mapped = (any_layout(), index_map()).prop_map(|(f, draw)| {
        let map = map_into(&f.shape(), &draw);
        (f, map)
    });
    mapped.prop_filter("refused", |(_, map)| is_built(&map.slow))
}

pub(crate) fn map_into(shape: &[u64], draw: &MapDraw) -> Map {
    let mut room: BTreeMap<Level, u64> =
        (0..).map(Level::axis).zip(shape.iter().copied()).collect();
    room.insert(Level::ADDR, shape.iter().product());
    let linear = draw.linear || shape.is_empty();
    let mut digits = |axis: &Vec<(u64, prop::sample::Index, prop::sample::Index)>| {
        let place = |(size, level, stride): &(u64, prop::sample::Index, prop::sample::Index)| {
            let level = if linear { Level::ADDR } else { Level::axis(level.index(shape.len())) };
            // Usually within the rest of the axis, sometimes beyond it.
            let left = room.get_mut(&level).unwrap();
            let most = left.saturating_sub(1) / (size - 1).max(1);
            let beyond = u64::from(draw.cut.index(40) == 0);
            let stride = stride.index(most as usize + 1) as u64 + beyond;
            *left = left.saturating_sub((size - 1) * stride);
            land(*size, level, stride)
        };
        axis.iter().map(place).collect::<Vec<_>>()
    };
    let mut slow = Slow::default();
    for axis in &draw.axes {
        let axis = Axis::new(0, digits(axis));
        let extent = axis.slots() - draw.cut.index(2).min(axis.slots() as usize - 1) as u64;
        slow.axes.push(Axis { extent, ..axis });
    }
    if draw.odd.is_multiple_of(3)
        && let Some((level, left)) = room.iter().nth(draw.offset.index(room.len()))
        && slow.used().contains(level)
        && *left > 1
    {
        slow.offsets.insert(*level, draw.offset.index(*left as usize) as u64);
        slow.offsets.retain(|_, offset| *offset > 0);
    }
    for (axis, derived) in (0..slow.axes.len()).zip(&draw.derived) {
        if let Some((start, step)) = derived {
            through_derived(&mut slow, axis, *start, *step);
        }
    }
    match draw.odd % 64 {
        1 => slow.replicas.push((1 + u64::from(draw.odd >> 8 & 1), Level::ADDR, 1)),
        2 => drop(slow.marked.insert(Level::PE)),
        3 if !linear => slow.axes.push(Axis::new(2, [land(2, Level::ADDR, 1)])),
        _ => {}
    }
    Map { slow }
}

/// The weight of every axis in the linear index.
pub(crate) fn weights(shape: &[u64], order: IndexOrder) -> Vec<u64> {
    let mut weights = vec![1; shape.len()];
    let ranks: Vec<usize> = match order {
        IndexOrder::RowMajor => (0..shape.len()).rev().collect(),
        IndexOrder::Colexicographic => (0..shape.len()).collect(),
    };
    let mut weight = 1;
    for axis in ranks {
        weights[axis] = weight;
        weight *= shape[axis].max(1);
    }
    weights
}

/// The index that a place names: by axes, or by its linear index.
pub(crate) fn index_at(
    shape: &[u64],
    place: &Location,
    linear: bool,
    order: IndexOrder,
) -> Option<Vec<u64>> {
    let index: Vec<u64> = if linear {
        let number = place.get(Level::ADDR)?;
        if number >= shape.iter().product() {
            return None;
        }
        weights(shape, order).iter().zip(shape).map(|(w, extent)| number / w % extent).collect()
    } else {
        (0..shape.len()).map(|axis| place.get(Level::axis(axis)).unwrap_or(0)).collect()
    };
    index.iter().zip(shape).all(|(entry, extent)| entry < extent).then_some(index)
}
