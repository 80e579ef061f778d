//! The page as files that need no server: one for each example, with links between them.

use std::io::Write;
use std::path::Path;

use super::file::page_with;
use super::gallery::{EXAMPLES, Example};
use super::question::Question;
use crate::failure::Failure;
use crate::output::write_to;

impl Example {
    fn question(&self) -> Question {
        let Example { layout, after, machine, by, .. } = *self;
        let [layout, after, machine, by] = [layout, after, machine, by].map(str::to_owned);
        Question { layout, after, machine, by, ..Question::default() }
    }
}

/// Writes a page that needs no server for each example into a directory, and `index.html` for the
/// user's layout, or else for the first example.
pub(crate) fn export(dir: &Path, question: Option<&Question>) -> Result<(), Failure> {
    let failed = |error| Failure::Io(dir.display().to_string(), error);
    std::fs::create_dir_all(dir).map_err(failed)?;
    let first = EXAMPLES[0].question();
    let write = |name: &str, question: &Question| -> Result<(), Failure> {
        let page = page_with(question, true)?;
        write_to(Some(&dir.join(format!("{name}.html"))), |out| out.write_all(page.as_bytes()))
    };
    write("index", question.unwrap_or(&first))?;
    EXAMPLES.iter().try_for_each(|example| write(example.file, &example.question()))
}
