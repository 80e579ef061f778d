//! Prices of many relayouts, each counted once.

/// The functions of [`tl0_Pricer`](ffi::tl0_Pricer).
#[diplomat::bridge]
pub mod ffi {
    use tensor_layout::relayout::{PartId, Pricer};

    use crate::cost::ffi::{tl0_Cost, tl0_CostModel};
    use crate::error::ffi::tl0_Error;
    use crate::placement::ffi::tl0_Placement;

    /// The work of a pricer so far.
    #[derive(Debug)]
    #[diplomat::attr(cpp, rename = "PricerStatistics")]
    pub struct tl0_PricerStatistics {
        /// The different parts.
        pub parts: u64,
        /// The answers that are kept.
        pub kept: u64,
        /// The answers that were counted.
        pub counted: u64,
    }

    /// Prices of relayouts for a planner, shared by threads. Placements that hold the same elements in every unit are one
    /// part, and each pair of parts is counted once.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "Pricer")]
    pub struct tl0_Pricer(pub(crate) Pricer);

    impl tl0_Pricer {
        /// An empty pricer that keeps every answer. Cost: a few allocations.
        #[diplomat::attr(cpp, rename = "of")]
        pub fn new(model: &tl0_CostModel) -> Box<tl0_Pricer> {
            Box::new(tl0_Pricer(Pricer::new(model.0.clone())))
        }

        /// An empty pricer that keeps about so many answers, with what a change of lanes costs, and one of nothing but
        /// addresses, where they have a price. Cost: a few allocations.
        pub fn with_prices(
            model: &tl0_CostModel,
            most_answers: Option<u64>,
            price_of_lanes: Option<u64>,
            price_of_addresses: Option<u64>,
        ) -> Box<tl0_Pricer> {
            let most = most_answers.unwrap_or(u64::MAX);
            let mut pricer = Pricer::with_most_answers(model.0.clone(), most);
            if let Some(steps) = price_of_lanes {
                pricer = pricer.with_price_of_lanes(steps);
            }
            if let Some(steps) = price_of_addresses {
                pricer = pricer.with_price_of_addresses(steps);
            }
            Box::new(tl0_Pricer(pricer))
        }

        /// The part of a placement, for this pricer alone: another one gives an error for it. Cost: 1 to 5 us.
        pub fn part(&self, placement: &tl0_Placement) -> Result<u64, Box<tl0_Error>> {
            Ok(self.0.part(&placement.placement)?.to_u64())
        }

        /// A lower bound on the steps of a relayout, as if all units had the same share. Cost: no allocation, 20 to 60 ns,
        /// for a pair that is known; 5 to 50 us for another.
        pub fn cost(&self, source: u64, target: u64) -> Result<tl0_Cost, Box<tl0_Error>> {
            let (source, target) = (PartId::from_u64(source), PartId::from_u64(target));
            Ok(self.0.cost(source, target)?.into())
        }

        /// A lower bound on the steps until the busiest unit has received and sent everything. Cost: as `cost`.
        pub fn busiest_cost(&self, source: u64, target: u64) -> Result<tl0_Cost, Box<tl0_Error>> {
            let (source, target) = (PartId::from_u64(source), PartId::from_u64(target));
            Ok(self.0.busiest_cost(source, target)?.into())
        }

        /// The work so far.
        pub fn statistics(&self) -> tl0_PricerStatistics {
            let of = self.0.statistics();
            tl0_PricerStatistics { parts: of.parts, kept: of.kept, counted: of.counted }
        }
    }
}
