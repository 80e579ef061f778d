//! Complement: the part of a space that a layout leaves free.

use std::collections::BTreeSet;

use crate::algebra::coordinates::nested_sums;
use crate::algebra::layout::{Axis, DerivedAxis, Layout, Subaxis, Target};
use crate::algebra::radix::product;
use crate::algebra::xor::BitSystem;
use crate::error::{ErrorKind, LayoutError, Site, fault};
use crate::level::Level;
use crate::location::Location;
use crate::number::to_index;

/// (level, size, stride) of a digit.
type Landed = (Level, u64, u64);

impl Layout {
    /// Returns the layout of what `self` leaves free in a space: one axis per level of `space`, in order.
    ///
    /// `space` gives the size of every level. Every place of the space is the sum of exactly one place of
    /// `self` and one of the complement. Coinciding copies count as one.
    /// Law: disjoint from `self` except at the origin, ordered (its strides ascend from minor to major), and
    /// `self` x complement covers the space exactly.
    /// Cost: O(subaxes log subaxes); where axes are padded or fused, up to 2^16 elements are enumerated.
    /// Source: CuTe, `02_layout_algebra.md`, "Complement"; CuTe rounds up a last gap that does not divide,
    /// whereas here it is an error.
    ///
    /// # Errors
    /// `CannotComplement`: the image is not a product of levels (an axis is padded inside, or fused), strides
    /// overlap or do not divide, or the size of a used level is missing or not a multiple of what `self` fills;
    /// `NotDecided` where more elements would have to be enumerated.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Level};
    /// let layout: Layout = "(2:1, 2:8)".parse()?;
    /// let rest = layout.complement(&[(Level::ADDR, 32)])?;
    /// assert_eq!(rest, "((2:16, 4:2))".parse()?); // CuTe: (4,2):(2,16)
    /// assert!(layout.complement(&[(Level::ADDR, 24)]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn complement(&self, space: &[(Level, u64)]) -> Result<Layout, LayoutError> {
        self.complement_in(space).map_err(|error| {
            without_complement(error, "the layout cannot be complemented in this space")
        })
    }

    fn complement_in(&self, space: &[(Level, u64)]) -> Result<Layout, LayoutError> {
        let layout = self.without_padding()?;
        let mut landed = layout.boxes()?;
        let sized = |level: &Level| space.iter().any(|(of, _)| of == level);
        let open = |level: &&Level| !sized(level) && layout.extent(**level) > 1;
        if let Some(level) = layout.used.iter().find(open) {
            return Err(fault!(
                CannotComplement,
                "the size of level `{level}` is not given",
                [level = *level]
            ));
        }
        if let Some(&(level, offset)) = layout.offsets.first() {
            return Err(fault!(
                CannotComplement,
                "`{level}` starts from {offset}",
                [level, offset]
            ));
        }
        landed.extend(layout.copies_landed());
        let mut builder = Layout::builder();
        for &(level, size) in space {
            let own = landed.iter().filter(|(of, ..)| *of == level);
            let subaxes = gaps(level, own.map(|(_, n, stride)| (*n, *stride)).collect(), size)?;
            builder = builder.with_axis(Axis::unpadded(subaxes)).used(level);
        }
        builder.build()
    }

    /// Returns the smallest space that has a complement: per used level, the greatest size x stride.
    ///
    /// Law: if [`complement`](Layout::complement) succeeds for any space, it succeeds for this one, and
    /// the sizes of that space are multiples of these.
    ///
    /// # Errors
    /// As [`without_padding`](Layout::without_padding); `TooLarge`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Level};
    /// let layout: Layout = "(2:1, 2:8)".parse()?;
    /// assert_eq!(layout.complement_space()?, [(Level::ADDR, 16)]);
    /// assert_eq!(layout.complement(&layout.complement_space()?)?, "((4:2))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn complement_space(&self) -> Result<Vec<(Level, u64)>, LayoutError> {
        let layout = self.without_padding()?;
        let mut landed = match layout.boxes() {
            // No space has a complement; the digits as written still have sizes.
            Err(error) if error.kind() == ErrorKind::CannotComplement => {
                layout.landings().map(|of| (of.level, of.size, of.stride)).collect()
            }
            boxes => boxes?,
        };
        landed.extend(layout.copies_landed());
        let filled = |level: &Level| {
            let own =
                landed.iter().filter(|(of, size, stride)| of == level && *size > 1 && *stride > 0);
            let mut ends = own.map(|(_, size, stride)| size.checked_mul(*stride));
            let end = ends.try_fold(1, |most: u64, end| Some(most.max(end?)));
            let too_large = || LayoutError::too_large(Site::Layout, "the space of the complement");
            end.map(|end| (*level, end)).ok_or_else(too_large)
        };
        layout.used.iter().map(filled).collect()
    }

    /// Returns the digits of the replicas whose copies are in different places.
    fn copies_landed(&self) -> Vec<Landed> {
        let copies = self.replicas.iter().filter(|replica| replica.is_apart());
        copies.map(|copy| (copy.level, copy.size, copy.stride)).collect()
    }

    /// Returns the digits whose sums are the places, read off the axes or found by enumeration.
    fn boxes(&self) -> Result<Vec<Landed>, LayoutError> {
        let freed = self.with_xors_as_axes();
        let boxes = freed.as_ref().unwrap_or(self).box_axes();
        boxes.or_else(|refusal| self.box_by_looking(refusal))
    }

    /// Replaces every derived axis, and the digits that feed it, by an axis of its own with the same places.
    ///
    /// `None` unless there are derived axes, all of them XORs that land and take each of their values once,
    /// and no axis is padded.
    fn with_xors_as_axes(&self) -> Option<Layout> {
        let (digits, is_padded) = (self.digits(), |axis: &Axis| axis.extent != axis.slots());
        let takes_all = |(number, derived): (usize, &DerivedAxis)| {
            let lands = derived.axis.subaxes.iter().all(|subaxis| subaxis.feeds().is_none());
            let system = BitSystem::of_slots(&digits, number);
            derived.is_xor() && lands && system.is_bijective(derived.axis.extent)
        };
        if self.derived.is_empty()
            || self.axes.iter().any(is_padded)
            || !self.derived.iter().enumerate().all(takes_all)
        {
            return None;
        }
        let own = self.axes.iter().map(|axis| Axis::unpadded(axis.landing().collect()));
        let axes = own.chain(self.derived.iter().map(|derived| derived.axis.clone())).collect();
        Some(Layout { axes, derived: Vec::new(), ..self.clone() })
    }

    /// Returns the digits of all axes, if each place is one sum of them: no axis is padded or fused.
    fn box_axes(&self) -> Result<Vec<Landed>, LayoutError> {
        if !self.derived.is_empty() {
            return Err(fault!(CannotComplement, "its axes are fused or nested"));
        }
        if self.elements() == 0 {
            return Err(fault!(CannotComplement, "it has no elements"));
        }
        let mut landed = Vec::new();
        for (axis, digits) in self.axes_of_elements().into_iter().enumerate() {
            let slots: u64 = digits.iter().map(|digit| digit.size).product();
            let extent = self.axes[axis].extent;
            if slots != extent {
                return Err(fault!(
                    CannotComplement,
                    "its image is not a product: axis {axis} has {extent} of {slots} values",
                    [axis, extent, slots]
                ));
            }
            for digit in digits {
                match digit.target {
                    Target::Land { stride: 0, .. } => {
                        return Err(fault!(
                            CannotComplement,
                            "its elements along axis {axis} share places",
                            [axis]
                        ));
                    }
                    Target::Land { level, stride } => landed.push((level, digit.size, stride)),
                    Target::Feed { .. } => {}
                }
            }
        }
        Ok(landed)
    }

    /// Finds the box of places by enumeration. Where axes are padded or fused, the places may still be a box:
    /// padding may cut off the end of a run whose strides do not descend, and derived axes may permute a box.
    fn box_by_looking(&self, refusal: LayoutError) -> Result<Vec<Landed>, LayoutError> {
        if refusal.kind() != ErrorKind::CannotComplement || !self.may_be_a_box(&refusal) {
            return Err(refusal);
        }
        if self.elements() > MOST_ELEMENTS {
            let question = "checking whether the places of the elements are a box";
            return Err(LayoutError::not_decided(question, MOST_ELEMENTS));
        }
        let places: Result<BTreeSet<Location>, LayoutError> =
            self.indexes().map(|index| self.locate(&index)).collect();
        self.box_of(&places?).ok_or(refusal)
    }

    /// Returns whether the axes that are fused, or the one that is padded, may still have the places of a box.
    fn may_be_a_box(&self, refusal: &LayoutError) -> bool {
        match (refusal.number("axis").map(to_index), refusal.number("slots")) {
            (Some(padded), Some(_)) => {
                !self.derived.is_empty() || !descends(&self.axes[padded].subaxes)
            }
            (axis, _) => axis.is_none() && self.elements() > 0,
        }
    }

    /// Returns the digits per level whose sums are exactly `places`, if each place holds one element.
    fn box_of(&self, places: &BTreeSet<Location>) -> Option<Vec<Landed>> {
        let coordinates = |level: &Level| -> Vec<u64> {
            let of = |place: &Location| place.get(*level).unwrap_or(0) - self.offset(*level);
            places.iter().map(of).collect::<BTreeSet<u64>>().into_iter().collect()
        };
        let sets: Vec<(Level, Vec<u64>)> = self.used.iter().map(|l| (*l, coordinates(l))).collect();
        // There must be as many places as elements, so that none is shared.
        let sizes: Option<Vec<u64>> =
            sets.iter().map(|(_, set)| set.len().try_into().ok()).collect();
        let is_box = product(sizes?) == Some(self.elements());
        let is_injective = u64::try_from(places.len()) == Ok(self.elements());
        let nested = |(level, set): &(Level, Vec<u64>)| -> Option<Vec<Landed>> {
            let terms = nested_sums(set).filter(|_| set.first() == Some(&0))?;
            Some(terms.into_iter().map(|(size, stride)| (*level, size, stride)).collect())
        };
        let digits: Vec<Vec<Landed>> = sets.iter().map(nested).collect::<Option<_>>()?;
        (is_box && is_injective).then(|| digits.concat())
    }
}

