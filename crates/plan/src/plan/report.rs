//! A plan as data: the form of its JSON.

use serde::{Deserialize, Serialize};

use super::places::Place;
use crate::choices::Own;

/// A plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlanReport {
    /// The name of the graph.
    pub model: String,
    /// The machine.
    pub machine: String,
    /// The costs.
    pub totals: Totals,
    /// The memory of a PE; `None` on a machine without one.
    pub memory: Option<Room>,
    /// The values that are given or computed, in the order of the computation.
    pub values: Vec<PlannedValue>,
    /// The pins, in the order in which they were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<PinReport>,
    /// The operators that no rule covers, with their nodes.
    pub uncovered: Vec<(String, String)>,
}

/// The costs of a plan and of others, in cycles at least.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Each value at its own cheapest choice.
    pub naive: u64,
    /// Each value at its cheapest choice after those before it.
    pub greedy: u64,
    /// The plan.
    pub plan: u64,
    /// The part of it that is not time: penalties for changes of lanes.
    pub penalties: u64,
    /// No plan over these choices costs less.
    pub bound: u64,
    /// The additional cycles that avoid switches without movements, where the search without them was exact.
    pub avoiding: Option<u64>,
    /// The most neighbours of a variable when it was eliminated.
    pub width: usize,
    /// The number of switches that no movements make.
    pub without_movements: usize,
    /// The cost of the plan without pins, whatever movements it has, if there are pins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_pins: Option<u64>,
}

/// The places of a pin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinReport {
    /// Its name.
    pub name: String,
    /// The nodes and the values that it is about.
    pub nodes: Vec<String>,
}

/// The memory that values take in a PE.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// The long words that they may take.
    pub limit: u64,
    /// The most that they take at any time.
    pub peak: u64,
    /// The node that is computed then.
    pub node: String,
    /// True if the plan is the cheapest that was found for this limit, and not for any room.
    pub is_planned: bool,
    /// A place for every tensor; `None` if none were found.
    pub places: Option<Vec<Place>>,
}

/// A value with its layout.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlannedValue {
    /// Its name.
    pub name: String,
    /// `Input`, `Constant`, or the operator that computes it.
    pub operator: String,
    /// Its node, with the part of it.
    pub node: Option<String>,
    /// Its extents.
    pub shape: Vec<u64>,
    /// The type of its elements.
    pub dtype: String,
    /// Its layout.
    pub layout: String,
    /// The value as the model has it, where its node makes it in another shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<SeenLayout>,
    /// The memory.
    pub memory: Option<String>,
    /// The number of the part that determines prices.
    pub part: u32,
    /// The layout of the loops: the axes of the value, then those that are folded.
    pub loops: Option<String>,
    /// The cycles without switches.
    pub own: Own,
    /// The long words of a PE for one time slice: operands and result.
    pub words: u64,
    /// The most long words of a PE that all values take while this one is computed; `None` for a value that is given.
    pub alive: Option<u64>,
    /// True if they exceed the memory of a PE.
    pub is_oversized: bool,
    /// The number of choices.
    pub choices: usize,
    /// The operands.
    pub operands: Vec<PlannedOperand>,
    /// The layout that all readers share, if the value is switched to another one for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptLayout>,
}

/// A value under the shape that the model has.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeenLayout {
    /// Its extents.
    pub shape: Vec<u64>,
    /// Its layout.
    pub layout: String,
}

/// An operand with the layout that the operation wants.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlannedOperand {
    /// The name of the value.
    pub value: String,
    /// Its layout in the local memory.
    pub layout: String,
    /// The switch from the layout of the value, if it has another one.
    pub switch: Option<PlannedSwitch>,
}

/// The layout that all readers of a value share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptLayout {
    /// The layout.
    pub layout: String,
    /// The memory.
    pub memory: Option<String>,
    /// The switch from the layout of the value.
    pub switch: PlannedSwitch,
}

/// A switch from one layout to another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlannedSwitch {
    /// The layout of the value, seen with the axes of the operand.
    pub from: String,
    /// The memory of the value.
    pub from_memory: Option<String>,
    /// The memory of the layout that is wanted.
    pub to_memory: Option<String>,
    /// The elements that have to enter units, level by level; a copy in each of several units counts as often.
    pub entering: Vec<EnteringUnits>,
    /// Its cycles at least.
    pub cycles: u64,
    /// The penalty for a change of lanes.
    pub penalty: u64,
    /// Its movements.
    pub route: Option<SwitchRoute>,
}

/// The elements that have to enter the units of a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnteringUnits {
    /// The level.
    pub level: String,
    /// The number of pairs of an element and a unit.
    pub elements: u64,
}

/// The movements of a switch, or the reason that there are none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchRoute {
    /// The names of the movements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movements: Option<Vec<String>>,
    /// Their cycles, where they have figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// True if some movements have no figure.
    pub at_least: bool,
    /// The reason that there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}
