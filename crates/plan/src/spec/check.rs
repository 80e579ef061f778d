//! All entries of some files, with what each layout needs and the switches between them.

use std::fmt;

use itertools::Itertools;
use serde::Serialize;
use tensor_layout::algebra::Axis;
use tensor_layout::{Machine, Placement};

use super::entry::{LayoutEntry, ProductEntry, SpecEntry};
use super::product::ProductReport;
use super::switch::Switch;
use super::tensor::{TensorReport, placed, read};

/// The report on the entries of `layout_spec` and `gemm_layout_spec` files; its text is a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpecReport {
    /// The entries, in order.
    pub entries: Vec<EntryReport>,
    /// Switches between different layouts of one tensor, both ways.
    pub switches: Vec<Switch>,
}

/// The report on one entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntryReport {
    /// Its number, from 1 on.
    pub number: usize,
    /// `SwitchInput Gather`, or the key of a product.
    pub title: String,
    /// The number of an earlier entry with the same shape and layout.
    pub same_as: Option<usize>,
    /// The layout of the entry, or A, BT and C.
    pub tensors: Vec<TensorReport>,
    /// The outcome of a product.
    pub product: Option<ProductReport>,
}

impl SpecReport {
    /// The number of findings.
    #[must_use]
    pub fn findings(&self) -> usize {
        let of_entry = |entry: &EntryReport| {
            let tensors = entry.tensors.iter().map(|tensor| tensor.findings.len()).sum::<usize>();
            tensors + entry.product.as_ref().map_or(0, |product| product.findings.len())
        };
        self.entries.iter().filter(|entry| entry.same_as.is_none()).map(of_entry).sum()
    }
}

/// Checks entries on a machine: each layout against its shape, the local memory and the lanes; each product; and
/// the switches between entries of one shape.
///
/// A slice that is larger than the local memory is not a finding: it passes in [parts](TensorReport::parts).
/// Elements are `bits` wide; without a width, a long word has as many as the layout has lanes. A layout of a product,
/// which has no shape of its own, has the shape of an entry with as many slots in every axis.
/// Cost: a search for a route per switch and per layout, and the cost of [`Relayout::traffic`] for each product.
///
/// [`Relayout::traffic`]: tensor_layout::relayout::Relayout::traffic
///
/// # Example
/// ```
/// use tensor_layout::Machine;
/// use tensor_layout_plan::{check_spec, read_spec};
/// let entries = read_spec(
///     r#"[{"trigger": "FixOutput", "op_type": "Add", "shape": [1000], "layout": "((4_PE, 64:1, 4_W))"}]"#,
/// )?;
/// let report = check_spec(&entries, None, &Machine::mn_core_2());
/// let tensor = &report.entries[0].tensors[0];
/// assert_eq!((tensor.padding(), tensor.words, tensor.element_bits), (24, 64, Some(16)));
/// assert_eq!(report.findings(), 0);
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
#[must_use]
pub fn check_spec(entries: &[SpecEntry], bits: Option<u64>, machine: &Machine) -> SpecReport {
    let mut checked: Vec<EntryReport> = Vec::new();
    let mut tensors: Vec<Tensor> = Vec::new();
    for (number, entry) in (1..).zip(entries) {
        let same = entries.iter().position(|other| same_tensor(other, entry)).map(|at| at + 1);
        if let Some(same_as) = same.filter(|same| *same < number) {
            let title = title(entry);
            let (tensors, product) = (Vec::new(), None);
            checked.push(EntryReport { number, title, same_as: Some(same_as), tensors, product });
            continue;
        }
        checked.push(match entry {
            SpecEntry::Layout(of) => of_layout(number, of, bits, machine, &mut tensors),
            SpecEntry::Product(of) => of_product(number, of, bits, machine, &mut tensors),
        });
    }
    SpecReport { entries: checked, switches: switches(&tensors, bits, machine) }
}