/// Returns whether all digits land with descending strides, major to minor: if such an axis is padded, the
/// last steps of its largest stride are missing, and the rest is not a box.
fn descends(digits: &[Subaxis]) -> bool {
    let strides: Option<Vec<u64>> = digits.iter().map(|digit| Some(digit.landed()?.1)).collect();
    strides.is_some_and(|strides| strides.is_sorted_by(|major, minor| major >= minor))
}

/// The greatest number of elements that are enumerated.
const MOST_ELEMENTS: u64 = 1 << 16;

/// Names the operation that needed a complement in the error for its want.
pub(super) fn without_complement(error: LayoutError, task: &'static str) -> LayoutError {
    match error.kind() {
        ErrorKind::CannotComplement => error.of_task(task),
        _ => error,
    }
}

/// Returns the digits that (size, stride) `terms` leave free below `size`, major to minor.
fn gaps(level: Level, mut terms: Vec<(u64, u64)>, size: u64) -> Result<Vec<Subaxis>, LayoutError> {
    terms.sort_unstable_by_key(|(_, stride)| *stride);
    let (mut gaps, mut filled) = (Vec::new(), 1_u64);
    for (n, stride) in terms {
        if stride == 0 || stride % filled != 0 {
            return Err(fault!(
                CannotComplement,
                "in `{level}` a stride of {stride} is not a multiple of {filled}, which \
                 the smaller strides fill",
                [level, stride, filled]
            ));
        }
        gaps.push(Subaxis::land(stride / filled, level, filled));
        filled = n
            .checked_mul(stride)
            .ok_or_else(|| LayoutError::too_large(Site::Layout, "the complement"))?;
    }
    if size == 0 {
        return Err(fault!(
            CannotComplement,
            "in `{level}` a space of size 0 is too small for it",
            [level]
        ));
    }
    if !size.is_multiple_of(filled) {
        return Err(fault!(
            CannotComplement,
            "`{level}` has size {size}, which is not a multiple of the {filled} that it fills",
            [level, size, filled]
        ));
    }
    gaps.push(Subaxis::land(size / filled, level, filled));
    gaps.reverse();
    gaps.retain(|gap| gap.size > 1);
    Ok(gaps)
}
