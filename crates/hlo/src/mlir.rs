//! StableHLO modules: the bytes of arguments and results of functions, whole and on one device.
//!
//! ```text
//! sdy.mesh @mesh = <["x"=2, "y"=4]>
//! func.func public @main(%arg0: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<64x64xf32>) {
//!   %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}, {"y"}]> : tensor<64x64xf32>
//! ```

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use itertools::Itertools;

use crate::names::sizes;
use crate::operation::{
    Operation, attribute, braces_left_open, signature, symbol, without_comment,
};
use crate::unread::HloReading;
use tensor_layout::sharding::ShardedShape;
use tensor_layout::xla::{XlaDtype, XlaShape};
use tensor_layout_words::mlir::{angled, parts};

/// The arguments, results and constraints of the functions of an MLIR module.
///
/// Shapes are those of whole tensors, except inside `sdy.manual_computation`, which is not read. A tensor
/// without a sharding counts in full on every device. Elements of less than a byte are packed, as XLA stores them.
///
/// ```
/// use tensor_layout_hlo::MlirModule;
/// let text = r#"module @jit_f {
///   sdy.mesh @mesh = <["x"=2, "y"=4]>
///   func.func public @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16xi1> {
/// "#;
/// let module = MlirModule::read(text);
/// let [argument, result] = &module.values[..] else { panic!() };
/// assert_eq!((argument.whole_bytes, argument.device_bytes), (2048, 1024));
/// assert_eq!((result.shape.as_str(), result.device_bytes), ("pred[16]", 16));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MlirModule {
    /// Arguments, results and constraints, in the order of the text.
    pub values: Vec<MlirValue>,
    /// The axes of each mesh, by the number of its module and its name.
    meshes: BTreeMap<(usize, String), String>,
    /// The number of the module that is being read.
    number: usize,
    unread: HloReading,
}

/// A tensor of an MLIR module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MlirValue {
    /// The function.
    pub function: String,
    /// `argument`, `result` or `constraint`.
    pub kind: &'static str,
    /// Its name, such as `%arg0`, or the number of a result.
    pub name: String,
    /// The line, from 1.
    pub line: u64,
    /// The shape in XLA's notation.
    pub shape: String,
    /// The sharding with its mesh, if it has one.
    pub sharding: Option<String>,
    /// The memory that it is in, such as `pinned_host`, if that is said.
    pub memory_kind: Option<String>,
    /// Set if it is donated: `jax.buffer_donor` or `tf.aliasing_output`.
    pub is_donated: bool,
    /// The bytes of the elements of the whole tensor.
    pub whole_bytes: u64,
    /// The bytes that one device holds.
    pub device_bytes: u64,
}

impl MlirModule {
    /// Reads a module.
    #[must_use]
    pub fn read(text: &str) -> MlirModule {
        let mut module = MlirModule::default();
        let lines = text.lines().map(|line| without_comment(line.trim_start())).zip(1..);
        let mut nesting = Nesting::default();
        let lines: Vec<Line<'_>> = lines.map(|(text, number)| nesting.line(text, number)).collect();
        // Meshes may be defined after the functions that name them.
        let meshes = lines.iter().filter(|line| line.operation.name == "sdy.mesh");
        meshes.for_each(|line| module.read_mesh(line));
        let mut function = String::new();
        for line in lines.iter().filter(|line| !line.is_local) {
            module.number = line.module;
            module.read_line(line, &mut function);
        }
        let last = lines.iter().rev().find(|line| !line.text.is_empty());
        if let Some(last) = last.filter(|_| nesting.depth > 0) {
            module.cannot_read(last, "the text ends inside the module");
        }
        module
    }

    fn cannot_read(&mut self, line: &Line<'_>, why: &str) {
        self.unread.push(line.number, line.text.as_bytes(), why.into());
    }

