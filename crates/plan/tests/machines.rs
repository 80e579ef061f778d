//! Machines that have no room for a plan.

use tensor_layout::machine::Memory;
use tensor_layout::{Level, Machine};
use tensor_layout_plan::plan::{PlanOptions, plan};

use crate::execute::model;
use crate::small::with_capacities;

fn refused(machine: &Machine) -> String {
    let (graph, ..) = model("mlp");
    match plan(&graph, machine, &PlanOptions { keep: 8, ..PlanOptions::default() }) {
        Err(error) => error.to_string(),
        Ok(plan) => panic!("{}", plan.report()),
    }
}

/// It is not in the PEs instead, at no cost.
#[test]
fn an_input_that_does_not_fit_in_dram_is_refused() {
    let why = refused(&with_capacities(8, 512));
    assert_eq!(why, "a value [8, 16] that is given needs 32 long words of each DRAM, which has 8");
}

#[test]
fn a_machine_of_one_level_is_refused_with_the_remedy() {
    let memory = Memory { capacity: Some(64), owner: Level::PE, group: 1 };
    let machine = Machine::builder("flat").level(Level::PE, 2).memory("LM0", memory).build();
    let machine = machine.unwrap().with_bandwidth([(Level::PE, 1)]).unwrap();
    let why = refused(&machine);
    assert!(why.starts_with("machine `flat` has one level") && why.contains("`NODE=1,PE=4`"));
}
