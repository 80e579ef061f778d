//! The movements of the switches of a plan.

use std::collections::HashMap;

use tensor_layout::Layout;
use tensor_layout::route::Route;

use super::Plan;
use super::edges::{Joint, viewed};
use crate::choices::Held;

/// The movements of a switch, or the reason that there are none.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SwitchRoute {
    /// The names of the movements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movements: Option<Vec<String>>,
    /// Their cycles, where they have figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// True if some movements have no figure.
    pub at_least: bool,
    /// The reason that there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Plan<'_> {
    /// The movements of every switch; `None` where layouts are equal.
    pub(super) fn routes_of(&self) -> Vec<Option<SwitchRoute>> {
        let mut known: HashMap<(Layout, Option<String>, Layout, u64), SwitchRoute> = HashMap::new();
        let route = |joint: &Joint| {
            let (from, to) = self.ends(joint)?;
            if from.layout == to.layout && from.memory == to.memory {
                return None;
            }
            let key = (from.layout.clone(), from.memory.clone(), to.layout.clone(), from.bits);
            Some(known.entry(key).or_insert_with(|| self.route(&from, &to)).clone())
        };
        self.joints.iter().map(route).collect()
    }

    /// The value as an operand sees it, and as the operand wants it.
    pub(super) fn ends(&self, joint: &Joint) -> Option<(Held, Held)> {
        let choice = |at: usize| &self.variables[at].domain.choices[self.chosen[at]];
        let read = self.variables[joint.to].operation?;
        let read = self.graph.operations[read].reads()[joint.operand];
        let (_, views) = self.graph.root(read);
        let from = &choice(joint.from).result;
        let layout = viewed(&from.layout, &views).ok()?;
        Some((Held { layout, ..from.clone() }, choice(joint.to).operands[joint.operand].clone()))
    }

    fn route(&self, from: &Held, to: &Held) -> SwitchRoute {
        let on =
            |held: &Held| self.setting.placement(&held.layout, held.memory.as_deref(), held.bits);
        let found = on(from).and_then(|from| Ok((from, on(to)?)));
        let found = found.map_err(|error| error.to_string());
        match found.and_then(|(from, to)| Route::new(&from, &to).map_err(|e| e.to_string())) {
            Ok(route) => {
                let (cycles, all) = route.cycles();
                let movements = route.names().into_iter().map(str::to_owned).collect();
                let (movements, cycles) = (Some(movements), Some(cycles));
                SwitchRoute { movements, cycles, at_least: !all, refused: None }
            }
            Err(why) => {
                SwitchRoute { movements: None, cycles: None, at_least: true, refused: Some(why) }
            }
        }
    }
}
