//! A layout as a function of its index, and its inverse.

use std::ops::{Range, RangeInclusive};

use itertools::Itertools;
use tensor_layout::algebra::{Axis, Combine, DerivedAxis, LayoutBuilder, Target};
use tensor_layout::error::{ErrorKind, Site, fault};
use tensor_layout::{Layout, LayoutError, Level};
use tensor_layout_words::{counted, to_u64, xor_factors};

use super::{Expression, Variable};

/// Expressions for outputs in terms of inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// One sentence about the function, for the comment above its code.
    pub(super) says: String,
    /// The inputs, each with its range.
    pub inputs: Vec<(Variable, Range<u64>)>,
    /// The values that outputs share, in an order in which they can be computed.
    pub locals: Vec<(Variable, Expression)>,
    /// The range of each local.
    ranges: Vec<RangeInclusive<u64>>,
    /// The outputs with their values.
    pub outputs: Vec<(Variable, Expression)>,
}

impl Function {
    /// Returns the place of an element as expressions of its index: one per level, in the order of the columns of a table.
    ///
    /// Copies are further inputs, one per replica.
    /// Law: for an index and the numbers of a copy, the values are the place of that copy, one of
    /// [`locate_all`](Layout::locate_all).
    ///
    /// # Errors
    /// As [`without_padding`](Layout::without_padding), except `NotDecided`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout_code::Function;
    /// let layout: Layout = "((4_PE, 3:8), (8:1))".parse()?;
    /// let function = Function::place_of(&layout)?;
    /// assert_eq!(function.values(&[5, 1])?, [1, 17]); // PE 1, address 17
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn place_of(layout: &Layout) -> Result<Function, LayoutError> {
        Function::forward_into(layout, &layout.columns())
    }