    fn read_line(&mut self, line: &Line<'_>, function: &mut String) {
        let operation = &line.operation;
        if line.closes_nothing {
            self.cannot_read(line, "this brace closes nothing: the text before it is missing");
        }
        if matches!(operation.name, "func.func" | "func") {
            let name = match operation.is_generic {
                true => self.read_generic_function(line),
                false => self.read_function(line),
            };
            if name.is_none() {
                self.cannot_read(line, "the arguments of this function are not on one line");
            }
            *function = name.unwrap_or_default();
        } else if operation.is_constraint() && self.read_constraint(line, function).is_none() {
            self.cannot_read(line, "this constraint cannot be read");
        } else if operation.name == MANUAL && braces_left_open(line.text) <= 0 {
            self.cannot_read(
                line,
                "the body of this computation does not begin at the end of its line",
            );
        }
        if operation.holds_another() {
            self.cannot_read(
                line,
                "this line holds several operations, and only the first is read",
            );
        }
    }

    /// `sdy.mesh @mesh = <["x"=2, "y"=4]> {..}`: kept as `mesh<["x"=2, "y"=4]>`.
    fn read_mesh(&mut self, line: &Line<'_>) {
        match mesh(&line.operation) {
            Some((name, axes)) => {
                let before = self.meshes.insert((line.module, name), axes.clone());
                if before.is_some_and(|before| before != axes) {
                    self.cannot_read(line, "this mesh is defined twice, and the last one is used");
                }
            }
            None => self.cannot_read(line, "this mesh cannot be read"),
        }
    }

    /// `func.func public @main(..) -> (..) {`: returns the name.
    fn read_function(&mut self, line: &Line<'_>) -> Option<String> {
        let (_, rest) = line.operation.rest.split_once('@')?;
        let (name, _) = rest.split_once('(')?;
        let (arguments, results) = signature(rest.get(name.len()..)?)?;
        let name = symbol(name);
        for argument in parts(arguments) {
            let named = argument.split_once(": ").filter(|_| argument.starts_with('%'));
            let (own, of) = named.unwrap_or(("", argument));
            self.add(name, "argument", own, of, None, line.number);
        }
        for (number, result) in parts(results).enumerate() {
            self.add(name, "result", &number.to_string(), result, None, line.number);
        }
        Some(name.to_owned())
    }

    /// `"func.func"() <{arg_attrs = [{..}], function_type = (..) -> .., res_attrs = [{..}], sym_name = "main"}> ({`:
    /// returns the name.
    fn read_generic_function(&mut self, line: &Line<'_>) -> Option<String> {
        let (attributes, _) = line.operation.generic()?;
        let name = attribute(&attributes, "sym_name")?;
        let types = attribute(&attributes, "function_type")?;
        let (arguments, results) = signature(&types)?;
        for (kind, key, types) in
            [("argument", "arg_attrs", arguments), ("result", "res_attrs", results)]
        {
            let described = attribute(&attributes, key).unwrap_or_default();
            let described = described.strip_prefix('[').unwrap_or_default();
            let described = parts(described).chain(std::iter::repeat(""));
            for (number, (of, attributes)) in parts(types).zip(described).enumerate() {
                let of = format!("{of} {attributes}");
                self.add(&name, kind, &number.to_string(), &of, None, line.number);
            }
        }
        Some(name.into_owned())
    }

    /// `%3 = sdy.sharding_constraint %2 <@mesh, [{"x"}, {"y"}]> : tensor<64x64xf32>`, or
    /// `%3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = ".."} : (..) -> tensor<64x64xf32>`, or one of
    /// them in the generic form.
    fn read_constraint(&mut self, line: &Line<'_>, function: &str) -> Option<()> {
        let Operation { results, name, rest, is_generic } = line.operation;
        let name_of_result = Some(results).filter(|name| !name.is_empty())?;
        // The source location may contain any characters.
        let rest = rest.split_once(" loc(").map_or(rest, |(before, _)| before);
        let is_shardy = name == "sdy.sharding_constraint";
        let (of, sharding) = if is_generic {
            let (attributes, types) = Operation { rest, ..line.operation }.generic()?;
            let sharding = attribute(&attributes, "sharding").map(Cow::into_owned);
            (format!("{} {{{attributes}}}", types.rsplit_once("-> ")?.1), sharding)
        } else if is_shardy {
            let (rest, of) = rest.rsplit_once(" : ")?;
            (of.to_owned(), Some(rest.get(rest.find('<')?..)?.to_owned()))
        } else {
            let (attributes, of) = rest.rsplit_once(" -> ")?;
            (format!("{of} {}", attributes.get(attributes.find('{')?..)?), None)
        };
        if is_shardy && sharding.is_none() {
            return None;
        }
        self.add(function, "constraint", name_of_result, &of, sharding.as_deref(), line.number);
        Some(())
    }

