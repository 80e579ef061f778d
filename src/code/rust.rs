//! Rust: `pub const fn place_of(i0: u64, i1: u64) -> [u64; 2]`.

use itertools::Itertools;

use super::{Function, Style};
use crate::algebra::Layout;
use crate::error::LayoutError;

impl Layout {
    /// Writes the layout as a Rust function from an index to its place, with its inverse where there is one.
    ///
    /// Copies are further arguments, one per replica. Law: as [`to_c`](Layout::to_c).
    ///
    /// # Errors
    /// As [`without_padding`](Layout::without_padding), except `NotDecided`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((3:1, 2:3))".parse()?;
    /// assert_eq!(layout.to_rust()?, "\
    /// /// From an index of shape (6) to its place (Addr).
    /// #[allow(non_snake_case, unused_variables)]
    /// pub const fn place_of(i0: u64) -> [u64; 1] {
    ///     let Addr = (i0 >> 1) + (i0 & 1) * 3;
    ///     [Addr]
    /// }
    ///
    /// /// From the place of an element to its index.
    /// #[allow(non_snake_case, unused_variables)]
    /// pub const fn index_of(Addr: u64) -> [u64; 1] {
    ///     let i0 = (Addr / 3) + (Addr % 3) * 2;
    ///     [i0]
    /// }");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_rust(&self) -> Result<String, LayoutError> {
        let forward = print("place_of", &self.to_place_function()?);
        let backward = self.to_index_function().ok().map(|f| print("index_of", &f));
        Ok(std::iter::once(forward).chain(backward).join("\n\n"))
    }
}

fn print(name: &str, function: &Function) -> String {
    let arguments = function.inputs().iter().map(|(input, _)| format!("{input}: u64")).join(", ");
    let values = function.locals().iter().chain(function.outputs());
    let body: String = values
        .map(|(name, value)| format!("    let {name} = {};\n", value.write(Style::PLAIN)))
        .collect();
    let results = function.outputs().iter().map(|(output, _)| output).join(", ");
    let (says, count) = (&function.says, function.outputs().len());
    format!(
        "/// {says}\n#[allow(non_snake_case, unused_variables)]\n\
         pub const fn {name}({arguments}) -> [u64; {count}] {{\n{body}    [{results}]\n}}"
    )
}
