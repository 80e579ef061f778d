//! The only machine builder: uneven trees that hold generated layouts, with shared memories, bases and lanes;
//! and the meaning of a placement on them, by the sentences of `docs/design.md` and of [`Placement`] alone.

use std::collections::BTreeSet;

use itertools::Itertools;
use proptest::prelude::*;
use proptest::sample::Index;
use tensor_layout::error::ErrorKind;
use tensor_layout::machine::Memory;
use tensor_layout::{Found, LayoutError, Level, Location, Machine, Placement};

use crate::generate::levels;
use crate::slow::{Contents, Slow, cut_to};

/// The most elements x copies on a machine: each is enumerated, many times.
const MOST: u64 = 2000;

const MEMORY: &str = "M";

/// A machine as drawn, before the layouts that it must hold are known.
#[derive(Clone, Debug)]
pub(crate) struct StageDraw {
    order: Vec<Index>,
    /// The excess of each level over its used size, and the size of unused levels.
    more: Vec<u64>,
    /// Depth of the owner, and the number of its units that share one memory.
    memory: Option<(Index, u64)>,
    capacity: Option<u64>,
    pub(crate) base: u64,
    lanes: Option<u64>,
}

pub(crate) fn stage() -> impl Strategy<Value = StageDraw> {
    let order = prop::collection::vec(any::<Index>(), 6);
    let more = prop::collection::vec(prop_oneof![2 => Just(0_u64), 1 => 1_u64..3], 6);
    let memory = prop::option::weighted(0.5, (any::<Index>(), 1_u64..4));
    let base = prop_oneof![2 => Just(0_u64), 1 => 1_u64..6];
    let lanes = prop::option::weighted(0.3, 0_u64..3);
    (order, more, memory, prop::option::weighted(0.3, 0_u64..9), base, lanes).prop_map(
        |(order, more, memory, capacity, base, lanes)| StageDraw {
            order,
            more,
            memory,
            capacity,
            base,
            lanes,
        },
    )
}

#[derive(Clone, Debug)]
pub(crate) struct Stage {
    /// From the root down.
    levels: Vec<(Level, u64)>,
    /// The owner, the number of its units that share one memory, and its capacity in long words.
    pub(crate) memory: Option<(Level, u64, Option<u64>)>,
    pub(crate) base: u64,
    lanes: Option<u64>,
}

impl Stage {
    /// A machine that holds all of the layouts. A level is marked as used if a layout does not use it and
    /// would have too many copies there. `None` if the layouts extend so far that the units of the machine,
    /// or the bits of its words, are too many to count.
    pub(crate) fn of(draw: &StageDraw, slows: &mut [&mut Slow]) -> Option<Stage> {
        let used = |level: &Level| slows.iter().any(|slow| slow.used().contains(level));
        let die = Level::new("Die").unwrap();
        let mut names: Vec<Level> = levels().into_iter().filter(|level| level.is_unit()).collect();
        names.push(die);
        let mut levels: Vec<(Level, u64)> = Vec::new();
        for (pick, more) in draw.order.iter().zip(&draw.more) {
            if names.is_empty() {
                break;
            }
            let level = names.remove(pick.index(names.len()));
            let extent = slows.iter().map(|slow| slow.span(level)).max().unwrap();
            if used(&level) || *more > 0 {
                levels.push((level, extent + more));
            }
        }
        for level in names.into_iter().filter(|level| used(level)) {
            let extent = slows.iter().map(|slow| slow.span(level)).max().unwrap();
            levels.push((level, extent));
        }
        if levels.is_empty() {
            levels.push((die, 1));
        }
        levels.iter().try_fold(1, |units: u64, (_, size)| units.checked_mul(*size))?;
        let deepest = levels.iter().rposition(|(level, _)| used(level)).unwrap_or(0);
        let words = slows.iter().map(|slow| slow.span(Level::ADDR)).max().unwrap();
        let capacity = match draw.capacity {
            Some(more) => Some(words.checked_add(draw.base)?.checked_add(more)?),
            None => None,
        };
        let memory = draw.memory.map(|(depth, group)| {
            let owner = deepest + depth.index(levels.len() - deepest);
            (levels[owner].0, group, capacity)
        });
        let lanes = slows.iter().map(|slow| slow.span(Level::W)).max().unwrap();
        let lanes = draw.lanes.map(|more| lanes + more);
        lanes.unwrap_or(1).checked_mul(8)?;
        let stage = Stage { levels, memory, base: draw.base, lanes };
        for slow in slows {
            stage.bound(slow);
        }
        Some(stage)
    }

