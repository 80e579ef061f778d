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

use crate::attributes::unquoted;
use crate::names::sizes;
use crate::unread::HloReading;
use tensor_layout::internals::{Walk, behind_angled, counted, printable, readable_bytes};
use tensor_layout::sharding::ShardedShape;

/// The arguments, results and constraints of the functions of an MLIR module.
///
/// Shapes are those of whole tensors, except inside `sdy.manual_computation`, which is not read. A tensor
/// without a sharding counts in full on every device.
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
    meshes: BTreeMap<String, String>,
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
        let lines: Vec<(&str, u64)> = lines.collect();
        // A text may have several modules, each with its own meshes.
        let mut depth = 0;
        let continues = |(line, _): &(&str, u64), (next, _): &(&str, u64)| {
            depth += braces_left_open(line);
            depth > 0 || !is_head(next)
        };
        lines.chunk_by(continues).for_each(|part| module.read_part(part));
        module
    }

    fn read_part(&mut self, lines: &[(&str, u64)]) {
        self.meshes.clear();
        // Meshes may be defined behind the functions that name them.
        let meshes = lines
            .iter()
            .filter_map(|(line, number)| Some((line.strip_prefix("sdy.mesh @")?, *number)));
        meshes.for_each(|(rest, number)| self.read_mesh(rest, number));
        let (mut function, mut manual) = (String::new(), ManualRegion::default());
        for &(start, number) in lines {
            if manual.holds(start) {
                continue;
            }
            if let Some(rest) = start.strip_prefix("func.func ") {
                function = self.read_function(rest, number).unwrap_or_else(|| {
                    let why = "the arguments of this function are not on one line";
                    self.unread.push(number, start.as_bytes(), why.into());
                    String::new()
                });
            } else if is_constraint(start)
                && self.read_constraint(start, &function, number).is_none()
            {
                let why = "this constraint cannot be read";
                self.unread.push(number, start.as_bytes(), why.into());
            } else if GENERIC.iter().any(|operation| start.contains(operation)) {
                let why = "MLIR's generic form is not read: print the module without it";
                self.unread.push(number, start.as_bytes(), why.into());
            }
        }
        let last = lines.iter().rev().find(|(line, _)| !line.is_empty());
        if let Some((last, line)) = last.filter(|_| manual.depth > 0) {
            self.unread.push(*line, last.as_bytes(), "the text ends inside the module".into());
        }
    }

    /// `mesh = <["x"=2, "y"=4]> {..}`: kept as `mesh<["x"=2, "y"=4]>`.
    fn read_mesh(&mut self, rest: &str, line: u64) {
        let mesh = rest.split_once('=').and_then(|(name, mesh)| {
            let axes = mesh.trim_start();
            let end = axes.find('>')?;
            Some((name.trim().to_owned(), format!("mesh{}", axes.get(..=end)?)))
        });
        match mesh {
            Some((name, axes)) => {
                let before = self.meshes.insert(name, axes.clone());
                if before.is_some_and(|before| before != axes) {
                    let why = "this mesh is defined twice, and the last one is used";
                    self.unread.push(line, rest.as_bytes(), why.into());
                }
            }
            None => self.unread.push(line, rest.as_bytes(), "this mesh cannot be read".into()),
        }
    }

    /// `public @main(..) -> (..) {`: returns the name.
    fn read_function(&mut self, rest: &str, line: u64) -> Option<String> {
        let (_, rest) = rest.split_once('@')?;
        let (name, _) = rest.split_once('(')?;
        let (arguments, behind) = bracketed(rest.get(name.len()..)?)?;
        for argument in parts(arguments) {
            let (own, of) = argument.split_once(": ").unwrap_or(("", argument));
            self.add(name, "argument", own, of, None, line);
        }
        let Some(results) = behind.trim_start().strip_prefix("->") else {
            return Some(name.to_owned());
        };
        let results = results.trim_start();
        let all = match results.starts_with('(') {
            true => bracketed(results)?.0,
            false => results.trim_end().strip_suffix('{').unwrap_or(results),
        };
        for (number, result) in parts(all).enumerate() {
            self.add(name, "result", &number.to_string(), result, None, line);
        }
        Some(name.to_owned())
    }

    /// `%3 = sdy.sharding_constraint %2 <@mesh, [{"x"}, {"y"}]> : tensor<64x64xf32>`, or
    /// `%3 = "sdy.sharding_constraint"(%2) <{sharding = #sdy.sharding<..>}> : (..) -> tensor<64x64xf32>`, or
    /// `%3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = ".."} : (..) -> tensor<64x64xf32>`.
    fn read_constraint(&mut self, text: &str, function: &str, line: u64) -> Option<()> {
        let (name, rest) = text.split_once(" = ")?;
        // The place in the program may hold any signs.
        let rest = rest.split_once(" loc(").map_or(rest, |(before, _)| before);
        if let Some((attributes, of)) = rest.rsplit_once(" -> ") {
            if rest.starts_with('"') {
                let sharding = attributes.get(attributes.find("#sdy.sharding<")?..)?;
                self.add(function, "constraint", name, of, Some(sharding), line);
                return Some(());
            }
            let of = format!("{of} {}", attributes.get(attributes.find('{')?..)?);
            self.add(function, "constraint", name, &of, None, line);
            return Some(());
        }
        let (rest, of) = rest.rsplit_once(" : ")?;
        let sharding = rest.get(rest.find('<')?..)?;
        self.add(function, "constraint", name, of, Some(sharding), line);
        Some(())
    }

    /// Adds a tensor by its type, and attributes in braces behind it.
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
        let found = shape_of(kind_of.trim()).and_then(|shape| {
            let sharding = self.sharding(sharding, attributes)?;
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

    /// The sharding of a tensor, its mesh written out.
    fn sharding(&self, given: Option<&str>, attributes: &str) -> Result<Option<String>, String> {
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
                self.meshes.get(name).ok_or_else(|| format!("mesh @{name} is not in this text"))?;
            return Ok(Some(format!("#sdy.sharding<{mesh},{dims}")));
        }
        Ok(attribute(attributes, "mhlo.sharding").map(Cow::into_owned))
    }

    /// The lines that could not be read.
    #[must_use]
    pub fn reading(&self) -> &HloReading {
        &self.unread
    }

    /// The tensors by bytes on one device, descending.
    #[must_use]
    pub fn largest(&self) -> Vec<&MlirValue> {
        let mut values: Vec<_> = self.values.iter().collect();
        values.sort_by_key(|value| Reverse(value.device_bytes));
        values
    }

    /// A readable page: the `top` tensors by bytes on one device (20 by default), and the sums of arguments
    /// and results of `@main`.
    #[must_use]
    pub fn page(&self, top: Option<usize>) -> String {
        const SHOWN: usize = 20;
        let row = |device: u64, whole: u64, text: &str| {
            let [device, whole] = [device, whole].map(readable_bytes);
            format!("{device:>11} {whole:>11}  {text}\n")
        };
        let mut page = format!("{:>11} {:>11}  tensor\n", "on a device", "whole");
        let values = self.largest();
        for value in values.iter().take(top.unwrap_or(SHOWN)) {
            let MlirValue { function, kind, name, line, shape, .. } = value;
            let donated = if value.is_donated { ", donated" } else { "" };
            let text = format!("{kind} {name} of @{function}, line {line}{donated}");
            page += &row(value.device_bytes, value.whole_bytes, &text);
            let sharding = value.sharding.as_deref().map(|text| format!(", sharding={text}"));
            page += &format!("{:13}{shape}{}\n", "", sharding.unwrap_or_default());
        }
        let hidden = values.len().saturating_sub(top.unwrap_or(SHOWN));
        if hidden > 0 {
            page += &format!("{:25}{hidden} more\n", "");
        }
        for kind in ["argument", "result"] {
            let of =
                self.values.iter().filter(|value| value.kind == kind && value.function == "main");
            let (count, device, whole) =
                of.fold((0, 0_u64, 0_u64), |(count, device, whole), value| {
                    let device = device.saturating_add(value.device_bytes);
                    (count + 1, device, whole.saturating_add(value.whole_bytes))
                });
            page += &row(device, whole, &format!("{} of @main", counted::<u64>(count, kind)));
        }
        page += "bodies are not read: the after_optimizations.txt of a dump has the instructions that run\n";
        page += &self.unread.rows();
        printable(&page).into_owned()
    }
}

