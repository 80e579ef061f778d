//! Equality of shardings, part by part, for device numbers that are not a sum of digits.

use itertools::Itertools;

use super::traffic::{DevicePart, cropped};
use crate::algebra::{Difference, MOST_SHOWN};
use crate::error::LayoutError;
use crate::location::{Found, Location};
use crate::text::sharding::shard_extents;
use crate::text::sharding::{DeviceShards, Pieces};

impl DeviceShards {
    /// Compares two shardings of a tensor, including their padding: returns `None` if they are the same, else
    /// a difference.
    ///
    /// Law: where both have layouts, [`Layout::same_map`](crate::Layout::same_map) decides the same.
    /// Cost and errors: as [`same_up_to_padding`](DeviceShards::same_up_to_padding).
    ///
    /// # Errors
    /// As [`same_up_to_padding`](DeviceShards::same_up_to_padding); `Shape` for tensors without elements whose
    /// shards differ.
    pub fn same_map(&self, other: &DeviceShards) -> Result<Option<Difference>, LayoutError> {
        if let Some(difference) = self.same_up_to_padding(other)? {
            return Ok(Some(difference));
        }
        // With other shards, the first element after the smaller one would be on another device.
        let extents = |side: &DeviceShards| side.pieces.iter().map(Pieces::longest).collect();
        let (found, wanted): (Vec<u64>, Vec<u64>) = (extents(self), extents(other));
        if found != wanted {
            return Err(shard_extents(&found, &wanted));
        }
        // Every device has the slots of a whole shard.
        let (device, mut difference) = match self.shard.same_map(&other.shard)? {
            Some(difference) => (self.devices.first().copied().unwrap_or(0), difference),
            None => {
                let Some(device) = self.device_of_one(other) else { return Ok(None) };
                let place = self.shard.slot(&vec![0; found.len()]);
                let (first, second) = (self.padding_on(device), other.padding_on(device));
                (device, Difference::Place { place, first, second })
            }
        };
        // The place in a shard becomes that on the device.
        if let Difference::Place { place, .. } = &mut difference {
            *place = self.units(device).into_iter().chain(place.iter()).collect();
        }
        Ok(Some(difference))
    }

    /// The first device that only one of them has.
    fn device_of_one(&self, other: &DeviceShards) -> Option<u64> {
        let lacks = |side: &DeviceShards, device: &u64| side.devices.binary_search(device).is_err();
        let ours = self.devices.iter().find(|device| lacks(other, device));
        let theirs = other.devices.iter().find(|device| lacks(self, device));
        ours.into_iter().chain(theirs).min().copied()
    }

    /// The content of a slot of padding on a device: `Outside` beyond the units that any device reaches.
    fn padding_on(&self, device: u64) -> Found {
        if self.devices.binary_search(&device).is_ok() {
            return Found::Padding;
        }
        let reached = |level: usize, unit: u64| {
            let unit_of = |other: &u64| self.units(*other).get(level).map_or(0, |(_, unit)| *unit);
            self.devices.iter().map(unit_of).max() >= Some(unit)
        };
        let mut units = self.units(device).into_iter().enumerate();
        match units.all(|(at, (_, unit))| reached(at, unit)) {
            true => Found::Hole,
            false => Found::Outside,
        }
    }

    /// Compares two shardings of a tensor: returns `None` if every element has the same places in both,
    /// else a difference. Padding is ignored.
    ///
    /// Law: where both have layouts, [`Layout::same_up_to_padding`](crate::Layout::same_up_to_padding) decides the same.
    /// Cost: O(parts x copies), where a part is a box on which neither sharding changes devices;
    /// within a device, that of `same_up_to_padding` per part.
    ///
    /// # Errors
    /// `NotComparable` for other levels; `NotDecided` for more than 2^24 devices of parts, or where
    /// `same_up_to_padding` does not decide.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::sharding::ShardedShape;
    /// let shards = |text: &str| text.parse::<ShardedShape>()?.by_device(None);
    /// let listed = shards("f32[6], sharding={devices=[4]0,2,1,3}")?;
    /// let iota = shards("f32[6], sharding={devices=[4]<=[2,2]T(1,0)}")?;
    /// assert_eq!(listed.same_up_to_padding(&iota)?, None);
    /// let plain = shards("f32[6], sharding={devices=[4]<=[4]}")?;
    /// let difference = listed.same_up_to_padding(&plain)?.unwrap();
    /// assert!(difference.to_string().starts_with("element (2)"), "{difference}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn same_up_to_padding(
        &self,
        other: &DeviceShards,
    ) -> Result<Option<Difference>, LayoutError> {
        let [ours, theirs] = [self, other].map(|side| side.extents.clone());
        if ours != theirs {
            return Ok(Some(Difference::Shapes(ours, theirs)));
        }
        self.check_levels(other)?;
        for part in self.parts(other)? {
            if let Some(index) = self.differs_in(other, &part)? {
                let shown = |side: &DeviceShards| -> Result<Vec<Location>, LayoutError> {
                    Ok(side.locate_all(&index)?.into_iter().take(MOST_SHOWN).collect())
                };
                let (first, second) = (shown(self)?, shown(other)?);
                return Ok(Some(Difference::Element { index, first, second }));
            }
        }
        Ok(None)
    }

    /// The first element of a part that has other places in `other`.
    fn differs_in(
        &self,
        other: &DeviceShards,
        part: &DevicePart,
    ) -> Result<Option<Vec<u64>>, LayoutError> {
        let (start, lengths): (Vec<u64>, Vec<u64>) = part.iter().copied().unzip();
        let (ours, from) = self.find(&start)?;
        let (theirs, to) = other.find(&start)?;
        if ours.into_iter().sorted().ne(theirs.into_iter().sorted()) {
            return Ok(Some(start));
        }
        if from == to && self.shard == other.shard {
            return Ok(None);
        }
        let ours = cropped(&self.shard, &from, &lengths)?;
        let theirs = cropped(&other.shard, &to, &lengths)?;
        // Counted from the start of the part.
        let inside = ours.same_up_to_padding(&theirs)?.map(|difference| match difference {
            Difference::Element { index, .. } => index,
            // Both have an element everywhere, so any of them shows another difference.
            _ => vec![0; lengths.len()],
        });
        Ok(inside.map(|inside| start.iter().zip(inside).map(|(start, at)| start + at).collect()))
    }
}
