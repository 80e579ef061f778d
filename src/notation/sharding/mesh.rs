//! The text of a mesh, in the form of any notation.

use std::str::FromStr;

use super::read::{self, Rule};
use super::torch;
use super::tree::Mesh;
use crate::error::{ParseError, Span};
use crate::notation::refusal::check_depth;

impl FromStr for Mesh {
    type Err = ParseError;

    /// Parses a mesh: `x=2,y=4`, `{'x': 2, 'y': 4}`, `mesh['x'=2,'y'=4]`,
    /// `sdy.mesh @m = <["x"=2, "y"=4]>`, `Mesh('x': 2, 'y': 4)`, or
    /// `DeviceMesh('cuda', [[0, 1], [2, 3]], mesh_dim_names=('x', 'y'))`. Cost: linear in the text.
    fn from_str(text: &str) -> Result<Mesh, ParseError> {
        let is_number = |c: char| c.is_ascii_digit() || "()[], ".contains(c);
        if !text.trim().is_empty() && text.chars().all(is_number) {
            let message = "the mesh has sizes only; name its axes, as in `x=2,y=4`";
            return Err(ParseError::invalid(message, Span::new(0, text.len()), text));
        }
        check_depth(text, torch::MAX_DEPTH, torch::BRACKETS)?;
        let found = match read::parse(Rule::mesh_text, text)?.next() {
            None => Mesh::default(),
            Some(pair) if pair.as_rule() == Rule::torch_mesh => torch::mesh(pair, text)?,
            Some(pair) => read::mesh(pair, text)?,
        };
        found.check().map_err(|error| ParseError::whole(error, text))?;
        Ok(found)
    }
}
