//! Single places: the element at a packed number.

use super::compiled::Program;
use crate::error::LayoutError;
use crate::location::Found;

impl Program {
    /// Returns the content of the place with a packed number.
    ///
    /// Law: `element(place(i))` is the row-major number of `i`.
    ///
    /// # Errors
    /// `Collision` where elements share places, `NotDecided` as [`Layout::element`](crate::Layout::element).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Found, Placement};
    /// let placement = Placement::of("(10,7)/((3:7, 4_PE), (7:1))".parse()?).build()?;
    /// let program = placement.program()?;
    /// assert_eq!(program.place(&[3, 5])?, 3 * 21 + 5); // PE 3, address 5
    /// assert_eq!(program.element(3 * 21 + 5)?, Found::Element(26));
    /// assert_eq!(program.element(3 * 21 + 14)?, Found::Padding); // row 11
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn element(&self, place: u64) -> Result<Found<u64>, LayoutError> {
        if place >= self.places() {
            return Ok(Found::Outside);
        }
        match self.lookup()? {
            Some(lookup) => Ok(lookup.held(place)),
            None => self.element_by_definition(place),
        }
    }

    fn element_by_definition(&self, place: u64) -> Result<Found<u64>, LayoutError> {
        let mut location = self.numbers(place);
        for level in self.compiled.layout.used_levels() {
            location.set(*level, location.get(*level).unwrap_or(0));
        }
        Ok(match self.compiled.layout.element(&location)? {
            Found::Element(index) => self.number(&index).map_or(Found::Hole, Found::Element),
            Found::Padding => Found::Padding,
            Found::Hole | Found::Outside => Found::Hole,
        })
    }

    /// The row-major number within the window.
    pub(crate) fn number(&self, index: &[u64]) -> Option<u64> {
        let mut entries = index.iter().zip(&self.shape);
        entries.try_fold(0, |number, (entry, range)| {
            let at = range.contains(entry).then(|| entry - range.start)?;
            Some(number * (range.end - range.start) + at)
        })
    }
}
