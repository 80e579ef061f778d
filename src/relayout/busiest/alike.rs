//! The traffic into single units, counted once for all units that are alike.
//!
//! ```text
//! ((2_L2B, 4_PE, 6:1))  ->  ((4_PE, 2_L2B, 6:1))      an index is a, b, c and one of six
//!
//! field of a unit    L2B    PE / 2    PE % 2
//! source             a      b         c
//! target             c      a         b
//!
//! after L2B       two kinds of units: c is 0, kept if a is too; c is 1, kept if a is too
//! after PE / 2    three: a and c are 0, kept if b is too; both are 1; nothing is kept any more
//! after PE % 2    two: units 0 and 7 keep their 6 elements, 6 elements enter each of the others
//! ```
//!
//! Units are separated field by field. After some fields, the state of a unit is all the values that
//! the remaining digits can have, with the number of elements for each: those that the target puts into
//! the unit, and those of them that the source has there too. Units with equal states are counted as one.
//! Digits are multiplied out where they meet in a field of one side only: see `lists`. Fields that share no
//! digits, even indirectly, are counted separately, and their numbers multiply.

use std::collections::HashMap;

use num_integer::Integer;

use super::lists::{self, ListNumber, Lists, Product};
use super::numbered::{BothNumbers, Field, NumberPart, NumberedSides, UnitNumber};
use crate::error::LayoutError;
use crate::number::to_u64;
use crate::relayout::count::options::{Options, spend};
use crate::relayout::pair::Role;

/// The unit that the most elements enter, and the number of elements that enter all units.
pub(crate) struct Most {
    pub(crate) into: u128,
    pub(crate) total: u128,
    /// The first unit that `into` elements enter; unit 0 if nothing enters.
    pub(crate) unit: Vec<u64>,
}

/// Units that are alike.
#[derive(Clone, Copy, Debug)]
struct Class {
    /// The number of elements the target has in each of them.
    held: u128,
    /// The number of those the source has in the unit too.
    kept: u128,
    first: UnitNumber,
}

/// The number of units, and the first.
#[derive(Clone, Copy, Debug)]
struct UnitClasses {
    count: u128,
    first: UnitNumber,
}

impl NumberedSides {
    pub(crate) fn most(&self, budget: &mut u64) -> Result<Most, LayoutError> {
        let (mut sweep, mut lists) = (Sweep::new(self), Lists::new(budget));
        let free = sweep.free();
        let (mut held, mut kept) = (free, free);
        let mut best = vec![Class { held, kept, first: 0 }];
        for field in 0..self.fields.len() {
            if sweep.closed[field] {
                continue;
            }
            let classes = sweep.classes(field, &mut lists)?;
            held *= classes.iter().map(|(class, count)| count * class.held).sum::<u128>();
            kept *= classes.iter().map(|(class, count)| count * class.kept).sum::<u128>();
            let classes = undominated(classes.into_iter().map(|(class, _)| class).collect());
            best = together(&best, &classes, lists.budget)?;
        }
        let enters = |class: &Class| class.held - class.kept;
        let into = best.iter().map(enters).max().unwrap_or(0);
        let most = best.iter().filter(|class| enters(class) == into);
        let first = most.map(|class| class.first).min().filter(|_| into > 0);
        Ok(Most { into, total: held - kept, unit: self.unit(first.unwrap_or(0)) })
    }
}

/// The classes over two sets of fields together: one for each pair of their classes.
fn together(a: &[Class], b: &[Class], budget: &mut u64) -> Result<Vec<Class>, LayoutError> {
    spend(budget, to_u64(a.len()).saturating_mul(to_u64(b.len())))?;
    let pair = |a: &Class, b: &Class| Class {
        held: a.held * b.held,
        kept: a.kept * b.kept,
        first: a.first + b.first,
    };
    Ok(undominated(a.iter().flat_map(|a| b.iter().map(move |b| pair(a, b))).collect()))
}

/// Leaves out classes that are never the answer, regardless of the other fields: another one holds more and
/// keeps no more, or holds as much, keeps no more and comes first.
fn undominated(mut classes: Vec<Class>) -> Vec<Class> {
    classes.sort_unstable_by(|a, b| (b.held, a.kept, a.first).cmp(&(a.held, b.kept, b.first)));
    // The least `kept` of the classes that hold more, and of all so far; the first unit of those that
    // hold as much.
    let (mut above, mut least, mut held, mut first) = (None, None, None, UnitNumber::MAX);
    classes.retain(|class| {
        if held != Some(class.held) {
            (above, held, first) = (least, Some(class.held), UnitNumber::MAX);
        }
        let stays = above.is_none_or(|kept| class.kept < kept) && class.first < first;
        if stays {
            first = class.first;
            least = Some(least.map_or(class.kept, |least: u128| least.min(class.kept)));
        }
        stays
    });
    classes
}

