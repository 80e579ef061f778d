//! Colours: one hue for one meaning in the whole picture, as many hues as there are.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::palette::COLORS;
use super::{CellKind, Panel};

/// The most entries of a key.
const MOST_KEYS: usize = 16;

/// A panel before it is coloured, with the meaning and the values of its colours.
pub(super) struct Draft {
    pub(super) panel: Panel,
    /// The level or levels that colours distinguish, such as `L2B`; empty if there are none.
    pub(super) meaning: String,
    /// The value that the colour of each cell shows.
    pub(super) values: Vec<Option<Vec<u64>>>,
    /// The name of a value in the key; `L2B 3` by default.
    pub(super) name: fn(&str, &[u64]) -> String,
}

impl Draft {
    pub(super) fn new(panel: Panel, meaning: String, values: Vec<Option<Vec<u64>>>) -> Draft {
        Draft { panel, meaning, values, name: coordinate }
    }
}

/// `L2B 3`, `L2B.MAB 3.5`
fn coordinate(meaning: &str, value: &[u64]) -> String {
    let value: Vec<String> = value.iter().map(u64::to_string).collect();
    format!("{meaning} {}", value.join("."))
}

type Values<'a> = BTreeSet<&'a Vec<u64>>;

/// Gives every value of every meaning a colour of its own, the same in all panels; if there are
/// more values than colours, those of a meaning repeat among themselves, and the panel says so.
pub(super) fn paint(drafts: Vec<Draft>) -> Vec<Panel> {
    let mut meanings: IndexMap<&str, Values<'_>> = IndexMap::new();
    for draft in &drafts {
        meanings.entry(&draft.meaning).or_default().extend(draft.values.iter().flatten());
    }
    let shares = shares(&meanings.values().map(BTreeSet::len).collect::<Vec<_>>());
    let mut first = 0;
    let mut colors: BTreeMap<(String, Vec<u64>), usize> = BTreeMap::new();
    let mut repeats: BTreeMap<String, usize> = BTreeMap::new();
    for ((meaning, values), share) in meanings.iter().zip(shares) {
        for (rank, value) in values.iter().enumerate() {
            colors.insert(((*meaning).to_owned(), (*value).clone()), first + rank % share);
        }
        if values.len() > share {
            repeats.insert((*meaning).to_owned(), share);
        }
        first = (first + share) % COLORS;
    }
    drafts.into_iter().map(|draft| painted(draft, &colors, &repeats)).collect()
}

/// The number of colours each meaning gets: all that it needs, or an equal part.
fn shares(needs: &[usize]) -> Vec<usize> {
    let all: usize = needs.iter().sum();
    let equal = COLORS / needs.len().clamp(1, COLORS);
    needs.iter().map(|need| if all <= COLORS { *need } else { (*need).min(equal) }.max(1)).collect()
}

fn painted(
    draft: Draft,
    colors: &BTreeMap<(String, Vec<u64>), usize>,
    repeats: &BTreeMap<String, usize>,
) -> Panel {
    let Draft { mut panel, meaning, values, name } = draft;
    let color = |value: &Vec<u64>| colors.get(&(meaning.clone(), value.clone())).copied();
    let mut shown: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    for (cell, value) in panel.cells.iter_mut().zip(&values) {
        cell.color = value.as_ref().filter(|_| cell.kind == CellKind::Element).and_then(color);
        if let (Some(color), Some(value)) = (cell.color, value) {
            shown.insert(value.clone(), color);
        }
    }
    if meaning.is_empty() {
        return panel;
    }
    let repeats = repeats.get(&meaning).map(|n| format!("; colours repeat after {n}"));
    match shown.len() <= MOST_KEYS && repeats.is_none() {
        true => {
            let key = shown.iter().map(|(value, color)| (*color, name(&meaning, value)));
            panel.key = key.collect();
        }
        false if shown.is_empty() => {}
        false => {
            let repeats = repeats.unwrap_or_default();
            panel.coloring = Some(format!("coloured by {meaning}{repeats}"));
        }
    }
    panel
}
