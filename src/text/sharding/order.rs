//! The order of devices: a permutation, kept as digits where digits can express it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use itertools::Itertools;

use super::error::{list, too_many_devices};
use crate::algebra::{StepsEvenly, goes_on, product};
use crate::error::{LayoutError, fault};
use crate::number::to_u64;

/// The most devices that are listed one by one.
pub(super) const MOST_LISTED: u64 = 1 << 22;

/// A digit of a number: it counts `size` steps of `weight`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct DeviceDigit {
    pub(super) size: u64,
    pub(super) weight: u64,
}

/// The weight of a digit in a number whose digits have these sizes, major to minor.
pub(super) fn minor_product(sizes: impl Iterator<Item = u64>, at: usize) -> u64 {
    sizes.skip(at + 1).product()
}

/// The digits by descending weight.
pub(super) fn major_first(digits: impl IntoIterator<Item = DeviceDigit>) -> Vec<DeviceDigit> {
    let mut digits = digits.into_iter().collect_vec();
    digits.sort_by_key(|digit| Reverse(digit.weight));
    digits
}

/// The device at each position of a list of devices.
///
/// Digits, major to minor, write the position in mixed radix; the device is the sum of digit x
/// weight. Lists that digits cannot express are kept as they are.
/// Law: `position(device(p)) == Some(p)`.
#[derive(Clone, Debug)]
pub(super) struct DeviceOrder(Repr);

#[derive(Clone, Debug)]
enum Repr {
    /// Canonical: no digit of size 1, and none that continues the one before it.
    Digits(Vec<DeviceDigit>),
    List(Arc<[u64]>, Arc<HashMap<u64, u64>>),
}

impl PartialEq for DeviceOrder {
    /// Returns whether all positions have the same devices.
    fn eq(&self, other: &DeviceOrder) -> bool {
        match (&self.0, &other.0) {
            (Repr::Digits(a), Repr::Digits(b)) => a == b,
            _ => self.len() == other.len() && self.iter().eq(other.iter()),
        }
    }
}

impl Eq for DeviceOrder {}

/// Drops digits of size 1 and merges neighbours that continue each other.
pub(super) fn merged(digits: &[DeviceDigit]) -> Vec<DeviceDigit> {
    let mut digits = digits.iter().filter(|digit| digit.size > 1).copied().collect_vec();
    digits.dedup_by(|minor, major| major.takes_minor(minor));
    digits
}

impl StepsEvenly for DeviceDigit {
    fn with_minor(&self, minor: &DeviceDigit) -> Option<DeviceDigit> {
        goes_on(minor.size, minor.weight, self.weight)
            .then(|| DeviceDigit { size: self.size * minor.size, ..*minor })
    }
}

impl DeviceOrder {
    /// The devices in row-major order of a shape, transposed: `<=[2,4]T(1,0)`. An empty
    /// permutation keeps them in order.
    ///
    /// Source: openxla/xla, `tile_assignment.h`, IotaTileAssignment.
    pub(super) fn iota(dims: &[u64], permutation: &[u64]) -> Result<DeviceOrder, LayoutError> {
        count(dims)?;
        let weight = |at: usize| minor_product(dims.iter().copied(), at);
        let digit =
            |at: usize| dims.get(at).map(|size| DeviceDigit { size: *size, weight: weight(at) });
        let order = (0..dims.len()).collect_vec();
        let chosen: Vec<usize> = match permutation {
            [] => order.clone(),
            _ => permutation.iter().filter_map(|at| usize::try_from(*at).ok()).collect(),
        };
        if chosen.iter().copied().sorted().collect_vec() != order {
            let (order, last) = (permutation.to_vec(), dims.len().saturating_sub(1));
            return Err(fault!(
                Invalid,
                "T({order}) does not list each of the dimensions 0 to {last} exactly once",
                [order = list(&order), last]
            ));
        }
        Ok(DeviceOrder::of(chosen.into_iter().filter_map(digit).collect()))
    }

    /// The order of digits of the position, major to minor.
    pub(super) fn of(digits: Vec<DeviceDigit>) -> DeviceOrder {
        DeviceOrder(Repr::Digits(merged(&digits)))
    }

