//! The languages that a layout is printed in.

use itertools::Itertools;

use tensor_layout::{Layout, LayoutError};

use super::expression::quotient_by;
use super::{Function, Style, affine_map, isl};

/// A language that a layout is [written](Language::write) in.
///
/// Copies are further arguments of a function, one per replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// An MLIR affine map, below a comment that names the results and bounds the dimensions.
    ///
    /// Results are in the order of the columns of a table; copies are further dimensions, one per
    /// replica. Derived axes are expanded.
    /// Law: applied to an index and the numbers of a copy, the map returns the place of that copy.
    AffineMap,
    /// C functions: from an index to its place, and back where there is an inverse.
    ///
    /// Law: compiled and run, it gives the places of [`locate_all`](Layout::locate_all); the inverse returns
    /// the index.
    C,
    /// The relation between elements and their places for isl, including bounds and copies.
    ///
    /// Law: its pairs are the rows of the table.
    Isl,
    /// The places of the slots that hold no element, as a set for isl.
    ///
    /// Law: a place is in the set if and only if [`element`](Layout::element) returns padding.
    IslPadding,
    /// Python functions, which take integers or NumPy arrays of them. Law: as [`C`](Language::C).
    Python,
    /// Rust functions. Law: as [`C`](Language::C).
    Rust,
}

impl Language {
    /// Writes a layout in this language.
    ///
    /// # Errors
    /// For an affine map, `Inexpressible`: numbers beyond 63 bits, and derived axes that take more than 2^14 terms
    /// when written out; for isl as [`simplified`](Layout::simplified); for functions as
    /// [`without_padding`](Layout::without_padding), except `NotDecided`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout_code::Language;
    /// let layout: Layout = "((4_PE, 4:8), (8:1))".parse()?;
    /// assert_eq!(Language::AffineMap.write(&layout)?, "\
    /// // (d0, d1) -> (PE, Addr), 0 <= d0 < 16, 0 <= d1 < 8
    /// affine_map<(d0, d1) -> (d0 floordiv 4, (d0 mod 4) * 8 + d1)>");
    /// assert_eq!(Language::Isl.write(&layout)?, "{ S[i0, i1] -> A[PE, Addr] : 0 <= i0 < 16 and 0 <= i1 < 8 \
    ///     and PE = floor(i0/4) and Addr = (i0 mod 4) * 8 + i1 }");
    /// assert_eq!(Language::C.write(&layout)?, "\
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
    ///
    /// let layout: Layout = "((3:1, 2:3))".parse()?;
    /// assert_eq!(Language::Rust.write(&layout)?, "\
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
    ///
    /// let layout: Layout = "((5_PE, 3:1))".parse()?;
    /// assert_eq!(Language::Python.write(&layout)?, "\
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
    ///
    /// let layout: Layout = "(3)/((4:2))".parse()?;
    /// assert_eq!(Language::IslPadding.write(&layout)?, "{ A[Addr] : (exists (s0 : 0 <= s0 < 4 and Addr = s0 * 2)) \
    ///     and not (exists (i0 : 0 <= i0 < 3 and Addr = i0 * 2)) }");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(self, layout: &Layout) -> Result<String, LayoutError> {
        match self {
            Language::AffineMap => affine_map::print(&Function::forward_in_sums(layout)?),
            Language::Isl => isl::elements(layout),
            Language::IslPadding => isl::padding(layout),
            Language::C => {
                let functions = both_ways(layout, c, "\n\n")?;
                Ok(format!("#include <stdint.h>\n\n{functions}"))
            }
            Language::Python => both_ways(layout, python, "\n\n\n"),
            Language::Rust => both_ways(layout, rust, "\n\n"),
        }
    }
}

/// The function from an index to its place, and the one back where there is an inverse.
fn both_ways(
    layout: &Layout,
    print: fn(&str, &Function) -> String,
    between: &str,
) -> Result<String, LayoutError> {
    let forward = print("place_of", &Function::place_of(layout)?);
    let backward = Function::index_of(layout).ok().map(|f| print("index_of", &f));
    Ok(std::iter::once(forward).chain(backward).join(between))
}

const C: Style = Style {
    number: |number| match u32::try_from(number) {
        Ok(number) => number.to_string(),
        Err(_) => format!("UINT64_C({number})"),
    },
    ..Style::PLAIN
};

fn c(name: &str, function: &Function) -> String {
    let inputs = function.inputs.iter().map(|(input, _)| format!("uint64_t {input}"));
    let outputs = function.outputs.iter().map(|(output, _)| format!("uint64_t *{output}"));
    let mut arguments = inputs.chain(outputs).join(", ");
    if arguments.is_empty() {
        arguments.push_str("void");
    }
    let inputs = function.inputs.iter().map(|(input, _)| *input);
    let unused = inputs.filter(|input| !function.uses(*input));
    let unused = unused.map(|input| format!("    (void){input};\n"));
    let locals = function.locals.iter();
    let locals =
        locals.map(|(name, value)| format!("    const uint64_t {name} = {};\n", value.write(C)));
    let values = function.outputs.iter();
    let values = values.map(|(name, value)| format!("    *{name} = {};\n", value.write(C)));
    let body: String = unused.chain(locals).chain(values).collect();
    let says = &function.says;
    format!("// {says}\nstatic inline void {name}({arguments}) {{\n{body}}}")
}

fn rust(name: &str, function: &Function) -> String {
    let arguments = function.inputs.iter().map(|(input, _)| format!("{input}: u64")).join(", ");
    let values = function.locals.iter().chain(&function.outputs);
    let body: String = values
        .map(|(name, value)| format!("    let {name} = {};\n", value.write(Style::PLAIN)))
        .collect();
    let results = function.outputs.iter().map(|(output, _)| output).join(", ");
    let (says, count) = (&function.says, function.outputs.len());
    format!(
        "/// {says}\n#[allow(non_snake_case, unused_variables)]\n\
         pub const fn {name}({arguments}) -> [u64; {count}] {{\n{body}    [{results}]\n}}"
    )
}

const PYTHON: Style =
    Style { quotient: |operand, divisor| quotient_by(operand, divisor, "//"), ..Style::PLAIN };

fn python(name: &str, function: &Function) -> String {
    let values = function.locals.iter().chain(&function.outputs);
    let body: String =
        values.map(|(name, value)| format!("    {name} = {}\n", value.write(PYTHON))).collect();
    let results = function.outputs.iter().map(|(output, _)| output.to_string()).collect_vec();
    let results = match &results[..] {
        [one] => format!("{one},"),
        _ => results.join(", "),
    };
    let (says, arguments) =
        (&function.says, function.inputs.iter().map(|(input, _)| input).join(", "));
    format!("def {name}({arguments}):\n    \"\"\"{says}\"\"\"\n{body}    return ({results})")
}
