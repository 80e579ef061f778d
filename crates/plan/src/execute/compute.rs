//! Iterations in the units that the loops name, from what these units have.

use std::collections::HashMap;

use itertools::Itertools;
use tensor_layout::error::fault;
use tensor_layout::{Layout, LayoutError, Level, Location};

use super::state::State;
use super::store::{Store, Units};
use crate::choices::{Choice, Held};
use crate::graph::{Fold, Nest, Operation, check_held, evaluate, flat, index, no_elements};

/// The part of an element of the result that a unit has computed.
#[derive(Clone, Copy)]
struct Part {
    value: f64,
    /// The first iteration, which names the part, and their number.
    first: u64,
    count: u64,
}

/// The units of all iterations: sums of one number per loop, and one for each copy.
struct Iterations {
    steps: Vec<Vec<u64>>,
    copies: Vec<u64>,
}

impl State<'_, '_> {
    /// The result of a nest at its places.
    pub(super) fn computed(
        &mut self,
        operation: &Operation,
        nest: &Nest,
        choice: &Choice,
        operands: &[Store],
    ) -> Result<Store, LayoutError> {
        let lost = || no_elements(operation.name.clone());
        let loops = choice.loops.as_ref().ok_or_else(lost)?;
        // Without digits of leaves, the leaves of a node compute together.
        let together = is_together(nest, loops, self.plan.setting().machine());
        let iterations = self.iterations(loops, choice.result.bits)?;
        let held = operands.iter().map(|store| self.held(store, together)).collect_vec();
        let parts =
            self.parts(operation, nest, choice, (&iterations, together), &held, operands)?;
        let mut result = Store::new(&self.units, self.plan.setting(), &choice.result)?;
        self.add_up(operation, nest, choice, (&parts, together), &mut result)?;
        Ok(result)
    }

    fn iterations(&self, loops: &Layout, bits: u64) -> Result<Iterations, LayoutError> {
        let setting = self.plan.setting();
        let placed = setting.placement(loops, None, bits)?;
        let extents = loops.shape();
        let first = vec![0; extents.len()];
        let unit = |place: &Location| self.units.of(place);
        if extents.contains(&0) {
            return Ok(Iterations { steps: vec![Vec::new(); extents.len()], copies: Vec::new() });
        }
        let copies = placed.locate_all(&first)?.map(|place| unit(&place)).unique().collect_vec();
        let origin = unit(&placed.locate(&first)?);
        let step = |number: usize, at: u64| {
            let mut index = first.clone();
            index[number] = at;
            Ok::<u64, LayoutError>(unit(&placed.locate(&index)?) - origin)
        };
        let steps = (0..extents.len()).map(|number| {
            (0..extents[number]).map(|at| step(number, at)).collect::<Result<Vec<_>, _>>()
        });
        Ok(Iterations { steps: steps.collect::<Result<_, _>>()?, copies })
    }

    /// The elements that each computing unit holds in their places.
    fn held(&self, store: &Store, together: bool) -> HashMap<(u64, u64), f64> {
        let mut held = HashMap::new();
        for (element, places) in (0..).zip(&store.places) {
            for place in places {
                if let Some((of, value)) = store.cells.get(place)
                    && *of == element
                {
                    held.insert((self.computes(place.0, together), element), *value);
                }
            }
        }
        held
    }

    fn computes(&self, leaf: u64, together: bool) -> u64 {
        if together { self.units.node(leaf) } else { leaf }
    }

    /// The unit that computes what is of a leaf, without its time slice.
    fn computes_in_any_slice(&self, leaf: u64, together: bool) -> u64 {
        self.computes(self.units.in_any_slice(leaf), together)
    }

    /// The parts of all elements, by unit.
    fn parts(
        &mut self,
        operation: &Operation,
        nest: &Nest,
        choice: &Choice,
        (iterations, together): (&Iterations, bool),
        held: &[HashMap<(u64, u64), f64>],
        operands: &[Store],
    ) -> Result<HashMap<u64, HashMap<u64, Part>>, LayoutError> {
        let shapes = nest.reads.iter().map(|read| &self.graph.value(read.value).shape[..]);
        let shapes = shapes.collect_vec();
        let sliced = choice.operands.iter().map(Held::is_sliced).collect();
        let units = self.computes(self.units.all(), together);
        let all = self.units.all();
        let (slices, fetched) = (HashMap::new(), HashMap::new());
        let mut reads =
            Reads { operation, nest, shapes, held, operands, sliced, all, units, slices, fetched };
        let copy = iterations.copies.first().map_or(0, |leaf| self.computes(*leaf, together));
        reads.bring_windows(|at| copy + self.computes(iterations.step(at), together));
        let mut parts: HashMap<u64, HashMap<u64, Part>> = HashMap::new();
        let mut failed = None;
        let copies = iterations.copies.iter().map(|leaf| self.computes(*leaf, together));
        let copies = copies.unique().collect_vec();
        let folded = nest.loops[nest.rank..].iter().product::<u64>().max(1);
        let (mut number, mut count) = (0_u64, 0_u64);
        crate::graph::each(&nest.loops, |at| {
            if failed.is_some() {
                return;
            }
            let first = number % folded;
            number += 1;
            let step = self.computes(iterations.step(at), together);
            let element = number_of(&at[..nest.rank], nest.shape());
            for unit in copies.iter().map(|copy| copy + step) {
                count += 1;
                match reads.value(unit, at) {
                    Ok(value) => {
                        let part = Part { value, first, count: 1 };
                        let of = parts.entry(element).or_default().entry(unit % units);
                        of.and_modify(|known| known.add(nest.fold, value)).or_insert(part);
                    }
                    Err(error) => failed = Some(error),
                }
            }
        });
        let fetched = u64::try_from(reads.fetched.len()).unwrap_or(u64::MAX);
        self.counts.iterations += count;
        self.counts.fetched += fetched;
        match failed {
            Some(error) => Err(error),
            None if fetched > 0 && choice.own.halos == 0 => {
                let (operation, what) = (operation.name.clone(), "elements of halos");
                Err(unpriced(operation, fetched, what))
            }
            None => Ok(parts),
        }
    }

