//! One layout, compared with the shape of its tensor and with the machine.

use itertools::Itertools;
use serde::Serialize;
use tensor_layout::algebra::Axis;
use tensor_layout::error::fault;
use tensor_layout::notation::{Dtype, PadLayout};
use tensor_layout::route::Route;
use tensor_layout::{Layout, Level, Machine, ParseError, Placement};

/// The needs of a layout, and the faults in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TensorReport {
    /// The layout as it was written.
    pub layout: String,
    /// The shape of the tensor; that of the layout where none is given.
    pub shape: Vec<u64>,
    /// The slots of each axis; those beyond its extent are padding.
    pub slots: Vec<u64>,
    /// The width of an element: as given, or a long word over the lanes that the layout has.
    pub element_bits: Option<u64>,
    /// The number of time slices.
    pub slices: u64,
    /// The long words that a slice needs in each local memory.
    pub words: u64,
    /// The long words that the local memory has.
    pub capacity: Option<u64>,
    /// The copies of each element, over units and lanes.
    pub copies: u64,
    /// The cheapest way from DRAM.
    pub from_dram: Option<DramRoute>,
    /// The faults.
    pub findings: Vec<String>,
}

/// The layout in DRAM from which the fewest cycles lead to a layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DramRoute {
    /// The layout in DRAM.
    pub layout: String,
    /// The movements.
    pub movements: Vec<String>,
    /// The least cycles.
    pub cycles: u64,
    /// True if some movements have no figure: the cycles are a lower bound.
    pub at_least: bool,
}

/// The memories at the leaves of a machine, by name.
fn local_memories(machine: &Machine) -> impl Iterator<Item = &str> {
    let leaf = machine.levels().last().map(|(level, _)| level);
    machine.memories().filter(move |(_, memory)| Some(memory.node()) == leaf).map(|(name, _)| name)
}

/// The memory at the leaves of a machine, first by name.
pub(crate) fn local_memory(machine: &Machine) -> Option<&str> {
    local_memories(machine).next()
}

/// Reads a layout with the extents of a shape, if one is given, and the width of an element, if the text has a type.
/// A memory in the text has to be local.
pub(crate) fn read(
    text: &str,
    shape: Option<&[u64]>,
    machine: &Machine,
) -> Result<(Layout, Option<u64>), ParseError> {
    let written: PadLayout = text.parse()?;
    if let (Some(memory), Some(local)) = (written.memory, local_memory(machine)) {
        let memory = memory.name().to_owned();
        if !local_memories(machine).contains(&memory.as_str()) {
            let local = local.to_owned();
            return Err(written.refuse(fault!(
                Invalid,
                "the layout is in {memory}, and layouts of a specification or pin are in {local}",
                [memory, local]
            )));
        }
    }
    let bits = written.dtype.map(Dtype::bits);
    let shaped = match shape {
        Some(shape) => written.with_shape(shape.to_vec())?,
        None => written,
    };
    Ok((shaped.lower_on(machine)?, bits))
}

/// The placement of a layout in the local memories, whatever their size.
pub(crate) fn placed(
    layout: Layout,
    bits: Option<u64>,
    machine: &Machine,
) -> Result<Placement, String> {
    let bits = bits.or_else(|| bits_of(&layout, machine));
    let mut builder = Placement::of(layout).on(machine).oversized();
    if let Some(memory) = local_memory(machine) {
        builder = builder.memory(memory);
    }
    if let Some(bits) = bits {
        builder = builder.element_bits(bits);
    }
    builder.build().map_err(|error| error.to_string())
}

/// The width of an element: as given, or that of the type in the text.
fn one_width(given: Option<u64>, own: Option<u64>) -> Result<Option<u64>, String> {
    match (given, own) {
        (Some(given), Some(own)) if given != own => {
            Err(format!("its type has {own} bits, and elements have {given}"))
        }
        _ => Ok(own.or(given)),
    }
}

/// The width of which a long word has as many lanes as the layout.
fn bits_of(layout: &Layout, machine: &Machine) -> Option<u64> {
    let lanes = layout.used_levels().contains(&Level::W).then(|| layout.span(Level::W))?;
    machine.word_bits().checked_div(lanes).filter(|bits| bits * lanes == machine.word_bits())
}

/// The units that a layout uses beyond those that a machine has.
pub(crate) fn lacking(layout: &Layout, machine: &Machine) -> impl Iterator<Item = String> {
    machine.levels().filter_map(|(level, has)| {
        let needed = layout.span(level);
        let lacks = needed > has;
        lacks.then(|| format!("it uses {needed} of {level}, and the machine has {has}"))
    })
}