    /// Devices one by one, each once.
    pub(super) fn list(devices: Vec<u64>) -> Result<DeviceOrder, LayoutError> {
        let mut positions = HashMap::new();
        for (second, device) in (0..).zip(&devices) {
            if let Some(first) = positions.insert(*device, second) {
                let device = *device;
                return Err(fault!(
                    Invalid,
                    "device {device} is listed twice, at positions {first} and {second}",
                    [device, first, second]
                ));
            }
        }
        Ok(DeviceOrder(Repr::List(devices.into(), Arc::new(positions))))
    }

    /// The digits, if the order is one of digits; a list is one if it begins with device 0 and steps
    /// evenly, digit by digit.
    pub(super) fn digits(&self) -> Option<Vec<DeviceDigit>> {
        match &self.0 {
            Repr::Digits(digits) => Some(digits.clone()),
            Repr::List(devices, _) => recognised(devices),
        }
    }

    /// The digits, if the order is kept as such.
    pub(super) fn written_digits(&self) -> Option<&[DeviceDigit]> {
        match &self.0 {
            Repr::Digits(digits) => Some(digits),
            Repr::List(..) => None,
        }
    }

    /// Returns whether devices were listed one by one.
    pub(super) fn is_list(&self) -> bool {
        matches!(self.0, Repr::List(..))
    }

    /// The shape of the devices and its transpose, as HLO writes it; `None` for a list.
    pub(super) fn to_iota(&self) -> Option<(Vec<u64>, Vec<u64>)> {
        let Repr::Digits(digits) = &self.0 else { return None };
        let by_weight = major_first(digits.iter().copied());
        let place = |digit: &DeviceDigit| by_weight.iter().position(|other| other == digit);
        let permutation = digits.iter().filter_map(place).map(to_u64);
        match by_weight.len() {
            0 => Some((vec![1], Vec::new())),
            1 => Some((by_weight.iter().map(|digit| digit.size).collect(), Vec::new())),
            _ => Some((by_weight.iter().map(|d| d.size).collect(), permutation.collect())),
        }
    }

    /// The number of positions.
    pub(super) fn len(&self) -> u64 {
        match &self.0 {
            Repr::Digits(digits) => digits.iter().map(|digit| digit.size).product(),
            Repr::List(devices, _) => to_u64(devices.len()),
        }
    }

    /// One more than the greatest device.
    pub(super) fn end(&self) -> Result<u64, LayoutError> {
        let last = match &self.0 {
            Repr::Digits(digits) => Some(digits.iter().map(|d| (d.size - 1) * d.weight).sum()),
            Repr::List(devices, _) => devices.iter().max().copied(),
        };
        let end = last.unwrap_or(0_u64).checked_add(1);
        end.ok_or_else(too_many_devices)
    }

    /// The device at a position below [`len`](DeviceOrder::len). Cost: O(digits).
    pub(super) fn device(&self, position: u64) -> Option<u64> {
        match &self.0 {
            Repr::List(devices, _) => devices.get(usize::try_from(position).ok()?).copied(),
            Repr::Digits(digits) => {
                let mut rest = position;
                let mut device = 0;
                for DeviceDigit { size, weight } in digits.iter().rev() {
                    device += rest % size * weight;
                    rest /= size;
                }
                (rest == 0).then_some(device)
            }
        }
    }

    /// The position of a device, if it has one. Cost: O(digits).
    pub(super) fn position(&self, device: u64) -> Option<u64> {
        match &self.0 {
            Repr::List(_, positions) => positions.get(&device).copied(),
            Repr::Digits(digits) => {
                let position = digits.iter().fold(0, |position, DeviceDigit { size, weight }| {
                    position * size + device / weight % size
                });
                (device < self.len()).then_some(position)
            }
        }
    }