    /// Adds up the parts of each element where the result is wanted.
    fn add_up(
        &mut self,
        operation: &Operation,
        nest: &Nest,
        choice: &Choice,
        (parts, together): (&HashMap<u64, HashMap<u64, Part>>, bool),
        result: &mut Store,
    ) -> Result<(), LayoutError> {
        let expected = nest.loops[nest.rank..].iter().product::<u64>();
        let of = self.graph.value(operation.result);
        let mut crossing = 0;
        let none = HashMap::new();
        for (element, places) in (0..).zip(&result.places) {
            let own = parts.get(&element).unwrap_or(&none);
            for place in places {
                let unit = self.computes_in_any_slice(place.0, together);
                let chosen = nearest(own, unit, &self.units, together);
                let found = chosen.iter().map(|(_, part)| part.count).sum::<u64>();
                if found != expected {
                    let operation = operation.name.clone();
                    return Err(fault!(
                        Invalid,
                        "`{operation}`: element {element} has {found} of {expected} iterations",
                        [operation, element, found, expected]
                    ));
                }
                crossing += u64::try_from(chosen.iter().filter(|(at, _)| *at != unit).count())
                    .unwrap_or(u64::MAX);
                let values = chosen.iter().map(|(_, part)| part.value);
                let value = values.reduce(|x, y| nest.fold.both(x, y)).unwrap_or(nest.fold.empty());
                let value = of.dtype.round(value);
                check_held(of, element, value)?;
                result.cells.insert(*place, (element, value));
            }
        }
        self.counts.added += crossing;
        if crossing > 0 && choice.own.sums == 0 {
            let operation = operation.name.clone();
            let what = "partial results";
            return Err(unpriced(operation, crossing, what));
        }
        Ok(())
    }
}

impl Part {
    fn add(&mut self, fold: Fold, value: f64) {
        self.value = fold.both(self.value, value);
        self.count += 1;
    }
}

impl Iterations {
    /// The number of units from the first one to that of an iteration.
    fn step(&self, at: &[u64]) -> u64 {
        let steps = at.iter().zip(&self.steps);
        steps.map(|(at, steps)| steps[usize::try_from(*at).unwrap_or(0)]).sum()
    }
}

/// The operands of a nest while it is computed.
struct Reads<'s> {
    operation: &'s Operation,
    nest: &'s Nest,
    shapes: Vec<&'s [u64]>,
    /// For each operand the elements that each unit holds.
    held: &'s [HashMap<(u64, u64), f64>],
    operands: &'s [Store],
    /// The operands that are there slice by slice.
    sliced: Vec<bool>,
    /// The leaves, and the units that compute, in one time slice.
    all: u64,
    units: u64,
    /// The slice of an operand that is there in a slice of the loops: the first one that an iteration reads.
    slices: HashMap<(usize, u64), u64>,
    /// The elements of halos that units fetched: operand, unit and element.
    fetched: HashMap<(usize, u64, u64), f64>,
}