    /// Returns the index of an element as expressions of its place: one per axis.
    ///
    /// The inputs are the levels, in the order of the columns of a table.
    /// Law: for a place of an element, of any copy, the values are its index. For another place in the ranges of the
    /// inputs they are arbitrary, and `Err` at worst.
    ///
    /// # Errors
    /// As [`left_inverse`](Layout::left_inverse).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout_code::Function;
    /// let layout: Layout = "((4_PE, 3:8), (8:1))".parse()?;
    /// let function = Function::index_of(&layout)?;
    /// let index = function.outputs.iter().map(|(axis, value)| format!("{axis} = {value}"));
    /// assert_eq!(index.collect::<Vec<_>>(), ["i0 = PE * 3 + (Addr >> 3)", "i1 = Addr & 7"]);
    /// assert_eq!(function.values(&[1, 17])?, [5, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn index_of(layout: &Layout) -> Result<Function, LayoutError> {
        let offset = layout.offset(Level::ADDR);
        let inverse = at_origin(layout)?.left_inverse()?;
        // The axes of the inverse are the used levels, in their order.
        let inputs = layout.used_levels().iter().map(|level| Variable::Level(*level));
        let mut function = Function::of(&inverse, inputs);
        function.outputs = (0..layout.rank())
            .map(|axis| (Variable::Index(axis), function.at(&inverse, Level::axis(axis))))
            .collect();
        let address = Variable::Level(Level::ADDR);
        let from_origin = [(address, Expression::variable(address).minus(offset))];
        let values = function.locals.iter_mut().chain(&mut function.outputs);
        values.for_each(|(_, value)| *value = value.replaced(&from_origin));
        let start = |level| if level == Level::ADDR { offset } else { 0 };
        let range = |level: Level| start(level)..layout.extent(level);
        let columns = layout.columns().into_iter();
        function.inputs = columns.map(|level| (Variable::Level(level), range(level))).collect();
        function.says = "From the place of an element to its index.".into();
        Ok(function)
    }

    /// Returns a range of all values that an expression of the inputs and locals has for inputs in their ranges.
    ///
    /// It may be wider than necessary where terms depend on one another.
    #[must_use]
    pub fn range(&self, expression: &Expression) -> RangeInclusive<u64> {
        expression.range(&|variable| self.range_of(variable).unwrap_or(0..=u64::MAX))
    }

    fn range_of(&self, variable: Variable) -> Option<RangeInclusive<u64>> {
        if let Variable::Local(number) = variable {
            return self.ranges.get(number).cloned();
        }
        let (_, range) = self.inputs.iter().find(|(input, _)| *input == variable)?;
        Some(range.start..=range.end.saturating_sub(1))
    }

    /// Computes the outputs.
    ///
    /// # Errors
    /// `Shape` for another number of inputs, `OutOfRange` for an input outside its range, `TooLarge` for a value beyond
    /// 64 bits, which no element has.
    pub fn values(&self, inputs: &[u64]) -> Result<Vec<u64>, LayoutError> {
        self.check_inputs(inputs)?;
        let variables = self.inputs.iter().map(|(input, _)| *input);
        let mut known = variables.zip(inputs.iter().copied()).collect_vec();
        for (local, expression) in &self.locals {
            known.push((*local, value(&known, expression)?));
        }
        self.outputs.iter().map(|(_, expression)| value(&known, expression)).collect()
    }

    fn check_inputs(&self, inputs: &[u64]) -> Result<(), LayoutError> {
        let (found, wanted) = (inputs.len(), self.inputs.len());
        if found != wanted {
            return Err(fault!(
                Shape,
                "the function has {inputs}, but {found} values are given",
                [inputs = counted(to_u64(wanted), "input"), found]
            ));
        }
        let mut both = self.inputs.iter().zip(inputs);
        match both.find(|((_, range), input)| !range.contains(input)) {
            Some(((name, range), input)) => Err(fault!(
                OutOfRange,
                "{name} is {input}, but must be at least {start} and below {end}",
                [name = name.to_string(), input = *input, start = range.start, end = range.end]
            )),
            None => Ok(()),
        }
    }

    /// This function for a language without XOR.
    pub(super) fn forward_in_sums(layout: &Layout) -> Result<Function, LayoutError> {
        Function::forward_into(&layout.in_sums(), &layout.columns())
    }

    /// The function with the columns of the layout as it was written: a simplified one has fewer digits, and the
    /// order in which they land may differ.
    ///
    /// The places of the elements alone need no digits for padding, and fewer derived axes.
    fn forward_into(layout: &Layout, columns: &[Level]) -> Result<Function, LayoutError> {
        if layout.elements() == 0 {
            return Ok(Function::of_places(layout, columns));
        }
        let alone = match layout.without_padding() {
            Err(error) if error.kind() == ErrorKind::NotDecided => layout.simplified(),
            alone => alone?,
        };
        Ok(Function::of_places(&alone, columns))
    }

    fn of_places(layout: &Layout, columns: &[Level]) -> Function {
        let mut function = Function::of(layout, (0..layout.rank()).map(Variable::Index));
        let sizes = layout.replicas().iter().map(|replica| 0..replica.size);
        let copies = (0..).map(Variable::Copy).zip(sizes).collect_vec();
        let of_copies = match copies.is_empty() {
            true => String::new(),
            false => {
                let bounds = copies.iter().map(|(copy, range)| format!("{copy} < {}", range.end));
                format!(" and the copies ({})", bounds.format(", "))
            }
        };
        let output = |level: &Level| (Variable::Level(*level), function.at(layout, *level));
        function.outputs = columns.iter().map(output).collect();
        let names = function.outputs.iter().map(|(level, _)| level).format(", ");
        let shape = layout.shape().iter().join(", ");
        function.says =
            format!("From an index of shape ({shape}){of_copies} to its place ({names}).");
        function.inputs.extend(copies);
        function
    }

    /// Turns the function of an index map into one whose outputs are the entries of another index: `Addr` is
    /// not one of them.
    pub(super) fn into_index(mut self) -> Function {
        let entry = |(level, value): (Variable, Expression)| match level {
            Variable::Level(level) => Some((level.axis_number()?, value)),
            _ => None,
        };
        let entries = self.outputs.into_iter().filter_map(entry).sorted_by_key(|(axis, _)| *axis);
        self.outputs = entries.map(|(axis, value)| (Variable::Index(axis), value)).collect();
        self
    }

    /// A function without outputs: the values of the derived axes as locals.
    fn of(layout: &Layout, inputs: impl Iterator<Item = Variable>) -> Function {
        let ranges = layout.shape().into_iter().map(|extent| 0..extent);
        let mut function = Function {
            says: String::new(),
            inputs: inputs.zip(ranges).collect(),
            locals: Vec::new(),
            ranges: Vec::new(),
            outputs: Vec::new(),
        };
        for (number, derived) in layout.derived_axes().iter().enumerate() {
            let DerivedAxis { combine, start, .. } = *derived;
            let weigh = |target| match target {
                Target::Feed { derived, weight } if derived == number => weight,
                _ => 0,
            };
            let mut terms = match combine {
                Combine::Sum => function.terms(layout, weigh),
                Combine::Xor => function.flipped(layout, weigh),
            };
            terms.push(Expression::number(start));
            let value = Expression::joined(combine, terms);
            function.ranges.push(function.range(&value));
            function.locals.push((Variable::Local(number), value));
        }
        function
    }

    /// The coordinate in a level.
    fn at(&self, layout: &Layout, level: Level) -> Expression {
        let mut terms = self.terms(layout, |target| match target {
            Target::Land { level: of, stride } if of == level => stride,
            _ => 0,
        });
        for (at, replica) in layout.replicas().iter().enumerate() {
            if replica.level == level && replica.size > 1 {
                terms.push(Expression::variable(Variable::Copy(at)).times(replica.stride));
            }
        }
        terms.push(Expression::number(layout.offset(level)));
        Expression::sum(terms)
    }

    /// The digits with the weight that `weigh` gives their targets.
    fn terms(&self, layout: &Layout, weigh: impl Fn(Target) -> u64) -> Vec<Expression> {
        let terms = self.weighed(layout, weigh).into_iter();
        terms.map(|(digit, _, weight)| digit.times(weight)).collect()
    }

    /// Products whose XOR is the effect of the digits that flip bits: each digit times the factors of its
    /// weight, a single product where no two shifted copies of the digit overlap.
    fn flipped(&self, layout: &Layout, weigh: impl Fn(Target) -> u64) -> Vec<Expression> {
        let shifted = |(digit, size, weight): (Expression, u64, u64)| {
            let factors = xor_factors(weight, size).into_iter();
            factors.map(|factor| digit.clone().times(factor)).collect::<Vec<_>>()
        };
        self.weighed(layout, weigh).into_iter().flat_map(shifted).collect()
    }

    /// The digits, their sizes and the weight that `weigh` gives their targets, those of derived axes
    /// only as far as there are locals.
    fn weighed(
        &self,
        layout: &Layout,
        weigh: impl Fn(Target) -> u64,
    ) -> Vec<(Expression, u64, u64)> {
        let greatest = layout.greatest_values();
        let inputs = self.inputs.iter().map(|(input, _)| *input).take(layout.rank());
        let values = inputs.chain(self.locals.iter().map(|(local, _)| *local));
        let nodes = layout.nodes().zip(greatest).zip(values);
        let terms = nodes.flat_map(|((axis, greatest), value)| {
            digits(axis, greatest, value).zip(&axis.subaxes).filter_map(|(digit, subaxis)| {
                let weight = weigh(subaxis.target);
                digit.filter(|_| weight > 0).map(|digit| (digit, subaxis.size, weight))
            })
        });
        terms.collect()
    }

    /// Returns whether a local or an output depends on the input.
    pub(super) fn uses(&self, input: Variable) -> bool {
        self.locals.iter().chain(&self.outputs).any(|(_, value)| value.uses(input))
    }

    /// The outputs with the locals written out, for languages that have none.
    pub(super) fn inlined(&self) -> Vec<Expression> {
        let mut known: Vec<(Variable, Expression)> = Vec::new();
        for (local, value) in &self.locals {
            let value = value.replaced(&known);
            known.push((*local, value));
        }
        self.outputs.iter().map(|(_, value)| value.replaced(&known)).collect()
    }
}

