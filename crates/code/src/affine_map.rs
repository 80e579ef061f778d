//! MLIR: `affine_map<(d0, d1) -> (d0 floordiv 3, (d0 mod 3) * 8 + d1)>`.

use itertools::Itertools;

use tensor_layout::error::fault;
use tensor_layout::{Layout, LayoutError};

use super::function::check_length;
use super::{Expression, Function, Style, Variable};

const STYLE: Style = Style {
    quotient: |operand, divisor| format!("{operand} floordiv {divisor}"),
    remainder: |operand, divisor| format!("{operand} mod {divisor}"),
    variable: |variable| match variable {
        Variable::Index(number) => format!("d{number}"),
        other => other.to_string(),
    },
    ..Style::PLAIN
};

/// Writes a map that lands in the axes `i0`, `i1`, .. of another layout as an affine map: these are the results, in order.
///
/// # Errors
/// As [`Language::write`](crate::Language::write) for an affine map.
///
/// # Example
/// ```
/// let transpose = "((2_i1), (3_i0))".parse()?;
/// let text = tensor_layout_code::affine_index_map(&transpose)?;
/// assert_eq!(text, "// (d0, d1) -> (i0, i1), 0 <= d0 < 2, 0 <= d1 < 3\naffine_map<(d0, d1) -> (d1, d0)>");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn affine_index_map(map: &Layout) -> Result<String, LayoutError> {
    print(&Function::forward_in_sums(map)?.into_index())
}

/// Writes a function as an affine map; the values that outputs share are expanded.
pub(super) fn print(function: &Function) -> Result<String, LayoutError> {
    const TASK: &str = "an affine map cannot express this layout";
    // Copies are dimensions, too.
    let dims = (0..function.inputs.len()).map(Variable::Index).collect_vec();
    let inputs = function.inputs.iter().map(|(input, _)| *input);
    let renamed = inputs.zip(dims.iter().copied().map(Expression::variable)).collect_vec();
    let values = function.inlined();
    check_length(&values, TASK)?;
    let most = i64::MAX.unsigned_abs();
    let greatest = values.iter().map(Expression::greatest_number).max().unwrap_or(0);
    if greatest > most {
        return Err(fault!(
            Inexpressible,
            "it counts up to {most}, but this layout has {number}",
            [most, number = greatest]
        )
        .of_task(TASK));
    }
    let values = values.iter().map(|value| value.replaced(&renamed).write(STYLE));
    let dims = dims.into_iter().map(STYLE.variable).collect_vec();
    let bounds = dims.iter().zip(&function.inputs);
    let bounds = bounds.map(|(dim, (_, range))| format!(", 0 <= {dim} < {}", range.end));
    let names = function.outputs.iter().map(|(name, _)| name).join(", ");
    let (dims, bounds) = (dims.join(", "), bounds.collect::<String>());
    Ok(format!(
        "// ({dims}) -> ({names}){bounds}\naffine_map<({dims}) -> ({})>",
        values.into_iter().join(", ")
    ))
}
