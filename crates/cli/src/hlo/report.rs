//! The page for browsers about a dump, from the computations that the report in text or JSON visits, too.

use std::io::Write;

use tensor_layout::{LayoutError, Machine};
use tensor_layout_hlo::{
    Collectives, HloComputation, HloCopies, HloMemory, HloReading, HloSummary,
};
use tensor_layout_show::pages::hlo as pages;

use super::Hlo;
use crate::failure::Failure;
use crate::output::write_to;
use crate::placing::machine_of;

/// The readers of a page.
pub(super) struct PageReaders {
    machine: Option<Machine>,
    summary: HloSummary,
    memory: HloMemory,
    collectives: Collectives,
    copies: HloCopies,
}

impl PageReaders {
    /// Passes a computation to every reader.
    pub(super) fn add(&mut self, computation: HloComputation<'_>) -> Result<(), LayoutError> {
        self.summary.add(computation)?;
        self.memory.add(computation)?;
        self.collectives.add(computation, self.machine.as_ref())?;
        self.copies.add(computation)
    }
}

impl Hlo {
    /// No collectives yet, along the mesh that was given.
    pub(super) fn new_collectives(&self) -> Result<Collectives, Failure> {
        let Some(mesh) = &self.mesh else { return Ok(Collectives::default()) };
        Ok(Collectives::along(&mesh.parse()?)?)
    }

    /// Returns readers that keep as many rows as a page of text has.
    pub(super) fn new_page(&self) -> Result<PageReaders, Failure> {
        let rows = self.top.or(Some(super::PAGE));
        Ok(PageReaders {
            machine: self.about.collectives.as_deref().map(machine_of).transpose()?,
            summary: HloSummary::new(rows).totals_only(),
            memory: HloMemory::new(rows),
            collectives: self.new_collectives()?,
            copies: HloCopies::new(rows),
        })
    }

    /// Writes the page; with `--strict`, only if everything was read.
    pub(super) fn write_page(&self, of: PageReaders, reading: &HloReading) -> Result<(), Failure> {
        let PageReaders { mut summary, mut memory, collectives, mut copies, .. } = of;
        summary.finish();
        memory.finish()?;
        copies.finish()?;
        let collectives = collectives.finish()?;
        let found = pages::HloFindings {
            summary: &summary,
            memory: &memory,
            collectives: &collectives,
            copies: &copies,
            reading,
        };
        self.check(&found.unread())?;
        let page = pages::report(&found, self.top)?;
        write_to(self.report.as_deref(), |out| out.write_all(page.as_bytes()))
    }
}
