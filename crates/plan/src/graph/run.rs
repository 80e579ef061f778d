//! The slow definition of a graph: every operation over all of its loops, on whole tensors.

use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::data::Data;
use super::nest::{Index, Nest};
use super::{Body, Graph, Origin, Value, ValueId, View};

/// A value whose elements are not known.
pub(crate) fn no_elements(name: String) -> LayoutError {
    fault!(
        Missing,
        "`{name}` has no elements: give it as an input, or the file with its data",
        [name]
    )
}

/// An operation that no rule covers.
pub(crate) fn uncovered(name: String, kind: String) -> LayoutError {
    fault!(Unsupported, "`{name}` is a {kind}, which no rule covers", [name, kind])
}

/// The elements of all values of a graph for some inputs, which are in the order of the graph.
///
/// # Errors
/// `Shape` for inputs of other sizes, `Missing` for values without elements, `Unsupported` for operations without a rule.
pub fn run(graph: &Graph, inputs: &[Data]) -> Result<Vec<Option<Data>>, LayoutError> {
    let mut known: Vec<Option<Data>> = vec![None; graph.values.len()];
    for (id, data) in graph.inputs.iter().zip(inputs) {
        check(graph.value(*id), data)?;
        known[id.0] = Some(data.clone());
    }
    for (of, value) in known.iter_mut().zip(&graph.values) {
        if let Origin::Constant(Some(data)) = &value.origin {
            *of = Some(data.clone());
        }
    }
    for operation in &graph.operations {
        for read in operation.reads() {
            see(graph, read, &mut known)?;
        }
        let Body::Nest(nest) = &operation.body else {
            return Err(uncovered(operation.name.clone(), operation.kind.clone()));
        };
        let result = result(graph, nest, operation.result, &known);
        known[operation.result.0] = Some(result);
    }
    for output in &graph.outputs {
        see(graph, *output, &mut known)?;
    }
    Ok(known)
}

pub(crate) fn check(value: &Value, data: &Data) -> Result<(), LayoutError> {
    let expected = value.shape.iter().product::<u64>();
    let given = data.numbers().len();
    if u64::try_from(given) != Ok(expected) {
        return Err(fault!(
            Shape,
            "`{name}` has {expected} elements, {given} were given",
            [name = value.name.clone(), expected, given]
        ));
    }
    (0..).zip(data.numbers()).try_for_each(|(at, number)| check_held(value, at, *number))
}

/// Refuses a number that the type of a value does not hold: integers of an execution do not wrap.
pub(crate) fn check_held(value: &Value, element: u64, number: f64) -> Result<(), LayoutError> {
    let dtype = value.dtype;
    match dtype.holds(number) {
        true => Ok(()),
        false => Err(fault!(
            Unsupported,
            "`{name}`: element {element} is {number}, beyond {dtype} or beyond 2^53: executions compute with doubles and do not wrap",
            [
                name = value.name.clone(),
                element,
                number = number.to_string(),
                dtype = dtype.to_string()
            ]
        )),
    }
}

/// Makes the elements of a value known, through its views.
fn see(graph: &Graph, id: ValueId, known: &mut [Option<Data>]) -> Result<(), LayoutError> {
    if known[id.0].is_some() {
        return Ok(());
    }
    let value = graph.value(id);
    let Origin::View(of, view) = &value.origin else {
        return Err(no_elements(value.name.clone()));
    };
    see(graph, *of, known)?;
    let data = known[of.0].clone();
    known[id.0] = data.map(|data| match view {
        View::Reshape(_) => data,
        View::Transpose(order) => transposed(&data, &graph.value(*of).shape, order),
    });
    Ok(())
}

fn transposed(data: &Data, shape: &[u64], order: &[usize]) -> Data {
    let mut numbers = Vec::with_capacity(data.numbers().len());
    let extents: Vec<u64> = order.iter().map(|axis| shape[*axis]).collect();
    each(&extents, |at| {
        let mut from = vec![0; order.len()];
        order.iter().zip(at).for_each(|(axis, index)| from[*axis] = *index);
        numbers.push(data.numbers()[flat(&from, shape)]);
    });
    Data::new(numbers)
}

fn result(graph: &Graph, nest: &Nest, of: ValueId, known: &[Option<Data>]) -> Data {
    let (outer, inner) = nest.loops.split_at(nest.rank);
    let mut numbers = Vec::new();
    let dtype = graph.value(of).dtype;
    let mut at = vec![0; nest.loops.len()];
    each(outer, |outside| {
        at[..nest.rank].copy_from_slice(outside);
        let mut folded: Option<f64> = None;
        each(inner, |inside| {
            at[nest.rank..].copy_from_slice(inside);
            let value = evaluate(
                nest,
                &at,
                |number, index| {
                    let id = nest.reads[number].value;
                    let data = known[id.0].as_ref();
                    data.map_or(f64::NAN, |data| {
                        data.numbers()[flat(index, &graph.value(id).shape)]
                    })
                },
                |number| &graph.value(nest.reads[number].value).shape,
            );
            folded = Some(folded.map_or(value, |folded| nest.fold.both(folded, value)));
        });
        numbers.push(dtype.round(folded.unwrap_or(nest.fold.empty())));
    });
    Data::new(numbers)
}

/// The value of the body of a nest at some loops; `read` gives an element of an operand.
pub(crate) fn evaluate<'a>(
    nest: &Nest,
    at: &[u64],
    read: impl Fn(usize, &[u64]) -> f64,
    shape: impl Fn(usize) -> &'a [u64],
) -> f64 {
    let operand = |number: usize| {
        let of = &nest.reads[number];
        index(&of.index, at, shape(number)).map_or(of.outside, |index| read(number, &index))
    };
    let number = |of: usize| super::data::number(i64::try_from(at[of]).unwrap_or(i64::MAX));
    nest.body.evaluate(&operand, &number)
}

/// The index of an operand at some loops; `None` outside of it.
pub(crate) fn index(maps: &[Index], at: &[u64], shape: &[u64]) -> Option<Vec<u64>> {
    let at = |number: usize| i64::try_from(at[number]).unwrap_or(i64::MAX);
    maps.iter().zip(shape).map(|(map, extent)| map.at(at, *extent)).collect()
}

/// The position of an index in row-major order.
pub(crate) fn flat(index: &[u64], shape: &[u64]) -> usize {
    let flat = index.iter().zip(shape).fold(0, |flat, (index, extent)| flat * extent + index);
    usize::try_from(flat).unwrap_or(usize::MAX)
}

/// Calls `visit` with every index below some extents, in row-major order.
pub(crate) fn each(extents: &[u64], mut visit: impl FnMut(&[u64])) {
    if extents.contains(&0) {
        return;
    }
    let mut at = vec![0; extents.len()];
    loop {
        visit(&at);
        let next = (0..extents.len()).rev().find(|axis| at[*axis] + 1 < extents[*axis]);
        let Some(axis) = next else { return };
        at[axis] += 1;
        at[axis + 1..].fill(0);
    }
}
