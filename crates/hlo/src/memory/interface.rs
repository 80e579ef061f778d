//! The arguments and results of a module, and the parameters that are donated.

use std::collections::BTreeMap;

use crate::HloModule;
use crate::bytes::total_too_large;
use crate::memory::body::ComputationGraph;
use crate::memory::graph::Graph;
use crate::memory::leaves::{LeafShape, LeafShapes, path_text, sum};
use crate::memory::links::AliasPair;
use crate::memory::space::HloMemorySpace;
use crate::module;
use crate::unread::HloReading;
use rustc_hash::{FxHashMap, FxHashSet};
use tensor_layout::LayoutError;
use tensor_layout_words::mlir::parts;
use tensor_layout_words::{counted, readable_bytes};

/// The bytes of the arguments and results of a program, as `compiled.memory_analysis()` names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloInterfaceBytes {
    /// The parameters of the entry, including donated ones.
    pub arguments: u64,
    /// The results, including those in donated buffers; on CPUs and GPUs also 8 bytes for each member of a
    /// tuple.
    pub outputs: u64,
    /// The parameters whose buffers are reused for results.
    pub aliased: u64,
}

/// A parameter that is donated but whose buffer no result takes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloUnusedDonor {
    /// The number of the parameter, and the path of the array in it: `3{1}`.
    pub parameter: String,
    /// Its name in the dump.
    pub name: String,
    /// The bytes that are allocated for it.
    pub bytes: u64,
    /// The reason no result takes its buffer, in words.
    pub reason: String,
}

/// The head of a module, as far as it is about memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Interface {
    pub(super) aliases: Vec<AliasPair>,
    donors: Vec<AliasPair>,
    /// The numbers of the shapes of parameters and result, which take precedence over those of the instructions.
    layout: Option<(Vec<usize>, usize)>,
}

/// The head of a module, and the attributes in it that could not be read.
struct Head<'a> {
    module: &'a HloModule,
    unread: &'a mut HloReading,
}

impl Head<'_> {
    fn attribute<T>(&mut self, key: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let text = self.module.attributes().get(key)?;
        let found = read(text);
        if found.is_none() {
            let why = format!("{key} of this module cannot be read");
            self.unread.push(self.module.line(), text.as_bytes(), why);
        }
        found
    }
}

impl Interface {
    /// Reads the head of a module.
    pub(super) fn of(
        module: &HloModule,
        shapes: &mut LeafShapes,
        unread: &mut HloReading,
    ) -> Interface {
        let mut read = Head { module, unread };
        Interface {
            aliases: read.attribute("input_output_alias", AliasPair::list).unwrap_or_default(),
            donors: read.attribute("buffer_donor", AliasPair::donors).unwrap_or_default(),
            layout: read.attribute(module::LAYOUT, |text| layout(text, shapes)),
        }
    }

    /// Returns a test of whether a result takes the buffer of an array of a parameter.
    pub(super) fn is_donated(&self) -> impl Fn(usize, &[usize]) -> bool {
        let aliases = self.aliases.iter().map(|alias| (alias.input, &alias.path[..]));
        let donated: FxHashSet<(usize, &[usize])> = aliases.collect();
        move |parameter, path| {
            (0..=path.len()).any(|end| donated.contains(&(parameter, &path[..end])))
        }
    }

    /// The bytes of arguments and results, separately for each memory space.
    pub(super) fn bytes(
        &self,
        graph: &Graph,
        entry: &ComputationGraph,
    ) -> Result<BTreeMap<HloMemorySpace, HloInterfaceBytes>, LayoutError> {
        let mut spaces = BTreeMap::new();
        for (number, node) in entry.parameters() {
            let Some(shape) = self.parameter(graph, entry, number, node) else { continue };
            add_leaves(&mut spaces, shape, shape.all(), |of| &mut of.arguments)?;
        }
        if let Some(shape) = self.result(graph, entry) {
            add_leaves(&mut spaces, shape, shape.all(), |of| &mut of.outputs)?;
            let tables = if graph.shapes.is_tiled { 0 } else { 8 * shape.pointers() };
            let main: &mut HloInterfaceBytes = spaces.entry(HloMemorySpace(0)).or_default();
            main.outputs = main.outputs.checked_add(tables).ok_or_else(total_too_large)?;
        }
        let parameters = entry.numbered();
        for alias in &self.aliases {
            let Some(&node) = parameters.get(&alias.input) else { continue };
            let Some(shape) = self.parameter(graph, entry, alias.input, node) else { continue };
            let Some(range) = shape.below(&alias.path) else { continue };
            add_leaves(&mut spaces, shape, range, |of| &mut of.aliased)?;
        }
        Ok(spaces)
    }

