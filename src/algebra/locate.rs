//! From an index to its places.

use crate::algebra::layout::{Axis, Combine, Layout, LinearFunction, Target};
use crate::algebra::radix::Indexes;
use crate::algebra::xor::xor_product;
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;

impl LinearFunction<'_> {
    /// Returns the index with a given linear index.
    ///
    /// # Errors
    /// `OutsideDomain` if `linear` is not below the number of elements.
    pub fn index_of(&self, linear: u64) -> Result<Vec<u64>, LayoutError> {
        if linear >= self.layout.elements() {
            let extent = self.layout.elements();
            return Err(LayoutError::outside_domain(None, extent, linear));
        }
        let shape = self.layout.shape();
        let weights = self.order.weights(&shape)?;
        Ok(shape.iter().zip(weights).map(|(extent, weight)| linear / weight % extent).collect())
    }
}

impl Layout {
    /// Finds the place of the element at `index`: that of its first copy, whose replica digits are all 0.
    ///
    /// The index has one entry per axis. The place has a coordinate in every used level, in
    /// elements of the level.
    /// Law: per level, the offset plus the sum of digit x stride.
    /// Cost: O(subaxes).
    ///
    /// # Errors
    /// `Shape`, `OutOfRange`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))".parse()?;
    /// assert_eq!(layout.locate(&[100, 37])?.to_string(), "L2B=1,L1B=4,MAB=1,PE=1,Addr=33");
    /// assert!(layout.locate(&[1024, 0]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn locate(&self, index: &[u64]) -> Result<Location, LayoutError> {
        self.check_index(index)?;
        Ok(self.slot(index))
    }

    /// Finds the first place of a slot: of an index that may be padding, below the product of the sizes of its axis.
    ///
    /// Law: the place of an element, and `Padding` there for other slots of a layout whose slots have different places.
    ///
    /// # Errors
    /// As [`locate`](Layout::locate), with the slots of an axis instead of its extent.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "(10)/((3:1, 4_PE))".parse()?;
    /// assert_eq!(layout.locate_slot(&[11])?.to_string(), "PE=3,Addr=2");
    /// assert!(layout.locate(&[11]).is_err() && layout.locate_slot(&[12]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn locate_slot(&self, index: &[u64]) -> Result<Location, LayoutError> {
        check_index(self.axes.iter().map(Axis::slots), index)?;
        Ok(self.slot(index))
    }

    /// Returns the first place of a slot, which may be padding.
    pub(crate) fn slot(&self, index: &[u64]) -> Location {
        let mut place: Location = self.used.iter().map(|l| (*l, self.offset(*l))).collect();
        self.land(index, |level, step| place.add(level, step));
        place
    }

    /// Finds every place where the element at `index` lives, the first copy first.
    ///
    /// Replicas are enumerated row-major, in the order in which they were given. Levels outside
    /// [`used_levels`](Layout::used_levels) and without a sized replica are left out here: only a
    /// [`Placement`](crate::Placement) knows how many copies they hold.
    /// Law: `copies` places, all different.
    ///
    /// # Errors
    /// As [`locate`](Layout::locate).
    pub fn locate_all<'a>(
        &'a self,
        index: &[u64],
    ) -> Result<impl Iterator<Item = Location> + Clone + use<'a>, LayoutError> {
        let first = self.locate(index)?;
        Ok(Copies { layout: self, first, next: 0, end: self.copies() })
    }

    /// Iterates over the real indexes in row-major order: the last axis varies fastest.
    #[must_use]
    pub fn indexes(&self) -> Indexes {
        Indexes::new(self.shape())
    }

    pub(crate) fn check_index(&self, index: &[u64]) -> Result<(), LayoutError> {
        check_index(self.axes.iter().map(|axis| axis.extent), index)
    }

    /// The definition: calls `add(level, digit x stride)` for every landing subaxis.
    ///
    /// Invariants 3 and 4 keep every value below its extent and every sum within `u64`.
    #[inline]
    pub(crate) fn land(&self, index: &[u64], add: impl FnMut(Level, u64)) {
        // Callers locate millions of single points: a few values need no allocation.
        const FEW: usize = 8;
        match [0; FEW].get_mut(..self.derived.len()) {
            Some(few) => self.feed_and_land(index, few, add),
            None => drop(self.fed(index, add)),
        }
    }

    /// Calls `add` like [`land`](Layout::land), and returns the values of the derived axes.
    pub(crate) fn fed(&self, index: &[u64], add: impl FnMut(Level, u64)) -> Vec<u64> {
        let mut fed = vec![0; self.derived.len()];
        self.feed_and_land(index, &mut fed, add);
        fed
    }

    #[inline]
    fn feed_and_land(&self, index: &[u64], fed: &mut [u64], mut add: impl FnMut(Level, u64)) {
        fed.iter_mut().zip(&self.derived).for_each(|(fed, derived)| *fed = derived.start);
        for (node, axis) in self.nodes().enumerate() {
            let mut rest = match node.checked_sub(self.rank()) {
                Some(derived) => fed[derived],
                None => index[node],
            };
            for subaxis in axis.subaxes.iter().rev() {
                let digit = rest % subaxis.size;
                rest /= subaxis.size;
                match subaxis.target {
                    Target::Land { level, stride } => add(level, digit * stride),
                    Target::Feed { derived, weight } => match self.derived[derived].combine {
                        Combine::Sum => fed[derived] += digit * weight,
                        Combine::Xor => fed[derived] ^= xor_product(weight, digit),
                    },
                }
            }
        }
    }
}

/// The places of one element.
#[derive(Clone, Debug)]
struct Copies<'a> {
    layout: &'a Layout,
    first: Location,
    next: u64,
    end: u64,
}

impl Iterator for Copies<'_> {
    type Item = Location;

    fn next(&mut self) -> Option<Location> {
        let mut rest = (self.next < self.end).then_some(self.next)?;
        self.next += 1;
        let mut place = self.first.clone();
        for replica in self.layout.replicas.iter().rev() {
            place.add(replica.level, rest % replica.size * replica.stride);
            rest /= replica.size;
        }
        Some(place)
    }
}

/// Checks that an index has an entry below every extent.
pub(crate) fn check_index(
    extents: impl ExactSizeIterator<Item = u64>,
    index: &[u64],
) -> Result<(), LayoutError> {
    if index.len() != extents.len() {
        return Err(LayoutError::index_rank(index.len(), extents.len()));
    }
    let mut entries = index.iter().copied().zip(extents).enumerate();
    let beyond = entries.find(|(_, (index, extent))| index >= extent);
    beyond.map_or(Ok(()), |(axis, (index, extent))| {
        Err(LayoutError::index_out_of_range(axis, index, extent))
    })
}
