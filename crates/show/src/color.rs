//! Colours: one hue for one value in the whole picture, as many hues as there are for every meaning.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::coloring::Scheme;
use super::palette::{COLORS, STEPS, step};
use super::{CellKind, Panel};
use tensor_layout_words::to_u64;

/// The words in front of a level whose ranges have colours.
pub(super) const RANGE_OF: &str = "range of ";

/// The meaning of the colours of some cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Coloring {
    /// The level or levels that colours distinguish, such as `L2B`; empty if there are none.
    pub(super) meaning: String,
    /// The first and the last value, where values are in order, as addresses are: they share a ramp.
    pub(super) order: Option<(u64, u64)>,
    /// All values of the whole picture, if they are few: a part of it has the same colours.
    pub(super) all: Vec<Vec<u64>>,
    /// The value that the colour of each cell shows.
    pub(super) values: Vec<Option<Vec<u64>>>,
    /// A sentence that replaces the key, if a panel beside this one has the key.
    pub(super) said: Option<String>,
    /// The scheme that the values follow.
    pub(super) scheme: Option<Scheme>,
}

/// A panel before it is coloured, with the meaning and the values of its colours.
pub(super) struct Draft {
    pub(super) panel: Panel,
    pub(super) coloring: Coloring,
    /// The name of a value in the key; `L2B 3` by default.
    pub(super) name: fn(&str, &[u64]) -> String,
}

impl Draft {
    pub(super) fn new(panel: Panel, coloring: Coloring) -> Draft {
        Draft { panel, coloring, name: coordinate }
    }
}

/// `L2B 3`, `L2B.MAB 3.5`, `L2B 0..3`
fn coordinate(meaning: &str, value: &[u64]) -> String {
    if let (Some(level), [first, last]) = (meaning.strip_prefix(RANGE_OF), value) {
        return if first == last {
            format!("{level} {first}")
        } else {
            format!("{level} {first}..{last}")
        };
    }
    let value: Vec<String> = value.iter().map(u64::to_string).collect();
    format!("{meaning} {}", value.join("."))
}

type Values<'a> = BTreeSet<&'a Vec<u64>>;

/// The colours of all values of a picture.
#[derive(Default)]
struct Colors {
    of: BTreeMap<(String, Vec<u64>), usize>,
}

/// Gives every value of a meaning a colour of its own, the same in all panels. If a meaning has more values
/// than there are colours, they repeat, and the panel says so. Meanings share colours only where all of them
/// together have more values than there are colours. Values in order share the ramp.
pub(super) fn paint(drafts: Vec<Draft>) -> Vec<Panel> {
    let mut meanings: IndexMap<&str, Values<'_>> = IndexMap::new();
    for Draft { coloring, .. } in drafts.iter().filter(|draft| draft.coloring.order.is_none()) {
        let values = coloring.values.iter().flatten().chain(&coloring.all);
        meanings.entry(&coloring.meaning).or_default().extend(values);
    }
    let (mut colors, mut first) = (Colors::default(), 0);
    for (meaning, values) in &meanings {
        for (rank, value) in values.iter().enumerate() {
            let color = (first + rank) % COLORS;
            colors.of.insert(((*meaning).to_owned(), (*value).clone()), color);
        }
        first += values.len();
    }
    drafts.into_iter().map(|draft| painted(draft, &colors)).collect()
}

impl Colors {
    /// The colour of a value.
    fn of(&self, coloring: &Coloring, value: &[u64]) -> Option<usize> {
        match (coloring.order, value) {
            (Some(order), [value, ..]) => Some(on_ramp(*value, order)),
            _ => self.of.get(&(coloring.meaning.clone(), value.to_vec())).copied(),
        }
    }
}

/// The step of the ramp for a value between a first one and a last one.
fn on_ramp(value: u64, (first, last): (u64, u64)) -> usize {
    let wide = |number: u64| u128::from(number);
    let rank = wide(value.saturating_sub(first)) * wide(to_u64(STEPS));
    step(usize::try_from(rank / (wide(last.saturating_sub(first)) + 1)).unwrap_or(STEPS))
}

fn painted(draft: Draft, colors: &Colors) -> Panel {
    let Draft { mut panel, coloring, name } = draft;
    let mut shown: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    for (cell, value) in panel.cells.iter_mut().zip(&coloring.values) {
        let value = value.as_ref().filter(|_| cell.kind == CellKind::Element);
        cell.color = value.and_then(|value| colors.of(&coloring, value));
        if let (Some(color), Some(value)) = (cell.color, value) {
            shown.insert(value.clone(), color);
        }
    }
    let Coloring { meaning, order, said, .. } = coloring;
    if !shown.is_empty() {
        meaning.trim_start_matches(RANGE_OF).clone_into(&mut panel.colored_by);
    }
    if said.is_some() {
        panel.coloring = said;
        return panel;
    }
    if meaning.is_empty() || shown.is_empty() {
        return panel;
    }
    if order.is_some() {
        panel.key = ramp_key(&meaning, &shown);
        return panel;
    }
    if shown.values().collect::<BTreeSet<_>>().len() == shown.len() {
        panel.key = shown.iter().map(|(value, color)| (*color, name(&meaning, value))).collect();
    } else {
        panel.coloring = Some(format!("coloured by {meaning}; colours repeat after {COLORS}"));
    }
    panel
}

/// The steps of the ramp, each with the first and the last value of its cells: `Addr 0..11`.
fn ramp_key(meaning: &str, shown: &BTreeMap<Vec<u64>, usize>) -> Vec<(usize, String)> {
    let mut steps: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    for (value, color) in shown {
        let [first, .., last] = value[..] else { continue };
        let step = steps.entry(*color).or_insert((first, last));
        step.1 = step.1.max(last);
    }
    let name = |(first, last): (u64, u64)| match first == last {
        true => format!("{meaning} {first}"),
        false => format!("{meaning} {first}..{last}"),
    };
    steps.into_iter().map(|(color, range)| (color, name(range))).collect()
}
