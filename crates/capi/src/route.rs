//! The movements that bring a tensor from one memory into another.

/// The functions of [`tl0_Route`](ffi::tl0_Route).
#[diplomat::bridge]
pub mod ffi {
    use tensor_layout::route::Route;

    use crate::error::ffi::tl0_Error;
    use crate::placement::ffi::tl0_Placement;
    use crate::words::boxed;

    /// The movements that bring a tensor from one memory into another, in order.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "Route")]
    pub struct tl0_Route(pub(crate) Route);

    /// The cost of one movement of a route.
    #[derive(Debug)]
    #[diplomat::attr(cpp, rename = "HopCost")]
    pub struct tl0_HopCost {
        /// The long words that pass through the memory nearer to the root.
        pub upper_words: u64,
        /// The most long words that pass through any memory farther from it.
        pub lower_words: u64,
        /// The least cycles; where `cycles_are_known` is false, at the greatest known rate between the same memories.
        pub cycles: u64,
        /// True if the movement has a rate.
        pub cycles_are_known: bool,
    }

    impl tl0_Route {
        /// Finds the route with the fewest cycles; among those, with the fewest movements. Cost: 20 us to seconds: at most
        /// 4096 trials.
        pub fn between(
            source: &tl0_Placement,
            target: &tl0_Placement,
        ) -> Result<Box<tl0_Route>, Box<tl0_Error>> {
            boxed(Route::new(&source.placement, &target.placement).map(tl0_Route))
        }

        /// As `between`, with another number of trials. Cost: up to a millisecond each.
        pub fn within(
            source: &tl0_Placement,
            target: &tl0_Placement,
            trials: usize,
        ) -> Result<Box<tl0_Route>, Box<tl0_Error>> {
            let route = Route::within(&source.placement, &target.placement, trials);
            boxed(route.map(tl0_Route))
        }

        /// The number of movements; 0 if the source serves as it is.
        pub fn hop_count(&self) -> usize {
            self.0.hops().len()
        }

        /// The least cycles of all movements together.
        pub fn cycles(&self) -> u64 {
            self.0.cycles().0
        }

        /// Returns whether every movement has a rate; if not, `cycles` is a lower bound.
        pub fn cycles_are_known(&self) -> bool {
            self.0.cycles().1
        }

        /// The name of a movement, as long as the route lives; none beyond the last, and on a machine without movements.
        pub fn movement<'a>(&'a self, at: usize) -> Option<&'a str> {
            self.0.hops().get(at)?.movement.as_ref().map(|movement| movement.name.as_str())
        }

        /// The placement after a movement; null beyond the last. Cost: a few allocations.
        pub fn target(&self, at: usize) -> Option<Box<tl0_Placement>> {
            let hop = self.0.hops().get(at)?;
            Some(tl0_Placement::boxed(hop.target.clone(), false))
        }

        /// The cost of a movement.
        pub fn hop_cost(&self, at: usize) -> Option<tl0_HopCost> {
            let hop = self.0.hops().get(at)?;
            Some(tl0_HopCost {
                upper_words: hop.upper_words,
                lower_words: hop.lower_words,
                cycles: hop.at_least,
                cycles_are_known: hop.cycles.is_some(),
            })
        }
    }
}
