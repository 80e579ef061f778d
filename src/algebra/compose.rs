//! Composition: a layout after an index map.

use crate::algebra::layout::{Axis, DerivedAxis, Layout, LinearFunction, Replica, Subaxis, Target};
use crate::algebra::radix::IndexOrder;
use crate::error::{ErrorKind, LayoutError, Site, fault};
use crate::level::Level;
use crate::number::to_index;

impl LinearFunction<'_> {
    /// Composes like [`compose`](Layout::compose), with `Addr` of `map` as the linear index in a given order.
    ///
    /// # Errors
    /// As [`compose`](Layout::compose).
    pub fn compose_axes(&self, map: &Layout) -> Result<Layout, LayoutError> {
        let linear = self.layout.lands_linearly(map)?;
        if let Some(regrouped) = self.layout.regrouped(map, linear.then_some(self.order)) {
            return Ok(regrouped);
        }
        self.layout.compose_derived(self.order, map, linear)
    }

    /// Rewrites a map into the axes `i0`, `i1`, .. of `shape` as a map to the linear index, in `Addr`.
    ///
    /// Law: `f.as_function(order).compose_axes(&map.as_function(order).linearised(&f.shape())?) == f.as_function(order).compose_axes(&map)`
    /// as maps.
    ///
    /// # Errors
    /// `TooLarge`; `Argument` for other levels, and where the map has copies.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::algebra::IndexOrder;
    /// use tensor_layout::{Layout, Level};
    /// let map: Layout = "((3_i0:1), (2_i1:1))".parse()?;
    /// let rows_from_2 = map.with_offset(Level::axis(0), 2)?;
    /// let linear = rows_from_2.as_function(IndexOrder::RowMajor).linearised(&[5, 2])?;
    /// assert_eq!(linear.locate(&[1, 1])?.to_string(), "Addr=7"); // row 3, column 1
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn linearised(&self, shape: &[u64]) -> Result<Layout, LayoutError> {
        self.layout.check_no_copies()?;
        let weights = self.order.weights(shape)?;
        let weight = |level: Level| {
            let weight = level.axis_number().and_then(|axis| weights.get(axis)).copied();
            weight.ok_or_else(|| LayoutError::map_level(level, shape.len()))
        };
        let too_large = || LayoutError::too_large(Site::Layout, "the linear index");
        let land = |subaxis: &Subaxis| -> Result<Subaxis, LayoutError> {
            let Target::Land { level, stride } = subaxis.target else { return Ok(*subaxis) };
            if stride == 0 {
                return Ok(Subaxis::land(subaxis.size, Level::ADDR, 0));
            }
            let stride = stride.checked_mul(weight(level)?).or((subaxis.size == 1).then_some(0));
            Ok(Subaxis::land(subaxis.size, Level::ADDR, stride.ok_or_else(too_large)?))
        };
        let mut landed = self.layout.clone();
        for subaxis in landed.subaxes_mut() {
            *subaxis = land(subaxis)?;
        }
        let mut linear = Layout::builder();
        (linear.axes, linear.derived) = (landed.axes, landed.derived);
        for (level, at) in &self.layout.offsets {
            let from = weight(*level)?.checked_mul(*at).ok_or_else(too_large)?;
            linear = linear.offset(Level::ADDR, from);
        }
        linear.build()
    }
}

impl Layout {
    /// Composes with an index map: element i of the result is in the places of element `map(i)` of `self`.
    ///
    /// `map` lands in the levels `i0`, `i1`, .. ([`Level::axis`]), the axes of `self`, or in `Addr`
    /// alone, which is then the row-major linear index of `self`. Coinciding copies count as one.
    /// [`places_as_indexes`](Layout::places_as_indexes) turns a layout in other levels into a map into the
    /// axes of its inverse.
    /// Law: `f.compose(&g).locate(i) == f.locate(g(i))`; composition is associative and has the identity on
    /// both sides. Slots of `self` that `map` does not reach become padding.
    /// Cost: O(subaxes squared), regardless of the sizes.
    ///
    /// # Errors
    /// `Argument` if `map` lands elsewhere or has copies, `OutsideDomain` if it exceeds the
    /// extents of `self`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Level};
    /// let f: Layout = "((4_PE, 3:8), (8:1))".parse()?;
    /// let transpose: Layout = "((8_i1:1), (12_i0:1))".parse()?;
    /// assert_eq!(f.compose(&transpose)?, "((8:1), (4_PE, 3:8))".parse()?);
    /// let every_fifth: Layout = "((19:5))".parse()?; // of the 96 elements, row-major
    /// let composed = f.compose(&every_fifth)?;
    /// assert_eq!(composed.locate(&[7])?, f.locate(&[4, 3])?); // 35 = 4 x 8 + 3
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compose(&self, map: &Layout) -> Result<Layout, LayoutError> {
        self.as_function(IndexOrder::RowMajor).compose_axes(map)
    }

