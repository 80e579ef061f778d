//! A plan as the entries of `layout_spec` and `gemm_layout_spec` files.
//!
//! An entry of `layout_spec` is about all nodes of one operator and shape, so they need one layout.

use std::collections::HashMap;

use indexmap::IndexMap;
use itertools::Itertools;
use tensor_layout::LayoutError;

use super::report::SeenLayout;
use super::solved::Plan;
use crate::choices::{Choice, Held};
use crate::graph::{Body, Operation, Read};
use crate::pins::{
    Pin, Pins, SWITCH, Side, contradiction, in_loop_order, is_last, name_of_switch, result_order,
};
use crate::spec::{LayoutEntry, ProductEntry, SpecEntry, Trigger};

/// The entries of both files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SdkFiles {
    /// The results of nodes that are not products.
    pub layouts: Vec<LayoutEntry>,
    /// The products.
    pub products: Vec<ProductEntry>,
    /// The nodes without an entry: in the shape that the model has, their results have no PadLayout.
    pub left_out: Vec<String>,
}

impl Plan<'_> {
    /// The entries of both files.
    ///
    /// # Errors
    /// `Argument` for two nodes of one operator and shape with different layouts:
    /// [`shared_layouts`](Plan::shared_layouts) has pins that give them one.
    pub fn sdk_files(&self) -> Result<SdkFiles, LayoutError> {
        let all = self.entries();
        let left_out = all.iter().filter(|of| of.is_left_out()).map(|of| of.name.to_owned());
        let products = all.iter().filter_map(|of| of.product.clone());
        let mut files = SdkFiles {
            layouts: Vec::new(),
            products: products.collect(),
            left_out: left_out.collect(),
        };
        for group in groups(&all) {
            let Some(((name, entry), rest)) = group.split_first() else { continue };
            if let Some((other, _)) = rest.iter().find(|(_, of)| of.layout != entry.layout) {
                let what = format!("{} {:?}", entry.op_type, entry.shape);
                let (one, other) = (format!("`{name}`"), format!("`{other}`"));
                return Err(contradiction(one, other, what));
            }
            files.layouts.push((*entry).clone());
        }
        Ok(files)
    }

    /// Pins that give all nodes of one operator and shape the layout that most of them have.
    #[must_use]
    pub fn shared_layouts(&self) -> Pins {
        let all = self.entries();
        let groups = groups(&all).into_iter();
        let groups = groups.filter(|group| !group.iter().map(|(_, of)| &of.layout).all_equal());
        let pins = groups.filter_map(|group| {
            let counts = group.iter().counts_by(|(_, of)| &of.layout);
            let most = group.iter().rev().max_by_key(|(_, of)| counts.get(&of.layout).copied());
            let entry = most.map(|(_, of)| (*of).clone())?;
            let name = format!("{} {:?}", entry.op_type, entry.shape);
            Some(Pin::of(&SpecEntry::Layout(entry), name))
        });
        pins.collect()
    }

    /// The possible entries of each operation, in the order of the plan.
    fn entries(&self) -> Vec<Entries<'_>> {
        let switches = self.switches_of_values();
        let of = |(operation, choice): (_, _)| {
            let is_last = is_last(&self.graph, operation);
            let layout = is_last.then(|| self.entry(operation, choice, &switches)).flatten();
            let product = self.product(operation, choice, &switches);
            Entries { name: &operation.name, is_last, layout, product }
        };
        self.computed().map(of).collect()
    }

    /// The operations of the model with their choices, without the switches of pins.
    fn computed(&self) -> impl Iterator<Item = (&Operation, &Choice)> {
        self.all_computed().filter(|(operation, _)| operation.kind != SWITCH)
    }

    fn all_computed(&self) -> impl Iterator<Item = (&Operation, &Choice)> {
        self.variables.iter().zip(&self.chosen).filter_map(|(variable, choice)| {
            let operation = &self.graph.operations[variable.operation()?];
            Some((operation, &variable.domain.choices[*choice]))
        })
    }

    /// The layouts that switches of pins lead to, by their names.
    fn switches_of_values(&self) -> Switched<'_> {
        let all = self.all_computed().filter(|(operation, _)| operation.kind == SWITCH);
        all.map(|(operation, choice)| (&*operation.name, &choice.result)).collect()
    }

    /// The entry of a result; `None` where it has no PadLayout in the shape that the model has.
    fn entry(
        &self,
        operation: &Operation,
        choice: &Choice,
        switches: &Switched<'_>,
    ) -> Option<LayoutEntry> {
        let result = beyond(switches, operation, Side::Result).unwrap_or(&choice.result);
        let SeenLayout { shape, layout } = self.seen(operation, result)?;
        Some(LayoutEntry {
            trigger: Trigger::FixOutput,
            op_type: operation.kind.clone(),
            shape,
            layout: without_shape(layout),
        })
    }

    fn product(
        &self,
        operation: &Operation,
        choice: &Choice,
        switches: &Switched<'_>,
    ) -> Option<ProductEntry> {
        let Body::Nest(nest) = &operation.body else { return None };
        let ([one, other], true) = (&nest.reads[..], nest.is_product()) else { return None };
        let operand = |number: usize, read: &Read| {
            let switched = beyond(switches, operation, Side::Operand(number));
            let held = switched.unwrap_or(&choice.operands[number]);
            let order = in_loop_order(read)?;
            // `[n, k, 1, 1]`, the kernel of a convolution, is `[n, k]`.
            let plain = order.iter().filter(|axis| !read.index[**axis].terms.is_empty());
            let plain = plain.copied().collect_vec();
            self.without_padding(
                held,
                if number == 1 && plain.len() == 2 { &plain } else { &order },
            )
        };
        let (a, bt) = (operand(0, one)?, operand(1, other)?);
        let result = beyond(switches, operation, Side::Result).unwrap_or(&choice.result);
        let c = self.without_padding(result, &result_order(nest))?;
        Some(ProductEntry { key: operation.name.clone(), a, bt, c })
    }

    /// A layout with its axes in another order, and without padding: readers of the file know no shape, and count slots.
    /// Of axes that an order leaves out, all elements are the first.
    fn without_padding(&self, held: &Held, order: &[usize]) -> Option<String> {
        let left_out = (0..held.layout.rank()).filter(|axis| !order.contains(axis)).collect_vec();
        let all = held.layout.permute(&[&left_out, order].concat()).ok()?;
        let layout = left_out.iter().try_fold(all, |of, _| of.drop_axis(0));
        let layout = layout.and_then(|layout| layout.without_padding()).ok()?;
        Some(without_shape(self.text(&Held { layout, ..held.clone() })))
    }
}

