//! The slow definition: a layout as plain numbers, evaluated element by element.
//!
//! Shares nothing with the crate but the names of levels, and judges all of it.

use std::collections::{BTreeMap, BTreeSet};

use tensor_layout::algebra::Subaxis;
use tensor_layout::{Layout, Level, Location};

/// (size, level, stride)
pub(crate) type Digit = (u64, Level, u64);
pub(crate) type Place = BTreeMap<Level, u64>;

#[derive(Clone, Debug)]
pub(crate) struct Slow {
    pub(crate) shape: Vec<u64>,
    pub(crate) axes: Vec<Vec<Digit>>,
    pub(crate) replicas: Vec<Digit>,
}

impl Slow {
    pub(crate) fn layout(&self) -> Layout {
        let mut builder = Layout::builder();
        for (extent, axis) in self.shape.iter().zip(&self.axes) {
            let subaxes =
                axis.iter().map(|&(size, level, stride)| Subaxis::land(size, level, stride));
            builder = builder.axis(*extent, subaxes);
        }
        for &(size, level, stride) in &self.replicas {
            builder = builder.replica(size, level, stride);
        }
        builder.build().unwrap()
    }

    pub(crate) fn used(&self) -> BTreeSet<Level> {
        let axes = self.axes.iter().flatten().map(|digit| digit.1);
        axes.chain(self.replicas.iter().map(|digit| digit.1)).chain([Level::ADDR]).collect()
    }

    /// Every index below the shape, row-major.
    pub(crate) fn indexes(&self) -> Vec<Vec<u64>> {
        count(&self.shape)
    }

    /// Every value that the digits of the axes can write, padding included.
    pub(crate) fn slot_indexes(&self) -> Vec<Vec<u64>> {
        let slots = |axis: &Vec<Digit>| axis.iter().map(|digit| digit.0).product();
        count(&self.axes.iter().map(slots).collect::<Vec<u64>>())
    }

    pub(crate) fn is_real(&self, index: &[u64]) -> bool {
        index.iter().zip(&self.shape).all(|(entry, extent)| entry < extent)
    }

    /// Every place of an index, which may be padding; the first copy first.
    pub(crate) fn places(&self, index: &[u64]) -> Vec<Place> {
        let mut first: Place = self.used().into_iter().map(|level| (level, 0)).collect();
        for (axis, entry) in self.axes.iter().zip(index) {
            let mut rest = *entry;
            for (size, level, stride) in axis.iter().rev() {
                *first.get_mut(level).unwrap() += rest % size * stride;
                rest /= size;
            }
        }
        let sizes: Vec<u64> = self.replicas.iter().map(|digit| digit.0).collect();
        let copy = |digits: Vec<u64>| {
            let mut place = first.clone();
            for ((_, level, stride), digit) in self.replicas.iter().zip(digits) {
                *place.get_mut(level).unwrap() += digit * stride;
            }
            place
        };
        count(&sizes).into_iter().map(copy).collect()
    }

    /// Whether no two copies share a place.
    pub(crate) fn is_injective(&self) -> bool {
        let mut seen = BTreeSet::new();
        self.indexes().iter().flat_map(|index| self.places(index)).all(|place| seen.insert(place))
    }

    /// What lives at every place that a slot takes: an index, or `None` for padding.
    pub(crate) fn contents(&self) -> BTreeMap<Place, Option<Vec<u64>>> {
        let mut contents: BTreeMap<Place, Option<Vec<u64>>> = BTreeMap::new();
        for index in self.slot_indexes() {
            for place in self.places(&index) {
                let held = contents.entry(place).or_default();
                if self.is_real(&index) {
                    *held = Some(index.clone());
                }
            }
        }
        contents
    }
}

/// Every tuple of numbers below `limits`, the last fastest.
pub(crate) fn count(limits: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for limit in limits {
        let longer = |head: &Vec<u64>| -> Vec<Vec<u64>> {
            (0..*limit).map(|next| head.iter().copied().chain([next]).collect()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

pub(crate) fn location(place: &Place) -> Location {
    place.iter().map(|(level, at)| (*level, *at)).collect()
}
