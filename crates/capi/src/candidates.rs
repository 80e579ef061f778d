//! The layouts to choose from, one by one.

use tensor_layout::Level;
use tensor_layout::candidates::Side;

use self::ffi::tl0_Side;
use crate::level::ffi::tl0_Level;

/// The functions of [`tl0_Candidates`] and the others.
#[diplomat::bridge]
pub mod ffi {
    use tensor_layout::LayoutError;
    use tensor_layout::candidates::{Candidate, Candidates, Layouts, Orders};
    use tensor_layout::error::Site;

    use crate::error::ffi::tl0_Error;
    use crate::layout::ffi::tl0_Layout;
    use crate::level::ffi::tl0_Level;
    use crate::machine::ffi::{tl0_Machine, tl0_Memory};
    use crate::placement::ffi::tl0_Placement;
    use crate::words::boxed;

    /// The positions of the digits of units in an axis.
    #[derive(Debug)]
    #[diplomat::attr(cpp, rename = "Side")]
    pub enum tl0_Side {
        /// Neighbours share a unit, or are in different units.
        Both = 0,
        /// Neighbours share a unit.
        Major = 1,
        /// Neighbours are in different units.
        Minor = 2,
    }

    /// The layouts of a shape on a machine that satisfy constraints. The constraints are checked when the walk begins.
    #[derive(Debug)]
    #[diplomat::opaque_mut]
    #[diplomat::attr(cpp, rename = "Candidates")]
    pub struct tl0_Candidates(pub(crate) Candidates);

    /// A walk through the candidates, for one thread at a time.
    #[derive(Debug)]
    #[diplomat::opaque_mut]
    #[diplomat::attr(cpp, rename = "CandidateWalk")]
    pub struct tl0_CandidateWalk(Layouts);

    /// A layout that satisfies the constraints.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "Candidate")]
    pub struct tl0_Candidate(Candidate);

    impl tl0_Candidates {
        /// All layouts of a shape on a machine: without time slices, with uncut levels and up to half of the slots as
        /// padding. Cost: a few allocations.
        #[diplomat::attr(cpp, rename = "of")]
        pub fn new(machine: &tl0_Machine, shape: &[u64]) -> Box<tl0_Candidates> {
            Box::new(tl0_Candidates(Candidates::new(&machine.machine, shape)))
        }

        /// Sets the memory: no axis is split over levels below its owner, and its capacity is respected.
        pub fn memory(&mut self, memory: &tl0_Memory) {
            self.0.memory = Some(memory.name.clone());
        }

        /// Sets the width of an element: lanes of a long word are then a level.
        pub fn element_bits(&mut self, bits: u64) {
            self.0.element_bits = Some(bits);
        }

        /// Sets the address of the first long word.
        pub fn base(&mut self, base: u64) {
            self.0.base = base;
        }

        /// Sets the most pieces of a level, to split different axes or hold copies.
        pub fn level_parts(&mut self, most: usize) {
            self.0.level_parts = most;
        }

        /// Sets where the digits of units may be in an axis.
        pub fn side(&mut self, side: tl0_Side) {
            self.0.sides = side.sides().to_vec();
        }

        /// With false, all units hold different elements.
        pub fn replicate(&mut self, replicate: bool) {
            self.0.replicate = replicate;
        }

        /// Pads the words of the innermost axis that has any to a multiple of `words`.
        pub fn alignment(&mut self, words: u64) {
            self.0.alignment = words;
        }

        /// Sets the most long words per unit.
        pub fn capacity_words(&mut self, words: u64) {
            self.0.capacity_words = Some(words);
        }

        /// Sets the most slots that may be padding, in percent.
        pub fn padding_percent(&mut self, percent: u64) {
            self.0.padding_percent = percent;
        }

        /// With true, the last axis is innermost in the address.
        pub fn row_major(&mut self, only: bool) {
            self.0.orders = if only { Orders::RowMajor } else { Orders::All };
        }

        /// With true, units are in the order of the machine.
        pub fn tree_order(&mut self, only: bool) {
            self.0.tree_order = only;
        }

        /// Forbids splitting an axis over a level.
        pub fn never(&mut self, axis: usize, level: &tl0_Level) {
            self.0.never.push((axis, level.0));
        }

        /// Requires an axis to be split over exactly these levels.
        pub fn fixed(&mut self, axis: usize, levels: &[&tl0_Level]) {
            self.0.fixed.push((axis, super::names(levels)));
        }

        /// Allows axes to be split over these levels only; the others hold copies.
        pub fn levels(&mut self, levels: &[&tl0_Level]) {
            self.0.levels = Some(super::names(levels));
        }

        /// Requires axes to be split over these levels, which then hold no copies.
        pub fn without_copies_in(&mut self, levels: &[&tl0_Level]) {
            self.0.without_copies_in.extend(super::names(levels));
        }

        /// Sets the allowed numbers of time slices; 1 means no slices.
        pub fn time(&mut self, slices: &[u64]) {
            self.0.time = slices.to_vec();
        }

        /// Sets the most axes that are cut into time slices together.
        pub fn time_axes(&mut self, most: usize) {
            self.0.time_axes = most;
        }

        /// Keeps runs of `run` elements along an axis at successive addresses of a unit.
        pub fn contiguous(&mut self, axis: usize, run: u64) {
            self.0.contiguous.push((axis, run));
        }

        /// The number of candidates. Cost: up to seconds; `NotDecided` beyond.
        pub fn count(&self) -> Result<u64, Box<tl0_Error>> {
            let too_large = |_| LayoutError::too_large(Site::Layout, "the number of candidates");
            Ok(u64::try_from(self.0.count()?).map_err(too_large)?)
        }

        /// Begins a walk through the candidates. Cost: a few microseconds.
        pub fn walk(&self) -> Result<Box<tl0_CandidateWalk>, Box<tl0_Error>> {
            boxed(self.0.iter().map(tl0_CandidateWalk))
        }
    }

    impl tl0_CandidateWalk {
        /// The next candidate; null after the last. Cost: under 2 us where few choices are dead ends.
        pub fn next(&mut self) -> Result<Option<Box<tl0_Candidate>>, Box<tl0_Error>> {
            Ok(self.0.next().transpose()?.map(|of| Box::new(tl0_Candidate(of))))
        }
    }

    impl tl0_Candidate {
        /// The layout, without the base. Cost: a few allocations.
        pub fn layout(&self) -> Box<tl0_Layout> {
            tl0_Layout::of(self.0.layout.clone(), false)
        }

        /// The layout on the machine, in the memory of the search. Cost: 2 to 10 us.
        pub fn placement(&self) -> Result<Box<tl0_Placement>, Box<tl0_Error>> {
            Ok(tl0_Placement::boxed(self.0.placement()?, false))
        }

        /// The long words per unit, without the base.
        pub fn footprint_words(&self) -> u64 {
            self.0.footprint_words
        }

        /// The slots of one copy.
        pub fn slots(&self) -> u64 {
            self.0.slots
        }

        /// The slots of one copy that hold no element.
        pub fn pads(&self) -> u64 {
            self.0.pads
        }

        /// The units that hold a slot, copies included.
        pub fn units_used(&self) -> u64 {
            self.0.units_used
        }
    }
}

fn names(levels: &[&tl0_Level]) -> Vec<Level> {
    levels.iter().map(|level| level.0).collect()
}

impl tl0_Side {
    fn sides(self) -> &'static [Side] {
        match self {
            tl0_Side::Both => &[Side::Major, Side::Minor],
            tl0_Side::Major => &[Side::Major],
            tl0_Side::Minor => &[Side::Minor],
        }
    }
}