/// A tensor that may be switched to the layout of another.
struct Tensor {
    name: (usize, Option<&'static str>),
    text: String,
    /// True if the shape was given.
    has_shape: bool,
    placement: Placement,
}

fn same_tensor(a: &SpecEntry, b: &SpecEntry) -> bool {
    match (a, b) {
        (SpecEntry::Layout(a), SpecEntry::Layout(b)) => {
            (&a.shape, &a.layout) == (&b.shape, &b.layout)
        }
        (a, b) => a == b,
    }
}

fn title(entry: &SpecEntry) -> String {
    match entry {
        SpecEntry::Layout(LayoutEntry { trigger, op_type, shape, .. }) => {
            format!("{trigger:?} {op_type} ({})", shape.iter().join(", "))
        }
        SpecEntry::Product(product) => format!("product {}", product.key),
    }
}

fn of_layout(
    number: usize,
    entry: &LayoutEntry,
    bits: Option<u64>,
    machine: &Machine,
    tensors: &mut Vec<Tensor>,
) -> EntryReport {
    let (report, placement) = TensorReport::of(&entry.layout, Some(&entry.shape), bits, machine);
    let tensor = |placement| Tensor {
        name: (number, None),
        text: entry.layout.clone(),
        has_shape: true,
        placement,
    };
    tensors.extend(placement.map(tensor));
    let title = title(&SpecEntry::Layout(entry.clone()));
    EntryReport { number, title, same_as: None, tensors: vec![report], product: None }
}

fn of_product(
    number: usize,
    entry: &ProductEntry,
    bits: Option<u64>,
    machine: &Machine,
    tensors: &mut Vec<Tensor>,
) -> EntryReport {
    let named = [("A", &entry.a), ("BT", &entry.bt), ("C", &entry.c)];
    let checked = named.map(|(_, text)| TensorReport::of(text, None, bits, machine));
    let product = match &checked {
        [(_, Some(a)), (_, Some(bt)), (_, Some(c))] => {
            Some(ProductReport::of(a.layout(), bt.layout(), c.layout(), machine))
        }
        _ => None,
    };
    let mut reports = Vec::new();
    for ((name, text), (report, placement)) in named.into_iter().zip(checked) {
        let tensor = |placement| Tensor {
            name: (number, Some(name)),
            text: text.clone(),
            has_shape: false,
            placement,
        };
        tensors.extend(placement.map(tensor));
        reports.push(report);
    }
    let title = title(&SpecEntry::Product(entry.clone()));
    EntryReport { number, title, same_as: None, tensors: reports, product }
}

/// The switches between the layouts of one tensor.
fn switches(tensors: &[Tensor], bits: Option<u64>, machine: &Machine) -> Vec<Switch> {
    let mut found = Vec::new();
    for [from, to] in tensors.iter().array_combinations() {
        let Some((source, target)) = of_one_shape(from, to, bits, machine) else { continue };
        if source.layout() == target.layout() || source.lanes() != target.lanes() {
            continue;
        }
        found.push(Switch::of(from.name, to.name, &source, &target));
        found.push(Switch::of(to.name, from.name, &target, &source));
    }
    found
}

/// Both placements with one shape; that of a product is the one of the other tensor if it has as many slots.
fn of_one_shape(
    from: &Tensor,
    to: &Tensor,
    bits: Option<u64>,
    machine: &Machine,
) -> Option<(Placement, Placement)> {
    let slots = |of: &Tensor| of.placement.layout().axes().iter().map(Axis::slots).collect_vec();
    let shape = |of: &Tensor| of.placement.layout().shape();
    let shaped = |of: &Tensor, shape: &[u64]| {
        let (layout, own) = read(&of.text, Some(shape), machine).ok()?;
        placed(layout, own.or(bits), machine).ok()
    };
    match (from.has_shape, to.has_shape) {
        _ if shape(from) == shape(to) => Some((from.placement.clone(), to.placement.clone())),
        (true, false) if slots(from) == slots(to) => {
            Some((from.placement.clone(), shaped(to, &shape(from))?))
        }
        (false, true) if slots(from) == slots(to) => {
            Some((shaped(from, &shape(to))?, to.placement.clone()))
        }
        _ => None,
    }
}

impl fmt::Display for SpecReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for entry in &self.entries {
            write!(f, "{entry}")?;
        }
        if !self.switches.is_empty() {
            writeln!(f, "\nswitches")?;
        }
        self.switches.iter().try_for_each(|switch| writeln!(f, "  {}", switch.line()))?;
        let wrong = match self.findings() {
            0 => "nothing is wrong".into(),
            1 => "1 thing is wrong".into(),
            more => format!("{more} things are wrong"),
        };
        let entries = match self.entries.len() {
            1 => "1 entry".into(),
            more => format!("{more} entries"),
        };
        writeln!(f, "\n{entries}; {wrong}")
    }
}

impl fmt::Display for EntryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EntryReport { number, title, same_as, tensors, product } = self;
        if let Some(same) = same_as {
            return writeln!(f, "{number:>3}  {title}: as {same}");
        }
        writeln!(f, "{number:>3}  {title}")?;
        let names: &[&str] =
            if product.is_some() || tensors.len() == 3 { &["A   ", "BT  ", "C   "] } else { &[""] };
        for (name, tensor) in names.iter().zip(tensors) {
            writeln!(f, "     {name}{}", tensor.layout)?;
            for (what, line) in tensor.lines() {
                writeln!(f, "       {what:<10} {line}")?;
            }
        }
        for line in product.iter().flat_map(ProductReport::lines) {
            writeln!(f, "     {line}")?;
        }
        Ok(())
    }
}
