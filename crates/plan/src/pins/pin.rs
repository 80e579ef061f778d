//! A pin.

use tensor_layout::error::fault;
use tensor_layout::{LayoutError, Level};

use crate::spec::{LayoutEntry, ProductEntry, SpecEntry, Trigger};

/// Pins, in the order in which they were written.
pub type Pins = Vec<Pin>;

/// A layout that a plan has to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Its name in messages: a file and an entry.
    pub name: String,
    /// The values that it is about.
    pub place: Place,
    /// The layouts that they may have, as PadLayouts: A, BT and C for a product, one for all others. Any if there are
    /// none.
    pub layouts: Vec<Vec<String>>,
    /// Levels that they have to be spread over.
    pub uses: Vec<Level>,
    /// Levels that they must not be spread over.
    pub avoids: Vec<Level>,
}

/// The values that a pin is about. In patterns, `*` means any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The results of nodes with this operator and this shape.
    Results(String, Vec<u64>),
    /// The operands of nodes with this operator that have this shape.
    Operands(String, Vec<u64>),
    /// The results of nodes, and values that are given, whose name matches a pattern.
    Named(String),
    /// An operand of nodes whose name matches a pattern, by its number.
    Operand(String, usize),
    /// The matrix products of nodes that match a pattern, or that read a given value that does.
    Product(String),
    /// The matrix products of nodes that have a key as a whole word of their name, or that read a given value that does.
    Key(String),
}

/// A layout that its tensor cannot have.
pub(crate) fn cannot_have(pin: &str, node: &str, why: String) -> LayoutError {
    let (pin, node) = (pin.to_owned(), node.to_owned());
    fault!(Argument, "{pin}, for `{node}`: {why}", [pin, node, why])
}

/// Two pins that exclude each other.
pub(crate) fn contradiction(one: String, other: String, what: String) -> LayoutError {
    fault!(Argument, "{one} and {other} want different layouts for {what}", [one, other, what])
}

impl Pin {
    /// The pin of an entry of a `layout_spec` or `gemm_layout_spec` file, with a name for messages.
    #[must_use]
    pub fn of(entry: &SpecEntry, name: String) -> Pin {
        let (place, layout) = match entry {
            SpecEntry::Layout(LayoutEntry { trigger, op_type, shape, layout }) => {
                let of = (op_type.clone(), shape.clone());
                let place = match trigger {
                    Trigger::SwitchInput => Place::Operands(of.0, of.1),
                    Trigger::FixOutput => Place::Results(of.0, of.1),
                };
                (place, vec![layout.clone()])
            }
            SpecEntry::Product(ProductEntry { key, a, bt, c }) => {
                (Place::Key(key.clone()), vec![a.clone(), bt.clone(), c.clone()])
            }
        };
        Pin { name, place, layouts: vec![layout], uses: Vec::new(), avoids: Vec::new() }
    }
}

/// Returns whether a name matches a pattern in which `*` means any characters.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(first) else { return false };
    let (rest, last) = rest.rsplit_once('*').map_or(("", rest), |(rest, last)| (rest, last));
    let Some(mut name) = name.strip_suffix(last) else { return false };
    rest.split('*').all(|part| match name.find(part) {
        Some(at) => {
            name = &name[at + part.len()..];
            true
        }
        None => false,
    })
}

/// Returns whether a key is in a name, and no part of a longer word: `q_proj` in `layers.0.q_proj.weight`.
pub(super) fn has_key(name: &str, key: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    name.match_indices(key).any(|(at, _)| {
        let (before, behind) = (&name[..at], &name[at + key.len()..]);
        !before.ends_with(is_word) && !behind.starts_with(is_word)
    })
}
