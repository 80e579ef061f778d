//! Answers that only a page with a server requests; a page in a file contains its answers.

use serde::Deserialize;
use serde_json::{Value, json};
use tensor_layout_picture::UnitContents;

use super::answer::panels;
use super::question::Question;
use crate::edit::edited;
use crate::failure::Failure;

/// An edit with an argument: the new text, or the error.
pub(super) fn edit(question: &Question, name: &str, value: &str) -> Value {
    let text = question.placed().and_then(|placed| edited(&placed.syntax, name, value));
    match text {
        Ok(text) => json!({ "text": text }),
        Err(failure) => json!({ "error": failure.json() }),
    }
}

/// The half of the page that a cell is in.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AskedSide {
    Tensor,
    Machine,
}

/// The cells that go with one: of the machine for a cell of the tensor, or the other way.
pub(super) fn lit(question: &Question, side: AskedSide, cell: usize, copies: bool) -> Value {
    let found = || -> Result<Vec<usize>, Failure> {
        let placed = question.placed()?;
        let (tensor, machine, _) = panels(question, &placed)?;
        let (here, there) = match side {
            AskedSide::Tensor => (tensor, machine),
            AskedSide::Machine => (machine, tensor),
        };
        let placement = &placed.placement;
        let Some(cell) = here.cells.get(cell) else { return Ok(Vec::new()) };
        let cells = match side {
            AskedSide::Tensor => {
                let held = UnitContents::of_panel(placement, &there)?;
                UnitContents::units_of(&held, placement, cell, copies)
            }
            AskedSide::Machine => {
                UnitContents::new(placement, cell)?.cells_of(placement, &there, copies)
            }
        };
        Ok(cells?)
    };
    match found() {
        Ok(cells) => json!({ "cells": cells }),
        Err(failure) => json!({ "error": failure.json() }),
    }
}