/// The layout moved so that its addresses count from 0.
fn at_origin(layout: &Layout) -> Result<Layout, LayoutError> {
    let builder = layout.axes().iter().cloned().fold(Layout::builder(), LayoutBuilder::with_axis);
    let derived = layout.derived_axes().iter().cloned();
    let builder = derived.fold(builder, LayoutBuilder::derived_axis);
    let copies = layout.replicas().iter();
    let builder =
        copies.fold(builder, |of, copies| of.replica(copies.size, copies.level, copies.stride));
    let levels = layout.used_levels().iter().copied();
    let moved =
        levels.fold(builder, |builder, level| match (layout.offset(level), layout.span(level)) {
            (offset, span) if level == Level::ADDR => builder.span(level, span - offset),
            (offset, span) => builder.used(level).offset(level, offset).span(level, span),
        });
    moved.build()
}

/// The digits of a value, major to minor; `None` for those that are always 0.
fn digits(axis: &Axis, greatest: u64, value: Variable) -> impl Iterator<Item = Option<Expression>> {
    let mut step = axis.slots();
    axis.subaxes.iter().map(move |subaxis| {
        let above = step;
        step /= subaxis.size;
        if greatest < step || subaxis.size == 1 {
            return None;
        }
        let digit = Expression::variable(value).quotient(step);
        Some(if greatest < above { digit } else { digit.remainder(subaxis.size) })
    })
}

/// The value of an expression, from those of variables.
fn value(known: &[(Variable, u64)], expression: &Expression) -> Result<u64, LayoutError> {
    let of = |variable| known.iter().find(|(of, _)| *of == variable).map(|(_, value)| *value);
    let too_large = || LayoutError::too_large(Site::Layout, "a value of the function");
    expression.value(&of).ok_or_else(too_large)
}

/// Returns an error if a function is too long to be written without locals.
pub(super) fn check_length(
    expressions: &[Expression],
    task: &'static str,
) -> Result<(), LayoutError> {
    const MOST: u64 = 1 << 14;
    let length = expressions.iter().fold(0_u64, |n, e| n.saturating_add(e.length()));
    if length > MOST {
        let reason = fault!(
            Inexpressible,
            "it cannot name shared values, and without names it needs more than {most} terms",
            [most = MOST]
        );
        return Err(reason.of_task(task));
    }
    Ok(())
}
