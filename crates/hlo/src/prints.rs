//! JAX prints of arrays, types, shardings and layouts, turned into layout texts that the library reads.
//!
//! ```text
//! ShapeDtypeStruct(shape=(16, 32), dtype=float32, sharding=..)     f32[16,32], sharding=..
//! Layout(major_to_minor=(1, 0), tiling=((8, 128),), ..)            {0,1:T(8,128)}: the reverse order
//! float32[8,32]{V:x}                                               f32[8,32]: local in x already
//! ```

use tensor_layout::LayoutError;
use tensor_layout::error::fault;
use tensor_layout::xla::XlaDtype;

use crate::mlir::shape_of;
use tensor_layout_words::mlir::{angled, parts};

/// Converts a JAX print to a layout text; `None` for other text.
///
/// # Errors
/// `Missing` for a print that lacks a shape, a mesh or a size, with advice on what to pass instead.
///
/// ```
/// use tensor_layout_hlo::jax_print;
/// let text = "ShapeDtypeStruct(shape=(16, 32), dtype=bfloat16)";
/// assert_eq!(jax_print(text), Some(Ok("bf16[16,32]".to_owned())));
/// let error = jax_print("Mesh('x': 2, 'y': 4, axis_types=(Auto, Auto))").unwrap().unwrap_err();
/// assert_eq!(error.to_string(), "a mesh has no shape");
/// assert_eq!(jax_print("f32[8]{0}"), None);
/// ```
#[must_use]
pub fn jax_print(text: &str) -> Option<Result<String, LayoutError>> {
    let text = text.trim();
    let sharded = text.split_once(", sharding=").filter(|(shape, _)| !shape.contains('('));
    if let Some((shape, sharding)) = sharded {
        let sharding = plain_sharding(sharding)?;
        return Some(Ok(format!("{shape}, sharding={sharding}")));
    }
    if let Some(arguments) = called(text, "ShapeDtypeStruct") {
        return Some(shape_dtype_struct(arguments));
    }
    if let Some(tensor) = mlir_tensor(text) {
        return Some(self::tensor(tensor));
    }
    let shaped = called(text, "ShapedArray").and_then(|arguments| parts(arguments).next());
    let shaped = shaped.unwrap_or(text);
    nameless(text).map(Err).or_else(|| array_type(shaped))
}

/// Returns the text between the brackets of `name(..)`; a print that was cut off lacks the second one.
fn called<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let inner = text.strip_prefix(name)?.strip_prefix('(')?;
    Some(inner.strip_suffix(')').unwrap_or(inner))
}

/// The error for a print that does not determine a size, with advice on what to pass instead.
fn refused(what: impl Into<String>, instead: impl Into<String>) -> LayoutError {
    fault!(Missing, "{what}", [what = what.into()]).with_advice(Some(instead.into()))
}

/// Returns the error for a print without a shape, by its beginning.
fn nameless(text: &str) -> Option<LayoutError> {
    const BEHIND: &str = "pass it after a shape: f32[16,32], sharding=";
    let no_shape = |what: &str| format!("{what} has no shape");
    let begins = |name: &str| called(text, name).is_some();
    let is_map = text.starts_with('{') && text.contains("Device(id=");
    let error = if begins("Mesh") || begins("AbstractMesh") {
        let instead = format!(
            "pass it in a sharding after a shape: f32[16,32], sharding=NamedSharding(mesh={text}, spec=..)"
        );
        refused(no_shape("a mesh"), instead)
    } else if begins("P") || begins("PartitionSpec") {
        let instead = format!("{BEHIND}{text}, mesh=x=2,y=4");
        refused("a PartitionSpec has neither shape nor mesh", instead)
    } else if begins("NamedSharding") || begins("GSPMDSharding") || begins("SingleDeviceSharding") {
        let sharding = plain_sharding(text).unwrap_or_else(|| text.to_owned());
        refused(no_shape("a sharding"), format!("{BEHIND}{sharding}"))
    } else if begins("SdyArray") {
        let instead = "pass #sdy.sharding<mesh<[\"x\"=2]>, [{\"x\"}, {}]> after a shape";
        refused("an SdyArray has neither shape nor mesh", instead)
    } else if let Some(arguments) = called(text, "Layout") {
        let layout = layout(arguments).map_or(String::new(), |layout| format!(": {layout}"));
        let instead = format!("pass it after the type and the extents{layout}");
        refused(no_shape("a Layout"), instead)
    } else if begins("Format") {
        let instead = "pass the shape with its layout, and the sharding after it: \
                       f32[16,32]{1,0}, sharding=..";
        refused(no_shape("a Format"), instead)
    } else if text.starts_with('(') && text.contains("ArgInfo(") {
        refused("args_info has several arrays", "pass one of them: float32[16,32]")
    } else if text.starts_with('(') && text.contains("Sharding(") {
        let instead = format!("pass one of them, {}", BEHIND.trim_start_matches("pass it "));
        refused("these are the shardings of several arrays, without shapes", instead)
    } else if begins("Shard") {
        let instead = format!(
            "pass the shape of the whole array with its sharding, {}",
            BEHIND.trim_start_matches("pass it ")
        );
        refused("a Shard has an index and values, and no layout", instead)
    } else if is_map {
        let instead = "pass the shape with the sharding that it came from";
        refused("a map from devices to indices is not a layout", instead)
    } else if begins("CompiledMemoryStats") {
        let instead = "pass the dump of the program, and ask for its memory";
        refused("memory statistics are sums, and name no array", instead)
    } else if text.starts_with(['┌', '│', '└']) {
        let instead = "pass the shape with its sharding, and draw it";
        refused("this is a drawing of a sharding", instead)
    } else if ["module @", "sdy.mesh @", "func.func ", "#sdy.sharding<@"]
        .iter()
        .any(|word| text.starts_with(word))
    {
        let instead = "pass the whole module as a file";
        refused("this is a part of an MLIR module", instead)
    } else {
        return None;
    };
    Some(error)
}