    /// Adds a tensor by its type, and attributes in braces after it. A token is not a tensor and has no
    /// bytes.
    fn add(
        &mut self,
        function: &str,
        kind: &'static str,
        name: &str,
        of: &str,
        sharding: Option<&str>,
        line: u64,
    ) {
        let (kind_of, attributes) = of.split_once('{').unwrap_or((of, ""));
        if matches!(kind_of.trim(), "!stablehlo.token" | "!mhlo.token") {
            return;
        }
        let found = shape_of(kind_of.trim()).and_then(|shape| {
            let mode = attribute(attributes, "mhlo.layout_mode");
            let shape = with_layout(shape, mode.as_deref());
            let memory_kind = attribute(attributes, "mhlo.memory_kind").map(Cow::into_owned);
            let mesh = |name: &str| self.meshes.get(&(self.number, name.to_owned())).cloned();
            let sharding = sharding_of(sharding, attributes, mesh)?;
            let (whole_bytes, device_bytes) = bytes(&shape, sharding.as_deref())?;
            let is_donated = attribute(attributes, "tf.aliasing_output").is_some()
                || attribute(attributes, "jax.buffer_donor").is_some_and(|value| value == "true");
            let (function, name) = (function.to_owned(), name.trim().to_owned());
            Ok(MlirValue {
                function,
                kind,
                name,
                line,
                shape,
                sharding,
                memory_kind,
                is_donated,
                whole_bytes,
                device_bytes,
            })
        });
        match found {
            Ok(value) => self.values.push(value),
            Err(why) => self.unread.push(line, of.as_bytes(), why),
        }
    }

    /// The lines that could not be read.
    #[must_use]
    pub fn reading(&self) -> &HloReading {
        &self.unread
    }

    /// The tensors by bytes on one device, the greatest first.
    #[must_use]
    pub fn largest(&self) -> Vec<&MlirValue> {
        let mut values: Vec<_> = self.values.iter().collect();
        values.sort_by_key(|value| Reverse(value.device_bytes));
        values
    }

    /// The sums of arguments and of results of `@main`: kind and memory, number, bytes on one device and whole.
    /// Memories are never added up.
    #[must_use]
    pub fn sums(&self) -> Vec<(&'static str, Option<&str>, [u64; 3])> {
        let mut sums = vec![("argument", None, [0; 3]), ("result", None, [0; 3])];
        for value in self.values.iter().filter(|value| value.function == "main") {
            let place = (value.kind, value.other_memory());
            let bytes = [1, value.device_bytes, value.whole_bytes];
            let add = |sum: &mut [u64; 3]| {
                sum.iter_mut().zip(bytes).for_each(|(sum, of)| *sum = sum.saturating_add(of));
            };
            match sums.iter_mut().find(|(kind, memory, _)| (*kind, *memory) == place) {
                Some((.., sum)) => add(sum),
                None if value.kind == "constraint" => {}
                None => sums.push((value.kind, value.other_memory(), bytes)),
            }
        }
        sums.sort_by_key(|(kind, memory, _)| (*kind, *memory));
        sums
    }
}

impl MlirValue {
    /// The memory that it is in, unless that is the memory of the device.
    #[must_use]
    pub fn other_memory(&self) -> Option<&str> {
        self.memory_kind.as_deref().filter(|kind| *kind != "device")
    }
}