    /// The devices in the order of the positions.
    pub(super) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.len()).filter_map(|position| self.device(position))
    }

    /// The order in which position p has the device that `then` has at position `self.device(p)`.
    pub(super) fn then(&self, then: &DeviceOrder) -> Result<DeviceOrder, LayoutError> {
        if let (Repr::Digits(first), Repr::Digits(second)) = (&self.0, &then.0) {
            let sizes = second.iter().map(|digit| digit.size).collect_vec();
            let weighed = |(at, part): (usize, DeviceDigit)| {
                let DeviceDigit { weight, .. } = second.get(at)?;
                Some(DeviceDigit { size: part.size, weight: part.weight * weight })
            };
            let moved = |digit: &DeviceDigit| -> Option<Vec<DeviceDigit>> {
                cut(*digit, &sizes)?.into_iter().map(weighed).collect()
            };
            if let Some(parts) = first.iter().map(moved).collect::<Option<Vec<_>>>() {
                return Ok(DeviceOrder::of(parts.concat()));
            }
        }
        self.check_listed()?;
        DeviceOrder::list(self.iter().filter_map(|position| then.device(position)).collect())
    }

    /// Returns an error if there are more devices than may be listed.
    pub(super) fn check_listed(&self) -> Result<(), LayoutError> {
        check_listed(self.len()).map(|_| ())
    }

    /// Positions count in `sizes`, major to minor; the dimensions are put in the order of `places`.
    ///
    /// ```text
    /// [3,2] <=[2,3]T(1,0), dimensions swapped     digits 3 and 2 line up: [2,3] <=[6]
    /// [2,3] <=[2,3]T(1,0), dimensions swapped     they do not: [3,2] 0,4,3,2,1,5
    /// ```
    ///
    /// XLA keeps digits if they align with every dimension, and lists the devices otherwise, even if other
    /// digits could express the order. We do the same, so that normal forms have the same text.
    ///
    /// Source: openxla/xla, `tile_assignment.cc`, IotaTileAssignment::Transpose; `hlo_sharding.cc`, PartialTile.
    /// Law: the new position of a device has the same digits as the old one, in that order.
    pub(super) fn transposed(
        &self,
        sizes: &[u64],
        places: &[usize],
    ) -> Result<DeviceOrder, LayoutError> {
        let sized = places.iter().filter_map(|at| Some((*at, *sizes.get(*at)?)));
        let real: Vec<(usize, u64)> = sized.filter(|(_, size)| *size > 1).collect();
        if real.is_sorted_by_key(|(at, _)| *at) {
            return Ok(self.clone());
        }
        let shares = self.written_digits().and_then(|digits| shared_out(digits, sizes));
        if let Some(shares) = shares {
            let moved = real.iter().filter_map(|(at, _)| shares.get(*at));
            return Ok(DeviceOrder::of(moved.flatten().copied().collect()));
        }
        self.check_listed()?;
        let positions = real.iter().fold(vec![0], |positions, (at, size)| {
            let weight = minor_product(sizes.iter().copied(), *at);
            let steps = (0..*size).map(|digit| digit * weight).collect_vec();
            positions.iter().cartesian_product(steps).map(|(a, b)| a + b).collect()
        });
        DeviceOrder::list(positions.into_iter().filter_map(|at| self.device(at)).collect())
    }

    /// Sorts the devices of every `size` positions in a row: copies have no order of their own.
    pub(super) fn sorted_in_runs(&self, size: u64) -> Result<DeviceOrder, LayoutError> {
        let runs = self.len() / size.max(1);
        let shares = self.written_digits().and_then(|digits| shared_out(digits, &[runs, size]));
        if let Some([heads, copies]) = shares.as_deref() {
            let copies = major_first(copies.iter().copied());
            return Ok(DeviceOrder::of(heads.iter().copied().chain(copies).collect()));
        }
        self.check_listed()?;
        let run = |run: u64| (run * size..(run + 1) * size).filter_map(|at| self.device(at));
        DeviceOrder::list((0..runs).flat_map(|at| run(at).sorted()).collect())
    }
}

/// Returns `devices`, or an error if they are more than may be listed.
pub(super) fn check_listed(devices: u64) -> Result<u64, LayoutError> {
    let question = "listing the devices of a sharding one by one";
    let too_many = || LayoutError::not_decided(question, MOST_LISTED);
    if devices <= MOST_LISTED { Ok(devices) } else { Err(too_many()) }
}

