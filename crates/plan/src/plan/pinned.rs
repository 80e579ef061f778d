//! Pins of a plan: the choices that they allow, and switches where no choice has a pinned layout.

use std::borrow::Cow;
use std::collections::HashMap;

use itertools::Itertools;
use tensor_layout::error::fault;
use tensor_layout::{Layout, LayoutError};

use super::variables::{computed, uses};
use crate::choices::{Allowed, Pinned, Row, Setting, rows};
use crate::graph::{Graph, ValueId};
use crate::pins::{Found, Pin, Side, Switches};

/// What pins say about a graph, which has their switches.
#[derive(Debug)]
pub(super) struct Pinning<'g> {
    pub(super) graph: Cow<'g, Graph>,
    /// By the numbers of operations.
    pub(super) allowed: HashMap<usize, Vec<Allowed>>,
    pub(super) switches: HashMap<usize, Vec<Pinned>>,
    pub(super) given: HashMap<ValueId, (String, Vec<Layout>)>,
    /// For each pin the names of the nodes and values that it is about.
    pub(super) names: Vec<Vec<String>>,
}

impl<'g> Pinning<'g> {
    /// Finds the places of pins, and the switches that they need.
    pub(super) fn of(
        graph: &'g Graph,
        pins: &[Pin],
        setting: &mut Setting,
    ) -> Result<Pinning<'g>, LayoutError> {
        let found = Found::of(graph, pins, setting)?;
        let mut all = Pinning {
            graph: Cow::Borrowed(graph),
            allowed: HashMap::new(),
            switches: HashMap::new(),
            given: HashMap::new(),
            names: found.names,
        };
        for (id, (pin, layouts)) in found.given {
            all.given.insert(id, (pins[pin].name.clone(), layouts));
        }
        let mut wanted = HashMap::new();
        let uses = uses(graph);
        for (at, pinned) in found.operations.into_iter().sorted_by_key(|(at, _)| *at) {
            let uses = uses.get(&graph.operations[at].result).copied().unwrap_or(0);
            let joint = rows(&pinned.iter().map(|(_, of)| of).collect_vec());
            let (met, rest) = met(graph, at, uses, pinned, setting)?;
            for (pin, allowed) in rest {
                switches(at, &allowed, &joint, &mut wanted).ok_or_else(|| {
                    let (pin, node) = (pins[pin].name.clone(), graph.operations[at].name.clone());
                    fault!(
                        Argument,
                        "{pin}: no layout of `{node}` {wants}",
                        [pin, node, wants = levels(&allowed)]
                    )
                })?;
            }
            all.allowed.insert(at, met);
        }
        if !wanted.is_empty() {
            let Switches { graph, layouts, numbers } = Switches::of(graph, &wanted);
            let allowed = std::mem::take(&mut all.allowed).into_iter();
            all.allowed = allowed.map(|(at, of)| (numbers[at], of)).collect();
            (all.graph, all.switches) = (Cow::Owned(graph), layouts);
        }
        Ok(all)
    }
}

/// The pins of an operation that choices of it meet together, and the others with their numbers.
type Met = (Vec<Allowed>, Vec<(usize, Allowed)>);

/// Divides the pins of an operation.
fn met(
    graph: &Graph,
    at: usize,
    uses: usize,
    pinned: Vec<(usize, Allowed)>,
    setting: &mut Setting,
) -> Result<Met, LayoutError> {
    let mut is_met = |allowed: &[&Allowed]| -> Result<bool, LayoutError> {
        let domain = computed(graph, &graph.operations[at], uses, allowed, setting)?;
        Ok(!domain.choices.is_empty())
    };
    if is_met(&pinned.iter().map(|(_, of)| of).collect_vec())? {
        return Ok((pinned.into_iter().map(|(_, of)| of).collect(), Vec::new()));
    }
    let (mut met, mut rest) = (Vec::new(), Vec::new());
    for (pin, of) in pinned {
        let together = met.iter().chain([&of]).collect_vec();
        if is_met(&together)? { met.push(of) } else { rest.push((pin, of)) }
    }
    Ok((met, rest))
}

/// Adds the switches that a pin needs, to layouts that all pins of the operation allow; `None` if it has no layouts.
fn switches(
    at: usize,
    allowed: &Allowed,
    joint: &[Row],
    wanted: &mut HashMap<(usize, Side), Vec<Pinned>>,
) -> Option<()> {
    let own = allowed.rows.first()?.sides().map(|(side, _)| side).collect_vec();
    // Layouts that go together are those of the first row.
    let together = joint.first()?.sides().count() > 1;
    let rows = joint.iter().take(if together { 1 } else { usize::MAX });
    for (side, pinned) in rows.flat_map(Row::sides).filter(|(side, _)| own.contains(side)) {
        let layouts = wanted.entry((at, side)).or_default();
        if !layouts.contains(pinned) {
            layouts.push(pinned.clone());
        }
    }
    Some(())
}

/// The levels that a pin wants, in words.
fn levels(allowed: &Allowed) -> String {
    let uses = allowed.uses.iter().map(|level| format!("is spread over {level}"));
    let avoids = allowed.avoids.iter().map(|level| format!("is not spread over {level}"));
    uses.chain(avoids).join(" and ")
}