/// The possible entries of one operation.
struct Entries<'p> {
    name: &'p str,
    /// Set if its result is the node's.
    is_last: bool,
    layout: Option<LayoutEntry>,
    product: Option<ProductEntry>,
}

impl Entries<'_> {
    fn is_left_out(&self) -> bool {
        self.is_last && self.layout.is_none() && self.product.is_none()
    }
}

/// Results of nodes with a name, by operator and shape; products alone need no entry of `layout_spec`.
fn groups<'e>(all: &'e [Entries<'_>]) -> Vec<Vec<(&'e str, &'e LayoutEntry)>> {
    let mut groups: IndexMap<(&str, &[u64]), Vec<&Entries<'_>>> = IndexMap::new();
    for of in all {
        let Some(entry) = &of.layout else { continue };
        groups.entry((&entry.op_type, &entry.shape)).or_default().push(of);
    }
    let needed = groups.into_values().filter(|group| group.iter().any(|of| of.product.is_none()));
    let named = |of: &&'e Entries<'_>| Some((of.name, of.layout.as_ref()?));
    needed.map(|group| group.iter().filter_map(named).collect()).collect()
}

/// The layouts that switches of pins lead to, by their names.
type Switched<'p> = HashMap<&'p str, &'p Held>;

/// The layout of an operand or result on the other side of its switch, if a pin has one.
fn beyond<'p>(switches: &Switched<'p>, operation: &Operation, side: Side) -> Option<&'p Held> {
    switches.get(&*name_of_switch(&operation.name, side)).copied()
}

/// The text of a layout as the files have it: extents are those of the tensor.
fn without_shape(text: String) -> String {
    text.split_once('/').map_or(text.clone(), |(_, layout)| layout.to_owned())
}