    /// No machine: only the levels that a layout names have a coordinate and a size.
    pub(crate) fn none() -> Stage {
        Stage { levels: Vec::new(), memory: None, base: 0, lanes: None }
    }

    /// A machine of these levels.
    pub(crate) fn tree(levels: &[(Level, u64)]) -> Stage {
        Stage { levels: levels.to_vec(), ..Stage::none() }
    }

    /// This machine with a memory that `group` units of a level share.
    pub(crate) fn with_memory(&self, owner: Level, group: u64) -> Stage {
        Stage { memory: Some((owner, group, None)), ..self.clone() }
    }

    fn bound(&self, slow: &mut Slow) {
        let mut copies = slow.elements().max(1) * slow.copies();
        let lanes = self.lanes.map(|lanes| (Level::W, lanes));
        let units = self.unit_levels().into_iter().map(|level| (level, self.size(level).unwrap()));
        for (level, size) in units.chain(lanes) {
            if !slow.used().contains(&level) {
                match copies.checked_mul(size).filter(|copies| *copies <= MOST) {
                    None => drop(slow.marked.insert(level)),
                    Some(more) => copies = more,
                }
            }
        }
    }

    pub(crate) fn machine(&self) -> Machine {
        let mut machine = Machine::builder("test").word_bits(8 * self.lanes.unwrap_or(8));
        for (level, size) in &self.levels {
            machine = machine.level(*level, *size);
        }
        if let Some((owner, group, capacity)) = self.memory {
            machine = machine.memory(MEMORY, Memory { capacity, owner, group });
        }
        machine.build().unwrap()
    }

    pub(crate) fn place(&self, slow: &Slow) -> Result<Placement, LayoutError> {
        let mut builder = Placement::of(slow.layout()).base(self.base);
        if !self.levels.is_empty() {
            builder = builder.on(&self.machine());
        }
        if self.memory.is_some() {
            builder = builder.memory(MEMORY);
        }
        if self.lanes.is_some() {
            builder = builder.element_bits(8);
        }
        builder.build()
    }

    fn depth(&self, level: Level) -> Option<usize> {
        self.levels.iter().position(|(of, _)| *of == level)
    }

    /// The number of coordinates that the machine gives a level.
    pub(crate) fn size(&self, level: Level) -> Option<u64> {
        match level {
            Level::ADDR => self.memory.and_then(|(_, _, capacity)| capacity),
            Level::W => self.lanes,
            _ => self.depth(level).map(|depth| self.levels[depth].1),
        }
    }

    /// The levels that distinguish units with their own memory, or groups of them.
    pub(crate) fn unit_levels(&self) -> Vec<Level> {
        let end =
            self.memory.map_or(self.levels.len(), |(owner, ..)| self.depth(owner).unwrap() + 1);
        self.levels[..end].iter().map(|(level, _)| *level).collect()
    }
}

/// A layout on a machine, by the slow definition.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) stage: Stage,
    /// The layout with its base.
    pub(crate) layout: Slow,
    /// The layout with a copy on every unit of the levels that it does not use; in a memory that is not at
    /// the leaves, only on unit 0.
    pub(crate) spread: Slow,
}

impl Placed {
    pub(crate) fn new(stage: &Stage, slow: &Slow) -> Placed {
        let layout = slow.moved(Level::ADDR, stage.base);
        let mut spread = layout.clone();
        let leaf = stage.levels.last().map(|(level, _)| *level);
        let is_high =
            stage.memory.is_some_and(|(owner, group, _)| Some(owner) != leaf || group > 1);
        for level in stage.unit_levels() {
            if !layout.used().contains(&level) {
                match is_high {
                    true => drop(spread.marked.insert(level)),
                    false => spread.replicas.push((stage.size(level).unwrap(), level, 1)),
                }
            }
        }
        if let Some(lanes) = stage.lanes.filter(|lanes| *lanes > 1)
            && !layout.used().contains(&Level::W)
        {
            spread.replicas.push((lanes, Level::W, 1));
        }
        Placed { stage: stage.clone(), layout, spread }
    }

    /// The original layout.
    fn layout_without_base(&self) -> Slow {
        let mut layout = self.layout.clone();
        let base = self.stage.base;
        layout.offsets.entry(Level::ADDR).and_modify(|offset| *offset -= base);
        layout.spans.entry(Level::ADDR).and_modify(|span| *span -= base);
        layout
    }

