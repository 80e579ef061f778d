//! Rates of a machine, and the steps that traffic takes at them.

use tensor_layout::LayoutError;
use tensor_layout::error::fault;
use tensor_layout::relayout::{Cost, CostUnit, Rate};

use self::ffi::{tl0_Cost, tl0_CostUnit};

/// The functions of [`tl0_CostModel`](ffi::tl0_CostModel).
#[diplomat::bridge]
pub mod ffi {
    use tensor_layout::relayout::CostModel;

    use crate::error::ffi::tl0_Error;
    use crate::level::ffi::tl0_Level;
    use crate::machine::ffi::tl0_Machine;
    use crate::traffic::ffi::tl0_Traffic;
    use crate::words::boxed;

    /// The unit of a cost.
    #[derive(Debug)]
    #[diplomat::attr(cpp, rename = "CostUnit")]
    pub enum tl0_CostUnit {
        /// Steps, as the bandwidth of a machine counts them.
        Steps = 0,
        /// Cycles, as the rates of movements count them.
        Cycles = 1,
    }

    /// A number of steps or cycles.
    #[derive(Debug)]
    #[diplomat::attr(cpp, rename = "Cost")]
    pub struct tl0_Cost {
        /// The number.
        pub steps: u64,
        /// The unit.
        pub unit: tl0_CostUnit,
    }

    /// The rates at which a machine moves elements of one width.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "CostModel")]
    pub struct tl0_CostModel(pub(crate) CostModel);

    impl tl0_CostModel {
        /// The rates of a machine: its bandwidth or, if it has none, its movements. Cost: linear in the movements.
        #[diplomat::attr(cpp, rename = "of")]
        pub fn new(
            machine: &tl0_Machine,
            element_bits: u64,
        ) -> Result<Box<tl0_CostModel>, Box<tl0_Error>> {
            boxed(CostModel::new(&machine.machine, element_bits).map(tl0_CostModel))
        }

        /// The model with the rates of a level: long words that enter and leave one unit, per number of steps. Cost: a
        /// copy of the model.
        pub fn with_rates(
            &self,
            level: &tl0_Level,
            words_in: u64,
            steps_in: u64,
            words_out: u64,
            steps_out: u64,
        ) -> Result<Box<tl0_CostModel>, Box<tl0_Error>> {
            let rates = (super::rate(words_in, steps_in)?, super::rate(words_out, steps_out)?);
            boxed(self.0.clone().with_rates(level.0, rates.0, rates.1).map(tl0_CostModel))
        }

        /// The model with the steps that a long word takes across the border of a unit of a level, whatever the rate.
        /// Cost: a copy of the model.
        pub fn with_latency(
            &self,
            level: &tl0_Level,
            steps: u64,
        ) -> Result<Box<tl0_CostModel>, Box<tl0_Error>> {
            boxed(self.0.clone().with_latency(level.0, steps).map(tl0_CostModel))
        }

        /// The model in which levels work one after the other. Cost: a copy of the model.
        pub fn in_sequence(&self) -> Box<tl0_CostModel> {
            Box::new(tl0_CostModel(self.0.clone().in_sequence()))
        }

        /// A lower bound on the steps that the traffic takes. Cost: linear in the levels.
        pub fn cost(&self, traffic: &tl0_Traffic) -> Result<tl0_Cost, Box<tl0_Error>> {
            Ok(self.0.of_traffic(&traffic.0)?.into())
        }
    }
}

fn rate(words: u64, steps: u64) -> Result<Rate, LayoutError> {
    Rate::new(words, steps).ok_or_else(|| {
        fault!(
            Argument,
            "{words} words every {steps} steps is not a rate: both must be at least 1",
            [words, steps]
        )
    })
}

impl From<Cost> for tl0_Cost {
    fn from(cost: Cost) -> tl0_Cost {
        let unit = match cost.unit {
            CostUnit::Steps => tl0_CostUnit::Steps,
            CostUnit::Cycles => tl0_CostUnit::Cycles,
        };
        tl0_Cost { steps: cost.steps, unit }
    }
}
