//! Python: `def place_of(i0, i1):`.

use itertools::Itertools;

use super::expression::quotient_by;
use super::{Function, Style};
use crate::algebra::Layout;
use crate::error::LayoutError;

const STYLE: Style =
    Style { quotient: |operand, divisor| quotient_by(operand, divisor, "//"), ..Style::PLAIN };

impl Layout {
    /// Writes the layout as a Python function from an index to its place, with its inverse where there is
    /// one; it takes integers or NumPy arrays of them.
    ///
    /// Copies are further arguments, one per replica. Law: as [`to_c`](Layout::to_c).
    ///
    /// # Errors
    /// As [`without_padding`](Layout::without_padding), except `NotDecided`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((5_PE, 3:1))".parse()?;
    /// assert_eq!(layout.to_python()?, "\
    /// def place_of(i0):
    ///     \"\"\"From an index of shape (15) to its place (PE, Addr).\"\"\"
    ///     PE = i0 // 3
    ///     Addr = i0 % 3
    ///     return (PE, Addr)
    ///
    ///
    /// def index_of(PE, Addr):
    ///     \"\"\"From the place of an element to its index.\"\"\"
    ///     i0 = PE * 3 + Addr
    ///     return (i0,)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_python(&self) -> Result<String, LayoutError> {
        let forward = print("place_of", &self.to_place_function()?);
        let backward = self.to_index_function().ok().map(|f| print("index_of", &f));
        Ok(std::iter::once(forward).chain(backward).join("\n\n\n"))
    }
}

fn print(name: &str, function: &Function) -> String {
    let values = function.locals().iter().chain(function.outputs());
    let body: String =
        values.map(|(name, value)| format!("    {name} = {}\n", value.write(STYLE))).collect();
    let results = function.outputs().iter().map(|(output, _)| output.to_string()).collect_vec();
    let results = match &results[..] {
        [one] => format!("{one},"),
        _ => results.join(", "),
    };
    let (says, arguments) =
        (&function.says, function.inputs().iter().map(|(input, _)| input).join(", "));
    format!("def {name}({arguments}):\n    \"\"\"{says}\"\"\"\n{body}    return ({results})")
}
