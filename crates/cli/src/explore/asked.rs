//! Answers that only a page with a server requests; a page in a file contains its answers.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tensor_layout::LayoutText;
use tensor_layout_show::UnitContents;

use super::answer::{found, panels};
use super::question::Question;
use crate::failure::Failure;

/// The text of a layout after a change, or the error.
pub(super) fn changed(
    question: &Question,
    change: impl FnOnce(&LayoutText) -> Result<String, Failure>,
) -> Value {
    found("text", question.placed().and_then(|placed| change(&placed.syntax)))
}

/// The half of the page that a cell is in.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AskedSide {
    Tensor,
    Machine,
}

/// The cells that correspond to one: cells of the machine for a cell of the tensor, or the reverse.
pub(super) fn lit(question: &Question, side: AskedSide, cell: usize, copies: bool) -> Value {
    let cells = || -> Result<Vec<usize>, Failure> {
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
    found("cells", cells())
}

/// The most pairs of a tensor cell and a machine cell for which one answer contains all lights.
const MOST_PAIRS: usize = 1 << 19;

/// The answers of [`lit`] for every cell of both sides, so that moving the pointer sends no requests; null
/// if there are too many.
pub(super) fn all_lit(question: &Question, copies: bool) -> Value {
    let cells = || -> Result<Value, Failure> {
        let placed = question.placed()?;
        let (tensor, machine, _) = panels(question, &placed)?;
        if tensor.cells.len().saturating_mul(machine.cells.len()) > MOST_PAIRS {
            return Ok(Value::Null);
        }
        let placement = &placed.placement;
        let held = UnitContents::of_panel(placement, &machine)?;
        let units = |cell| UnitContents::units_of(&held, placement, cell, copies);
        let of_tensor: Result<Vec<_>, _> = tensor.cells.iter().map(units).collect();
        let cells = |cell| UnitContents::new(placement, cell)?.cells_of(placement, &tensor, copies);
        let of_machine: Result<Vec<_>, _> = machine.cells.iter().map(cells).collect();
        Ok(json!({ "tensor": of_tensor?, "machine": of_machine? }))
    };
    found("cells", cells())
}
