//! The elements of a value in the memories of units.

use std::collections::HashMap;

use itertools::Itertools;
use tensor_layout::error::fault;
use tensor_layout::{LayoutError, Level, Location, Machine};

use crate::choices::{Held, Setting};
use crate::graph::no_elements;

/// The units of a machine, numbered from the root down; those of a time slice after those of the slices before it.
pub(super) struct Units {
    /// The levels with the number of leaves in one of their units.
    weights: Vec<(Level, u64)>,
    leaves: u64,
    /// The leaves of the machine.
    all: u64,
}

impl Units {
    pub(super) fn new(machine: &Machine) -> Units {
        let mut weight = 1;
        let levels = machine.levels().collect_vec();
        let weights = levels.iter().rev().map(|(level, size)| {
            let own = (*level, weight);
            weight *= size;
            own
        });
        let weights = weights.collect_vec().into_iter().rev().collect();
        Units { weights, leaves: levels.last().map_or(1, |(_, size)| *size), all: weight }
    }

    /// The number of the leaf of a place; the first leaf of a node that has a memory of its own.
    pub(super) fn leaf(&self, place: &Location) -> u64 {
        self.weights.iter().map(|(level, weight)| place.get(*level).unwrap_or(0) * weight).sum()
    }

    /// The number of the leaf of a place in its time slice.
    pub(super) fn of(&self, place: &Location) -> u64 {
        self.leaf(place) + place.get(Level::TIME).unwrap_or(0) * self.all
    }

    /// The number of a leaf without its time slice.
    pub(super) fn in_any_slice(&self, leaf: u64) -> u64 {
        leaf % self.all
    }

    /// The number of the node that a leaf is in.
    pub(super) fn node(&self, leaf: u64) -> u64 {
        leaf / self.leaves
    }

    /// The number of all leaves.
    pub(super) fn all(&self) -> u64 {
        self.all
    }

    /// The first leaf of a node.
    pub(super) fn first_leaf(&self, node: u64) -> u64 {
        node * self.leaves
    }

    /// The levels with the number of leaves in one of their units, outermost first.
    pub(super) fn levels(&self) -> &[(Level, u64)] {
        &self.weights
    }

    /// The number of the innermost levels that separate two leaves: 0 for one leaf.
    pub(super) fn distance(&self, one: u64, other: u64) -> usize {
        self.weights.iter().filter(|(_, weight)| one / weight != other / weight).count()
    }
}

/// A place in the memory of a unit.
pub(super) type Cell = (u64, u64);

/// A value in the memories of units.
pub(super) struct Store {
    /// The places of each element, by its row-major number.
    pub(super) places: Vec<Vec<Cell>>,
    /// The number of the element and its value at each place that holds one.
    pub(super) cells: HashMap<Cell, (u64, f64)>,
}

impl Store {
    /// The places of a layout, without elements.
    pub(super) fn new(units: &Units, setting: &Setting, held: &Held) -> Result<Store, LayoutError> {
        let placed = setting.placed(held)?;
        let lanes = placed.lanes().unwrap_or(1).max(1);
        let cell = |place: Location| {
            let address = place.get(Level::ADDR).unwrap_or(0);
            (units.of(&place), address * lanes + place.get(Level::W).unwrap_or(0))
        };
        let mut places = Vec::new();
        let mut failed = None;
        crate::graph::each(&held.layout.shape(), |index| match placed.locate_all(index) {
            Ok(all) => places.push(all.map(cell).collect_vec()),
            Err(error) => failed = Some(error),
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(Store { places, cells: HashMap::new() }),
        }
    }

    /// The elements of another store of one memory that are where they should be, whatever the time slices.
    pub(super) fn take_in_place(&mut self, units: &Units, source: &Store) {
        let place = |(leaf, at): &Cell| (units.in_any_slice(*leaf), *at);
        let mut held: HashMap<(Cell, u64), f64> = HashMap::new();
        let cells = source.cells.iter();
        held.extend(cells.map(|(cell, (element, value))| ((place(cell), *element), *value)));
        for (element, places) in (0..).zip(&self.places) {
            let found = places.iter().filter_map(|cell| {
                held.get(&(place(cell), element)).map(|value| (*cell, (element, *value)))
            });
            self.cells.extend(found);
        }
    }

    /// Writes elements to all of their places.
    pub(super) fn fill(&mut self, numbers: &[f64]) {
        for ((element, places), number) in (0..).zip(&self.places).zip(numbers) {
            self.cells.extend(places.iter().map(|place| (*place, (element, *number))));
        }
    }

    /// The elements of these memories under another index.
    pub(super) fn seen(
        &self,
        units: &Units,
        setting: &Setting,
        held: &Held,
    ) -> Result<Store, LayoutError> {
        let mut store = Store::new(units, setting, held)?;
        // Elements have new numbers at the places where they are.
        let numbers: HashMap<Cell, u64> = (0..)
            .zip(&store.places)
            .flat_map(|(element, places)| places.iter().map(move |place| (*place, element)))
            .collect();
        let seen = self.cells.iter().filter_map(|(place, (_, value))| {
            numbers.get(place).map(|element| (*place, (*element, *value)))
        });
        store.cells = seen.collect();
        Ok(store)
    }

    /// The values of all elements; every place holds its element, and copies are equal.
    pub(super) fn numbers(&self, value: &str) -> Result<Vec<f64>, LayoutError> {
        let number = |(element, places): (u64, &Vec<Cell>)| {
            let mut found = None;
            for place in places {
                let held = self.cells.get(place);
                let right = held.filter(|(of, value)| {
                    *of == element
                        && found.is_none_or(|found: f64| found.to_bits() == value.to_bits())
                });
                let (_, number) = right.ok_or_else(|| {
                    fault!(
                        Invalid,
                        "`{value}`: the place of element {element} in unit {unit} holds {held}",
                        [
                            value = value.to_owned(),
                            element,
                            unit = place.0,
                            held = held.map_or("nothing".into(), |(of, value)| format!(
                                "element {of}, {value}"
                            ))
                        ]
                    )
                })?;
                found = Some(*number);
            }
            found.ok_or_else(|| no_elements(value.to_owned()))
        };
        (0..).zip(&self.places).map(number).collect()
    }
}