impl Reads<'_> {
    /// The value of the expression in a unit, from what it holds and what it fetches.
    fn value(&mut self, unit: u64, at: &[u64]) -> Result<f64, LayoutError> {
        for operand in 0..self.nest.reads.len() {
            self.fetch(operand, unit, at)?;
        }
        let read = |operand: usize, index: &[u64]| {
            let element = number_of(index, self.shapes[operand]);
            let own = self.own(operand, unit, element);
            let fetched = || self.fetched.get(&(operand, unit, element));
            own.or_else(fetched).copied().unwrap_or(f64::NAN)
        };
        Ok(evaluate(self.nest, at, read, |operand| self.shapes[operand]))
    }

    /// An element that a unit holds in its time slice, or all the time.
    fn own(&self, operand: usize, unit: u64, element: u64) -> Option<&f64> {
        let (slice, own) = (unit / self.units, unit % self.units);
        let slice = self.slices.get(&(operand, slice)).copied().unwrap_or(0);
        self.held[operand].get(&(slice * self.units + own, element))
    }

    /// Brings the slice of an operand that an iteration needs, unless another one is there.
    fn bring(&mut self, operand: usize, unit: u64, element: u64) {
        let slice = self.slice(operand, element);
        self.slices.entry((operand, unit / self.units)).or_insert(slice);
    }

    /// The time slice of an element of an operand.
    fn slice(&self, operand: usize, element: u64) -> u64 {
        let places = usize::try_from(element).ok().map(|at| &self.operands[operand].places[at]);
        let place = places.and_then(|places| places.first()).filter(|_| self.sliced[operand]);
        place.map_or(0, |(leaf, _)| leaf / self.all)
    }

    /// Brings the slices of operands that are read through windows: in each slice of the loops the one that most
    /// iterations read, or of several its own; what they read beyond it is a halo.
    fn bring_windows(&mut self, unit: impl Fn(&[u64]) -> u64) {
        let windows =
            (0..self.nest.reads.len()).filter(|at| self.sliced[*at] && self.has_window(*at));
        for operand in windows.collect_vec() {
            let mut counts: HashMap<u64, HashMap<u64, u64>> = HashMap::new();
            let (maps, shape) = (&self.nest.reads[operand].index, self.shapes[operand]);
            crate::graph::each(&self.nest.loops, |at| {
                if let Some(index) = index(maps, at, shape) {
                    let slice = self.slice(operand, number_of(&index, shape));
                    let of = counts.entry(unit(at) / self.units).or_default();
                    *of.entry(slice).or_default() += 1;
                }
            });
            for (own, counts) in counts {
                let most = counts.iter().max_by_key(|(slice, count)| (**count, **slice == own));
                let slice = most.map_or(0, |(slice, _)| *slice);
                self.slices.insert((operand, own), slice);
            }
        }
    }

    /// Returns whether an axis of an operand is no loop by itself.
    fn has_window(&self, operand: usize) -> bool {
        let axes = self.nest.reads[operand].index.iter().zip(self.shapes[operand]);
        // Where an axis is broadcast, every iteration reads its only element.
        let mut axes = axes.filter(|(map, extent)| **extent > 1 || !map.terms.is_empty());
        axes.any(|(map, extent)| {
            map.as_loop().is_none_or(|number| self.nest.loops[number] != *extent)
        })
    }

    /// Fetches an element of a window that the unit lacks; what is no window has to be there.
    fn fetch(&mut self, operand: usize, unit: u64, at: &[u64]) -> Result<(), LayoutError> {
        let (maps, shape) = (&self.nest.reads[operand].index, self.shapes[operand]);
        let Some(index) = index(maps, at, shape) else { return Ok(()) };
        let element = number_of(&index, shape);
        let key = (operand, unit, element);
        self.bring(operand, unit, element);
        if self.own(operand, unit, element).is_some() || self.fetched.contains_key(&key) {
            return Ok(());
        }
        match fetch(&self.operands[operand], element).filter(|_| self.has_window(operand)) {
            Some(value) => drop(self.fetched.insert(key, value)),
            None => {
                let operation = self.operation.name.clone();
                return Err(fault!(
                    Invalid,
                    "`{operation}`: unit {unit} lacks element {element} of operand {operand}",
                    [operation, unit, element, operand]
                ));
            }
        }
        Ok(())
    }
}

/// The row-major number of an element.
fn number_of(index: &[u64], shape: &[u64]) -> u64 {
    u64::try_from(flat(index, shape)).unwrap_or(u64::MAX)
}

/// Returns whether the leaves of a node multiply together.
fn is_together(nest: &Nest, loops: &Layout, machine: &tensor_layout::Machine) -> bool {
    let leaf = machine.levels().last().map(|(level, _)| level);
    nest.is_product()
        && !loops.used_levels().iter().any(|level| Some(*level) == leaf || *level == Level::W)
}

/// An element from any unit that holds it.
fn fetch(store: &Store, element: u64) -> Option<f64> {
    let places = store.places.get(usize::try_from(element).ok()?)?;
    let held = places.iter().filter_map(|place| store.cells.get(place));
    held.filter(|(of, _)| *of == element).map(|(_, value)| *value).next()
}

/// Of each part the copy that is nearest to a unit, in the order of the iterations.
fn nearest(own: &HashMap<u64, Part>, unit: u64, units: &Units, together: bool) -> Vec<(u64, Part)> {
    let leaf = |unit: u64| if together { units.first_leaf(unit) } else { unit };
    let distance = |at: u64| (units.distance(leaf(at), leaf(unit)), at);
    let mut best: HashMap<u64, (u64, Part)> = HashMap::new();
    for (at, part) in own {
        let known = best.entry(part.first).or_insert((*at, *part));
        if distance(*at) < distance(known.0) {
            *known = (*at, *part);
        }
    }
    best.into_values().sorted_by_key(|(_, part)| part.first).collect()
}

/// Traffic that the plan has no price for.
fn unpriced(operation: String, count: u64, what: &'static str) -> LayoutError {
    fault!(
        Unsupported,
        "`{operation}`: {count} {what} cross units, and the plan has no price for them",
        [operation, count, what]
    )
}
