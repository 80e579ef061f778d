//! A compiled tensor of a test vector: its long words in the order of the lines, the elements in each,
//! and its place as lines write it.

use std::collections::HashSet;

use itertools::Itertools;

use super::fault::{in_time, no_dtype, no_memory, other_memory};
use super::header::{TensorDirection, VectorHeader};
use super::line::VectorLine;
use super::place::{GROUP, MEMORIES, VectorPlace};
use tensor_layout::Found;
use tensor_layout::Level;
use tensor_layout::Machine;
use tensor_layout::Placement;
use tensor_layout::algebra::Indexes;
use tensor_layout::error::{LayoutError, ParseError, Site};
use tensor_layout::notation::{Dtype, MemoryText};
use tensor_layout::program::Program;
use tensor_layout_words::{to_index, to_u64};

/// The most lanes of a long word: those of a byte.
pub(super) const MOST_LANES: usize = 8;

/// The number of long words a line may cover.
const MOST_COVERED: u64 = 1 << 20;

/// The number of elements that are placed at once.
const BLOCK: u64 = 1 << 12;

/// The levels of the letters, from the root down; `n` and `c` together number the `L2B`.
const UNIT_LEVELS: [Level; 4] = [Level::L2B, Level::L1B, Level::MAB, Level::PE];

/// A tensor with its layout compiled for MN-Core 2, at base 0.
///
/// Long words are numbered as [`Program`] numbers places, without lanes.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    pub(super) header: VectorHeader,
    pub(super) dtype: Dtype,
    pub(super) memory: MemoryText,
    pub(super) placement: Placement,
    program: Program,
    shape: Vec<u64>,
    /// Columns but `W`, minor first, with their sizes.
    columns: Vec<(Level, u64)>,
    /// The number of lanes a long word has.
    pub(super) lanes: u64,
    /// The sized copies in other long words: the size of each, and its stride in numbers of long words.
    copies: Vec<(u64, u64)>,
    /// Set if the format writes the element of lane 0 into every lane: for `1_W` in DRAM.
    pub(super) lone_lane: bool,
}

/// The elements in the lanes of a long word.
pub(super) type Lanes = [Option<u64>; MOST_LANES];

impl Tensor {
    /// Compiles the tensor of a header for MN-Core 2.
    ///
    /// # Errors
    /// An error that points into the layout: no memory or dtype, a layout that MN-Core 2 cannot hold, and
    /// `Time`.
    pub(super) fn new(header: VectorHeader) -> Result<Tensor, ParseError> {
        let layout = header.layout.lower()?;
        let refuse = |error: LayoutError| header.layout.refuse(error);
        let memory = header.layout.memory.ok_or_else(|| refuse(no_memory()))?;
        if !MEMORIES.contains(&memory) {
            return Err(refuse(other_memory(memory.name())));
        }
        let dtype = header.layout.dtype.ok_or_else(|| refuse(no_dtype()))?;
        let steps = layout.extent(Level::TIME);
        if steps > 1 {
            return Err(refuse(in_time(steps)));
        }
        let placement = place(&header, dtype, memory, 0)?;
        let program = placement.program().map_err(|error| header.layout.refuse(error))?;
        let mut tensor = Tensor {
            shape: layout.shape(),
            columns: Vec::new(),
            lanes: 1,
            copies: Vec::new(),
            lone_lane: false,
            header,
            dtype,
            memory,
            placement,
            program,
        };
        tensor.number_words();
        Ok(tensor)
    }

    fn number_words(&mut self) {
        for (level, size) in self.program.columns() {
            match level {
                Level::W => self.lanes = size.max(1),
                _ => self.columns.insert(0, (level, size)),
            }
        }
        let is_dram = self.memory == MemoryText::DRAM;
        let layout = self.placement.layout();
        // In DRAM, copies that share the memory of a group are one.
        let copied = if is_dram { self.placement.with_copies() } else { layout };
        let replicas = copied.replicas().iter().filter(|replica| replica.level != Level::W);
        let copies = replicas.map(|r| (r.size, r.stride, r.level));
        // Strides in DRAM are multiples of the group.
        let words = |(size, stride, level)| {
            (size, stride / self.program.units_per_memory(level) * self.weight(level))
        };
        self.copies = copies.map(words).collect();
        self.lone_lane = is_dram && layout.uses(Level::W) && layout.extent(Level::W) == 1;
    }

    /// Returns the stride of a level in the numbers of long words.
    fn weight(&self, level: Level) -> u64 {
        let below = self.columns.iter().take_while(|(column, _)| *column != level);
        below.map(|(_, size)| size).product()
    }