/// The state of units whose values are known in some fields: sums of the digits taken so far, in the other fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FieldSums {
    /// The elements that the target has in the unit.
    held: Product,
    /// Those of them that the source has in a unit with the same values in all closed fields.
    kept: Product,
}

/// A walk over the fields.
struct Sweep<'a> {
    all: &'a NumberedSides,
    /// For every part, the bits that it adds on each side.
    reach: Vec<BothNumbers>,
    /// The parts that add to each field.
    of_field: Vec<Vec<usize>>,
    taken: Vec<bool>,
    closed: Vec<bool>,
    /// Fields to which some part taken adds.
    open: Vec<usize>,
}

impl<'a> Sweep<'a> {
    fn new(all: &'a NumberedSides) -> Sweep<'a> {
        let reach: Vec<BothNumbers> = all.parts.iter().map(|part| reach(&part.options)).collect();
        let adds = |row: &BothNumbers, field: &Field| field.value(row.target | row.source) > 0;
        let of_field = |field: &Field| {
            let parts = reach.iter().enumerate().filter(|(_, row)| adds(row, field));
            parts.map(|(part, _)| part).collect()
        };
        Sweep {
            of_field: all.fields.iter().map(of_field).collect(),
            reach,
            taken: vec![false; all.parts.len()],
            closed: vec![false; all.fields.len()],
            open: Vec::new(),
            all,
        }
    }

    /// The number of combinations of the parts that add to no field.
    fn free(&self) -> u128 {
        let parts = self.all.parts.iter().zip(&self.reach);
        let free = parts.filter(|(_, reach)| reach.target == 0 && reach.source == 0);
        free.map(|(part, _)| part.options.total()).product()
    }

    /// The classes by a field and those that depend on it, with the number of units in each.
    fn classes(
        &mut self,
        field: usize,
        lists: &mut Lists,
    ) -> Result<Vec<(Class, u128)>, LayoutError> {
        let state = FieldSums { held: Product::of(1), kept: Product::of(1) };
        let mut states = vec![(state, UnitClasses { count: 1, first: 0 })];
        self.open.push(field);
        while let Some(field) = self.next_field() {
            states = self.close(field, states, lists)?;
        }
        let class = |(state, units): (FieldSums, UnitClasses)| {
            // All fields are closed, so no list is left.
            let (held, kept) = (state.held.ways, state.kept.ways);
            (Class { held, kept, first: units.first }, units.count)
        };
        Ok(states.into_iter().map(class).collect())
    }

    /// The open field to which the fewest options are to be added.
    fn next_field(&mut self) -> Option<usize> {
        let more = |field: usize| {
            let parts = self.of_field[field].iter().filter(|part| !self.taken[**part]);
            let counts = parts.map(|part| self.all.parts[*part].options.count());
            counts.fold(1, u64::saturating_mul)
        };
        let (at, _) = self.open.iter().enumerate().min_by_key(|(_, field)| more(**field))?;
        Some(self.open.swap_remove(at))
    }

    /// Closes a field: takes the parts that add to it, then splits every state by the values of the field.
    fn close(
        &mut self,
        field: usize,
        mut states: Vec<(FieldSums, UnitClasses)>,
        lists: &mut Lists,
    ) -> Result<Vec<(FieldSums, UnitClasses)>, LayoutError> {
        let ends = self.ends(field);
        self.closed[field] = true;
        for part in self.of_field[field].clone() {
            if std::mem::replace(&mut self.taken[part], true) || ends.digits.contains(&Some(part)) {
                continue;
            }
            self.open(part);
            let part = &self.all.parts[part];
            let amounts = lists.of(&part.options)?;
            for (state, _) in &mut states {
                *state = state.with(part, amounts, lists);
            }
        }
        ends.split_all(states, lists)
    }

    /// Opens the fields to which a part adds.
    fn open(&mut self, part: usize) {
        for field in 0..self.all.fields.len() {
            let adds = self.of_field[field].contains(&part);
            if adds && !self.closed[field] && !self.open.contains(&field) {
                self.open.push(field);
            }
        }
    }

    /// The two sides of a field, with the digits that need not be taken one value after the other.
    fn ends(&self, field: usize) -> Ends {
        let own = self.all.fields[field];
        let (from, to) = (own.value(self.all.start.source), own.value(self.all.start.target));
        let mut ends =
            Ends { field: own, from, to, digits: [None; 2], source: None, target: None, factor: 1 };
        let adding = |of: Role| {
            let adds = |part: &&usize| own.value(self.reach[**part].of(of)) > 0;
            let mut parts = self.of_field[field].iter().filter(adds);
            parts.next().copied().filter(|_| parts.next().is_none())
        };
        // A digit that adds to nothing else.
        let alone = |of: Role| {
            let part = adding(of)?;
            let Options::Digit { size, step } = self.all.parts[part].options else {
                return None;
            };
            let start = *of.of(&(from, to));
            let progression =
                UnitProgression { start, step: own.value(step.of(of)), size: size.into() };
            let is_one_side = step.source == 0 || step.target == 0;
            is_one_side.then_some((part, progression))
        };
        if let Some((digit, values)) = self.unmoved(field, to) {
            let source =
                UnitProgression { size: if from == to { values.size } else { 0 }, ..values };
            (ends.digits, ends.target, ends.source) =
                ([Some(digit); 2], Some(values), Some(source));
            return ends;
        }
        if let Some((digit, values)) = alone(Role::Target) {
            (ends.digits[0], ends.target) = (Some(digit), Some(values));
        }
        let fits = |values: &UnitProgression| ends.target.is_none_or(|target| target.meets(values));
        if let Some((digit, values)) = alone(Role::Source).filter(|(_, values)| fits(values)) {
            (ends.digits[1], ends.source) = (Some(digit), Some(values));
            let part = &self.all.parts[digit];
            ends.factor = if part.copies_of.is_none() { part.options.total() } else { 1 };
        }
        ends
    }

    /// The digit that makes up a field on both sides.
    fn unmoved(&self, field: usize, start: UnitNumber) -> Option<(usize, UnitProgression)> {
        let [part] = self.of_field[field][..] else { return None };
        let Options::Digit { size, step } = self.all.parts[part].options else {
            return None;
        };
        let values = self.all.fields[field].value(step.target);
        let values = UnitProgression { start, step: values, size: size.into() };
        (step.source == step.target).then_some((part, values))
    }
}

/// The bits that some options add.
fn reach(options: &Options<BothNumbers>) -> BothNumbers {
    match options {
        Options::Digit { step, .. } => *step,
        Options::Listed(rows) => lists::reach(rows),
    }
}

impl FieldSums {
    /// Adds the options of a part: their amounts on both sides, and in the target.
    fn with(
        &self,
        part: &NumberPart,
        (both, target): (ListNumber, ListNumber),
        lists: &Lists,
    ) -> FieldSums {
        let held = match part.copies_of {
            Some(Role::Source) => self.held.clone(),
            _ => lists.with(&self.held, target),
        };
        FieldSums { held, kept: lists.with(&self.kept, both) }
    }
}

/// The values of a digit that alone adds to one side of a field.
#[derive(Clone, Copy, Debug)]
struct UnitProgression {
    start: UnitNumber,
    step: UnitNumber,
    size: UnitNumber,
}

impl UnitProgression {
    /// The position of a value in the progression, from 0; `None` if it is not one of the values.
    fn index(&self, value: UnitNumber) -> Option<UnitNumber> {
        let (index, rest) = (value - self.start).div_mod_floor(&self.step);
        (rest == 0 && 0 <= index && index < self.size).then_some(index)
    }

