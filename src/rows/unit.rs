//! One unit: every address in order, with its content.

use super::Row;
use super::order::Slots;
use crate::error::{ErrorKind, LayoutError, Site};
use crate::level::Level;
use crate::location::{Found, Location};
use crate::placement::Placement;

/// One address of a unit, and the lane where lanes are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The address in long words.
    pub address: u64,
    /// The lane; 0 where lanes are not used.
    pub lane: u64,
    /// The content of the slot.
    pub found: Found,
}

/// The memory of one unit, from the base to the last used address: an iterator of [`Slot`]s.
#[derive(Clone, Debug)]
pub struct UnitTable<'a> {
    placement: &'a Placement,
    unit: Location,
    contents: Contents<'a>,
    lanes: u64,
    next: u64,
    end: u64,
}

/// The source of the answers.
#[derive(Clone, Debug)]
enum Contents<'a> {
    /// No machine or layout has the unit.
    Outside,
    /// The rows of its memory, if it has any.
    UnitRows(Option<Box<UnitRows<'a>>>),
    /// The definition, if too many rows would have to be sorted.
    Definition,
}

impl Placement {
    /// Iterates over the memory of one unit (in one time slice): every address from the base on, and every
    /// lane within it, with its content; padding and holes are distinguished.
    ///
    /// Replicated levels may be left out of `unit`.
    /// [`Program::fill_inverse_at`](crate::program::Program::fill_inverse_at) fills the equivalent table of
    /// numbers in one call.
    /// Law: a slot holds the result of [`Placement::element`].
    /// Cost: constant per slot, as [`Table`](crate::rows::Table).
    ///
    /// # Errors
    /// `Missing` for a used level that `unit` leaves out, and the errors of [`Placement::element`].
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
        let words = self.layout().extent(Level::ADDR) - base;
        let slots = words.checked_mul(lanes);
        let too_large = || LayoutError::too_large(Site::Layout, "the number of addresses");
        let end = slots.ok_or_else(too_large)?;
        let contents = match inside {
            true => self.contents(unit)?,
            false => Contents::Outside,
        };
        Ok(UnitTable { placement: self, unit: unit.clone(), contents, lanes, next: 0, end })
    }

    fn contents(&self, unit: &Location) -> Result<Contents<'_>, LayoutError> {
        let coordinate = |level: &Level| (*level, unit.get(*level).unwrap_or(0));
        let columns = self.columns().iter().filter(|l| **l != Level::ADDR && **l != Level::W);
        let mut place: Location = columns.map(coordinate).collect();
        if let Some((_, memory)) = self.memory() {
            memory.name(&mut place);
        }
        match Slots::new(self.with_copies(), self.columns(), &place, true) {
            Ok(slots) => {
                let rows = slots.map(|slots| Box::new(UnitRows::new(slots, self.columns())));
                Ok(Contents::UnitRows(rows))
            }
            Err(error) if error.kind() == ErrorKind::Limit => Ok(Contents::Definition),
            Err(error) => Err(error),
        }
    }
}

/// The rows of a unit, one after the other.
#[derive(Clone, Debug)]
struct UnitRows<'a> {
    slots: Slots<'a>,
    /// The columns of the address and of the lane.
    address: Option<usize>,
    lane: Option<usize>,
    /// The next row of the block.
    next: usize,
}

impl<'a> UnitRows<'a> {
    fn new(slots: Slots<'a>, columns: &[Level]) -> UnitRows<'a> {
        let column = |level| columns.iter().position(|column| *column == level);
        UnitRows { slots, address: column(Level::ADDR), lane: column(Level::W), next: 0 }
    }

    /// The content of a slot, padding or an element, by the rows; slots are visited in order.
    fn at(&mut self, slot: (u64, u64)) -> Result<Option<Found>, LayoutError> {
        let mut found = None;
        let (address, lane) = (self.address, self.lane);
        while let Some(Row { place, index }) = self.row()? {
            let at = |column: Option<usize>| column.map_or(0, |column| place[column]);
            let place = (at(address), at(lane));
            if place > slot {
                break;
            }
            if place == slot && !matches!(found, Some(Found::Element(_))) {
                let index = index.map(<[u64]>::to_vec);
                found = Some(index.map_or(Found::Padding, Found::Element));
            }
            self.next += 1;
        }
        Ok(found)
    }

    /// The current row.
    fn row(&mut self) -> Result<Option<Row<'_>>, LayoutError> {
        if self.next == self.slots.block().len() {
            self.next = 0;
            if self.slots.next_block()?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(self.slots.block().row(self.next)))
    }
}

impl UnitTable<'_> {
    fn found(&mut self, address: u64, lane: u64) -> Result<Found, LayoutError> {
        let rows = match &mut self.contents {
            Contents::Outside => return Ok(Found::Outside),
            Contents::UnitRows(rows) => rows,
            Contents::Definition => {
                self.unit.set(Level::ADDR, address);
                self.unit.set(Level::W, lane);
                return self.placement.element(&self.unit);
            }
        };
        let found = rows.as_mut().map(|rows| rows.at((address, lane))).transpose()?;
        Ok(found.flatten().unwrap_or(Found::Hole))
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