/// The sharding of a tensor, its mesh written out.
fn sharding_of(
    given: Option<&str>,
    attributes: &str,
    mesh: impl Fn(&str) -> Option<String>,
) -> Result<Option<String>, String> {
    let shardy = attribute(attributes, "sdy.sharding");
    let shardy = shardy.or_else(|| attribute(attributes, "xla.sdy.sharding"));
    if let Some(text) = given.map(Cow::from).or(shardy) {
        let text = text.strip_prefix("#sdy.sharding").unwrap_or(&text);
        let text = angled(text).ok_or("this sharding is not closed")?;
        let Some(name) = text.strip_prefix("<@") else {
            return Ok(Some(format!("#sdy.sharding{text}")));
        };
        let (name, dims) = name.split_once(',').ok_or("this sharding has no dimensions")?;
        let mesh =
            mesh(symbol(name)).ok_or_else(|| format!("mesh @{name} is not in this module"))?;
        return Ok(Some(format!("#sdy.sharding<{mesh},{dims}")));
    }
    Ok(attribute(attributes, "mhlo.sharding").map(Cow::into_owned))
}

/// The shape of a tensor, `tensor<8x4xf32>`, with the layout and the sharding that its attributes give, or the reason it cannot
/// be read; `None` if they give neither.
pub(crate) fn laid_out(
    of: &str,
    attributes: &str,
    mesh: impl Fn(&str) -> Option<String>,
) -> Option<Result<String, String>> {
    let mode = attribute(attributes, "mhlo.layout_mode").filter(|mode| mode.starts_with('{'));
    let read = || {
        let sharding = sharding_of(None, attributes, mesh)?;
        if mode.is_none() && sharding.is_none() {
            return Ok(None);
        }
        let shape = with_layout(shape_of(of)?, mode.as_deref());
        Ok(Some(sharding.map_or(shape.clone(), |sharding| format!("{shape}, sharding={sharding}"))))
    };
    read().transpose()
}

/// The name and the axes of the mesh that a line defines, if it does.
pub(crate) fn mesh_of_line(line: &str) -> Option<(String, String)> {
    let operation = Operation::of(line.trim_start());
    mesh(&operation).filter(|_| operation.name == "sdy.mesh")
}

/// A shape with the layout that JAX asks for, `{0,1}` or `{1,0:T(8,128)}`; `auto` and `default` ask for none.
/// Elements of less than a byte are packed, as XLA stores them.
fn with_layout(shape: String, mode: Option<&str>) -> String {
    let given = mode.and_then(|mode| mode.strip_prefix('{')?.strip_suffix('}'));
    let parsed = shape.parse::<XlaShape>().ok();
    let array = parsed.as_ref().and_then(XlaShape::as_array);
    // A boolean takes a byte, and so do the numbers of 6 bits.
    let dtype = array.map(|array| array.dtype).filter(|dtype| dtype.name() != "pred");
    let bits = dtype.map(XlaDtype::value_bits).filter(|bits| *bits <= 4);
    let bits = bits.filter(|_| !given.is_some_and(|given| given.contains("E(")));
    let order = || (0..array.map_or(0, |array| array.dims.len())).rev().join(",");
    match (given, bits) {
        (None, None) => shape,
        (Some(given), None) => format!("{shape}{{{given}}}"),
        (given, Some(bits)) => {
            let given = given.map_or_else(order, str::to_owned);
            let colon = if given.contains(':') { "" } else { ":" };
            format!("{shape}{{{given}{colon}E({bits})}}")
        }
    }
}

/// The operation whose body has the shapes of one device.
const MANUAL: &str = "sdy.manual_computation";

/// A line without its comment, and its place in the text.
struct Line<'t> {
    text: &'t str,
    number: u64,
    operation: Operation<'t>,
    /// The number of the module that it is in: each module, even a nested one, has its own symbols.
    module: usize,
    /// Set in the body of a manual computation.
    is_local: bool,
    closes_nothing: bool,
}

/// The braces that are open after a line, and what opened them.
#[derive(Default)]
struct Nesting {
    depth: i64,
    /// The open modules, each with the number of braces outside it.
    modules: Vec<(i64, usize)>,
    /// The number of modules so far.
    count: usize,
    /// The number of braces outside the body of a manual computation.
    manual: Option<i64>,
}