    /// Returns whether successive values that both have are also successive in each.
    fn meets(&self, other: &UnitProgression) -> bool {
        self.step == other.step
    }

    /// The first value that both have, and the number of such values, if they [meet](UnitProgression::meets).
    fn common(&self, other: &UnitProgression) -> (UnitNumber, UnitNumber) {
        let end = |values: &UnitProgression| values.start + values.size * values.step;
        let (first, end) = (self.start.max(other.start), end(self).min(end(other)));
        let apart = !(self.start - other.start).is_multiple_of(&self.step);
        (first, if apart || end <= first { 0 } else { (end - first) / self.step })
    }
}

/// Both sides of a field that is closed.
struct Ends {
    field: Field,
    /// The value of the field for the first copy of element 0, in the source and in the target.
    from: UnitNumber,
    to: UnitNumber,
    /// The digits of the target and of the source that are not taken, as all of their values are known.
    digits: [Option<usize>; 2],
    target: Option<UnitProgression>,
    source: Option<UnitProgression>,
    /// The number of values of the digit of the source, if it is one of elements; 1 otherwise.
    factor: u128,
}

/// Values of a field that behave alike: the first, their number, and the state of each.
type AlikeValues = (UnitNumber, u128, FieldSums);

impl Ends {
    /// Splits all states by the field. Units with equal states become one class.
    fn split_all(
        &self,
        states: Vec<(FieldSums, UnitClasses)>,
        lists: &mut Lists,
    ) -> Result<Vec<(FieldSums, UnitClasses)>, LayoutError> {
        let mut alike: HashMap<FieldSums, UnitClasses> = HashMap::new();
        for (state, units) in states {
            let split = match self.target {
                Some(values) => self.split_run(values, &state, lists)?,
                None => self.split_values(&state, lists)?,
            };
            for (value, count, state) in split {
                let (count, first) = (units.count * count, units.first + self.field.number(value));
                let known = alike.entry(state).or_insert(UnitClasses { count: 0, first });
                *known = UnitClasses { count: known.count + count, first: known.first.min(first) };
            }
        }
        spend(lists.budget, to_u64(alike.len()))?;
        Ok(alike.into_iter().collect())
    }