/// The body of a `sdy.manual_computation`, whose shapes are those of one device.
#[derive(Default)]
struct ManualRegion {
    /// The braces that are open, and how many of them are outside the body.
    depth: i64,
    outside: Option<i64>,
}

impl ManualRegion {
    /// Returns whether a line, the next of the text, is in the body or ends it.
    fn holds(&mut self, line: &str) -> bool {
        let is_inside = self.outside.is_some();
        let begins = ["sdy.manual_computation(", "\"sdy.manual_computation\"("];
        if !is_inside && begins.iter().any(|operation| line.contains(operation)) {
            self.outside = Some(self.depth);
        }
        self.depth += braces_left_open(line);
        self.outside = self.outside.filter(|outside| self.depth > *outside);
        is_inside
    }
}

/// Returns whether a line begins a module.
fn is_head(line: &str) -> bool {
    let rest = line.strip_prefix("builtin.").unwrap_or(line).strip_prefix("module");
    rest.is_some_and(|rest| rest.starts_with([' ', '{']))
}

/// The value of an attribute, or of one of the attributes for other frontends; if it is a string, what the string holds.
fn attribute<'t>(attributes: &'t str, key: &str) -> Option<Cow<'t, str>> {
    let pairs = |text: &'t str| {
        let pairs = parts(text).filter_map(|part| part.split_once('='));
        pairs.map(|(name, value)| (name.trim_end(), value.trim_start()))
    };
    let others = pairs(attributes).filter(|(name, _)| *name == "mhlo.frontend_attributes");
    let others = others.flat_map(|(_, value)| pairs(value.strip_prefix('{').unwrap_or(value)));
    let (_, value) = pairs(attributes).chain(others).find(|(name, _)| *name == key)?;
    // MLIR prints a quote within a string by its code.
    let plain = value.replace("\\22", "\\\"");
    match unquoted(&plain) {
        Some(string) => Some(string.into_owned().into()),
        None => Some(value.into()),
    }
}

