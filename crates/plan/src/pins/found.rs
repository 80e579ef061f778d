//! The operations and values that pins are about.

use std::collections::HashMap;
use std::fmt;

use itertools::Itertools;
use tensor_layout::algebra::Axis;
use tensor_layout::error::fault;
use tensor_layout::notation::PadLayout;
use tensor_layout::{Layout, LayoutError, Level, Machine};

use super::pin::{Pin, Place, cannot_have, contradiction, has_key, matches};
use crate::choices::{Allowed, Pinned, Row, Setting, rows, unviewed};
use crate::graph::{Body, Graph, Nest, Operation, Origin, Read, ValueId};
use crate::spec::{lacking, read};

/// What pins say about the operations of a graph, by their numbers, and about values that are given.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) operations: HashMap<usize, Vec<(usize, Allowed)>>,
    pub(crate) given: HashMap<ValueId, (usize, Vec<Layout>)>,
    /// For each pin the names of the nodes and values that it is about.
    pub(crate) names: Vec<Vec<String>>,
}

/// A result or an operand that a pin decides about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Side {
    Operand(usize),
    Result,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Side::Operand(number) => write!(f, "operand {number}"),
            Side::Result => write!(f, "the result"),
        }
    }
}

impl Row {
    /// The layouts of a row that there are.
    pub(crate) fn sides(&self) -> impl Iterator<Item = (Side, &Pinned)> {
        let operands = self.operands.iter().enumerate();
        let operands = operands.filter_map(|(at, of)| Some((Side::Operand(at), of.as_ref()?)));
        operands.chain(self.result.as_ref().map(|of| (Side::Result, of)))
    }
}

impl Found {
    /// Looks for the places of pins.
    pub(crate) fn of(
        graph: &Graph,
        pins: &[Pin],
        setting: &mut Setting,
    ) -> Result<Found, LayoutError> {
        let mut found = Found { names: vec![Vec::new(); pins.len()], ..Found::default() };
        let needed = graph.needed();
        let operations = graph.operations.iter().enumerate().filter(|(at, _)| needed[*at]);
        let operations = operations.collect_vec();
        for (number, pin) in pins.iter().enumerate() {
            known_levels(pin, setting.machine())?;
            for (at, operation) in &operations {
                let rows = Target { pin, graph, operation }.rows(setting)?;
                if let Some(rows) = rows {
                    let (uses, avoids) = (pin.uses.clone(), pin.avoids.clone());
                    let allowed = Allowed { rows, uses, avoids };
                    found.operations.entry(*at).or_default().push((number, allowed));
                    found.names[number].push(operation.name.clone());
                }
            }
            found.given(graph, (number, pins), setting)?;
        }
        for (at, allowed) in found.operations.iter().sorted_by_key(|(at, _)| **at) {
            compatible(&graph.operations[*at], pins, allowed)?;
        }
        Ok(found)
    }

    /// The values that are given and that a pin names.
    fn given(
        &mut self,
        graph: &Graph,
        (number, pins): (usize, &[Pin]),
        setting: &Setting,
    ) -> Result<(), LayoutError> {
        let pin = &pins[number];
        let Place::Named(pattern) = &pin.place else { return Ok(()) };
        for (id, value) in graph.given() {
            if !matches(pattern, &value.name) {
                continue;
            }
            let fault = |why| cannot_have(&pin.name, &value.name, why);
            if pin.layouts.is_empty() {
                // Other patterns are about results as well.
                if *pattern == value.name {
                    let why = "it is given, not computed: `uses` and `avoids` need `layouts` here";
                    return Err(fault(why.into()));
                }
                continue;
            }
            let read = |row: &Vec<String>| {
                let read = layout(&row[0], &value.shape, setting.machine());
                read.map_err(Unfit::into_reason).and_then(|of| has_levels(pin, of))
            };
            let layouts =
                pin.layouts.iter().map(read).collect::<Result<Vec<_>, _>>().map_err(fault)?;
            let texts = |layouts: &[Layout]| layouts.iter().map(Layout::to_string).collect_vec();
            let known = self.given.entry(id).or_insert((number, layouts.clone()));
            if texts(&known.1) != texts(&layouts) {
                let (one, other) = (pins[known.0].name.clone(), pin.name.clone());
                return Err(contradiction(one, other, format!("`{}`", value.name)));
            }
            self.names[number].push(value.name.clone());
        }
        Ok(())
    }
}