    pub(crate) fn columns(&self) -> Vec<Level> {
        let used = self.spread.used();
        if self.stage.levels.is_empty() {
            return used.into_iter().collect();
        }
        let time = used.contains(&Level::TIME).then_some(Level::TIME);
        let lane = used.contains(&Level::W).then_some(Level::W);
        let units = self.stage.unit_levels();
        time.into_iter().chain(units).chain([Level::ADDR]).chain(lane).collect()
    }

    /// The number of coordinates of a column: from the machine if it defines them, otherwise from the layout.
    pub(crate) fn size(&self, level: Level) -> u64 {
        self.stage.size(level).unwrap_or_else(|| self.spread.span(level))
    }

    /// A place as the memory has it, named by the first of the units that share it.
    pub(crate) fn stored(&self, place: &Location) -> Location {
        let mut stored = place.clone();
        if let Some((owner, group, _)) = self.stage.memory
            && let Some(at) = place.get(owner)
        {
            stored.set(owner, at - at % group);
        }
        stored
    }

    /// All places of an element in the memories, the first copy first.
    pub(crate) fn places(&self, index: &[u64]) -> Vec<Location> {
        self.distinct(self.spread.places(index))
    }

    /// All places of every element in the memories, in row-major order.
    pub(crate) fn places_by_element(&self) -> Vec<Vec<Location>> {
        self.spread.places_by_element().into_iter().map(|places| self.distinct(places)).collect()
    }

    fn distinct(&self, places: Vec<Location>) -> Vec<Location> {
        match &places[..] {
            [place] => vec![self.stored(place)],
            places => places.iter().map(|place| self.stored(place)).unique().collect(),
        }
    }

    /// All places of an element in the memories; copies that coincide count as one.
    pub(crate) fn stored_places(&self, index: &[u64]) -> BTreeSet<Location> {
        self.spread.places(index).iter().map(|place| self.stored(place)).collect()
    }

    /// The places in the memories of every element, in row-major order; copies that coincide count as one.
    pub(crate) fn stored_by_element(&self) -> Vec<BTreeSet<Location>> {
        let all = self.spread.places_by_element();
        let stored =
            |places: Vec<Location>| places.iter().map(|place| self.stored(place)).collect();
        all.into_iter().map(stored).collect()
    }

    /// The places of slots without an element; in the memories of groups, each place once.
    pub(crate) fn pads(&self) -> Vec<Location> {
        let pads = self.spread.pads_by_slot();
        let all = pads.iter().map(|place| self.stored(place));
        if self.is_alone() { all.collect() } else { all.unique().collect() }
    }

    /// The number of coordinates of a column of a program: one per memory.
    pub(crate) fn memories(&self, level: Level) -> u64 {
        let memory = self.stage.memory.filter(|(owner, ..)| *owner == level);
        self.size(level).div_ceil(memory.map_or(1, |(_, group, _)| group))
    }

    /// A place in the numbering of a program: by the number of the memory.
    pub(crate) fn numbered(&self, place: &Location) -> Location {
        let memory = |level: Level| self.stage.memory.filter(|(owner, ..)| *owner == level);
        let number = |level, at| at / memory(level).map_or(1, |(_, group, _)| group);
        place.iter().map(|(level, at)| (level, number(level, at))).collect()
    }

    /// True if every unit has its own memory.
    pub(crate) fn is_alone(&self) -> bool {
        self.stage.memory.is_none_or(|(_, group, _)| group == 1)
    }

    /// True if a place names its memory as the crate does, by the first unit.
    pub(crate) fn is_named(&self, place: &Location) -> bool {
        self.stored(place) == *place
    }

    /// True if no two elements share a place of a memory, and no two copies a place of a unit.
    pub(crate) fn is_injective(&self) -> bool {
        let mut seen = BTreeSet::new();
        let mut stored = self.stored_by_element().into_iter().flatten();
        self.layout.is_injective() && stored.all(|place| seen.insert(place))
    }

    /// The contents of every place of the memories.
    pub(crate) fn contents(&self) -> Contents {
        if self.is_alone() {
            return self.spread.contents();
        }
        let mut contents = Contents::new();
        for (place, held) in self.spread.contents() {
            contents.entry(self.stored(&place)).or_default().extend(held);
        }
        contents
    }

    /// The answer for a place that has a coordinate in every column.
    pub(crate) fn found(&self, contents: &Contents, place: &Location) -> Found {
        if place.iter().any(|(level, at)| at >= self.size(level)) {
            return Found::Outside;
        }
        match contents.get(&self.stored(place)) {
            None => Found::Hole,
            Some(held) => {
                held.first().map_or(Found::Padding, |index| Found::Element(index.clone()))
            }
        }
    }

