//! The texts of shapes, which occur again and again, each read once.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::lower::XlaSizes;
use crate::notation::XlaShape;

/// Distinct shapes with their sizes, or why they have none.
#[derive(Clone, Debug, Default)]
pub(super) struct Shapes(IndexMap<Box<str>, Result<XlaSizes, String>, FxBuildHasher>);

impl Shapes {
    /// The number of a shape and its sizes.
    pub(super) fn number(&mut self, text: &str) -> (usize, Result<XlaSizes, &str>) {
        let known = self.0.get_index_of(text);
        let number = known.unwrap_or_else(|| {
            let sizes = text.parse::<XlaShape>().and_then(|shape| shape.sizes());
            let sizes = sizes.map_err(|error| error.kind().to_string());
            self.0.insert_full(text.into(), sizes).0
        });
        let sizes = self.0.get_index(number).map(|(_, sizes)| sizes);
        (number, sizes.map_or(Err(""), |sizes| sizes.as_ref().copied().map_err(|why| &**why)))
    }

    pub(super) fn get(&self, number: usize) -> (&str, XlaSizes) {
        let found = self.0.get_index(number);
        found.map_or(("", XlaSizes::default()), |(text, sizes)| {
            (&**text, sizes.as_ref().copied().unwrap_or_default())
        })
    }
}
