//! Compiled placements: whole tables, many points, packed memories.

use tensor_layout::error::fault;
use tensor_layout::program::Program;
use tensor_layout::{Found, LayoutError, Level};

use self::ffi::{tl0_Found, tl0_Table};
use crate::level::Columns;
use crate::placement::ffi::tl0_Content;
use crate::words::check_length;

/// The functions of [`tl0_Table`].
#[diplomat::bridge]
pub mod ffi {
    use tensor_layout::Level;
    use tensor_layout::program::Program;

    use crate::error::ffi::tl0_Error;
    use crate::level::Columns;
    use crate::level::ffi::tl0_Level;
    use crate::placement::ffi::{tl0_Content, tl0_Placement};
    use crate::words::check_length;

    /// The content of a place, with the row-major number of an element; 0 where there is none.
    #[derive(Debug)]
    #[diplomat::attr(cpp, rename = "Found")]
    pub struct tl0_Found {
        /// The content.
        pub content: tl0_Content,
        /// The row-major number of the element.
        pub element: u64,
    }

    /// A placement compiled for whole tables. Elements are numbered row-major, and so are places, over the columns:
    /// unit x words + address, holes included.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "Table")]
    pub struct tl0_Table {
        pub(crate) program: Program,
        pub(crate) levels: Vec<Level>,
        pub(crate) columns: Columns,
    }

    impl tl0_Table {
        /// Compiles a placement. Cost: 1 to 10 us, and up to 64 KiB at the first call that needs it.
        pub fn compile(placement: &tl0_Placement) -> Result<Box<tl0_Table>, Box<tl0_Error>> {
            Ok(tl0_Table::boxed(placement.placement.program()?))
        }

        /// A copy that lives on its own; both share the compiled parts. Cost: a few allocations.
        pub fn clone(&self) -> Box<tl0_Table> {
            tl0_Table::boxed(self.program.clone())
        }

        /// The table of a box of the tensor: axis `i` from `starts[i]` to `stops[i]`, exclusive. Its elements are numbered
        /// within the box; places keep their numbers. Cost: as `clone`.
        pub fn window(
            &self,
            starts: &[u64],
            stops: &[u64],
        ) -> Result<Box<tl0_Table>, Box<tl0_Error>> {
            check_length("the stops", stops.len(), starts.len())?;
            let ranges = starts.iter().zip(stops).map(|(start, stop)| *start..*stop);
            Ok(tl0_Table::boxed(self.program.window(&ranges.collect::<Vec<_>>())?))
        }

        /// The number of elements: the length of a table.
        pub fn elements(&self) -> u64 {
            self.program.elements()
        }

        /// The number of places, holes included: the length of an inverse table and of an image.
        pub fn places(&self) -> u64 {
            self.program.places()
        }

        /// The number of coordinates that make up the number of a place.
        pub fn column_count(&self) -> usize {
            self.levels.len()
        }