    /// The tensor's shape, as a `.npy` file has it.
    pub(super) fn shape(&self) -> &[u64] {
        &self.shape
    }

    pub(super) fn elements(&self) -> u64 {
        self.program.elements()
    }

    /// Returns the indexes of all copies of an element in other long words, by the sized copies.
    fn index_copies(&self) -> Indexes {
        Indexes::new(self.copies.iter().map(|(size, _)| *size).collect())
    }

    /// Returns an error if the memory cannot hold the layout, moved by a base.
    pub(super) fn refused_at(&self, base: u64) -> Option<ParseError> {
        place(&self.header, self.dtype, self.memory, base).err()
    }

    /// The index of an element.
    pub(super) fn index(&self, mut element: u64) -> Vec<u64> {
        let mut index = vec![0; self.shape.len()];
        for (entry, extent) in index.iter_mut().zip(&self.shape).rev() {
            *entry = element % extent.max(&1);
            element /= extent.max(&1);
        }
        index
    }

    /// The number of an element, if the tensor has the index.
    pub(super) fn number(&self, index: &[u64]) -> Option<u64> {
        let mut entries = index.iter().zip(&self.shape);
        (index.len() == self.shape.len()).then_some(())?;
        entries.try_fold(0, |number, (at, extent)| (at < extent).then(|| number * extent + at))
    }

    /// The long word of a copy, given the word of the first copy.
    fn word_of_copy(&self, first: u64, copy: &[u64]) -> u64 {
        first + copy.iter().zip(&self.copies).map(|(at, (_, step))| at * step).sum::<u64>()
    }

    /// The elements in the lanes of a long word.
    pub(super) fn contents(&self, word: u64) -> Result<Lanes, LayoutError> {
        let mut lanes = [None; MOST_LANES];
        for (lane, held) in (0..self.lanes).zip(&mut lanes) {
            if let Found::Element(element) = self.program.element(word * self.lanes + lane)? {
                *held = Some(element);
            }
        }
        if self.lone_lane {
            let lone = lanes[0];
            lanes.iter_mut().take(to_index(self.lanes)).for_each(|lane| *lane = lone);
        }
        Ok(lanes)
    }

    /// Joins the bits of lanes, lane 0 most significant.
    pub(super) fn join(&self, lanes: &Lanes, bits: impl Fn(u64) -> u64) -> u64 {
        let written = to_index(self.lanes);
        lanes.iter().take(written).fold(0, |word: u64, element| {
            let word = word.checked_shl(self.lane_bits()).unwrap_or(0);
            word | element.map_or(0, &bits)
        })
    }

    /// The bits of a lane of a long word.
    pub(super) fn lane(&self, word: u64, lane: u64) -> u64 {
        let after = u32::try_from(self.lanes.saturating_sub(lane + 1)).unwrap_or(0);
        word.checked_shr(after * self.lane_bits()).unwrap_or(0) & super::value::mask(self.dtype)
    }

    /// Returns whether elements have sized copies in other long words.
    pub(super) fn has_copies(&self) -> bool {
        !self.copies.is_empty()
    }

    /// Returns the number of addresses that the tensor spans, in long words.
    pub(super) fn footprint(&self) -> u64 {
        let address = self.columns.iter().find(|(level, _)| *level == Level::ADDR);
        address.map_or(1, |(_, size)| *size)
    }

    fn lane_bits(&self) -> u32 {
        u32::try_from(self.dtype.bits()).unwrap_or(64)
    }

    /// Returns the place of a long word as lines name it: letters of levels that the layout does not use
    /// are left out where the tensor is set, and 0 where it is read.
    pub(super) fn place(&self, word: u64, base: u64) -> VectorPlace {
        let mut place = self.everywhere(word, base);
        if self.header.direction == TensorDirection::Out && self.memory != MemoryText::DRAM {
            place.units = place.units.map(|unit| unit.or(Some(0)));
        }
        place
    }

    /// Returns all places of a long word: letters of levels that the layout does not use are left out.
    pub(super) fn everywhere(&self, word: u64, base: u64) -> VectorPlace {
        let mut rest = word;
        let mut place = VectorPlace { memory: self.memory, units: [None; 5], address: base };
        let mut units = UNIT_LEVELS.map(|_| None);
        for (level, size) in &self.columns {
            let at = rest % size.max(&1);
            rest /= size.max(&1);
            match UNIT_LEVELS.iter().position(|unit| unit == level) {
                Some(unit) if self.uses(*level) => units[unit] = Some(at),
                None if *level == Level::ADDR => place.address += at,
                _ => {}
            }
        }
        let [l2b, b, m, p] = units;
        place.units = match self.memory {
            MemoryText::DRAM => [Some(l2b.unwrap_or(0)), None, None, None, None],
            _ => [l2b.map(|at| at / GROUP), l2b.map(|at| at % GROUP), b, m, p],
        };
        place
    }

