//! The candidates with the lowest prices.

use std::collections::BTreeMap;

use super::candidate::Candidate;
use super::options::Candidates;
use crate::error::LayoutError;

impl Candidates {
    /// Returns the cheapest candidates by a price, cheapest first; of equal prices, those that the walk finds
    /// first. A candidate without a price is left out.
    ///
    /// Law: as sorting all candidates. Cost: one price per candidate; at most `most` candidates are kept.
    ///
    /// # Errors
    /// As [`iter`](Candidates::iter) and its items, and those of the price.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Machine;
    /// use tensor_layout::candidates::{Candidates, LayoutError};
    /// let machine: Machine = "L2B=2,PE=4".parse()?;
    /// let all = Candidates::new(&machine, &[8, 6]);
    /// let best = all.cheapest(2, |candidate| {
    ///     Ok::<_, LayoutError>(Some(candidate.footprint_words))
    /// })?;
    /// assert_eq!((best[0].0, &best[0].1.layout), (6, &"((2_L2B, 4_PE), (6:1))".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cheapest<P: Ord, E: From<LayoutError>>(
        &self,
        most: usize,
        mut price: impl FnMut(&Candidate) -> Result<Option<P>, E>,
    ) -> Result<Vec<(P, Candidate)>, E> {
        let mut kept: BTreeMap<(P, usize), Candidate> = BTreeMap::new();
        for (number, candidate) in self.iter()?.enumerate() {
            let candidate = candidate?;
            if let Some(price) = price(&candidate)? {
                kept.insert((price, number), candidate);
            }
            if kept.len() > most {
                kept.pop_last();
            }
        }
        Ok(kept.into_iter().map(|((price, _), candidate)| (price, candidate)).collect())
    }
}
