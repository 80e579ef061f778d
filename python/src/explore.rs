//! The page of the command's `explore`, for notebooks.

use pyo3::prelude::*;

use crate::layout::any;
use crate::number;
use crate::on_arguments::OnArguments;
use crate::places::Places;
use crate::python::arrays;
use crate::refusal::{Answer, refused};

#[pymethods]
impl Places {
    /// An interactive page for the layout, as one file: notebooks show it in a frame, `save` writes it.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> page = Layout("((4_PE, 3:8), (8:1))").explore()
    /// >>> page.html.startswith("<!doctype html>")
    /// True
    #[pyo3(signature = (
        after: "Places | str | None" = None, *, height: "int" = 640
    ) -> "Page")]
    fn explore<'py>(
        slf: &Bound<'py, Self>,
        after: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = number::read)] height: u64,
    ) -> Answer<Bound<'py, PyAny>> {
        let (py, places) = (slf.py(), slf.get());
        let after = after.map(any).transpose()?;
        let after = after.as_ref().map_or(Ok(String::new()), |after| {
            check_beside(&after.get().arguments, &places.arguments)?;
            text_of(after.get())
        })?;
        let (layout, arguments) = (text_of(places)?, &places.arguments);
        let machine = match (&arguments.machine_text, &arguments.machine) {
            (Some(text), _) => text.as_str(),
            (None, Some(_)) if !layout.contains("sharding=") => {
                return refused("the page knows machines by their names and levels, not by files");
            }
            _ => "",
        };
        let (memory, base) =
            (arguments.memory.clone().unwrap_or_default(), arguments.base.to_string());
        let dtype = arguments.dtype.clone().unwrap_or_default();
        let question = [
            ("layout", layout.as_str()),
            ("after", &after),
            ("machine", machine),
            ("memory", &memory),
            ("dtype", &dtype),
            ("base", &base),
        ];
        match tensor_layout_cli::explore_page(&question) {
            Ok(page) => Ok(arrays(py, "Page")?.call1((page, height))?),
            Err(why) => refused(why),
        }
    }
}

/// Rejects options that the page would ignore, because it places both layouts in the same way.
fn check_beside(after: &OnArguments, arguments: &OnArguments) -> Answer<()> {
    let machine = after.machine.is_none() || after.machine == arguments.machine;
    let memory = after.memory.is_none() || after.memory == arguments.memory;
    match machine && memory && after.base == arguments.base {
        true => Ok(()),
        false => refused(
            "the page places both layouts alike: give both the same machine, memory and base",
        ),
    }
}

/// The text that the page reads.
fn text_of(places: &Places) -> Answer<String> {
    match places.text() {
        Some(text) => Ok(text.to_string()),
        None => refused("the page reads texts, and no notation can express this layout"),
    }
}