    fn uses(&self, level: Level) -> bool {
        self.placement.layout().uses(level)
    }

    /// Returns the number of the long word at a place that names one unit; `None` where the tensor has
    /// none. All units of a level that the layout does not use hold the same long words.
    fn word_at(&self, place: &VectorPlace, base: u64) -> Option<u64> {
        let mut word = 0;
        for (level, size) in self.columns.iter().rev() {
            let at = match *level {
                Level::ADDR => place.address.checked_sub(base)?,
                level if self.uses(level) => {
                    place.unit(level).unwrap_or(0) / self.program.units_per_memory(level)
                }
                _ => 0,
            };
            (at < *size).then_some(())?;
            word = word * size + at;
        }
        // Without `L2B` a tensor in DRAM is in group 0.
        let is_beside = self.memory == MemoryText::DRAM
            && !self.uses(Level::L2B)
            && place.unit(Level::L2B).is_some_and(|l2b| l2b > 0);
        (place.memory == self.memory && !is_beside).then_some(word)
    }

    /// Returns the long word at a place that names one unit; `None` if the tensor has no element there.
    pub(super) fn held(&self, place: &VectorPlace, base: u64) -> Result<Option<Word>, LayoutError> {
        let Some(word) = self.word_at(place, base) else { return Ok(None) };
        let lanes = self.contents(word)?;
        let first = lanes.iter().copied().flatten().min();
        Ok(first.map(|element| Word { element, word, lanes }))
    }

    /// Returns the place restricted to unit 0 of every level that the layout does not use.
    fn narrowed(&self, place: &VectorPlace) -> VectorPlace {
        let levels = [Level::L2B, Level::L2B, Level::L1B, Level::MAB, Level::PE];
        let mut units = place.units;
        for (unit, level) in units.iter_mut().zip(levels) {
            if !self.uses(level) && self.memory != MemoryText::DRAM {
                *unit = Some(0);
            }
        }
        VectorPlace { units, ..*place }
    }

    /// Returns the long words that a line sets or reads, each with its number in the line. Units of levels
    /// that the layout does not use come once, and of the long words before and after the tensor only
    /// one each.
    ///
    /// # Errors
    /// A line over more than a million long words of the tensor.
    pub(super) fn covered(
        &self,
        line: &VectorLine,
        base: u64,
    ) -> Result<Vec<Covered>, LayoutError> {
        if line.place.memory != self.memory {
            return Ok(vec![Covered { place: line.place, number: 0, word: None }]);
        }
        let numbers = self.numbers(line, base);
        let place = self.narrowed(&line.place);
        if place.unit_count().saturating_mul(to_u64(numbers.clone().count())) > MOST_COVERED {
            return Err(LayoutError::too_large(Site::Layout, "the long words of a line"));
        }
        let places = place
            .each_unit()
            .flat_map(|unit| numbers.clone().map(move |number| (unit.after(number), number)));
        let held =
            |(place, number)| self.held(&place, base).map(|word| Covered { place, number, word });
        places.map(held).collect()
    }

    /// Returns the numbers of the long words of a line that may be in the tensor, and one on either side.
    fn numbers(&self, line: &VectorLine, base: u64) -> impl Iterator<Item = u64> + Clone + use<> {
        let first = base.saturating_sub(line.place.address);
        let behind = base.saturating_add(self.footprint()).saturating_sub(line.place.address);
        let before = (first > 0).then_some(0);
        before.into_iter().chain(first..line.count.min(behind.saturating_add(1)))
    }

