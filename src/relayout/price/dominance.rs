//! Choices that no plan needs, because another choice and two switches cost no more.
//!
//! ```text
//!                     takes              own         gives
//! dominated    ..  -> rows of A   ->     900    ->   columns  -> ..
//! by           ..  -> columns of A ->    400    ->   rows     -> ..
//!
//! rows of A -> columns of A 200, rows -> columns 200: 200 + 400 + 200 <= 900
//! ```
//!
//! Whatever precedes and follows, the second way through both switches is a plan, and it costs no more: a price from
//! any source to `columns of A` is at most that to `rows of A` and on. This is the triangle inequality. Prices by
//! movements obey it, in all cases that were tried; prices by rates of levels or of addresses do not.

use super::pricer::{PartId, Pricer};
use crate::error::LayoutError;

/// A way to carry out an operation: the parts that its operands and its result have, and what it costs by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PricedChoice {
    /// The cost without switches, in the unit of the model.
    pub own: u64,
    /// The part of each operand.
    pub takes: Vec<PartId>,
    /// The part of the result, once for each operation that reads it: each pays for its own switch.
    pub gives: Vec<PartId>,
}

impl Pricer {
    /// Returns the positions of the choices of one operation that no other choice dominates. A choice is dominated if
    /// another one, with the switches from the operands of the first and to its result, costs no more.
    ///
    /// Of equal choices the first one stays. If the model has rates of levels instead of movements, or a change of
    /// addresses [has a price](Pricer::with_price_of_addresses), all others stay: these prices break the triangle
    /// inequality. So do casts: choices with elements of different widths do not dominate each other.
    /// Law: for all parts before and after, the cheapest way through all choices costs what the cheapest through those
    /// that stay does.
    /// Cost: for each pair of choices at most a price per operand and one per reader of the result.
    ///
    /// # Errors
    /// As [`cost`](Pricer::cost); choices with different numbers of operands or readers do not dominate each other.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, Placement};
    /// use tensor_layout::relayout::{CostModel, PricedChoice, Pricer};
    /// let machine = Machine::mn_core_2();
    /// let pricer = Pricer::new(CostModel::new(&machine, 64)?);
    /// let part = |text: &str| {
    ///     pricer.part(&Placement::of(text.parse().unwrap()).on(&machine).memory("LM0").build()?)
    /// };
    /// let (rows, columns) = (part("((16_MAB, 4:64), (64:1))")?, part("((64:4), (16_MAB, 4:1))")?);
    /// let choice = |own, part| PricedChoice { own, takes: vec![part], gives: vec![part] };
    /// let switch = pricer.cost(rows, columns)?.steps + pricer.cost(columns, rows)?.steps;
    /// let close = [choice(400, rows), choice(400 + switch - 1, columns)];
    /// assert_eq!(pricer.undominated(&close)?, [0, 1]);
    /// assert_eq!(pricer.undominated(&[choice(400, rows), choice(400 + switch, columns)])?, [0]);
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn undominated(&self, choices: &[PricedChoice]) -> Result<Vec<usize>, LayoutError> {
        let mut order: Vec<usize> = (0..choices.len()).collect();
        // Only what is as cheap by itself can dominate.
        order.sort_by_key(|at| choices[*at].own);
        let mut kept: Vec<usize> = Vec::new();
        'choices: for at in order {
            for other in &kept {
                if self.dominates(&choices[*other], &choices[at])? {
                    continue 'choices;
                }
            }
            kept.push(at);
        }
        kept.sort_unstable();
        Ok(kept)
    }

    fn dominates(&self, one: &PricedChoice, other: &PricedChoice) -> Result<bool, LayoutError> {
        if (&one.takes, &one.gives) == (&other.takes, &other.gives) {
            return Ok(one.own <= other.own);
        }
        let lengths = |of: &PricedChoice| (of.takes.len(), of.gives.len());
        if lengths(one) != lengths(other) || !self.obeys_the_triangle() {
            return Ok(false);
        }
        let takes = other.takes.iter().zip(&one.takes);
        let switches = takes.chain(one.gives.iter().zip(&other.gives));
        // A detour over narrower elements may cost less than the direct way.
        for (from, to) in switches.clone() {
            if !self.are_as_wide(*from, *to)? {
                return Ok(false);
            }
        }
        let mut sum = one.own;
        for (from, to) in switches {
            sum = sum.saturating_add(self.cost(*from, *to)?.steps);
            if sum > other.own {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