    fn parameter<'s>(
        &self,
        graph: &'s Graph,
        entry: &ComputationGraph,
        number: usize,
        node: usize,
    ) -> Option<&'s LeafShape> {
        let written = self.layout.as_ref().and_then(|(parameters, _)| parameters.get(number));
        graph.shapes.get(written.copied().unwrap_or_else(|| entry.shape(node)))
    }

    fn result<'s>(&self, graph: &'s Graph, entry: &ComputationGraph) -> Option<&'s LeafShape> {
        let written = self.layout.as_ref().map(|(_, result)| *result);
        graph.shapes.get(written.unwrap_or_else(|| entry.shape(entry.root)))
    }

    /// Returns the donated parameters whose buffers no result takes.
    pub(super) fn unused(
        &self,
        graph: &Graph,
        entry: &ComputationGraph,
    ) -> Result<Vec<HloUnusedDonor>, LayoutError> {
        let (results, parameters) = (self.results(graph, entry), entry.numbered());
        let donor = |donor: &AliasPair| {
            let node = *parameters.get(&donor.input)?;
            let shape = self.parameter(graph, entry, donor.input, node)?;
            let range = shape.below(&donor.path)?;
            let row = entry.held.rows().get(node)?;
            let bytes = sum(shape.leaves().get(range.clone())?);
            Some(bytes.map(|bytes| HloUnusedDonor {
                parameter: format!("{}{}", donor.input, path_text(&donor.path)),
                name: entry.held.text(row).name.to_owned(),
                bytes,
                reason: reason(results.get(&shape.text(range.start).0)),
            }))
        };
        self.donors.iter().filter_map(donor).collect()
    }

    /// Counts the arrays of the result by their texts: all, and those in no buffer of a parameter.
    fn results(&self, graph: &Graph, entry: &ComputationGraph) -> FxHashMap<String, (u64, u64)> {
        let mut counts = FxHashMap::default();
        let Some(result) = self.result(graph, entry) else { return counts };
        let mut is_taken = vec![false; result.leaves().len()];
        for range in self.aliases.iter().filter_map(|alias| result.below(&alias.output)) {
            is_taken.get_mut(range).unwrap_or_default().fill(true);
        }
        for (text, is_taken) in result.texts().into_iter().zip(is_taken) {
            let (all, free): &mut (u64, u64) = counts.entry(text).or_default();
            (*all, *free) = (*all + 1, *free + u64::from(!is_taken));
        }
        counts
    }
}

/// The reason no result takes the buffer of a parameter, by the counts of results of its shape: all, and those in
/// no buffer of another parameter.
fn reason(results: Option<&(u64, u64)>) -> String {
    match results.copied().unwrap_or_default() {
        (0, _) => "no result has its shape and layout".into(),
        (all, 0) => format!(
            "{} of its shape and layout, each in the buffer of another parameter",
            counted(all, "result")
        ),
        (_, free) => format!("{} of its shape and layout could take it", counted(free, "result")),
    }
}

impl HloUnusedDonor {
    /// Describes it in one readable line.
    #[must_use]
    pub fn describe(&self) -> String {
        let HloUnusedDonor { parameter, name, bytes, reason } = self;
        let bytes = readable_bytes(*bytes);
        format!("parameter {parameter} ({name}, {bytes}) is donated in vain: {reason}")
    }
}

fn add_leaves(
    spaces: &mut BTreeMap<HloMemorySpace, HloInterfaceBytes>,
    shape: &LeafShape,
    range: std::ops::Range<usize>,
    field: impl Fn(&mut HloInterfaceBytes) -> &mut u64,
) -> Result<(), LayoutError> {
    for leaf in shape.leaves().get(range).unwrap_or_default() {
        let sum = field(spaces.entry(HloMemorySpace(leaf.space)).or_default());
        *sum = sum.checked_add(leaf.sizes.allocated_bytes).ok_or_else(total_too_large)?;
    }
    Ok(())
}

/// Reads `{(f32[2]{0}, f32[3]{0})->f32[2]{0}}`; `None` where one of its shapes has no size.
fn layout(text: &str, shapes: &mut LeafShapes) -> Option<(Vec<usize>, usize)> {
    let (parameters, result) = module::signature(text)?;
    let parameters =
        parts(parameters).map(|shape| shapes.number(shape).ok()).collect::<Option<_>>()?;
    Some((parameters, shapes.number(result).ok()?))
}