    /// Splits a state by every value of the target.
    fn split_values(
        &self,
        state: &FieldSums,
        lists: &mut Lists,
    ) -> Result<Vec<AlikeValues>, LayoutError> {
        let (held, own) = lists.gathered(&state.held, self.field, Role::Target)?;
        let (kept, both) = lists.gathered(&state.kept, self.field, Role::Target)?;
        let (kept, source) = lists.gathered(&kept, self.field, Role::Source)?;
        let both = lists.by_value(both, self.field, Role::Target)?;
        let mut states = Vec::new();
        for (value, own) in lists.by_value(own, self.field, Role::Target)?.iter() {
            let at = value + self.to;
            let met = match (both.get(value), self.source) {
                (Some(both), None) => self.met(at - self.from, *both, source, lists)?,
                (Some(both), Some(values)) if values.index(at).is_some() => vec![(*both, source)],
                _ => Vec::new(),
            };
            let held = self.scaled(lists.with(&held, *own));
            states.push((at, 1, FieldSums { held, kept: lists.with_pairs(&kept, &met)? }));
        }
        Ok(states)
    }

    /// Splits a state by the values of a run: those that the source has one by one, or together if its
    /// values are a run too; all others together.
    fn split_run(
        &self,
        run: UnitProgression,
        state: &FieldSums,
        lists: &mut Lists,
    ) -> Result<Vec<AlikeValues>, LayoutError> {
        let held = self.scaled(state.held.clone());
        let with = |kept| FieldSums { held: held.clone(), kept };
        let mut states = Vec::new();
        if let Some(values) = self.source {
            let (first, count) = run.common(&values);
            states.extend(
                (count > 0).then(|| (first, count.unsigned_abs(), with(state.kept.clone()))),
            );
        } else {
            let (kept, source) = lists.gathered(&state.kept, self.field, Role::Source)?;
            for (value, source) in lists.by_value(source, self.field, Role::Source)?.iter() {
                let value = value + self.from;
                if run.index(value).is_some() {
                    states.push((value, 1, with(lists.with(&kept, *source))));
                }
            }
        }
        // The first value that the source does not have, and how many there are.
        let (mut first, mut others) = (run.start, run.size.unsigned_abs());
        for (value, count, _) in &states {
            first = if first == *value { value + count.cast_signed() * run.step } else { first };
            others -= count;
        }
        // Elements of the target that the source has elsewhere.
        states.extend((others > 0).then(|| (first, others, with(Product::of(0)))));
        Ok(states)
    }

    /// The elements that the target has, with those of the digit of the source that is not taken.
    fn scaled(&self, mut held: Product) -> Product {
        held.ways *= self.factor;
        held
    }

