//! Inverses of functions of a linear index, as in CuTe.
//!
//! ```text
//! f = (4,2):(2,1)        f(0..8) = 0 2 4 6 1 3 5 7
//! contiguous inverse     2:4, 4:1 minor to major: g(0..8) = 0 4 1 5 2 6 3 7, and f(g(a)) = a
//!
//! f = 4:2                f(0..4) = 0 2 4 6
//! contiguous inverse     1:0: address 1 holds nothing
//! left inverse           2:4, 4:1: g(2 i) = i; g(2 i + 1) = i + 4, which is not an index
//! ```

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::algebra::inverse::{not_at_origin, too_large_to_invert};
use crate::algebra::layout::{Layout, LinearFunction, Subaxis, Target};
use crate::algebra::radix::{IndexOrder, product};
use crate::algebra::strided::StridedDigit;
use crate::error::{LayoutError, fault};
use crate::level::Level;

impl LinearFunction<'_> {
    /// Returns the longest layout g from addresses to the linear index with `f(g(a)) = a` for every a.
    ///
    /// The layout g has one axis, the addresses from 0 on, and lands in `Addr`, the linear index in `order`;
    /// `f(i)` is the place of the first copy. CuTe calls g the right inverse; if several digits have the same
    /// stride, or one steps over a part of another, CuTe's inverse ends earlier than g.
    /// Law: `f(g(a)) = a` for every a below the extent of g. The digits of g are digits of
    /// [`f.without_padding()`](Layout::without_padding), each from 0 up to where the next one steps, and no
    /// such g is longer; if f is injective and its extents cut no digit, no element is at the first address
    /// beyond the extent of g.
    /// Cost: O(subaxes squared).
    /// Source: CuTe, `layout.hpp`, `right_inverse`.
    ///
    /// # Errors
    /// `Argument` for levels other than `Addr`; `CannotInvert` for an offset, or where derived axes are left;
    /// `NotDecided` as [`without_padding`](Layout::without_padding).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::algebra::IndexOrder::Colexicographic;
    /// let cute = |text: &str| tensor_layout::LayoutText::parse(text).unwrap().lower().unwrap();
    /// let inverse = |text| cute(text).as_function(Colexicographic).contiguous_inverse().unwrap();
    /// assert_eq!(inverse("(4,2):(2,1)"), cute("((2,4)):((4,1))"));
    /// assert_eq!(inverse("4:2").shape(), [1]); // nothing lives at address 1
    /// assert_eq!(inverse("(5,4,2):(4,1,1)"), cute("((4,5)):((5,1))")); // 20 addresses; CuTe: 4:5
    /// ```
    pub fn contiguous_inverse(&self) -> Result<Layout, LayoutError> {
        let (flat, digits) = self.layout.linear_digits(self.order)?;
        match flat.elements() {
            0 => Layout::builder().axis(0, []).build(),
            elements => one_axis(longest_chain(&digits, elements - 1).subaxes),
        }
    }

    /// Returns a layout g from all addresses that f reaches to the linear index, with `g(f(i)) = i`.
    ///
    /// The layout g has one axis, the addresses from 0 on, and lands in `Addr`, the linear index in `order`.
    /// Addresses without an element map to numbers beyond the last index, as in CuTe.
    /// Law: `g(f(i)) = i` for every i and every copy; no other address maps to a number below the number of
    /// elements.
    /// Source: CuTe, `layout.hpp`, `left_inverse`.
    ///
    /// # Errors
    /// As [`left_inverse`](Layout::left_inverse) and [`contiguous_inverse`](LinearFunction::contiguous_inverse).
    pub fn linear_left_inverse(&self) -> Result<Layout, LayoutError> {
        self.layout.check_injective()?;
        let (flat, mut digits) = self.layout.linear_digits(self.order)?;
        let copies = flat.replicas.iter().filter(|replica| replica.is_apart());
        digits.extend(copies.map(|r| StridedDigit { size: r.size, weight: 0, stride: r.stride }));
        digits.sort_unstable_by_key(|digit| digit.stride);
        let mut beyond = digits.iter().map(|digit| digit.size).product::<u64>();
        let (mut subaxes, mut end) = (Vec::new(), 1_u64);
        for digit in digits {
            if digit.stride % end != 0 {
                let (stride, filled) = (digit.stride, end);
                return Err(fault!(
                    CannotInvert,
                    "the layout cannot be inverted: a stride of {stride} is not a multiple \
                     of {filled}, which the smaller strides fill",
                    [stride, filled]
                ));
            }
            if digit.stride > end {
                let gap = digit.stride / end;
                subaxes.push(Subaxis::land(gap, Level::ADDR, beyond));
                beyond = beyond.checked_mul(gap).ok_or_else(too_large_to_invert)?;
            }
            subaxes.push(Subaxis::land(digit.size, Level::ADDR, digit.weight));
            end = digit.stride.checked_mul(digit.size).ok_or_else(too_large_to_invert)?;
        }
        one_axis(subaxes)
    }
}

