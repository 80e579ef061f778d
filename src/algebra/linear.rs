//! Inverses of functions of a linear index, as CuTe has them.
//!
//! ```text
//! f = (4,2):(2,1)        f(0..8) = 0 2 4 6 1 3 5 7
//! contiguous inverse     2:4, 4:1 minor to major: g(0..8) = 0 4 1 5 2 6 3 7, and f(g(a)) = a
//!
//! f = 4:2                f(0..4) = 0 2 4 6
//! contiguous inverse     1:0: address 1 holds nothing
//! left inverse           2:4, 4:1: g(2 i) = i; what g gives at odd addresses, 4 to 7, is not an index
//! ```

use crate::algebra::layout::{Layout, Subaxis, Target};
use crate::algebra::radix::IndexOrder;
use crate::error::{InverseFault, LayoutError};
use crate::level::Level;

/// A digit of a linear index: how many values, what a step adds to the address and to the index.
#[derive(Clone, Copy, Debug)]
struct Digit {
    size: u64,
    stride: u64,
    place: u64,
}

impl Layout {
    /// The longest layout g from addresses to the linear index with `f(g(a)) = a` for every a.
    ///
    /// One axis of addresses from 0 on, which lands in `Addr`, the linear index in `order`. CuTe
    /// calls it the right inverse.
    /// Law: `f(g(a)) = a` for every a below the extent of g; no digit more can be told from
    /// strides.
    /// Source: CuTe, `layout.hpp`, `right_inverse`.
    ///
    /// # Errors
    /// [`MapLevel`](LayoutError::MapLevel) for levels other than `Addr`;
    /// [`NoInverse`](LayoutError::NoInverse) for an offset, or where derived axes are left;
    /// [`NotDecided`](LayoutError::NotDecided) as [`without_padding`](Layout::without_padding).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::algebra::IndexOrder::Colexicographic;
    /// let cute = |text: &str| tensor_layout::LayoutText::parse(text).unwrap().lower().unwrap();
    /// let inverse = |text| cute(text).contiguous_inverse(Colexicographic).unwrap();
    /// assert_eq!(inverse("(4,2):(2,1)"), cute("((2,4)):((4,1))"));
    /// assert_eq!(inverse("4:2").shape(), [1]); // nothing lives at address 1
    /// ```
    pub fn contiguous_inverse(&self, order: IndexOrder) -> Result<Layout, LayoutError> {
        let (extent, digits) = self.linear_digits(order)?;
        if extent == 0 {
            return Layout::builder().axis(0, []).build();
        }
        let (mut taken, mut end) = (Vec::new(), 1);
        for digit in digits {
            // All values of a digit that is cut short are real only below the extent.
            let whole = digit.size.min(extent / digit.place);
            if digit.stride != end {
                break;
            }
            taken.push(Subaxis::land(whole, Level::ADDR, digit.place));
            end *= whole;
            if whole < digit.size {
                break;
            }
        }
        one_axis(taken)
    }

    /// A layout g from all addresses that f reaches to the linear index with `g(f(i)) = i`.
    ///
    /// One axis of addresses from 0 on, which lands in `Addr`, the linear index in `order`.
    /// Addresses that hold no element give numbers beyond the last index, as in CuTe.
    /// Law: `g(f(i)) = i` for every i; every other address gives no number below the number of
    /// elements.
    /// Source: CuTe, `layout.hpp`, `left_inverse`.
    ///
    /// # Errors
    /// As [`left_inverse`](Layout::left_inverse) and [`contiguous_inverse`](Layout::contiguous_inverse).
    pub fn linear_left_inverse(&self, order: IndexOrder) -> Result<Layout, LayoutError> {
        self.check_injective()?;
        let (_, digits) = self.linear_digits(order)?;
        let too_large = || LayoutError::NoInverse(InverseFault::TooLarge);
        let mut beyond = digits.iter().map(|digit| digit.size).product::<u64>();
        let (mut subaxes, mut end) = (Vec::new(), 1_u64);
        for digit in digits {
            if digit.stride % end != 0 {
                let (stride, filled) = (digit.stride, end);
                return Err(LayoutError::NoInverse(InverseFault::Stride { stride, filled }));
            }
            if digit.stride > end {
                let gap = digit.stride / end;
                subaxes.push(Subaxis::land(gap, Level::ADDR, beyond));
                beyond = beyond.checked_mul(gap).ok_or_else(too_large)?;
            }
            subaxes.push(Subaxis::land(digit.size, Level::ADDR, digit.place));
            end = digit.stride.checked_mul(digit.size).ok_or_else(too_large)?;
        }
        one_axis(subaxes)
    }

    /// The number of elements, and the digits of the linear index that move, ascending by stride.
    fn linear_digits(&self, order: IndexOrder) -> Result<(u64, Vec<Digit>), LayoutError> {
        if let Some(level) = self.used.iter().copied().find(|level| *level != Level::ADDR) {
            return Err(LayoutError::MapLevel { level, rank: self.rank() });
        }
        let flat = self.flattened(order)?.without_padding()?;
        let refuse = |fault| Err(LayoutError::NoInverse(fault));
        if !flat.derived.is_empty() {
            return refuse(InverseFault::Fused);
        }
        if flat.offset(Level::ADDR) > 0 {
            let offset = flat.offset(Level::ADDR);
            return refuse(InverseFault::Offset { level: Level::ADDR, offset });
        }
        let (mut digits, mut place) = (Vec::new(), 1);
        for subaxis in flat.axes.iter().flat_map(|axis| &axis.subaxes).rev() {
            if let Target::Land { stride, .. } = subaxis.target
                && stride > 0
            {
                digits.push(Digit { size: subaxis.size, stride, place });
            }
            place *= subaxis.size;
        }
        digits.sort_unstable_by_key(|digit| digit.stride);
        Ok((flat.elements(), digits))
    }
}

/// An axis of digits, minor to major.
fn one_axis(mut subaxes: Vec<Subaxis>) -> Result<Layout, LayoutError> {
    subaxes.reverse();
    subaxes.retain(|subaxis| subaxis.size > 1);
    let too_large = || LayoutError::NoInverse(InverseFault::TooLarge);
    let extent = crate::algebra::product(subaxes.iter().map(|s| s.size).collect::<Vec<_>>());
    Layout::builder().axis(extent.ok_or_else(too_large)?, subaxes).build()
}