/// A sharding of JAX that is HLO text, or one device; others are read as they are.
fn plain_sharding(text: &str) -> Option<String> {
    if let Some(arguments) = called(text, "GSPMDSharding") {
        return parts(arguments).next().map(str::to_owned);
    }
    let (_, device) = called(text, "SingleDeviceSharding")?.split_once("(id=")?;
    let (id, _) = device.split_once(')')?;
    let id: u64 = id.parse().ok()?;
    Some(format!("{{maximal device={id}}}"))
}

fn shape_dtype_struct(arguments: &str) -> Result<String, LayoutError> {
    let refuse = |what: &str| refused(what, "pass the extents and the type: f32[16,32]");
    let get = |key: &str| {
        let value = |part: &'_ str| part.strip_prefix(key)?.strip_prefix('=').map(str::to_owned);
        parts(arguments).find_map(value)
    };
    let shape = get("shape").ok_or_else(|| refuse("this ShapeDtypeStruct has no shape"))?;
    let dtype = get("dtype").ok_or_else(|| refuse("this ShapeDtypeStruct has no dtype"))?;
    let known = dtype_of(&dtype).ok_or_else(|| {
        refused(format!("`{dtype}` is not a type of XLA"), "pass the type of the array below it")
    })?;
    let form = get("format").or_else(|| get("layout")).unwrap_or_default();
    let inner = called(&form, "Layout").map(layout);
    let layout = match inner {
        Some(None) => return Err(refuse("this Layout has no major_to_minor")),
        Some(Some(layout)) => layout,
        None => String::new(),
    };
    let dims = numbers(&shape).ok_or_else(|| refuse("an extent of this shape is not a number"))?;
    let text = format!("{known}[{}]{layout}", dims.join(","));
    Ok(match get("sharding").filter(|sharding| sharding != "None") {
        Some(sharding) => {
            let sharding = plain_sharding(&sharding).unwrap_or(sharding);
            format!("{text}, sharding={sharding}")
        }
        None => text,
    })
}

/// `major_to_minor=(1, 0), tiling=((8, 128), (2, 1)), ..` as `{0,1:T(8,128)(2,1)}`.
fn layout(arguments: &str) -> Option<String> {
    let get =
        |key: &str| parts(arguments).find_map(|part| part.strip_prefix(key)?.strip_prefix('='));
    let mut order = numbers(get("major_to_minor")?)?;
    order.reverse();
    let tiling = get("tiling").filter(|tiling| *tiling != "None").unwrap_or("()");
    let tiles = tiling.strip_prefix('(')?.strip_suffix(')')?;
    let tiles = parts(tiles).map(numbers).collect::<Option<Vec<_>>>()?;
    let tiles: String = tiles.iter().map(|tile| format!("({})", tile.join(","))).collect();
    let bits = get("sub_byte_element_size_in_bits").filter(|bits| *bits != "0");
    let tiles = if tiles.is_empty() { tiles } else { format!("T{tiles}") };
    let attributes = tiles + &bits.map_or(String::new(), |bits| format!("E({bits})"));
    let colon = if attributes.is_empty() { "" } else { ":" };
    Some(format!("{{{}{colon}{attributes}}}", order.join(",")))
}

/// The numbers of `(16, 32)` or `(16,)`.
fn numbers(tuple: &str) -> Option<Vec<String>> {
    let inner = tuple.trim().strip_prefix('(')?.strip_suffix(')')?;
    let number = |part: &str| part.parse::<u64>().ok().map(|number| number.to_string());
    parts(inner).map(number).collect()
}

/// `tensor<16x32xf32>`, maybe after the name of an argument.
fn mlir_tensor(text: &str) -> Option<&str> {
    let behind = text.strip_prefix('%').and_then(|named| Some(named.split_once(": ")?.1));
    let tensor = behind.unwrap_or(text);
    // A type with an encoding is not one of JAX.
    let ends = tensor.find([',', '>', '{']).and_then(|end| tensor.as_bytes().get(end));
    (tensor.starts_with("tensor<") && ends != Some(&b',')).then_some(tensor)
}

