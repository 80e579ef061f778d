//! Traffic between two placements.

/// The functions of [`tl0_Traffic`](ffi::tl0_Traffic).
#[diplomat::bridge]
pub mod ffi {
    use tensor_layout::relayout::{Distance, Relayout, Traffic};

    use crate::error::ffi::tl0_Error;
    use crate::level::ffi::tl0_Level;
    use crate::placement::ffi::tl0_Placement;

    /// The traffic across the borders of the units of a level.
    #[derive(Debug)]
    #[diplomat::attr(cpp, rename = "LevelTraffic")]
    pub struct tl0_LevelTraffic {
        /// The elements that have to enter a unit.
        pub entering: u64,
        /// The elements that have to leave a unit, where `leaving_is_known`.
        pub leaving: u64,
        /// False where copies of the source leave open which unit sends.
        pub leaving_is_known: bool,
        /// An upper bound on the units that receive.
        pub receivers: u64,
        /// An upper bound on the units that send.
        pub senders: u64,
    }

    /// The exact counts of what has to move from one placement to another.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "Traffic")]
    pub struct tl0_Traffic(pub(crate) Traffic);

    impl tl0_Traffic {
        /// Counts what moves from one placement to another on the same machine, regardless of the number of elements.
        /// Cost: 5 to 50 us.
        pub fn between(
            source: &tl0_Placement,
            target: &tl0_Placement,
        ) -> Result<Box<tl0_Traffic>, Box<tl0_Error>> {
            let traffic = Relayout::new(&source.placement, &target.placement)?.traffic()?;
            Ok(Box::new(tl0_Traffic(traffic)))
        }

        /// The number of elements.
        pub fn elements(&self) -> u64 {
            self.0.elements
        }

        /// The number of places that each element has in the target.
        pub fn copies(&self) -> u64 {
            self.0.copies
        }

        /// The copies in the target that are in place already.
        pub fn in_place(&self) -> u64 {
            self.0.count(Distance::InPlace)
        }

        /// The copies that change only their address or lane.
        pub fn within_memories(&self) -> u64 {
            self.0.count(Distance::Address)
        }

        /// The copies that change their memory in one unit.
        pub fn between_memories(&self) -> u64 {
            self.0.count(Distance::Memory)
        }

        /// The copies whose way crosses the border of a unit of this level, and of none outside it.
        pub fn across(&self, level: &tl0_Level) -> u64 {
            self.0.count(Distance::Level(level.0))
        }

        /// The copies that are not in place; none if they do not fit in 64 bits.
        pub fn moved(&self) -> Option<u64> {
            self.0.moved().try_into().ok()
        }

        /// The number of levels.
        pub fn level_count(&self) -> usize {
            self.0.levels.len()
        }

        /// The level of this number, innermost first; null beyond the last. It lives as long as the traffic.
        pub fn level<'a>(&'a self, at: usize) -> Option<&'a tl0_Level> {
            self.0.levels.get(at).map(|of| tl0_Level::transparent_convert(&of.level))
        }

        /// The traffic of the level of this number.
        pub fn level_traffic(&self, at: usize) -> Option<tl0_LevelTraffic> {
            let of = self.0.levels.get(at)?;
            Some(tl0_LevelTraffic {
                entering: of.into,
                leaving: of.out_of.unwrap_or(0),
                leaving_is_known: of.out_of.is_some(),
                receivers: of.receivers,
                senders: of.senders,
            })
        }
    }
}