    /// Returns the long words in the order of the lines, from the element with number `from` on.
    pub(super) fn words_from(&self, from: u64) -> Words<'_> {
        Words {
            tensor: self,
            next: from,
            places: Vec::new(),
            at: 0,
            last: None,
            pending: None,
            given: HashSet::new(),
        }
    }

    /// The long words that hold an element: one per copy, or per group where L2Bs share a memory.
    pub(super) fn words_of(&self, index: &[u64]) -> Result<Vec<u64>, LayoutError> {
        let first = self.program.place(index)? / self.lanes;
        Ok(self.index_copies().map(|copy| self.word_of_copy(first, &copy)).unique().collect())
    }

    /// Places elements from `from` on: as many as a box of the tensor gives.
    fn fill(&self, from: u64, places: &mut Vec<u64>) -> Result<(), LayoutError> {
        let index = self.index(from);
        let mut ranges: Vec<_> = index.iter().map(|at| *at..at + 1).collect();
        let mut inner = 1;
        for (range, extent) in ranges.iter_mut().zip(&self.shape).rev() {
            let most = range.start + (BLOCK / inner).max(1);
            *range = range.start..most.min(*extent);
            let length = range.end - range.start;
            inner *= length;
            if length != *extent || inner >= BLOCK {
                break;
            }
        }
        places.clear();
        places.resize(to_index(inner), 0);
        self.program.window(&ranges)?.fill_packed(places)
    }
}

fn place(
    header: &VectorHeader,
    dtype: Dtype,
    memory: MemoryText,
    base: u64,
) -> Result<Placement, ParseError> {
    let machine = Machine::mn_core_2();
    Placement::of(header.layout.lower_on(&machine)?)
        .on(&machine)
        .memory(memory.name())
        .element_bits(dtype.bits())
        .base(base)
        .build()
        .map_err(|error| header.layout.refuse(error))
}

/// A long word that a line sets or reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    /// The place, which names one unit.
    pub(super) place: VectorPlace,
    /// The number of the long word among those that the line has in that unit, from 0.
    pub(super) number: u64,
    /// The long word of the tensor there; `None` if the tensor has no element there.
    pub(super) word: Option<Word>,
}

/// A long word with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The first of its elements.
    pub(super) element: u64,
    /// The number of the long word.
    pub(super) word: u64,
    /// The elements in its lanes, lane 0 first.
    pub(super) lanes: Lanes,
}

impl Word {
    /// The elements in the order of their lanes, each once.
    pub(super) fn elements(&self) -> impl Iterator<Item = u64> + '_ {
        let held = self.lanes.iter().enumerate();
        held.filter_map(|(at, held)| held.filter(|_| !self.lanes[..at].contains(held)))
    }

    /// The lanes with an element.
    pub(super) fn filled(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        (0..).zip(self.lanes).filter_map(|(lane, held)| Some((lane, held?)))
    }
}

/// The long words of a tensor in the order of the lines: by their first elements, row-major, each
/// followed by its copies.
///
/// Law: every long word that holds an element comes once.
/// Memory: a block of places, whatever the length of the tensor.
#[derive(Debug)]
pub(super) struct Words<'a> {
    tensor: &'a Tensor,
    /// The element after the block.
    next: u64,
    places: Vec<u64>,
    at: usize,
    /// The long word of the element before, which has been given already.
    last: Option<u64>,
    /// The copies of the element at hand: its first long word, and those that follow.
    pending: Option<(u64, u64, Indexes)>,
    /// The long words of the element at hand so far: L2Bs of a group have one.
    given: HashSet<u64>,
}

impl Words<'_> {
    /// The next element with its long word, as the layout has it.
    fn element(&mut self) -> Result<Option<(u64, u64)>, LayoutError> {
        let tensor = self.tensor;
        if self.at == self.places.len() {
            if self.next >= tensor.elements() {
                return Ok(None);
            }
            tensor.fill(self.next, &mut self.places)?;
            self.next += to_u64(self.places.len());
            self.at = 0;
        }
        let Some(place) = self.places.get(self.at) else { return Ok(None) };
        let behind = to_u64(self.places.len() - self.at);
        self.at += 1;
        Ok(Some((self.next - behind, place / tensor.lanes)))
    }

    fn find(&mut self) -> Result<Option<Word>, LayoutError> {
        loop {
            while let Some((element, first, copies)) = &mut self.pending {
                let Some(digits) = copies.next() else { break };
                let word = self.tensor.word_of_copy(*first, &digits);
                if !self.given.insert(word) {
                    continue;
                }
                let lanes = self.tensor.contents(word)?;
                // A long word belongs to the first of its elements.
                if lanes.iter().flatten().min() == Some(element) {
                    return Ok(Some(Word { element: *element, word, lanes }));
                }
            }
            let Some((element, word)) = self.element()? else { return Ok(None) };
            self.given.clear();
            self.pending = match self.last == Some(word) {
                true => None,
                false => Some((element, word, self.tensor.index_copies())),
            };
            self.last = Some(word);
        }
    }
}

impl Iterator for Words<'_> {
    type Item = Result<Word, LayoutError>;

    fn next(&mut self) -> Option<Result<Word, LayoutError>> {
        self.find().transpose()
    }
}
