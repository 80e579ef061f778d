//! Inverses: from a place to the index.

use std::borrow::Cow;

use crate::algebra::builder::LayoutBuilder;
use crate::algebra::digits::{Destination, Digit, Digits};
use crate::algebra::layout::{DerivedAxis, Layout, Subaxis, Target};
use crate::algebra::radix::product;
use crate::algebra::xor::BitSystem;
use crate::error::{LayoutError, fault};
use crate::level::Level;

impl Layout {
    /// Returns the left inverse: a layout from places to indexes.
    ///
    /// The inverse has one axis per used level, in the order of [`Level`], and lands in `i0`, `i1`, .., the
    /// axes of `self`. A place without an element maps to an arbitrary index, and copies map to the same
    /// index. The inverse is thus a function, and a [placement](crate::placement::PlacementBuilder::build)
    /// accepts it as one; the inverse of a scalar lands in no axis and must be allowed [to share
    /// places](crate::placement::PlacementBuilder::shared_places).
    /// Law: `f.left_inverse().locate(f(i)) == i` for every real index and every copy.
    /// Cost: O(subaxes log subaxes).
    ///
    /// # Errors
    /// `Collision` where `self` is not injective; `CannotInvert` where the digits of a level cannot be
    /// separated by division (strides that do not divide each other, a base offset), or where a digit of a
    /// derived axis moves nothing, so that its value is lost.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let f: Layout = "((4_PE, 3:8), (8:1))".parse()?;
    /// let inverse = f.left_inverse()?;
    /// assert_eq!(inverse.locate(&[1, 17])?.to_string(), "i0=5,i1=1,Addr=0"); // PE 1, Addr 17
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn left_inverse(&self) -> Result<Layout, LayoutError> {
        self.check_injective()?;
        self.right_inverse()
    }

