//! C: `static inline void place_of(uint64_t i0, uint64_t i1, uint64_t *PE, uint64_t *Addr)`.

use itertools::Itertools;

use super::{Function, Style};
use crate::algebra::Layout;
use crate::error::LayoutError;

const STYLE: Style = Style {
    number: |number| match u32::try_from(number) {
        Ok(number) => number.to_string(),
        Err(_) => format!("UINT64_C({number})"),
    },
    ..Style::PLAIN
};

impl Layout {
    /// Writes the layout as a C function from an index to its place, with its inverse where there is one.
    ///
    /// Copies are further arguments, one per replica.
    /// Law: compiled and run, it gives the places of [`locate_all`](Layout::locate_all); the inverse returns
    /// the index.
    ///
    /// # Errors
    /// As [`without_padding`](Layout::without_padding), except `NotDecided`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((4_PE, 4:8), (8:1))".parse()?;
    /// assert_eq!(layout.to_c()?, "\
    /// #include <stdint.h>
    ///
    /// // From an index of shape (16, 8) to its place (PE, Addr).
    /// static inline void place_of(uint64_t i0, uint64_t i1, uint64_t *PE, uint64_t *Addr) {
    ///     *PE = i0 >> 2;
    ///     *Addr = (i0 & 3) * 8 + i1;
    /// }
    ///
    /// // From the place of an element to its index.
    /// static inline void index_of(uint64_t PE, uint64_t Addr, uint64_t *i0, uint64_t *i1) {
    ///     *i0 = PE * 4 + (Addr >> 3);
    ///     *i1 = Addr & 7;
    /// }");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_c(&self) -> Result<String, LayoutError> {
        let forward = print("place_of", &self.to_place_function()?);
        let backward = self.to_index_function().ok().map(|f| print("index_of", &f));
        let functions = std::iter::once(forward).chain(backward).join("\n\n");
        Ok(format!("#include <stdint.h>\n\n{functions}"))
    }
}

fn print(name: &str, function: &Function) -> String {
    let inputs = function.inputs().iter().map(|(input, _)| format!("uint64_t {input}"));
    let outputs = function.outputs().iter().map(|(output, _)| format!("uint64_t *{output}"));
    let mut arguments = inputs.chain(outputs).join(", ");
    if arguments.is_empty() {
        arguments.push_str("void");
    }
    let inputs = function.inputs().iter().map(|(input, _)| *input);
    let unused = inputs.filter(|input| !function.uses(*input));
    let unused = unused.map(|input| format!("    (void){input};\n"));
    let locals = function.locals().iter();
    let locals = locals
        .map(|(name, value)| format!("    const uint64_t {name} = {};\n", value.write(STYLE)));
    let values = function.outputs().iter();
    let values = values.map(|(name, value)| format!("    *{name} = {};\n", value.write(STYLE)));
    let body: String = unused.chain(locals).chain(values).collect();
    let says = &function.says;
    format!("// {says}\nstatic inline void {name}({arguments}) {{\n{body}}}")
}