        /// The level of a coordinate; null beyond the last. It lives as long as the table.
        pub fn column<'a>(&'a self, at: usize) -> Option<&'a tl0_Level> {
            self.levels.get(at).map(tl0_Level::transparent_convert)
        }

        /// The number of values of a coordinate.
        pub fn column_size(&self, at: usize) -> Option<u64> {
            self.program.columns().nth(at).map(|(_, size)| size)
        }

        /// Writes the coordinates of the place with a number, one per column. Cost: two allocations.
        pub fn coordinates(&self, place: u64, buffer: &mut [u64]) -> Result<(), Box<tl0_Error>> {
            check_length("the coordinates", buffer.len(), self.levels.len())?;
            super::check_place(&self.program, place)?;
            self.columns.write(&self.levels, &self.program.location(place), buffer);
            Ok(())
        }

        /// The number of the place of one element: its first copy. Cost: no allocation, 5 to 50 ns.
        pub fn place(&self, index: &[u64]) -> Result<u64, Box<tl0_Error>> {
            Ok(self.program.place(index)?)
        }

        /// Writes the numbers of the places of many elements, whose indexes are one after the other. Cost: as `place`,
        /// without a call for each.
        pub fn places_of(&self, indexes: &[u64], places: &mut [u64]) -> Result<(), Box<tl0_Error>> {
            super::places_of(&self.program, indexes, places)?;
            Ok(())
        }

        /// The content of the place with a number. Cost: no allocation, 5 to 50 ns, after the first call.
        pub fn element(&self, place: u64) -> Result<tl0_Found, Box<tl0_Error>> {
            Ok(self.program.element(place)?.into())
        }

        /// Writes what many places hold: the number of an element, 2^64 - 2 for padding, 2^64 - 1 for a hole and for what
        /// is outside. Cost: as `element`, without a call for each.
        pub fn elements_at(
            &self,
            places: &[u64],
            elements: &mut [u64],
        ) -> Result<(), Box<tl0_Error>> {
            super::elements_at(&self.program, places, elements)?;
            Ok(())
        }

        /// Writes the number of the place of every element. Cost: at the speed of memory, 0.1 to 1 ns each.
        pub fn fill_packed_u32(&self, table: &mut [u32]) -> Result<(), Box<tl0_Error>> {
            Ok(self.program.fill_packed(table)?)
        }

        /// Writes the number of the place of every element. Cost: as `fill_packed_u32`.
        pub fn fill_packed_u64(&self, table: &mut [u64]) -> Result<(), Box<tl0_Error>> {
            Ok(self.program.fill_packed(table)?)
        }

        /// Writes the coordinate in a level of every element; 0 for a level that is not a column. Cost: as
        /// `fill_packed_u32`.
        pub fn fill_column_u32(
            &self,
            level: &tl0_Level,
            table: &mut [u32],
        ) -> Result<(), Box<tl0_Error>> {
            Ok(self.program.fill_column(level.0, table)?)
        }

        /// Writes what every place holds: the number of an element, 2^32 - 2 for padding, 2^32 - 1 for a hole. Cost: as
        /// `fill_packed_u32`.
        pub fn fill_inverse_u32(&self, table: &mut [u32]) -> Result<(), Box<tl0_Error>> {
            Ok(self.program.fill_inverse(table)?)
        }

        /// Writes what every place holds: the number of an element, 2^64 - 2 for padding, 2^64 - 1 for a hole. Cost: as
        /// `fill_packed_u32`.
        pub fn fill_inverse_u64(&self, table: &mut [u64]) -> Result<(), Box<tl0_Error>> {
            Ok(self.program.fill_inverse(table)?)
        }

        /// Moves a row-major tensor into the memory of every unit, all copies; every other cell is set to `fill`, which
        /// has the bytes of one element: 1, 2, 4, 8 or 16. An image has a cell per place. Cost: at the speed of memory.
        pub fn pack(
            &self,
            tensor: &[u8],
            fill: &[u8],
            image: &mut [u8],
        ) -> Result<(), Box<tl0_Error>> {
            Ok(super::pack(&self.program, tensor, fill, image)?)
        }

        /// Moves the first copy of every element back into a row-major tensor of elements of 1, 2, 4, 8 or 16 bytes. Cost:
        /// at the speed of memory.
        pub fn unpack(
            &self,
            element_bytes: usize,
            image: &[u8],
            tensor: &mut [u8],
        ) -> Result<(), Box<tl0_Error>> {
            Ok(super::unpack(&self.program, element_bytes, image, tensor)?)
        }
    }
}

impl tl0_Table {
    fn boxed(program: Program) -> Box<tl0_Table> {
        let levels: Vec<Level> = program.columns().map(|(level, _)| level).collect();
        let columns = Columns::new(&levels);
        Box::new(tl0_Table { program, levels, columns })
    }
}

impl From<Found<u64>> for tl0_Found {
    fn from(found: Found<u64>) -> tl0_Found {
        let content = tl0_Content::of(&found);
        let element = if let Found::Element(element) = found { element } else { 0 };
        tl0_Found { content, element }
    }
}

