//! Placements: where an element is, and what is at a place.

use tensor_layout::{Found, Placement};

use self::ffi::{tl0_Content, tl0_Placement};
use crate::level::Columns;

/// The functions of [`tl0_Placement`].
#[diplomat::bridge]
pub mod ffi {
    use tensor_layout::Placement;

    use crate::error::ffi::tl0_Error;
    use crate::layout::ffi::tl0_Layout;
    use crate::level::Columns;
    use crate::level::ffi::tl0_Level;
    use crate::machine::ffi::{tl0_Machine, tl0_Memory};
    use crate::words::check_length;

    /// The content of a place.
    #[derive(Debug, PartialEq, Eq)]
    #[diplomat::attr(cpp, rename = "Content")]
    pub enum tl0_Content {
        /// An element.
        Element = 0,
        /// A slot of the layout without an element.
        Padding = 1,
        /// Nothing: the layout skips the place.
        Hole = 2,
        /// Nothing: the place is beyond the machine or, where it gives no size, beyond the layout.
        Outside = 3,
    }

    /// A layout on a machine, or on none.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "Placement")]
    pub struct tl0_Placement {
        pub(crate) placement: Placement,
        pub(crate) columns: Columns,
        /// True if elements may share places.
        pub(crate) is_function: bool,
    }

    impl tl0_Placement {
        /// Places a layout without a machine: only the levels that it names have a coordinate. Cost: 1 to 5 us.
        pub fn of(layout: &tl0_Layout) -> Result<Box<tl0_Placement>, Box<tl0_Error>> {
            let mut placement = Placement::of(layout.layout.clone());
            if layout.is_function {
                placement = placement.shared_places();
            }
            Ok(tl0_Placement::boxed(placement.build()?, layout.is_function))
        }

        /// Places a layout on a machine, in a memory or in none, with elements of a width (0 where it does not matter)
        /// and from an address on. The memory and the width that a text names need not be given again. Cost: 2 to 10 us.
        pub fn on(
            layout: &tl0_Layout,
            machine: &tl0_Machine,
            memory: Option<&tl0_Memory>,
            element_bits: u64,
            base: u64,
        ) -> Result<Box<tl0_Placement>, Box<tl0_Error>> {
            let memory = memory.map(|memory| memory.name.as_str()).or(layout.memory.as_deref());
            let bits = Some(element_bits).filter(|bits| *bits > 0).or(layout.element_bits);
            let mut placement =
                Placement::of(layout.layout.clone()).on(&machine.machine).base(base);
            if let Some(memory) = memory {
                placement = placement.memory(memory);
            }
            if let Some(bits) = bits {
                placement = placement.element_bits(bits);
            }
            Ok(tl0_Placement::boxed(placement.build()?, false))
        }

        /// A copy that lives on its own. Cost: a few allocations.
        pub fn clone(&self) -> Box<tl0_Placement> {
            tl0_Placement::boxed(self.placement.clone(), self.is_function)
        }

        /// The layout, moved by the base. Cost: as `clone`.
        pub fn layout(&self) -> Box<tl0_Layout> {
            tl0_Layout::of(self.placement.layout().clone(), self.is_function)
        }

        /// Returns whether two placements are equal: layout, machine, memory and lanes. Cost: no allocation.
        pub fn equals(&self, other: &tl0_Placement) -> bool {
            self.placement == other.placement
        }

        /// The number of axes.
        pub fn rank(&self) -> usize {
            self.placement.layout().rank()
        }

        /// The number of coordinates of a place.
        pub fn column_count(&self) -> usize {
            self.placement.columns().len()
        }

        /// The level of a coordinate; null beyond the last. It lives as long as the placement.
        pub fn column<'a>(&'a self, at: usize) -> Option<&'a tl0_Level> {
            self.placement.columns().get(at).map(tl0_Level::transparent_convert)
        }

        /// The number of coordinates that the machine has in a level, if it is known.
        pub fn size(&self, level: &tl0_Level) -> Option<u64> {
            self.placement.size(level.0)
        }

        /// The number of places that each element has.
        pub fn copies(&self) -> u64 {
            self.placement.copies()
        }

        /// The long words that each unit needs: 1 + the greatest address.
        pub fn footprint_words(&self) -> u64 {
            self.placement.footprint_words()
        }

        /// The bits of a long word.
        pub fn word_bits(&self) -> u64 {
            self.placement.word_bits()
        }

        /// Writes the place of an element, one coordinate per column: its first copy. Cost: one allocation, 0.1 to 0.5 us;
        /// for many elements a table is quicker.
        pub fn locate(&self, index: &[u64], place: &mut [u64]) -> Result<(), Box<tl0_Error>> {
            let levels = self.placement.columns();
            check_length("the place", place.len(), levels.len())?;
            self.columns.write(levels, &self.placement.locate(index)?, place);
            Ok(())
        }

        /// Writes every place of an element, one after the other, `copies` times the columns. Cost: one allocation per
        /// copy.
        pub fn locate_all(&self, index: &[u64], places: &mut [u64]) -> Result<(), Box<tl0_Error>> {
            let (levels, copies) = (self.placement.columns(), self.placement.copies());
            let wanted = usize::try_from(copies).ok().and_then(|of| of.checked_mul(levels.len()));
            check_length("the places", places.len(), wanted.unwrap_or(usize::MAX))?;
            let all = self.placement.locate_all(index)?;
            for (place, buffer) in all.zip(places.chunks_exact_mut(levels.len().max(1))) {
                self.columns.write(levels, &place, buffer);
            }
            Ok(())
        }

        /// Finds what a place holds, and writes the index of an element; of anything else, nothing is written. Cost: a few
        /// allocations, 1 to 3 us; for many places a table is quicker.
        pub fn element(
            &self,
            place: &[u64],
            index: &mut [u64],
        ) -> Result<tl0_Content, Box<tl0_Error>> {
            let levels = self.placement.columns();
            check_length("the place", place.len(), levels.len())?;
            check_length("the index", index.len(), self.placement.layout().rank())?;
            let found = self.placement.element(&self.columns.read(levels, place))?;
            if let tensor_layout::Found::Element(found) = &found {
                index.copy_from_slice(found);
            }
            Ok(tl0_Content::of(&found))
        }
    }
}

impl tl0_Placement {
    pub(crate) fn boxed(placement: Placement, is_function: bool) -> Box<tl0_Placement> {
        let columns = Columns::new(placement.columns());
        Box::new(tl0_Placement { placement, columns, is_function })
    }
}

impl tl0_Content {
    pub(crate) fn of<E>(found: &Found<E>) -> tl0_Content {
        match found {
            Found::Element(_) => tl0_Content::Element,
            Found::Padding => tl0_Content::Padding,
            Found::Hole => tl0_Content::Hole,
            Found::Outside => tl0_Content::Outside,
        }
    }
}