    /// Composes through derived axes, which is possible for every map.
    pub(crate) fn compose_derived(
        &self,
        order: IndexOrder,
        map: &Layout,
        linear: bool,
    ) -> Result<Layout, LayoutError> {
        let first = map.derived.len();
        let read = self.read_axes(order, map, linear)?;
        let own = first + read.len() - self.derived.len();
        let feed = |digit: &Subaxis| reading(digit, first, linear);
        let mut builder = self.without_axes();
        builder.axes = map.axes.iter().map(|axis| axis.with(feed)).collect();
        let derived = map.derived.iter().map(|derived| derived.with(feed));
        builder.derived = derived.chain(read).collect();
        let composed = builder.build().map_err(|error| {
            let fed = error.number("derived").filter(|_| error.kind() == ErrorKind::OutsideDomain);
            let fed = fed.map(to_index).filter(|derived| *derived < own);
            match (fed, error.number("extent"), error.number("reach")) {
                (Some(derived), Some(extent), Some(reach)) => {
                    let axis = derived.checked_sub(first + usize::from(linear));
                    LayoutError::outside_domain(axis, extent, reach)
                }
                _ => error,
            }
        })?;
        Ok(composed.into_simplified())
    }

    /// Returns the derived axes that follow those of `map`: the linear index if `linear`, the axes of `self`
    /// unless their digits write that index, and the derived axes of `self`.
    fn read_axes(
        &self,
        order: IndexOrder,
        map: &Layout,
        linear: bool,
    ) -> Result<Vec<DerivedAxis>, LayoutError> {
        let joined = if linear { self.joined(order) } else { None };
        let first = map.derived.len() + usize::from(linear);
        let shift = if joined.is_some() { first } else { first + self.rank() };
        let shifted = |subaxis: &Subaxis| subaxis.shifted(shift);
        let start = map.offset(Level::ADDR);
        let mut read = Vec::with_capacity(1 + self.rank() + self.derived.len());
        if let Some(axis) = joined {
            read.push(DerivedAxis::sum(start, axis.with(shifted)));
        } else {
            if linear {
                read.push(self.linear_axis(order, first, start)?);
            }
            for (number, axis) in self.axes.iter().enumerate() {
                let start = if linear { 0 } else { map.offset(Level::axis(number)) };
                read.push(DerivedAxis::sum(start, axis.with(shifted)));
            }
        }
        read.extend(self.derived.iter().map(|derived| derived.with(shifted)));
        Ok(read)
    }

    /// Returns whether `map` gives a linear index; an error if it does not index `self` at all.
    fn lands_linearly(&self, map: &Layout) -> Result<bool, LayoutError> {
        map.check_no_copies()?;
        let is_axis = |level: Level| level.axis_number().is_some_and(|axis| axis < self.rank());
        if let Some(level) = map.levels_beside_addr().find(|level| !is_axis(*level)) {
            return Err(LayoutError::map_level(level, self.rank()));
        }
        let is_linear = map.levels_beside_addr().next().is_none();
        if !is_linear && map.extent(Level::ADDR) > 1 {
            return Err(LayoutError::map_level(Level::ADDR, self.rank()));
        }
        Ok(is_linear)
    }

    /// Returns an error if the layout has copies in different places.
    pub(crate) fn check_no_copies(&self) -> Result<(), LayoutError> {
        match self.replicas.iter().find(|replica| replica.is_apart()) {
            None => Ok(()),
            Some(Replica { size, level, .. }) => Err(fault!(
                Argument,
                "the map has {copies} copies along `{level}`; an index map gives each \
                 element one index",
                [copies = *size, level = *level]
            )),
        }
    }

    /// Returns whether the layout is an index map: it lands in axes `i0`, `i1`, .. of another layout.
    pub(crate) fn is_index_map(&self) -> bool {
        let mut levels = self.levels_beside_addr().peekable();
        levels.peek().is_some() && levels.all(|level| level.axis_number().is_some())
    }

    /// Returns the derived axis whose value is the linear index of `self` and whose digits are its entries.
    fn linear_axis(
        &self,
        order: IndexOrder,
        first: usize,
        start: u64,
    ) -> Result<DerivedAxis, LayoutError> {
        let shape = self.shape();
        // Without elements nothing is fed, and the product of the extents may not fit.
        let size = |axis: usize| if self.elements() == 0 { 1 } else { shape[axis] };
        let entry = |axis: usize| Subaxis::feed(size(axis), first + axis, 1);
        let subaxes = order.slowest_first(self.rank()).into_iter().map(entry).collect();
        let axis = Axis { extent: self.elements(), subaxes };
        Ok(DerivedAxis::sum(start, axis))
    }

    /// Appends the axes of `other`, including derived ones, to those of `self`.
    ///
    /// Both must use the same levels; copies, offsets and spans are those of `self`.
    pub(crate) fn concatenate(&self, other: &Layout) -> Result<Layout, LayoutError> {
        let shift = self.derived.len();
        let shifted = |subaxis: &Subaxis| subaxis.shifted(shift);
        let mut builder = self.to_builder();
        builder.axes.extend(other.axes.iter().map(|axis| axis.with(shifted)));
        builder.derived.extend(other.derived.iter().map(|derived| derived.with(shifted)));
        builder.build()
    }
}

/// Rewrites a landing digit of the map as a digit that feeds the derived axis of the axis that it indexes:
/// `first`, or the ones after it.
fn reading(digit: &Subaxis, first: usize, linear: bool) -> Subaxis {
    match digit.target {
        Target::Land { stride, .. } if linear => Subaxis::feed(digit.size, first, stride),
        // Only coordinate 0 of `Addr` is left.
        Target::Land { level: Level::ADDR, .. } => Subaxis::feed(digit.size, first, 0),
        Target::Land { level, stride } => {
            Subaxis::feed(digit.size, first + level.axis_number().unwrap_or(0), stride)
        }
        Target::Feed { .. } => *digit,
    }
}