    /// The rows of two lists that add up to a value in the source, as pairs of lists.
    fn met(
        &self,
        value: UnitNumber,
        both: ListNumber,
        source: ListNumber,
        lists: &mut Lists,
    ) -> Result<Vec<(ListNumber, ListNumber)>, LayoutError> {
        let source = lists.by_value(source, self.field, Role::Source)?;
        let both = lists.by_value(both, self.field, Role::Source)?;
        let pairs =
            both.iter().filter_map(|(own, rows)| Some((*rows, *source.get(&(value - own))?)));
        Ok(pairs.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use crate::algebra::{Indexes, Subaxis, work};
    use crate::relayout::Relayout;
    use crate::relayout::nodes::Paths;
    use crate::{Layout, Level, Machine, Placement};

    fn pair(machine: &str, source: &str, target: &str) -> Relayout {
        let machine: Machine = machine.parse().unwrap();
        let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
        Relayout::new(&on(source), &on(target)).unwrap()
    }

    #[test]
    fn the_picture_at_the_top_is_true() {
        let relayout = pair("L2B=2,PE=4", "((2_L2B, 4_PE, 6:1))", "((4_PE, 2_L2B, 6:1))");
        let busiest = relayout.busiest(Level::PE).unwrap();
        assert_eq!((busiest.elements, busiest.total), (6, 36));
        assert_eq!(busiest.unit, "L2B=0,PE=1".parse().unwrap());
    }

    #[test]
    fn a_permutation_of_digits_takes_few_steps_however_many_units_there_are() {
        let digits = |levels: [&str; 3]| levels.map(|level| format!("1048576_{level}")).join(", ");
        let machine = "L2B=1048576,L1B=1048576,PE=1048576";
        let [a, b] = [["L2B", "L1B", "PE"], ["L1B", "PE", "L2B"]].map(digits);
        let relayout = pair(machine, &format!("(({a}))"), &format!("(({b}))"));
        let (busiest, steps) = work::of(|| relayout.busiest(Level::PE).unwrap());
        assert_eq!((busiest.elements, busiest.total), (1, (1 << 60) - (1 << 20)));
        assert_eq!(busiest.unit, "L2B=0,L1B=0,PE=1".parse().unwrap());
        assert!(steps < 10_000, "{steps}");
    }

    #[test]
    fn digits_that_have_no_small_factors_are_not_listed() {
        let prime = 1_000_003_u64;
        for (source, target, into, total) in [
            ("((1000003_PE))", "((1000003_PE))", 0, 0),
            ("((1000003:1))", "((1000003_PE))", 0, 0),
            ("((1000003_PE))", "((1000003:1))", prime - 1, prime * (prime - 1)),
            ("((4_PE, 6:1))", "((4:6, 6:1))", 24, 24 * prime - 24),
        ] {
            let relayout = pair("PE=1000003", source, target);
            let (busiest, steps) = work::of(|| relayout.busiest(Level::PE).unwrap());
            assert_eq!((busiest.elements, busiest.total), (into, total), "{source} {target}");
            assert!(steps < 1000, "{source} {target}: {steps}");
        }
    }

    /// The elements that enter the unit that the most enter, counted one by one.
    fn most_of(relayout: &Relayout) -> u64 {
        let unit = |layout: &Layout, index: &[u64]| {
            let place = layout.locate(index).unwrap();
            (place.get(Level::MAB), place.get(Level::PE))
        };
        let mut into = HashMap::from([((None, None), 0)]);
        for index in Indexes::new(relayout.target.shape()) {
            let (from, to) = (unit(&relayout.source, &index), unit(&relayout.target, &index));
            *into.entry(to).or_insert(0) += u64::from(from != to);
        }
        into.into_values().max().unwrap()
    }

    #[test]
    fn digits_that_overlap_are_counted_one_by_one() {
        // Three of four values of an axis, of two digits; each of them adds to a coordinate, or to an address.
        let layout = |choices: &[u64]| {
            let digit = |level, choice| match choice {
                0 => Subaxis::land(2, Level::ADDR, 1),
                _ => Subaxis::land(2, level, 1),
            };
            let axis = |choice| [digit(Level::MAB, choice / 2), digit(Level::PE, choice % 2)];
            let axes =
                choices.iter().fold(Layout::builder(), |all, choice| all.axis(3, axis(*choice)));
            axes.used(Level::MAB).used(Level::PE).build().unwrap()
        };
        for choices in Indexes::new(vec![4; 6]) {
            let [source, target] =
                [&choices[..3], &choices[3..]].map(|side| Arc::new(layout(side)));
            let paths = Paths::through(vec![Level::MAB, Level::PE]);
            let relayout = Relayout::of(source, target, paths, None).unwrap();
            let busiest = relayout.busiest(Level::PE).unwrap();
            assert_eq!(busiest.elements, most_of(&relayout), "{choices:?}");
        }
    }
}