/// Levels that a machine has.
fn known_levels(pin: &Pin, machine: &Machine) -> Result<(), LayoutError> {
    let is_known = |level: &&Level| {
        matches!(**level, Level::W | Level::TIME) || machine.levels().any(|(of, _)| of == **level)
    };
    match pin.uses.iter().chain(&pin.avoids).find(|level| !is_known(level)) {
        None => Ok(()),
        Some(level) => {
            let levels = machine.levels().map(|(level, _)| level.to_string()).join(", ");
            let (pin, level) = (pin.name.clone(), *level);
            Err(fault!(
                Argument,
                "{pin}: the machine has no level `{level}`, but {levels}, W and Time",
                [pin, level, levels]
            ))
        }
    }
}

/// An operation that a pin may be about.
struct Target<'t> {
    pin: &'t Pin,
    graph: &'t Graph,
    operation: &'t Operation,
}

impl Target<'_> {
    /// What the pin allows; `None` if it is about others.
    fn rows(&self, setting: &mut Setting) -> Result<Option<Vec<Row>>, LayoutError> {
        let reads = self.operation.reads();
        let shape = |id: &ValueId| &self.graph.value(*id).shape;
        let seen = self.graph.seen(self.operation).0;
        let is_result = is_last(self.graph, self.operation);
        let is_named = |pattern: &str| {
            matches(pattern, &self.operation.name) || (is_result && matches(pattern, &seen.name))
        };
        let sides = match &self.pin.place {
            Place::Results(kind, of) if *kind == self.operation.kind => match seen.shape == *of {
                true if is_result => vec![Side::Result],
                _ => return Ok(None),
            },
            Place::Operands(kind, of) if *kind == self.operation.kind => {
                let own = reads
                    .iter()
                    .positions(|id| shape(id) == of && !is_inside(self.graph, self.operation, *id));
                own.map(Side::Operand).collect()
            }
            Place::Named(pattern) if is_named(pattern) => vec![Side::Result],
            Place::Operand(pattern, number) if is_named(pattern) && *number < reads.len() => {
                vec![Side::Operand(*number)]
            }
            Place::Product(pattern) => {
                return self.product(|name| matches(pattern, name), setting);
            }
            Place::Key(key) => return self.product(|name| has_key(name, key), setting),
            _ => return Ok(None),
        };
        if sides.is_empty() {
            return Ok(None);
        }
        self.each(&sides, setting).map(Some)
    }

    /// A row for each layout of the pin, in one of which all of these sides are.
    fn each(&self, sides: &[Side], setting: &mut Setting) -> Result<Vec<Row>, LayoutError> {
        let reads = self.operation.reads();
        let mut rows = Vec::new();
        for texts in &self.pin.layouts {
            let mut row = Row { operands: vec![None; reads.len()], result: None };
            for side in sides {
                let (pinned, place) = match side {
                    Side::Operand(number) => (
                        self.pinned(&texts[0], reads[*number], None, setting),
                        &mut row.operands[*number],
                    ),
                    Side::Result => (self.seen(&texts[0], setting), &mut row.result),
                };
                *place = Some(pinned.map_err(|why| self.fault(why.into_reason()))?);
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// The layouts of a product with two plain operands, whose extents fit in them. Of many products that a name is about, those
    /// of other extents are others.
    fn product(
        &self,
        is_named: impl Fn(&str) -> bool,
        setting: &mut Setting,
    ) -> Result<Option<Vec<Row>>, LayoutError> {
        let Body::Nest(nest) = &self.operation.body else { return Ok(None) };
        let names = self.operation.reads().into_iter().map(|id| self.graph.root(id).0);
        let given = names.map(|id| self.graph.value(id)).filter(|value| value.is_given());
        let mut names = given.map(|value| &value.name).chain([&self.operation.name]);
        let is_named = names.any(|name| is_named(name));
        let is_meant = matches!(&self.pin.place, Place::Product(name) | Place::Key(name) if *name == self.operation.name);
        let orders = nest.reads.iter().map(in_loop_order).collect::<Option<Vec<_>>>();
        let (true, true, Some(orders), 2) = (is_named, nest.is_product(), orders, nest.reads.len())
        else {
            return Ok(None);
        };
        let result = result_order(nest);
        let mut rows = Vec::new();
        for texts in &self.pin.layouts {
            let sides = texts.iter().zip([Some(0), Some(1), None]);
            let pinned = sides.map(|(text, operand)| match operand {
                Some(at) => self.pinned(text, nest.reads[at].value, Some(&orders[at]), setting),
                None => self.pinned(text, self.operation.result, Some(&result), setting),
            });
            let pinned = match pinned.collect::<Result<Vec<_>, _>>() {
                Ok(pinned) => pinned,
                Err(Unfit::Extents(_)) if !is_meant => continue,
                Err(why) => return Err(self.fault(why.into_reason())),
            };
            let mut pinned = pinned.into_iter().map(Some);
            let operands = pinned.by_ref().take(2).collect();
            rows.push(Row { operands, result: pinned.next().flatten() });
        }
        Ok((!rows.is_empty()).then_some(rows))
    }

    /// A layout of the result, written for the shape that the model has.
    fn seen(&self, text: &str, setting: &mut Setting) -> Result<Pinned, Unfit> {
        let made = self.graph.value(self.operation.result);
        let (value, views) = self.graph.seen(self.operation);
        let written = layout(text, &value.shape, setting.machine())?;
        let own = unviewed(&written, &made.shape, &views)?;
        Ok(setting.pin(own, made.dtype.bits())?)
    }

    /// A layout of a value, whose axes are written in some order.
    fn pinned(
        &self,
        text: &str,
        id: ValueId,
        order: Option<&[usize]>,
        setting: &mut Setting,
    ) -> Result<Pinned, Unfit> {
        let value = self.graph.value(id);
        let order = order.map_or_else(|| (0..value.shape.len()).collect_vec(), <[usize]>::to_vec);
        let extents = order.iter().map(|axis| value.shape[*axis]).collect_vec();
        let written = layout(text, &extents, setting.machine())?;
        let back = (0..order.len()).filter_map(|axis| order.iter().position(|of| *of == axis));
        let own = written.permute(&back.collect_vec())?;
        Ok(setting.pin(own, value.dtype.bits())?)
    }

    fn fault(&self, why: String) -> LayoutError {
        cannot_have(&self.pin.name, &self.operation.name, why)
    }
}

/// Returns whether the result of an operation is one of its node, and not used inside of it alone.
pub(crate) fn is_last(graph: &Graph, operation: &Operation) -> bool {
    !is_inside(graph, operation, operation.result)
}

/// Returns whether a value is made by a part of the node of an operation for other parts of it. Such a value has the name of
/// its part.
fn is_inside(graph: &Graph, operation: &Operation, id: ValueId) -> bool {
    let Origin::Operation(maker) = graph.value(graph.root(id).0).origin else { return false };
    let maker = &graph.operations[maker];
    let node = |of: &Operation| {
        let parts = of.name.rsplit_once('/').map_or(&*of.name, |(node, _)| node);
        (of.kind.clone(), parts.to_owned())
    };
    let nodes = |of: &Operation| [node(of), (of.kind.clone(), of.name.clone())];
    let shared =
        |one: &Operation, other: &Operation| nodes(one).iter().any(|of| nodes(other).contains(of));
    let mut readers = graph
        .operations
        .iter()
        .filter(|other| other.reads().iter().any(|read| graph.root(*read).0 == maker.result));
    let is_renamed = graph.value(maker.result).name != maker.name;
    !is_renamed && shared(maker, operation) && readers.any(|reader| shared(reader, maker))
}

/// The axes of an operand in the order of the loops; `None` if an axis is no loop.
pub(crate) fn in_loop_order(read: &Read) -> Option<Vec<usize>> {
    let loops =
        read.index.iter().map(|index| index.as_loop().or(index.terms.is_empty().then_some(0)));
    let loops = loops.collect::<Option<Vec<_>>>()?;
    Some((0..loops.len()).sorted_by_key(|axis| loops[*axis]).collect())
}

/// The axes of the result of a product in the order that C has: those that come from the second operand alone are the last.
pub(crate) fn result_order(nest: &Nest) -> Vec<usize> {
    let reads = |axis: usize| {
        let is_read = |read: &Read| read.index.iter().any(|index| index.as_loop() == Some(axis));
        nest.reads.iter().map(is_read).collect_vec()
    };
    (0..nest.rank).sorted_by_key(|axis| reads(*axis) == [false, true]).collect()
}

/// The reason why a text is not a layout of a tensor.
enum Unfit {
    /// It is one of another tensor.
    Extents(String),
    Wrong(String),
}

impl Unfit {
    fn into_reason(self) -> String {
        let (Unfit::Extents(why) | Unfit::Wrong(why)) = self;
        why
    }
}

impl<E: std::error::Error> From<E> for Unfit {
    fn from(error: E) -> Unfit {
        Unfit::Wrong(error.to_string())
    }
}

/// Reads a layout for a tensor with some extents; axes of extent 1 may be missing in either.
fn layout(text: &str, extents: &[u64], machine: &Machine) -> Result<Layout, Unfit> {
    let (written, bits) = read(text, None, machine)?;
    if bits.is_some() {
        let why = "the model says the type of the elements: leave it out of the layout";
        return Err(Unfit::Wrong(why.into()));
    }
    check_shape(text, extents)?;
    let all = written.axes();
    let long = |axis: &&Axis| axis.slots() > 1;
    let axes = if all.len() == extents.len() {
        all.iter().collect()
    } else {
        all.iter().filter(long).collect_vec()
    };
    let mut axes = axes.into_iter();
    let mut built = Layout::builder().levels_of(&written, |_| true);
    for (at, extent) in extents.iter().enumerate() {
        let axis = if all.len() == extents.len() || *extent > 1 { axes.next() } else { None };
        let digits = axis.map_or_else(Vec::new, |axis| axis.subaxes.clone());
        let slots = digits.iter().map(|digit| digit.size).fold(1, u64::saturating_mul);
        if slots < *extent {
            return Err(Unfit::Extents(format!(
                "axis {at} has {slots} slots, and the tensor {extent} elements there"
            )));
        }
        built = built.axis(*extent, digits);
    }
    if axes.any(|axis| axis.slots() > 1) {
        let (own, tensor) = (all.len(), extents.len());
        return Err(Unfit::Extents(format!("it has {own} axes, and the tensor {tensor}")));
    }
    let built = built.build()?;
    let lacks = lacking(&built, machine).next();
    lacks.map_or(Ok(built), |why| Err(Unfit::Wrong(why)))
}

/// Checks the shape of a text that has one.
fn check_shape(text: &str, extents: &[u64]) -> Result<(), Unfit> {
    let long = |shape: &[u64]| shape.iter().copied().filter(|extent| *extent > 1).collect_vec();
    match text.parse::<PadLayout>()?.shape {
        Some(shape) if long(&shape) != long(extents) => Err(Unfit::Extents(format!(
            "it is a layout of a tensor {shape:?}, and this one is {extents:?}"
        ))),
        _ => Ok(()),
    }
}

/// A layout of a pin that has the levels that the pin wants.
fn has_levels(pin: &Pin, layout: Layout) -> Result<Layout, String> {
    let (uses, avoids) = (pin.uses.clone(), pin.avoids.clone());
    match (Allowed { rows: Vec::new(), uses, avoids }).has_levels(&layout) {
        true => Ok(layout),
        false => Err(AGAINST_LEVELS.into()),
    }
}

const AGAINST_LEVELS: &str = "its `layouts` contradict its `uses` or `avoids`";

/// Finds pins that exclude each other.
fn compatible(
    operation: &Operation,
    pins: &[Pin],
    allowed: &[(usize, Allowed)],
) -> Result<(), LayoutError> {
    for (number, of) in allowed {
        if rows(&[of]).is_empty() {
            return Err(cannot_have(&pins[*number].name, &operation.name, AGAINST_LEVELS.into()));
        }
    }
    for [(one, first), (other, second)] in allowed.iter().array_combinations() {
        if !rows(&[first, second]).is_empty() {
            continue;
        }
        let sides =
            |of: &Allowed| of.rows.iter().flat_map(Row::sides).map(|(side, _)| side).collect_vec();
        let both = sides(second);
        let side =
            sides(first).into_iter().find(|side| both.contains(side)).unwrap_or(Side::Result);
        let what = format!("{side} of `{}`", operation.name);
        let name = |number: usize| pins[number].name.clone();
        return Err(contradiction(name(*one), name(*other), what));
    }
    let all = allowed.iter().map(|(_, of)| of).collect_vec();
    match (rows(&all).is_empty(), allowed.split_last()) {
        // No two of them do, but all together.
        (true, Some(((last, _), others))) => {
            let others = others.iter().map(|(number, _)| &pins[*number].name).join(", ");
            let what = format!("`{}`", operation.name);
            Err(contradiction(others, pins[*last].name.clone(), what))
        }
        _ => Ok(()),
    }
}
