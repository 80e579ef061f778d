//! Inverses: from a place to the index.

use crate::algebra::layout::{Layout, LayoutBuilder, Subaxis, Target, product};
use crate::error::LayoutError;
use crate::level::Level;

/// A digit of the layout to be inverted.
#[derive(Clone, Copy, Debug)]
struct Digit {
    /// How many values it takes for real elements.
    size: u64,
    /// What one step of it adds to the coordinate, or to the value that it feeds.
    step: u64,
    /// Its axis, derived ones behind the tensor's.
    node: usize,
    /// What one step of it adds to the value of its axis.
    weight: u64,
}

impl Layout {
    /// The left inverse: a layout from places to indexes.
    ///
    /// One axis per used level, in the order of [`Level`]; it lands in `i0`, `i1`, .. the axes of
    /// `self`. Places that hold no element go anywhere.
    /// Law: `f.left_inverse().locate(f(i)) == i` for every real index.
    /// Cost: O(subaxes log subaxes).
    ///
    /// # Errors
    /// [`Collision`](LayoutError::Collision) where `self` is not injective;
    /// [`NoInverse`](LayoutError::NoInverse) where the digits of a level cannot be told apart by
    /// dividing: strides that are no multiples of each other, or a base offset.
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
        self.inverse()
    }

    /// A right inverse: for every place that holds elements, the index of one of them.
    ///
    /// As [`left_inverse`](Layout::left_inverse); digits that move nothing (stride 0) are 0.
    /// Law: `f(f.right_inverse()(a)) == a` for every place a of the image.
    ///
    /// # Errors
    /// [`NoInverse`](LayoutError::NoInverse).
    pub fn right_inverse(&self) -> Result<Layout, LayoutError> {
        self.inverse()
    }

    fn inverse(&self) -> Result<Layout, LayoutError> {
        let layout = self.simplified()?;
        if let Some((level, offset)) = layout.offsets.first() {
            let reason = format!("`{level}` starts from {offset}");
            return Err(LayoutError::NoInverse { reason });
        }
        let digits = layout.digits_by_target()?;
        let mut builder = Layout::builder();
        let nodes = layout.rank() + layout.derived.len();
        for (at, &level) in layout.used.iter().enumerate() {
            let extent = layout.span(level);
            let subaxes = layout.backward(&digits[nodes + at], extent - 1, level.as_str())?;
            // The digits may write a little more than the level has: whole blocks are simpler.
            let slots = product(subaxes.iter().map(|subaxis| subaxis.size));
            builder = builder.axis(slots.unwrap_or(extent), subaxes);
        }
        // Last to first, so that a digit feeds an axis that comes after its own.
        for number in (0..layout.derived.len()).rev() {
            builder = layout.reversed(number, &digits[layout.rank() + number], builder)?;
        }
        let builder = (0..layout.rank()).fold(builder, |b, axis| b.used(Level::axis(axis)));
        builder.build()?.into_simplified()
    }

    /// The digits that move, by what they add to: axes (only derived ones get any), then levels.
    fn digits_by_target(&self) -> Result<Vec<Vec<Digit>>, LayoutError> {
        let tops = self.digit_tops()?;
        let nodes = self.rank() + self.derived.len();
        let mut digits = vec![Vec::new(); nodes + self.used.len()];
        for (node, (axis, tops)) in self.nodes().zip(tops).enumerate() {
            let mut weight = 1;
            for (subaxis, top) in axis.subaxes.iter().zip(tops).rev() {
                let (target, step) = match subaxis.target {
                    Target::Feed { derived, weight } => (self.rank() + derived, weight),
                    Target::Land { level, stride } => {
                        (nodes + self.used.binary_search(&level).unwrap_or(0), stride)
                    }
                };
                if top > 0 && step > 0 {
                    digits[target].push(Digit { size: top + 1, step, node, weight });
                }
                weight *= subaxis.size;
            }
        }
        Ok(digits)
    }

    /// A derived axis read backward: its value, the sum of what its digits say, in the digits
    /// that fed it.
    fn reversed(
        &self,
        number: usize,
        feeders: &[Digit],
        builder: LayoutBuilder,
    ) -> Result<LayoutBuilder, LayoutError> {
        if self.derived[number].start > 0 {
            let reason =
                format!("derived axis {number} starts from {}", self.derived[number].start);
            return Err(LayoutError::NoInverse { reason });
        }
        // Other places than those of elements may give more than the axis holds.
        let index = self.derived.len() - 1 - number;
        let fed = builder.axes.iter().chain(builder.derived.iter().map(|derived| &derived.axis));
        let reach = fed.flat_map(|axis| &axis.subaxes).filter(|s| s.feeds() == Some(index));
        let reach = reach.map(|subaxis| match subaxis.target {
            Target::Feed { weight, .. } => (subaxis.size - 1).checked_mul(weight),
            Target::Land { .. } => Some(0),
        });
        let steps: Option<Vec<u64>> = reach.collect();
        let reach = steps.and_then(|steps| steps.into_iter().try_fold(0, u64::checked_add));
        let too_large =
            || LayoutError::NoInverse { reason: "a value does not fit in 64 bits".into() };
        let reach = reach.filter(|reach| *reach < u64::MAX).ok_or_else(too_large)?;
        let what = format!("derived axis {number}");
        let subaxes = self.backward(feeders, reach, &what)?;
        Ok(builder.derived(0, reach + 1, subaxes))
    }

    /// A value of at most `reach`, split into the digits that add up to it, major to minor.
    fn backward(
        &self,
        digits: &[Digit],
        reach: u64,
        what: &str,
    ) -> Result<Vec<Subaxis>, LayoutError> {
        let mut digits = digits.to_vec();
        digits.sort_unstable_by_key(|digit| digit.step);
        // What lies below the smallest step is 0 where an element is.
        let nowhere = |size| Subaxis::land(size, Level::ADDR, 0);
        let mut subaxes = Vec::with_capacity(digits.len() + 1);
        match digits.first() {
            None if reach > 0 => subaxes.push(nowhere(reach + 1)),
            Some(first) if first.step > 1 => subaxes.push(nowhere(first.step)),
            _ => {}
        }
        for (at, digit) in digits.iter().enumerate() {
            let size = match digits.get(at + 1) {
                Some(next)
                    if next.step % digit.step != 0 || next.step / digit.step < digit.size =>
                {
                    return Err(LayoutError::NoInverse {
                        reason: format!(
                            "in {what} a digit of size {} steps by {}, and the next by {}",
                            digit.size, digit.step, next.step
                        ),
                    });
                }
                Some(next) => next.step / digit.step,
                None => reach / digit.step + 1,
            };
            subaxes.push(match digit.node.checked_sub(self.rank()) {
                None => Subaxis::land(size, Level::axis(digit.node), digit.weight),
                Some(derived) => {
                    Subaxis::feed(size, self.derived.len() - 1 - derived, digit.weight)
                }
            });
        }
        subaxes.reverse();
        Ok(subaxes)
    }
}
