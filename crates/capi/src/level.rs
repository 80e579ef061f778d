//! Names of coordinates.

use tensor_layout::{Level, Location};

/// The functions of [`tl0_Level`].
#[diplomat::bridge]
pub mod ffi {
    use tensor_layout::Level;

    use crate::error::ffi::tl0_Error;
    use crate::words::{boxed, text};

    /// The name of a coordinate: a level of a machine, `Addr`, the lane `W` or the step `Time`.
    #[derive(Debug)]
    #[diplomat::transparent_convert]
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

        /// Returns whether two levels have one name. Cost: no allocation.
        pub fn equals(&self, other: &tl0_Level) -> bool {
            self.0 == other.0
        }
    }
}

/// The order of the coordinates in a buffer, one per column.
#[derive(Debug)]
pub(crate) struct Columns {
    /// For each level in the order of places, its column; `None` where the columns have that order.
    order: Option<Vec<usize>>,
}

impl Columns {
    pub(crate) fn new(levels: &[Level]) -> Columns {
        let order = (!levels.is_sorted()).then(|| {
            let mut order: Vec<usize> = (0..levels.len()).collect();
            order.sort_by_key(|column| levels[*column]);
            order
        });
        Columns { order }
    }

    fn column(&self, at: usize) -> usize {
        self.order.as_ref().map_or(at, |order| order[at])
    }

    /// Writes the coordinates of a place that has one for each column.
    pub(crate) fn write(&self, levels: &[Level], place: &Location, buffer: &mut [u64]) {
        // Places have no levels but the columns, so as many are all of them.
        match (&self.order, place.iter().len() == levels.len()) {
            (None, true) => {
                buffer.iter_mut().zip(place.iter()).for_each(|(to, (_, at))| *to = at);
            }
            (Some(order), true) => {
                order.iter().zip(place.iter()).for_each(|(column, (_, at))| buffer[*column] = at);
            }
            (_, false) => {
                let all = levels.iter().map(|level| place.get(*level).unwrap_or(0));
                buffer.iter_mut().zip(all).for_each(|(to, at)| *to = at);
            }
        }
    }

    /// The place with the coordinates of a buffer.
    pub(crate) fn read(&self, levels: &[Level], buffer: &[u64]) -> Location {
        let columns = (0..levels.len()).map(|at| self.column(at));
        columns.map(|column| (levels[column], buffer[column])).collect()
    }
}