impl TensorReport {
    /// The report, and the placement where the layout has one.
    pub(crate) fn of(
        text: &str,
        shape: Option<&[u64]>,
        bits: Option<u64>,
        machine: &Machine,
    ) -> (TensorReport, Option<Placement>) {
        let mut report = TensorReport {
            layout: text.into(),
            shape: shape.unwrap_or_default().into(),
            slots: Vec::new(),
            element_bits: bits,
            slices: 1,
            words: 0,
            capacity: None,
            copies: 1,
            from_dram: None,
            findings: Vec::new(),
        };
        let placed = read(text, shape, machine)
            .map_err(|error| error.to_string())
            .and_then(|(layout, own)| placed(layout, one_width(bits, own)?, machine));
        match placed {
            Ok(placement) => {
                report.describe(&placement);
                (report, Some(placement))
            }
            Err(why) => {
                report.findings.push(why);
                (report, None)
            }
        }
    }

    fn describe(&mut self, placement: &Placement) {
        let layout = placement.layout();
        self.shape = layout.shape();
        self.slots = layout.axes().iter().map(Axis::slots).collect();
        self.element_bits = placement.element_bits();
        self.slices = layout.span(Level::TIME).max(1);
        self.words = placement.footprint_words();
        self.capacity = placement.memory().and_then(|(_, memory)| memory.capacity);
        self.copies = placement.copies();
        // More than the memory holds passes in parts; units that the machine lacks are none.
        self.findings.extend(placement.machine().into_iter().flat_map(|of| lacking(layout, of)));
        let used = layout.used_levels().contains(&Level::W).then(|| layout.span(Level::W));
        match (used, placement.lanes()) {
            (Some(used), Some(lanes)) if used != lanes => {
                self.findings.push(format!("it uses {used} of {lanes} lanes"));
            }
            (Some(used), None) => {
                let bits = placement.word_bits();
                self.findings.push(format!("{used} lanes do not fill a long word of {bits} bits"));
            }
            _ => {}
        }
        if self.findings.is_empty() {
            self.from_dram = from_dram(placement);
        }
    }

    /// The number of parts in which a slice passes through the local memory, at least.
    #[must_use]
    pub fn parts(&self) -> u64 {
        self.capacity.filter(|words| *words > 0).map_or(1, |capacity| self.words.div_ceil(capacity))
    }

    /// The slots that hold no element, of one copy; 0 for a layout that cannot be read.
    #[must_use]
    pub fn padding(&self) -> u128 {
        let product = |of: &[u64]| of.iter().map(|extent| u128::from(*extent)).product::<u128>();
        product(&self.slots).saturating_sub(product(&self.shape))
    }

    /// The lines about it, without the layout itself.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        let axes = self.shape.iter().zip(&self.slots).enumerate();
        let padded = axes.filter(|(_, (extent, slots))| extent < slots);
        let padded =
            padded.map(|(axis, (extent, slots))| format!("axis {axis}: {extent} of {slots}"));
        let padded = padded.collect_vec().join(", ");
        if !padded.is_empty() {
            lines.push(("padding", padded));
        }
        if let Some(bits) = self.element_bits {
            lines.push(("element", format!("{bits} bits")));
        }
        let of = self.capacity.map(|capacity| format!(" of {capacity}")).unwrap_or_default();
        let slices = match self.slices {
            1 => String::new(),
            slices => format!(" for each of {slices} slices"),
        };
        let parts = match self.parts() {
            0 | 1 => String::new(),
            parts => format!(", so at least {parts} parts"),
        };
        if !self.slots.is_empty() {
            lines.push(("memory", format!("{}{of} long words{slices}{parts}", self.words)));
        }
        if self.copies > 1 {
            lines.push(("copies", self.copies.to_string()));
        }
        if let Some(DramRoute { layout, movements, cycles, at_least }) = &self.from_dram {
            let at_least = if *at_least { "at least " } else { "" };
            let movements = movements.join(", ");
            lines.push((
                "from DRAM",
                format!("{at_least}{cycles} cycles by {movements}, where it is"),
            ));
            lines.push(("", layout.clone()));
        }
        // An error with its excerpt has several lines.
        let all = self.findings.iter().flat_map(|finding| finding.lines().enumerate());
        lines.extend(all.map(|(at, line)| (if at == 0 { "wrong" } else { "" }, line.to_owned())));
        lines
    }
}

/// The cheapest route from DRAM, if the machine has one.
fn from_dram(placement: &Placement) -> Option<DramRoute> {
    let route = Route::from_memory("DRAM", placement).ok()?.into_iter().next()?;
    let (cycles, all) = route.cycles();
    Some(DramRoute {
        layout: Route::text(route.source()),
        movements: route.names().into_iter().map(str::to_owned).collect(),
        cycles,
        at_least: !all,
    })
}