/// The product of sizes that must be at least 1.
pub(super) fn count(sizes: &[u64]) -> Result<u64, LayoutError> {
    if sizes.contains(&0) {
        return Err(fault!(
            Invalid,
            "[{sizes}] has a 0, so there are no devices",
            [sizes = list(sizes)]
        ));
    }
    product(sizes.iter().copied()).ok_or_else(too_many_devices)
}

/// The digits of a list, minor-most first found: how far it steps evenly is the size of a digit.
fn recognised(devices: &[u64]) -> Option<Vec<DeviceDigit>> {
    if devices.first() != Some(&0) {
        return None;
    }
    let (mut step, mut digits) = (1, Vec::new());
    while step < devices.len() {
        let weight = *devices.get(step)?;
        let firsts = (0_u64..).zip(devices.iter().step_by(step));
        let size = firsts.take_while(|(k, device)| k.checked_mul(weight) == Some(**device)).count();
        let block = step.checked_mul(size)?;
        if size < 2 || !devices.len().is_multiple_of(block) {
            return None;
        }
        let tail = devices.get(block..)?;
        // Returns whether `part` is the beginning of the list plus a constant.
        let is_moved = |part: &[u64]| {
            let first = part.first().copied().unwrap_or(0);
            part.iter().zip(devices).all(|(a, b)| first.checked_add(*b) == Some(*a))
        };
        if !devices.chunks(step).chain(tail.chunks(block)).all(is_moved) {
            return None;
        }
        let size = to_u64(size);
        // The weight of a digit above this one has to fit as well.
        size.checked_mul(weight)?;
        digits.push(DeviceDigit { size, weight });
        step = block;
    }
    digits.reverse();
    Some(digits)
}

/// Splits a digit of a number into digits of the number's mixed radix, major to minor: for each, the index of
/// the radix (from the major end), and size and step there. `None` if the digit does not align with the
/// radices.
pub(super) fn cut(digit: DeviceDigit, radices: &[u64]) -> Option<Vec<(usize, DeviceDigit)>> {
    let (mut parts, mut base, DeviceDigit { mut size, mut weight }) = (Vec::new(), 1_u64, digit);
    for (at, radix) in radices.iter().enumerate().rev() {
        let top = base.checked_mul(*radix)?;
        if size > 1 && weight < top {
            if weight % base != 0 {
                return None;
            }
            if at == 0 {
                // The major-most radix has no neighbour above it and need not be full.
                let fits = (size - 1).checked_mul(weight)? < top;
                parts.push((at, DeviceDigit { size, weight: weight / base }));
                parts.reverse();
                return fits.then_some(parts);
            }
            if top % weight != 0 {
                return None;
            }
            let room = top / weight;
            let part = size.min(room);
            if part == 0 || room % part != 0 || size % part != 0 {
                return None;
            }
            parts.push((at, DeviceDigit { size: part, weight: weight / base }));
            (size, weight) = (size / part, top);
        }
        base = top;
    }
    parts.reverse();
    (size == 1).then_some(parts)
}

/// Shares the digits out among several numbers that together, major to minor, write the position. `None` if
/// the sizes of the numbers do not line up with the digits.
pub(super) fn shared_out(digits: &[DeviceDigit], sizes: &[u64]) -> Option<Vec<Vec<DeviceDigit>>> {
    let mut left = digits.iter().rev().copied();
    let mut digit = DeviceDigit { size: 1, weight: 0 };
    let mut shares = Vec::new();
    for size in sizes.iter().rev() {
        let (mut need, mut share) = (*size, Vec::new());
        while need > 1 {
            if digit.size == 1 {
                digit = left.next()?;
            }
            let part = need.min(digit.size);
            if !need.is_multiple_of(part) || !digit.size.is_multiple_of(part) {
                return None;
            }
            share.push(DeviceDigit { size: part, weight: digit.weight });
            need /= part;
            digit = DeviceDigit { size: digit.size / part, weight: digit.weight * part };
        }
        share.reverse();
        shares.push(merged(&share));
    }
    shares.reverse();
    Some(shares)
}