/// `tensor<16x32xf32>`, maybe with attributes after it.
fn tensor(text: &str) -> Result<String, LayoutError> {
    let (tensor, attributes) = text.split_once('{').unwrap_or((text, ""));
    let shape = shape_of(tensor.trim())
        .map_err(|why| refused(why, "pass a shape with sizes: f32[16,32]"))?;
    if let Some((_, sharding)) = attributes.split_once("mhlo.sharding = \"") {
        let sharding = sharding.split('"').next().unwrap_or(sharding);
        return Ok(format!("{shape}, sharding={sharding}"));
    }
    if attributes.contains("sdy.sharding = #sdy.sharding<@") {
        let instead = "pass the whole module as a file";
        return Err(refused(
            "the mesh of this sharding is defined elsewhere in the module",
            instead,
        ));
    }
    let Some((_, sharding)) = attributes.split_once("sdy.sharding = ") else { return Ok(shape) };
    let cut = || refused("the sharding of this tensor is cut off", "pass all of it");
    let sharding = angled(sharding).ok_or_else(cut)?;
    Ok(format!("{shape}, sharding={sharding}"))
}

/// `~float32<host>[16@x,32]{V:y}`: a type as `jax.typeof` and a jaxpr print it.
fn array_type(text: &str) -> Option<Result<String, LayoutError>> {
    let (name, rest) = text.split_once(':').filter(|(name, _)| is_word(name)).unwrap_or(("", text));
    let rest = rest.trim_start_matches('~');
    let (head, rest) = rest.split_once('[')?;
    let (dims, behind) = rest.split_once(']')?;
    let (dtype, memory) = head.split_once('<').unwrap_or((head, ""));
    if dtype == "key" {
        let instead = "pass jax.random.key_data(x), such as u32[2]";
        return Some(Err(refused("an array of random keys has no layout of its own", instead)));
    }
    let is_jax = ["float", "bfloat", "int", "uint", "complex", "bool"];
    let is_jax = is_jax.iter().any(|name| dtype.starts_with(name));
    let varies =
        behind.starts_with("{V:") || behind.starts_with("{U:") || behind.starts_with("{R:");
    if !(behind.is_empty() || varies)
        || !(is_jax || dims.contains('@') || varies || !name.is_empty())
    {
        return None;
    }
    let dtype = dtype_of(dtype)?;
    let extents = parts(dims).map(|dim| dim.split('@').next().unwrap_or(dim)).collect::<Vec<_>>();
    let shape = format!("{dtype}[{}]", extents.join(","));
    if dims.contains('@') {
        let unreduced = behind.strip_prefix("{U:").map(|axes| axes.trim_end_matches('}'));
        let unreduced = unreduced.map(|axes| format!("unreduced={{{}}}", quoted(axes)));
        let spec = parts(dims).map(axes_of).chain(unreduced).collect::<Vec<_>>().join(", ");
        let instead =
            format!("pass {shape}, sharding=P({spec}), mesh=x=2,y=4 with the sizes of its axes");
        let what = "this type names axes of a mesh, whose sizes it does not have";
        return Some(Err(refused(what, instead)));
    }
    let order = (0..extents.len()).rev().map(|axis| axis.to_string()).collect::<Vec<_>>().join(",");
    Some(Ok(match memory.trim_end_matches('>') {
        "host" => format!("{shape}{{{order}:S(5)}}"),
        _ => shape,
    }))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// `16@(x,y)` as `('x', 'y')`.
fn axes_of(dim: &str) -> String {
    let Some((_, axes)) = dim.split_once('@') else { return "None".into() };
    match axes.contains(',') {
        false => quoted(axes),
        true => format!("({})", quoted(axes)),
    }
}

/// `(x,y)` as `'x', 'y'`.
fn quoted(axes: &str) -> String {
    let axes = axes.trim_matches(['(', ')']).split(',');
    axes.map(|axis| format!("'{}'", axis.trim())).collect::<Vec<_>>().join(", ")
}

/// The type as XLA names it: `float32`, `float8_e4m3fn`, `bool`, or XLA's own name.
fn dtype_of(name: &str) -> Option<&'static str> {
    const KINDS: [(&str, &str); 5] =
        [("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "s"), ("complex", "c")];
    let name = name.replace('_', "");
    if name == "bool" {
        return Some("pred");
    }
    let bits = |(kind, short): &(&str, &str)| Some(format!("{short}{}", name.strip_prefix(kind)?));
    let known = KINDS.iter().find_map(bits).unwrap_or_else(|| name.clone());
    XlaDtype::from_name(&known).map(XlaDtype::name)
}

#[cfg(test)]
mod tests {
    use super::jax_print;

    #[test]
    fn what_is_no_print_of_jax_is_left_alone() {
        for text in [
            "",
            "f32[8]{0}",
            "F32[8]",
            "(2,3):(3,1)",
            "((4_PE:1))",
            "x",
            "f32[8], sharding={replicated}",
            "float",
            "[",
            "]",
            "P",
            "{",
            "~",
            "a:b",
            "key",
            "Layout",
        ] {
            assert_eq!(jax_print(text), None, "{text}");
        }
    }
}