    /// The levels of the columns with their numbers of coordinates; `None` if there are too many places.
    pub(crate) fn sizes(&self) -> Option<Vec<(Level, u64)>> {
        const FEW: u64 = 6000;
        let sizes: Vec<_> = self.columns().into_iter().map(|l| (l, self.size(l))).collect();
        let all = sizes.iter().try_fold(1_u64, |all, (_, size)| all.checked_mul(*size));
        all.is_some_and(|all| all <= FEW).then_some(sizes)
    }

    /// Every place, in order, if there are few.
    pub(crate) fn all_places(&self) -> Option<Vec<Location>> {
        let sizes = self.sizes()?;
        let limits: Vec<u64> = sizes.iter().map(|(_, size)| *size).collect();
        let location = |at: Vec<u64>| sizes.iter().map(|(level, _)| *level).zip(at).collect();
        Some(crate::slow::count(&limits).into_iter().map(location).collect())
    }

    /// Rows of (coordinates by column, whether it is padding, index) of all slots, in order.
    pub(crate) fn rows(&self, padding: bool) -> Vec<(Vec<u64>, bool, Vec<u64>)> {
        let columns = self.columns();
        let row = |place: &Location| -> Vec<u64> {
            columns.iter().map(|level| place.get(*level).unwrap()).collect()
        };
        let mut rows = Vec::new();
        for (index, places) in self.spread.indexes().iter().zip(self.places_by_element()) {
            rows.extend(places.iter().map(|place| (row(place), false, index.clone())));
        }
        if padding {
            rows.extend(self.pads().iter().map(|p| (row(p), true, Vec::new())));
        }
        rows.sort();
        rows
    }
}

/// A layout on a machine that accepts it.
pub(crate) fn good_placement() -> impl Strategy<Value = (Stage, Slow)> {
    let any = (crate::generate::good_layout(), stage());
    any.prop_filter_map("refused", |(mut slow, draw)| {
        let stage = Stage::of(&draw, &mut [&mut slow])?;
        stage.place(&slow).is_ok().then_some((stage, slow))
    })
}

/// The refusal of a placement must be correct: two elements share a place of a memory, or two copies share a
/// place of a unit.
pub(crate) fn judge(placed: &Placed, error: &LayoutError) -> Result<(), TestCaseError> {
    if error.kind() == ErrorKind::Uneven {
        let (level, group) = (error.level("level").unwrap(), error.number("group").unwrap());
        let memory = placed.stage.memory.map(|(owner, group, _)| (owner, group));
        prop_assert_eq!(memory, Some((level, group)));
        let steps = placed.layout.steps_in(level);
        prop_assert!(steps.iter().any(|(size, stride)| *size > 1 && stride % group != 0));
        return Ok(());
    }
    let Some((first, second, place)) = crate::laws::shared(error) else {
        return Err(TestCaseError::fail(error.to_string()));
    };
    match crate::laws::is_of_copies(error) {
        false => {
            prop_assert_ne!(first, second);
            let named: BTreeSet<Level> = place.iter().map(|(level, _)| level).collect();
            let held = |index: &[u64]| -> BTreeSet<Location> {
                let stored = placed.stored_places(index).into_iter();
                stored.map(|place| cut_to(&place, &named)).collect()
            };
            // A collision within the layout may be reported at the address before the base was added.
            let mut moved = place.clone();
            moved.set(Level::ADDR, place.get(Level::ADDR).unwrap() + placed.stage.base);
            let both = |at: &Location| {
                let stored = placed.stored(at);
                held(first).contains(&stored) && held(second).contains(&stored)
            };
            prop_assert!(both(place) || both(&moved), "{}", error);
            Ok(())
        }
        true => {
            let named: BTreeSet<Level> = place.iter().map(|(level, _)| level).collect();
            let stored = placed.stored(place);
            let holds = |index: &[u64]| {
                let mut stored_places = placed.stored_places(index).into_iter();
                stored_places.any(|at| cut_to(&at, &named) == stored)
            };
            // Copies of different elements that coincide in a shared memory.
            if first != second && holds(first) && holds(second) {
                return Ok(());
            }
            let judged = crate::laws::judge_collision(&placed.layout, error);
            judged.or_else(|_| crate::laws::judge_collision(&placed.layout_without_base(), error))
        }
    }
}