    /// Returns the layout as an index map into its [`left_inverse`](Layout::left_inverse): its levels, in
    /// the order of [`Level`], are the axes `i0`, `i1`, ..
    ///
    /// Law: `f.left_inverse().compose(f.places_as_indexes())` is the identity. Copies are kept, so composing
    /// fails if there are any, as for any index map with copies.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let f: Layout = "((4_PE, 3:8), (8:1))".parse()?;
    /// assert_eq!(f.places_as_indexes().locate(&[5, 1])?.to_string(), "i0=1,i1=17,Addr=0");
    /// let index = f.left_inverse()?.compose(&f.places_as_indexes())?;
    /// assert_eq!(index.locate(&[5, 1])?.to_string(), "i0=5,i1=1,Addr=0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn places_as_indexes(&self) -> Layout {
        let axis = |level: Level| Level::axis(self.used.binary_search(&level).unwrap_or(0));
        let mut map = self.clone();
        for subaxis in map.subaxes_mut() {
            if let Target::Land { level, .. } = &mut subaxis.target {
                *level = axis(*level);
            }
        }
        map.replicas.iter_mut().for_each(|replica| replica.level = axis(replica.level));
        for numbers in [&mut map.offsets, &mut map.spans] {
            numbers.iter_mut().for_each(|(level, _)| *level = axis(*level));
            // From ten axes on, names sort in another order than numbers: `i10` before `i2`.
            numbers.sort_unstable();
        }
        map.used = (0..self.used.len()).map(Level::axis).chain([Level::ADDR]).collect();
        map.used.sort_unstable();
        map
    }

    /// Returns a right inverse: for every place that holds elements, the index of one of them.
    ///
    /// Unlike in [`left_inverse`](Layout::left_inverse), elements may share places; digits with stride 0
    /// become 0.
    /// Law: `f(f.right_inverse()(a)) == a` for every place a of the image.
    ///
    /// # Errors
    /// `CannotInvert`.
    pub fn right_inverse(&self) -> Result<Layout, LayoutError> {
        // The digits as written or, if their strides do not divide, merged. With derived axes, merged digits are tried first,
        // which leaves fewer derived axes. Merged strides may divide where written ones do not, and vice versa if there is
        // padding between digits.
        let written = match self.derived.is_empty() {
            true => Cow::Borrowed(self),
            false => Cow::Owned(self.simplified()),
        };
        let merged = || written.clone().into_owned().without_padding_if_decided();
        match written.derived.is_empty() && written.elements() > 0 {
            true => self.inverse_in_either(&written, merged),
            false => self.inverse_in_either(&merged()?, || Ok(written.clone().into_owned())),
        }
    }

    /// Inverts `first` or, if its strides do not divide, `second`; both have the places of `self`.
    fn inverse_in_either(
        &self,
        first: &Layout,
        second: impl FnOnce() -> Result<Layout, LayoutError>,
    ) -> Result<Layout, LayoutError> {
        let inverse = self.inverse_in(first);
        match &inverse {
            Err(error) if error.fact("next").is_some() => self.inverse_in(&second()?).or(inverse),
            _ => inverse,
        }
    }

    /// Inverts the digits of a layout that has the places of `self`.
    fn inverse_in(&self, layout: &Layout) -> Result<Layout, LayoutError> {
        if let Some(&(level, offset)) = layout.offsets.first() {
            return Err(not_at_origin(level, offset));
        }
        let digits = layout.digits();
        layout.check_told(&digits)?;
        let mut builder = Layout::builder();
        for &level in &self.used {
            let extent = self.span(level);
            let landed = moving(&digits, Destination::Level(level));
            let subaxes = layout.backward(landed, extent - 1, level.as_str())?;
            // The digits may write a little more than the level has: whole blocks are simpler.
            let slots = product(subaxes.iter().map(|subaxis| subaxis.size));
            builder = builder.axis(slots.unwrap_or(extent), subaxes);
        }
        // Last to first, so that a digit feeds an axis that comes after its own.
        for number in (0..layout.derived.len()).rev() {
            builder = layout.reversed(number, &digits, builder)?;
        }
        let builder = (0..layout.rank()).fold(builder, |b, axis| b.used(Level::axis(axis)));
        Ok(builder.build()?.into_simplified())
    }

    /// Returns an error if a digit of a derived axis has stride 0, so that places do not determine its value.
    fn check_told(&self, digits: &Digits) -> Result<(), LayoutError> {
        let is_lost = |digit: &Digit| digit.top > 0 && digit.stride == 0;
        let has_lost = |derived: &usize| digits.of(self.rank() + derived).iter().any(is_lost);
        match (0..self.derived.len()).find(has_lost) {
            None => Ok(()),
            Some(derived) => Err(fault!(
                CannotInvert,
                "the layout cannot be inverted: derived axis {derived} has a digit with \
                 stride 0, so its value is lost",
                [derived]
            )),
        }
    }

    /// Adds a derived axis read backward: its value, put together from its digits, is split into the
    /// digits that fed it.
    fn reversed(
        &self,
        number: usize,
        digits: &Digits,
        builder: LayoutBuilder,
    ) -> Result<LayoutBuilder, LayoutError> {
        let DerivedAxis { start, .. } = self.derived[number];
        if start > 0 && !self.derived[number].is_xor() {
            let derived = number;
            return Err(fault!(
                CannotInvert,
                "the layout cannot be inverted: derived axis {derived} starts from {start}",
                [derived, start]
            ));
        }
        // Places without elements may give values beyond the extent of the axis.
        let index = self.reversed_number(number);
        let fed = builder.axes.iter().chain(builder.derived.iter().map(|derived| &derived.axis));
        let mut steps = fed.flat_map(|axis| &axis.subaxes).map(|subaxis| match subaxis.target {
            Target::Feed { derived, weight } if derived == index => {
                (subaxis.size - 1).checked_mul(weight)
            }
            _ => Some(0),
        });
        let reach = steps.try_fold(0_u64, |reach, step| reach.checked_add(step?));
        let reach = reach.filter(|reach| *reach < u64::MAX).ok_or_else(too_large_to_invert)?;
        if self.derived[number].is_xor() {
            return self.reversed_xor(number, digits, reach, builder);
        }
        let what = format!("derived axis {number}");
        let feeders = moving(digits, Destination::Derived(number));
        let subaxes = self.backward(feeders, reach, &what)?;
        Ok(builder.derived(0, reach + 1, subaxes))
    }

    /// Returns the number of a derived axis in the inverse. An XOR takes two: one that collects the bits of
    /// its value, and one that they flip.
    fn reversed_number(&self, number: usize) -> usize {
        self.derived[number + 1..].iter().map(|behind| 1 + usize::from(behind.is_xor())).sum()
    }

    /// Adds an XOR read backward: each bit of its value flips the bits of its sources that elimination
    /// takes for it.
    fn reversed_xor(
        &self,
        number: usize,
        digits: &Digits,
        reach: u64,
        builder: LayoutBuilder,
    ) -> Result<LayoutBuilder, LayoutError> {
        let DerivedAxis { start, axis, .. } = &self.derived[number];
        let (index, sources) =
            (self.reversed_number(number), BitSystem::of_elements(digits, number));
        // Any choice of dependent bits gives the same place, but in a padded axis not every choice is an
        // element.
        let node = |digit: usize| digits.digit(digit).axis;
        let is_padded = |node: &usize| self.axes.get(*node).is_none_or(|a| a.extent != a.slots());
        if let Some(axis) = sources.dependent_digits().filter_map(node).find(is_padded) {
            let source_axis = match axis.checked_sub(self.rank()) {
                None => format!("axis {axis}"),
                Some(derived) => format!("derived axis {derived}"),
            };
            return Err(fault!(
                CannotInvert,
                "the layout cannot be inverted: the bits that feed derived axis \
                 {derived} are dependent, and {source_axis} is padded or derived, so \
                 elements cannot be told from padding",
                [derived = number, source_axis]
            ));
        }
        let bits = axis.slots().ilog2();
        let flip = |bit: u32| Subaxis::feed(2, index + 1, sources.made_of(1 << bit));
        let beyond = (reach >> bits) + 1;
        let mut value: Vec<Subaxis> = (0..bits).rev().map(flip).collect();
        if beyond > 1 {
            value.insert(0, nowhere(beyond));
        }
        let slots = beyond.checked_mul(axis.slots()).ok_or_else(too_large_to_invert)?;
        let sizes = sources.digits().into_iter().rev();
        let back = sizes.map(|(digit, bits)| self.back(digits.digit(digit), 1 << bits));
        Ok(builder.derived(0, slots, value).xor(sources.made_of(*start), back))
    }

    /// Splits a value of at most `reach` into the digits that add up to it, major to minor.
    fn backward(
        &self,
        mut digits: Vec<Digit>,
        reach: u64,
        what: &str,
    ) -> Result<Vec<Subaxis>, LayoutError> {
        digits.sort_unstable_by_key(|digit| digit.stride);
        let mut subaxes = Vec::with_capacity(digits.len() + 1);
        // The remainder below the smallest stride is 0 where an element is.
        match digits.first() {
            None if reach > 0 => subaxes.push(nowhere(reach + 1)),
            Some(first) if first.stride > 1 => subaxes.push(nowhere(first.stride)),
            _ => {}
        }
        for (at, digit) in digits.iter().enumerate() {
            let size = match digits.get(at + 1) {
                None => reach / digit.stride + 1,
                Some(next) => size_below(digit, next, what)?,
            };
            subaxes.push(self.back(digit, size));
        }
        subaxes.reverse();
        Ok(subaxes)
    }

    /// Returns the subaxis that writes a digit back to its axis; for a replica, its stride is 0.
    fn back(&self, digit: &Digit, size: u64) -> Subaxis {
        match digit.axis {
            None => nowhere(size),
            Some(axis) => match axis.checked_sub(self.rank()) {
                None => Subaxis::land(size, Level::axis(axis), digit.weight),
                Some(derived) => Subaxis::feed(size, self.reversed_number(derived), digit.weight),
            },
        }
    }
}