impl Nesting {
    /// Takes the next line.
    fn line<'t>(&mut self, text: &'t str, number: u64) -> Line<'t> {
        let operation = Operation::of(text);
        if operation.is_module() {
            self.count += 1;
            self.modules.push((self.depth, self.count));
        }
        let module = self.modules.last().map_or(0, |(_, number)| *number);
        let is_local = self.manual.is_some();
        let begins = Some(self.depth).filter(|_| operation.name == MANUAL);
        self.manual = self.manual.or(begins);
        let closes_nothing = self.step(text);
        Line { text, number, operation, module, is_local, closes_nothing }
    }

    /// Counts the braces of a line; returns whether one closes nothing.
    fn step(&mut self, text: &str) -> bool {
        let depth = self.depth + braces_left_open(text);
        self.depth = depth.max(0);
        self.manual = self.manual.filter(|outside| depth > *outside);
        // The brace that opens a module may be on a line of its own.
        while text.contains('}')
            && self.modules.last().is_some_and(|(outside, _)| depth <= *outside)
        {
            self.modules.pop();
        }
        depth < 0
    }
}

/// The name and the axes of a mesh.
fn mesh(of: &Operation<'_>) -> Option<(String, String)> {
    let (name, axes) = if of.is_generic {
        let (attributes, _) = of.generic()?;
        let value = |key| attribute(&attributes, key).map(Cow::into_owned);
        (value("sym_name")?, value("mesh")?.strip_prefix("#sdy.mesh")?.to_owned())
    } else {
        let (name, axes) = of.rest.trim_start().strip_prefix('@')?.split_once('=')?;
        (symbol(name).to_owned(), axes.trim_start().to_owned())
    };
    Some((name, format!("mesh{}", axes.get(..=axes.find('>')?)?)))
}

/// `tensor<16x32xf32>` as `f32[16,32]`.
///
/// # Errors
/// The reason it has no size, in words.
pub(crate) fn shape_of(tensor: &str) -> Result<String, String> {
    let inner = tensor.strip_prefix("tensor<").ok_or("this is not a tensor")?;
    let (dims, dtype) = match inner.split_once("complex<") {
        Some((dims, part)) => (dims, complex_of(part)?.to_owned()),
        None => {
            let (inner, _) = inner.split_once('>').ok_or("this is not a tensor")?;
            let inner = inner.split(',').next().unwrap_or(inner);
            if inner.contains('!') {
                return Err(
                    "elements of another dialect have no size: in Triton, an encoding after \
                            them gives a tensor its layout"
                        .into(),
                );
            }
            if inner.ends_with("index") {
                return Err("the size of `index` depends on the target".into());
            }
            let (dims, dtype) = inner.split_at(inner.rfind('x').map_or(0, |last| last + 1));
            (dims, dtype_of(dtype))
        }
    };
    // Every dimension has an `x` after it.
    if dims.contains('?') {
        return Err("a dimension `?` has no size".into());
    }
    if dims.split_terminator('x').any(str::is_empty) {
        return Err("a dimension without a number has no size".into());
    }
    let dims = dims.strip_suffix('x').unwrap_or(dims);
    Ok(format!("{dtype}[{}]", dims.replace('x', ",")))
}

/// The type of complex numbers, by the type of their parts.
fn complex_of(part: &str) -> Result<&'static str, String> {
    // An encoding may follow the type.
    match part.split_once('>') {
        Some(("f32", _)) => Ok("c64"),
        Some(("f64", _)) => Ok("c128"),
        _ => Err("this is not a complex type".into()),
    }
}

/// The type of elements as XLA names it.
fn dtype_of(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    match name.strip_prefix("ui").map(|bits| format!("u{bits}")) {
        Some(unsigned) => unsigned,
        None if name == "i1" => "pred".into(),
        None => match name.strip_prefix('i') {
            Some(bits) => format!("s{bits}"),
            None => name,
        },
    }
}

/// The bytes of the elements of a tensor, and those that a device holds.
fn bytes(shape: &str, sharding: Option<&str>) -> Result<(u64, u64), String> {
    match sharding {
        Some(sharding) => {
            let text = format!("{shape}, sharding={sharding}");
            let sizes = text.parse::<ShardedShape>().and_then(|shape| shape.sizes());
            let sizes = sizes.map_err(|error| error.kind().to_string())?;
            Ok((sizes.global_bytes, sizes.device_bytes))
        }
        None => {
            let sizes = sizes(shape)?;
            Ok((sizes.unpadded_bytes, sizes.allocated_bytes))
        }
    }
}
