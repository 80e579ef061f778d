//! XORs as sums: a bit of the value is the parity of the number of digits that flip it.
//!
//! ```text
//! a ^ b        sum axis v = a + b, of 3 values: a carry that goes nowhere, and the bit
//! a in 2 bits  sum axis v = 3 a, of 4 values: two bits, both a
//! ```
//!
//! Code that knows only sums (relayouts, tables, boxes) takes layouts in this form.
//! Law: every element has the same places; there are more slots, which no element reaches.

use std::borrow::Cow;

use crate::algebra::layout::{Axis, DerivedAxis, Layout, Subaxis, Target};
use crate::algebra::xor_simplify::rows;
use crate::level::Level;
use crate::number::{to_index, to_u64};

const NOWHERE: Target = Target::Land { level: Level::ADDR, stride: 0 };

impl Layout {
    /// Replaces every XOR by derived axes that are sums, for code that has no other way to combine digits.
    ///
    /// Law: every element has the same places; there are more slots, which no element reaches.
    ///
    /// ```
    /// use tensor_layout::{Layout, LayoutText, algebra::Combine};
    /// let swizzled = LayoutText::parse("S<1,0,1> o 0 o 4:1")?.lower()?;
    /// let sums = swizzled.in_sums();
    /// assert!(sums.derived_axes().iter().all(|axis| axis.combine == Combine::Sum));
    /// assert_eq!(swizzled.same_map(&sums)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_sums(&self) -> Cow<'_, Layout> {
        if !self.has_xor() {
            return Cow::Borrowed(self);
        }
        let mut layout = self.simplified();
        while let Some(number) = layout.derived.iter().position(DerivedAxis::is_xor) {
            layout = layout.with_sums_for(number);
        }
        Cow::Owned(layout.into_simplified())
    }

    fn with_sums_for(&self, number: usize) -> Layout {
        let columns = self.bit_columns(number);
        let flips_more = |column: &&u64| column.count_ones() > 1;
        let rows = rows(&self.derived[number]);
        let (fans, start) = (columns.iter().filter(flips_more).count(), self.derived[number].start);
        // `number` becomes `more` axes, so that those after it are renumbered.
        let more = fans + rows.len();
        let behind = |target: Target| match target {
            Target::Feed { derived, weight } if derived > number => {
                Target::Feed { derived: derived + more - 1, weight }
            }
            _ => target,
        };
        let row = |row: u32| number + fans + to_index(row.into());
        let mut fan = number..;
        let fed = |column: u64| match column.count_ones() {
            0 => NOWHERE,
            1 => Target::Feed { derived: row(column.trailing_zeros()), weight: 1 },
            bits => {
                let derived = fan.next().unwrap_or(number);
                Target::Feed { derived, weight: (1 << bits) - 1 }
            }
        };
        let mut layout = self.clone();
        layout.subaxes_mut().for_each(|subaxis| subaxis.target = behind(subaxis.target));
        layout.feed_again(number, fed);
        let fan_out = columns.iter().filter(flips_more).map(|column| {
            let set = (0..u64::BITS).rev().filter(|bit| column >> bit & 1 == 1);
            let subaxes = set.map(|bit| Subaxis::feed(2, row(bit), 1)).collect();
            DerivedAxis::sum(0, Axis::unpadded(subaxes))
        });
        let sums = rows.iter().enumerate().map(|(bit, target)| {
            let flip = columns.iter().filter(|column| **column >> bit & 1 == 1).count();
            let start = start >> bit & 1;
            let extent = start + to_u64(flip) + 1;
            let carry = Subaxis { size: extent.div_ceil(2), target: NOWHERE };
            let subaxes = vec![carry, Subaxis { size: 2, target: behind(*target) }];
            DerivedAxis::sum(start, Axis { extent, subaxes })
        });
        let added: Vec<DerivedAxis> = fan_out.chain(sums).collect();
        layout.derived.splice(number..=number, added);
        layout
    }
}
