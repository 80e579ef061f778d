//! Texts that occur again and again: names, each with a number, and shapes, each read once.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use tensor_layout::xla::XlaSizes;
use tensor_layout::xla::{XlaArray, XlaShape};

/// Names in the order in which they came, all in one text.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: String,
    ends: Vec<usize>,
    numbers: HashTable<u32>,
}

impl Names {
    /// Adds a name under the next number; from now on only this number is found for it. `None` at
    /// 2^32 names.
    pub(super) fn push(&mut self, name: &str) -> Option<u32> {
        let number = u32::try_from(self.ends.len()).ok()?;
        self.text.push_str(name);
        self.ends.push(self.text.len());
        let Names { text, ends, numbers } = self;
        let of = |number: &u32| nth(text, ends, *number);
        match numbers.entry(hash(name), |known| of(known) == name, |known| hash(of(known))) {
            Entry::Occupied(mut known) => *known.get_mut() = number,
            Entry::Vacant(room) => {
                room.insert(number);
            }
        }
        Some(number)
    }

    /// Without names, with the memory for others.
    pub(super) fn cleared(mut self) -> Names {
        self.text.clear();
        self.ends.clear();
        self.numbers.clear();
        self
    }

    /// The last number that a name got.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.find(hash(name), |known| self.get(*known) == name).copied()
    }

    /// The name with a number.
    pub(super) fn get(&self, number: u32) -> &str {
        nth(&self.text, &self.ends, number)
    }

    /// The number of them.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}

fn nth<'t>(text: &'t str, ends: &[usize], number: u32) -> &'t str {
    let end = |at: usize| ends.get(at).copied();
    let at = usize::try_from(number).unwrap_or(usize::MAX);
    let start = at.checked_sub(1).and_then(end).unwrap_or(0);
    end(at).and_then(|end| text.get(start..end)).unwrap_or_default()
}

pub(super) fn hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

/// The greatest number of distinct texts that are kept only so that each is parsed once.
pub(super) const MOST_KNOWN: usize = 1 << 16;

/// Returns the sizes of a shape, or the reason it has none.
pub(super) fn sizes(shape: &str) -> Result<XlaSizes, String> {
    let sizes = shape.parse::<XlaShape>().and_then(|shape| shape.sizes());
    sizes.map_err(|error| error.kind().to_string())
}

/// Returns whether an array has tiles, as on a TPU.
pub(super) fn is_tiled(array: &XlaArray) -> bool {
    array.layout.as_ref().is_some_and(|layout| !layout.tiles.is_empty())
}

/// Distinct texts in the order in which they came, each with the outcome of reading it.
pub(super) type Outcomes<T> = IndexMap<Arc<str>, Result<T, String>, FxBuildHasher>;

/// Returns the number of a text, and its outcome; a text that is not known is read.
pub(super) fn outcome<'o, T>(
    known: &'o mut Outcomes<T>,
    text: &str,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> (usize, Result<&'o T, &'o str>) {
    let number = known.get_index_of(text);
    let number = number.unwrap_or_else(|| known.insert_full(text.into(), read(text)).0);
    let found = known.get_index(number);
    (number, found.map_or(Err(""), |(_, outcome)| outcome.as_ref().map_err(String::as_str)))
}
