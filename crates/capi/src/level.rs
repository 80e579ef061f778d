//! Names of coordinates.

use tensor_layout::{Level, Location};

use self::ffi::tl0_Level;

/// What [`tl0_Level`] gives.
#[diplomat::bridge]
pub mod ffi {
    use tensor_layout::Level;

    use crate::error::ffi::tl0_Error;
    use crate::words::{boxed, text};

    /// The name of a coordinate: a level of a machine, `Addr`, the lane `W` or the step `Time`.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "Level")]
    pub struct tl0_Level(pub(crate) Level);

    impl tl0_Level {
        /// Reads a name, such as `PE`, or the node of a memory that units share, such as `L2B/2`. Cost: one allocation.
        pub fn parse(name: &DiplomatStr) -> Result<Box<tl0_Level>, Box<tl0_Error>> {
            boxed(Level::of_node(text(name)?).map(tl0_Level))
        }

        /// The name, as long as the level lives. Cost: no allocation.
        pub fn name<'a>(&'a self) -> &'a str {
            self.0.as_str()
        }

        /// Whether two levels have one name. Cost: no allocation.
        pub fn equals(&self, other: &tl0_Level) -> bool {
            self.0 == other.0
        }
    }
}

/// The coordinates that a buffer has, one per column.
#[derive(Debug)]
pub(crate) struct Columns {
    /// In the order of the buffer.
    pub(crate) levels: Vec<tl0_Level>,
    /// For each level in the order of places, its column.
    order: Vec<usize>,
}

impl Columns {
    pub(crate) fn new(levels: impl IntoIterator<Item = Level>) -> Columns {
        let levels: Vec<tl0_Level> = levels.into_iter().map(tl0_Level).collect();
        let mut order: Vec<usize> = (0..levels.len()).collect();
        order.sort_by_key(|column| levels[*column].0);
        Columns { levels, order }
    }

    /// Writes a place that has these columns and no others; 0 for one that it lacks.
    pub(crate) fn write(&self, place: &Location, buffer: &mut [u64]) {
        let mut coordinates = place.iter().peekable();
        for column in &self.order {
            let level = self.levels[*column].0;
            let found = coordinates.next_if(|(of, _)| *of == level);
            buffer[*column] = found.map_or(0, |(_, at)| at);
        }
    }

    /// The place with the coordinates of a buffer.
    pub(crate) fn read(&self, buffer: &[u64]) -> Location {
        self.order.iter().map(|column| (self.levels[*column].0, buffer[*column])).collect()
    }
}