fn check_place(program: &Program, place: u64) -> Result<(), LayoutError> {
    let places = program.places();
    match place < places {
        true => Ok(()),
        false => Err(fault!(
            OutOfRange,
            "place {place} is out of range: there are {places} places, from 0",
            [place, places]
        )),
    }
}

fn places_of(program: &Program, indexes: &[u64], places: &mut [u64]) -> Result<(), LayoutError> {
    let rank = program.ranges().len();
    let wanted = places.len().saturating_mul(rank);
    check_length("the indexes", indexes.len(), wanted)?;
    for (at, place) in places.iter_mut().enumerate() {
        *place = program.place(&indexes[at * rank..(at + 1) * rank])?;
    }
    Ok(())
}

fn elements_at(program: &Program, places: &[u64], elements: &mut [u64]) -> Result<(), LayoutError> {
    check_length("the elements", elements.len(), places.len())?;
    for (place, element) in places.iter().zip(elements) {
        *element = match program.element(*place)? {
            Found::Element(element) => element,
            Found::Padding => u64::MAX - 1,
            Found::Hole | Found::Outside => u64::MAX,
        };
    }
    Ok(())
}

/// The elements of a buffer, if their size divides it.
fn cells<'a, const N: usize>(
    buffer: &'static str,
    bytes: &'a [u8],
) -> Result<&'a [[u8; N]], LayoutError> {
    let (cells, rest) = bytes.as_chunks();
    rest.is_empty().then_some(cells).ok_or_else(|| uneven(buffer, bytes.len(), N))
}

fn cells_mut<'a, const N: usize>(
    buffer: &'static str,
    bytes: &'a mut [u8],
) -> Result<&'a mut [[u8; N]], LayoutError> {
    let found = bytes.len();
    let (cells, rest) = bytes.as_chunks_mut();
    rest.is_empty().then_some(cells).ok_or_else(|| uneven(buffer, found, N))
}

fn uneven(buffer: &'static str, found: usize, size: usize) -> LayoutError {
    fault!(
        Shape,
        "the length of {buffer} is {found} bytes, which is not a multiple of {size}",
        [buffer, found, size]
    )
}

fn size_unknown(size: usize) -> LayoutError {
    fault!(Unsupported, "elements have 1, 2, 4, 8 or 16 bytes, not {size}", [size])
}

/// Calls a function for elements of one of the sizes.
macro_rules! by_size {
    ($size:expr, $function:ident $arguments:tt) => {
        match $size {
            1 => $function::<1> $arguments,
            2 => $function::<2> $arguments,
            4 => $function::<4> $arguments,
            8 => $function::<8> $arguments,
            16 => $function::<16> $arguments,
            other => Err(size_unknown(other)),
        }
    };
}

fn pack(
    program: &Program,
    tensor: &[u8],
    fill: &[u8],
    image: &mut [u8],
) -> Result<(), LayoutError> {
    fn pack<const N: usize>(
        program: &Program,
        tensor: &[u8],
        fill: &[u8],
        image: &mut [u8],
    ) -> Result<(), LayoutError> {
        let fill = fill.first_chunk().ok_or_else(|| size_unknown(fill.len()))?;
        program.pack::<[u8; N]>(cells("the tensor", tensor)?, cells_mut("the image", image)?, *fill)
    }
    by_size!(fill.len(), pack(program, tensor, fill, image))
}

fn unpack(
    program: &Program,
    element_bytes: usize,
    image: &[u8],
    tensor: &mut [u8],
) -> Result<(), LayoutError> {
    fn unpack<const N: usize>(
        program: &Program,
        image: &[u8],
        tensor: &mut [u8],
    ) -> Result<(), LayoutError> {
        program.unpack::<[u8; N]>(cells("the image", image)?, cells_mut("the tensor", tensor)?)
    }
    by_size!(element_bytes, unpack(program, image, tensor))
}
