//! One unit: every address in order, with what lives there.

use crate::algebra::{Found, IndexOrder};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::location::Location;
use crate::placement::Placement;
use crate::program::Program;

/// One address, and lane if lanes are used, of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The address in long words.
    pub address: u64,
    /// The lane; 0 where lanes are not used.
    pub lane: u64,
    /// What lives there.
    pub found: Found,
}

/// The memory of one unit, from the base to the last used address: an iterator of [`Slot`]s.
#[derive(Clone, Debug)]
pub struct UnitTable<'a> {
    placement: &'a Placement,
    unit: Location,
    /// The compiled placement, and the packed number of the unit's address 0.
    compiled: Option<(Program, u64)>,
    lanes: u64,
    next: u64,
    end: u64,
}

impl Placement {
    /// Walks the memory of one unit (of one time slice): every address from the base on, lanes
    /// within it, with the index that lives there, padding and holes told apart.
    ///
    /// Replicated levels may be left out of `unit`. [`Program::fill_inverse_at`] makes the same
    /// table of numbers, at once.
    ///
    /// # Errors
    /// [`LevelMissing`](LayoutError::LevelMissing) for a used level that `unit` leaves open, and
    /// what [`Placement::element`] refuses.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Found, Placement};
    /// let placement = Placement::of("(10,7)/((3:7, 4_PE), (7:1))".parse()?).build()?;
    /// let slots: Vec<_> = placement.unit(&"PE=3".parse()?)?.collect::<Result<_, _>>()?;
    /// assert_eq!(slots.len(), 21);
    /// assert_eq!(slots[0].found, Found::Element(vec![3, 0]));
    /// assert_eq!(slots[14].found, Found::Padding); // row 11
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unit(&self, unit: &Location) -> Result<UnitTable<'_>, LayoutError> {
        let mut probe = unit.clone();
        let base = self.layout().offset(Level::ADDR);
        probe.set(Level::ADDR, base);
        probe.set(Level::W, 0);
        let inside = self.element(&probe)? != Found::Outside;
        let lanes = self.layout().extent(Level::W);
        let words = self.footprint_words() - base;
        let slots = words.checked_mul(lanes);
        let too_large = LayoutError::too_large(Site::Layout, "the number of addresses");
        let end = slots.ok_or(too_large)?;
        let compiled = if inside { self.compiled_at(unit) } else { None };
        Ok(UnitTable { placement: self, unit: unit.clone(), compiled, lanes, next: 0, end })
    }

    /// `None` where a place has several names, or names levels without a column, or numbers do
    /// not fit: then the definition answers.
    fn compiled_at(&self, unit: &Location) -> Option<(Program, u64)> {
        let alone = self.memory().is_none_or(|(_, memory)| memory.group == 1);
        let known = unit.iter().all(|(level, _)| self.columns().contains(&level));
        let program = self.program().ok().filter(|_| alone && known)?;
        let coordinate = |level: Level| match level {
            Level::ADDR | Level::W => 0,
            _ => unit.get(level).unwrap_or(0),
        };
        let place = program.columns().fold(0, |sum, (level, size)| sum * size + coordinate(level));
        Some((program, place))
    }
}

impl UnitTable<'_> {
    fn found(&mut self, address: u64, lane: u64) -> Result<Found, LayoutError> {
        let Some((program, unit)) = &self.compiled else {
            self.unit.set(Level::ADDR, address);
            self.unit.set(Level::W, lane);
            return self.placement.element(&self.unit);
        };
        let lanes = program.columns().find(|(level, _)| *level == Level::W);
        let place = unit + address * lanes.map_or(1, |(_, lanes)| lanes) + lane;
        Ok(match program.element(place)? {
            Found::Element(number) => {
                let index = self.placement.layout().index_of(IndexOrder::RowMajor, number)?;
                Found::Element(index)
            }
            Found::Padding => Found::Padding,
            Found::Hole => Found::Hole,
            Found::Outside => Found::Outside,
        })
    }
}

impl Iterator for UnitTable<'_> {
    type Item = Result<Slot, LayoutError>;

    fn next(&mut self) -> Option<Self::Item> {
        let slot = (self.next < self.end).then_some(self.next)?;
        self.next += 1;
        let address = self.placement.layout().offset(Level::ADDR) + slot / self.lanes;
        let lane = slot % self.lanes;
        Some(self.found(address, lane).map(|found| Slot { address, lane, found }))
    }
}