/// The bytes of a line outside strings, each with its position.
fn outside_strings(line: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut bytes, mut is_quoted) = ((0..).zip(line.bytes()), false);
    std::iter::from_fn(move || {
        loop {
            match bytes.next()? {
                (_, b'\\') if is_quoted => drop(bytes.next()),
                (_, b'"') => is_quoted = !is_quoted,
                found if !is_quoted => return Some(found),
                _ => {}
            }
        }
    })
}

/// A line up to its comment.
fn without_comment(line: &str) -> &str {
    let mut slashes = outside_strings(line).filter(|(_, byte)| *byte == b'/');
    let comment = slashes.find(|(at, _)| line.as_bytes().get(at + 1) == Some(&b'/'));
    comment.and_then(|(at, _)| line.get(..at)).unwrap_or(line).trim_end()
}

/// The number of braces that a line opens, less those that it closes.
fn braces_left_open(line: &str) -> i64 {
    let step = |(_, byte)| i64::from(byte == b'{') - i64::from(byte == b'}');
    outside_strings(line).map(step).sum()
}

/// Returns whether an operation specifies the sharding of its operand, in Shardy or GSPMD.
fn is_constraint(operation: &str) -> bool {
    let known =
        ["sdy.sharding_constraint ", "\"sdy.sharding_constraint\"(", "custom_call @Sharding("];
    known.iter().any(|known| operation.contains(known))
}

/// Operations that matter here, in the form that MLIR prints without knowing them.
const GENERIC: [&str; 3] = ["\"func.func\"(", "\"sdy.mesh\"(", "call_target_name = \"Sharding\""];

/// Splits a text that begins with a bracket into the part up to the closing one, and the rest behind it.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let close = Walk::from(1).next(text.as_bytes(), None)?;
    Some((text.get(1..close)?, text.get(close + 1..)?))
}

/// Returns the text up to the `>` that closes its first `<`.
pub(crate) fn angled(text: &str) -> Option<&str> {
    text.get(..behind_angled(text.as_bytes())?)
}

/// Returns the parts between commas outside of brackets, types and quotes, trimmed, without empty ones.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut start = Some(0);
    let parts = std::iter::from_fn(move || {
        let from = start?;
        let (mut walk, mut at, mut open) = (Walk::from(from), from, 0);
        loop {
            let end = walk.next(text.as_bytes(), Some(b','));
            let behind = end.unwrap_or(text.len());
            open += types_left_open(text.get(at..behind)?);
            if end.is_none() || open <= 0 {
                start = end.map(|end| end + 1);
                return text.get(from..behind);
            }
            at = behind;
        }
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// The number of types whose angle brackets open in a text, less those that close: 1 for `%a: tensor<64xf32`.
fn types_left_open(part: &str) -> i64 {
    let (mut depth, mut last) = (0_i64, 0);
    for (_, byte) in outside_strings(part) {
        depth += match byte {
            b'<' => 1,
            b'>' if last != b'-' => -1,
            b'=' if last == b'<' => -1,
            _ => 0,
        };
        last = byte;
    }
    depth
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
            let (dims, dtype) = inner.split_at(inner.rfind('x').map_or(0, |last| last + 1));
            (dims, dtype_of(dtype))
        }
    };
    // Every dimension has an `x` behind it.
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
            let report = text.parse::<ShardedShape>().and_then(|shape| shape.report());
            let report = report.map_err(|error| error.kind().to_string())?;
            Ok((report.global_bytes, report.device_bytes))
        }
        None => {
            let sizes = sizes(shape)?;
            Ok((sizes.unpadded_bytes, sizes.allocated_bytes))
        }
    }
}