/// Returns the digits that move the coordinate or value in `to`.
fn moving(digits: &Digits, to: Destination) -> Vec<Digit> {
    let moves = |(_, digit): (usize, &Digit)| (digit.top > 0 && digit.stride > 0).then_some(*digit);
    digits.to(to).filter_map(moves).collect()
}

/// A digit that moves nothing.
pub(crate) fn nowhere(size: u64) -> Subaxis {
    Subaxis::land(size, Level::ADDR, 0)
}

/// Returns the number of values of a digit before the next one steps.
fn size_below(digit: &Digit, next: &Digit, what: &str) -> Result<u64, LayoutError> {
    if next.stride.is_multiple_of(digit.stride) && next.stride / digit.stride > digit.top {
        return Ok(next.stride / digit.stride);
    }
    Err(fault!(
        CannotInvert,
        "the layout cannot be inverted: stride {next} in {place} must be a \
         multiple of stride {step} and at least {size} x {step}, or coordinates \
         cannot be decoded",
        [next = next.stride, place = what.to_owned(), step = digit.stride, size = digit.top + 1]
    ))
}

pub(super) fn too_large_to_invert() -> LayoutError {
    fault!(CannotInvert, "the layout cannot be inverted: a value does not fit in 64 bits")
}

/// Coordinates that do not begin at 0.
pub(super) fn not_at_origin(level: Level, offset: u64) -> LayoutError {
    fault!(
        CannotInvert,
        "the layout cannot be inverted: `{level}` starts from {offset}",
        [level, offset]
    )
}