impl Layout {
    /// Flattens the layout to one axis; returns it and its digits that move, ascending by stride.
    fn linear_digits(&self, order: IndexOrder) -> Result<(Layout, Vec<StridedDigit>), LayoutError> {
        if let Some(level) = self.levels_beside_addr().next() {
            return Err(LayoutError::map_level(level, 0));
        }
        let flat = self.as_function(order).flattened()?.without_padding()?;
        if !flat.derived.is_empty() {
            return Err(fault!(
                CannotInvert,
                "the layout cannot be inverted: its axes are fused or padded inside"
            ));
        }
        if flat.offset(Level::ADDR) > 0 {
            let offset = flat.offset(Level::ADDR);
            return Err(not_at_origin(Level::ADDR, offset));
        }
        let (mut digits, mut weight) = (Vec::new(), 1);
        for subaxis in flat.axes.iter().flat_map(|axis| &axis.subaxes).rev() {
            if let Target::Land { stride, .. } = subaxis.target
                && stride > 0
            {
                digits.push(StridedDigit { size: subaxis.size, weight, stride });
            }
            weight *= subaxis.size;
        }
        digits.sort_unstable_by_key(|digit| digit.stride);
        Ok((flat, digits))
    }
}

/// Digits that count the addresses below `end`, minor to major.
#[derive(Clone, Debug)]
struct Chain {
    end: u64,
    /// The linear index of the last of them, which is the greatest.
    last: u64,
    subaxes: Vec<Subaxis>,
}

impl Chain {
    /// Appends `size` values of the digit whose stride is `end`.
    fn then(&self, digit: StridedDigit, size: u64) -> Chain {
        let mut subaxes = self.subaxes.clone();
        subaxes.push(Subaxis::land(size, Level::ADDR, digit.weight));
        // The addresses are those of different elements, whose number fits.
        Chain { end: self.end * size, last: self.last + (size - 1) * digit.weight, subaxes }
    }
}

/// Returns the longest chain of digits, given ascending by stride, with linear indexes up to `last`.
///
/// Of the chains that end at one address, the one with the smallest last index can be continued farthest.
fn longest_chain(digits: &[StridedDigit], last: u64) -> Chain {
    let nothing = Chain { end: 1, last: 0, subaxes: Vec::new() };
    let mut longest = nothing.clone();
    let mut chains = BTreeMap::from([(1, nothing)]);
    for (at, digit) in digits.iter().enumerate() {
        let Some(chain) = chains.get(&digit.stride).cloned() else { continue };
        let most = digit.size.min((last - chain.last) / digit.weight + 1);
        let whole = chain.then(*digit, most);
        if (whole.end, Reverse(whole.last)) > (longest.end, Reverse(longest.last)) {
            longest = whole;
        }
        for next in &digits[at + 1..] {
            let size = next.stride / digit.stride;
            if size > most {
                break;
            }
            if size > 1 && next.stride.is_multiple_of(digit.stride) {
                let longer = chain.then(*digit, size);
                let known = chains.entry(next.stride).or_insert_with(|| longer.clone());
                if longer.last < known.last {
                    *known = longer;
                }
            }
        }
    }
    longest
}

/// Builds a layout of one axis from its digits, minor to major.
fn one_axis(mut subaxes: Vec<Subaxis>) -> Result<Layout, LayoutError> {
    subaxes.reverse();
    subaxes.retain(|subaxis| subaxis.size > 1);
    let extent = product(subaxes.iter().map(|subaxis| subaxis.size));
    Layout::builder().axis(extent.ok_or_else(too_large_to_invert)?, subaxes).build()
}
