//! Layouts that a notation can express: axes of digits that land, and copies. Checked against [`Slow`].

use std::collections::BTreeMap;

use proptest::prelude::*;
use tensor_layout::{Layout, Level, Location};

use crate::generate::{built, plain_kept};
use crate::slow::{Axis, Slow, To, land};

pub(crate) use crate::slow::count;

/// (size, level, stride)
pub(crate) type Digit = (u64, Level, u64);
pub(crate) type Place = BTreeMap<Level, u64>;

#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub(crate) shape: Vec<u64>,
    pub(crate) axes: Vec<Vec<Digit>>,
    pub(crate) replicas: Vec<Digit>,
}

impl Plain {
    fn of(slow: &Slow) -> Plain {
        let digits = |axis: &Axis| {
            let landed = axis.digits.iter().filter_map(|digit| match digit.to {
                To::Land(level, stride) => Some((digit.size, level, stride)),
                To::Feed(..) => None,
            });
            landed.collect()
        };
        let axes = slow.axes.iter().map(digits).collect();
        Plain { shape: slow.shape(), axes, replicas: slow.replicas.clone() }
    }

    pub(crate) fn slow(&self) -> Slow {
        let axis = |(extent, digits): (&u64, &Vec<Digit>)| {
            Axis::new(
                *extent,
                digits.iter().map(|(size, level, stride)| land(*size, *level, *stride)),
            )
        };
        let axes = self.shape.iter().zip(&self.axes).map(axis).collect();
        Slow { axes, replicas: self.replicas.clone(), ..Slow::default() }
    }

    pub(crate) fn layout(&self) -> Layout {
        self.slow().layout()
    }

    pub(crate) fn indexes(&self) -> Vec<Vec<u64>> {
        self.slow().indexes()
    }

    pub(crate) fn is_injective(&self) -> bool {
        self.slow().is_injective()
    }

    /// Every place of an index, the first copy first.
    pub(crate) fn places(&self, index: &[u64]) -> Vec<Place> {
        let place = |place: Location| place.iter().collect();
        self.slow().places(index).into_iter().map(place).collect()
    }
}

/// Layouts in which no two copies share a place.
pub(crate) fn good_layout() -> impl Strategy<Value = Plain> {
    plain_kept(|slow| built(slow).filter(Slow::is_injective).as_ref().map(Plain::of))
}
