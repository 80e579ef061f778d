//! The movements of the switches of a plan.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use itertools::Itertools;
use tensor_layout::Layout;
use tensor_layout::route::Route;

use super::edges::Joint;
use super::report::SwitchRoute;
use super::solved::Plan;
use crate::choices::Held;

/// The trials for a route. With 4096 of them, ResNet-50 has 61 switches without movements instead of 107, and takes several
/// times as long.
const TRIALS: usize = 512;

/// A layout in a memory, the layout that is wanted, and the width of the elements.
type Ends = (Layout, Option<String>, Layout, u64);

impl Plan<'_> {
    /// The two layouts of every switch, the dearest switch first: what there is, as the operand sees it, and what is
    /// wanted.
    #[must_use]
    pub fn switches(&self) -> Vec<(Held, Held)> {
        let cost = |joint: &&Joint| Reverse(joint.cost(&self.variables, &self.chosen));
        let ends = self.joints.iter().sorted_by_key(cost).filter_map(|joint| self.ends(joint));
        ends.filter(|(from, to)| !from.is_at(to)).collect()
    }

    /// The movements of every switch; `None` where layouts are equal.
    pub(super) fn routes_of(
        &self,
        known: &mut HashMap<Ends, SwitchRoute>,
    ) -> Vec<Option<SwitchRoute>> {
        let pairs = self.joints.iter().map(|joint| {
            let (from, to) = self.ends(joint)?;
            let key = (from.layout.clone(), from.memory.clone(), to.layout.clone(), from.bits);
            (!from.is_at(&to)).then_some((key, (from, to)))
        });
        let pairs = pairs.collect_vec();
        let new = pairs.iter().flatten().filter(|(key, _)| !known.contains_key(key));
        let new = new.unique_by(|(key, _)| key).cloned().collect_vec();
        known.extend(self.searched(new));
        pairs.iter().map(|pair| known.get(&pair.as_ref()?.0).cloned()).collect()
    }

    /// The movements of some pairs, looked for by all processors.
    fn searched(&self, pairs: Vec<(Ends, (Held, Held))>) -> Vec<(Ends, SwitchRoute)> {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let next = AtomicUsize::new(0);
        let worker = || {
            let mut found = Vec::new();
            while let Some((key, (from, to))) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                found.push((key.clone(), self.route(from, to)));
            }
            found
        };
        std::thread::scope(|scope| {
            let workers = (0..threads).map(|_| scope.spawn(worker)).collect_vec();
            // A worker ends by a panic only if a search does, which then goes on here.
            let joined = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined
                .flat_map(|found| found.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    }

    /// The value as an operand sees it, and as the operand wants it.
    pub(super) fn ends(&self, joint: &Joint) -> Option<(Held, Held)> {
        let from = &self.variables[joint.from].domain.choices[self.chosen[joint.from]].result;
        let views = match (self.variables[joint.to].operation(), joint.operand) {
            (Some(at), Some(operand)) => {
                self.graph.root(self.graph.operations[at].reads()[operand]).1
            }
            _ => Vec::new(),
        };
        let wanted = joint.wanted(&self.variables, &self.chosen);
        Some((from.viewed(&views).ok()?, wanted.clone()))
    }

    fn route(&self, from: &Held, to: &Held) -> SwitchRoute {
        let setting = &self.setting;
        let found = setting.placed(from).and_then(|from| Ok((from, setting.placed(to)?)));
        let found = found.map_err(|error| error.to_string());
        match found
            .and_then(|(from, to)| Route::within(&from, &to, TRIALS).map_err(|e| e.to_string()))
        {
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
