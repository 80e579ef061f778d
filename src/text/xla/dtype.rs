//! The element types of XLA.

use std::fmt;

/// An element type of XLA, without `token` and `opaque`.
///
/// Source: openxla/xla, `primitive_util.cc` and `xla_data.proto`.
///
/// ```
/// use tensor_layout::xla::XlaDtype;
/// let bf16 = XlaDtype::from_name("bf16").unwrap();
/// assert_eq!((bf16.bits(), bf16.name()), (16, "bf16"));
/// assert_eq!(XlaDtype::from_name("s4").unwrap().bits(), 8); // unpacked, unless `E(4)` packs it
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct XlaDtype {
    name: &'static str,
    bytes: u64,
}

/// Name and unpacked width in bytes.
const ALL: [(&str, u64); 32] = [
    ("pred", 1),
    ("s1", 1),
    ("s2", 1),
    ("s4", 1),
    ("s8", 1),
    ("s16", 2),
    ("s32", 4),
    ("s64", 8),
    ("u1", 1),
    ("u2", 1),
    ("u4", 1),
    ("u8", 1),
    ("u16", 2),
    ("u32", 4),
    ("u64", 8),
    ("f16", 2),
    ("f32", 4),
    ("f64", 8),
    ("bf16", 2),
    ("f8e5m2", 1),
    ("f8e4m3", 1),
    ("f8e4m3fn", 1),
    ("f8e4m3b11fnuz", 1),
    ("f8e3m4", 1),
    ("f8e5m2fnuz", 1),
    ("f8e4m3fnuz", 1),
    ("f8e8m0fnu", 1),
    ("f6e3m2fn", 1),
    ("f6e2m3fn", 1),
    ("f4e2m1fn", 1),
    ("c64", 8),
    ("c128", 16),
];

impl XlaDtype {
    /// The type of this name, lower case as XLA writes it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<XlaDtype> {
        let known = ALL.iter().find(|(known, _)| *known == name)?;
        Some(XlaDtype { name: known.0, bytes: known.1 })
    }

    /// The type that MLIR calls `i8`, `ui8`, `bf16`, `f8E5M2`; its integers without a sign are signed here.
    pub(in crate::text) fn of_mlir(name: &str) -> Option<XlaDtype> {
        let name = name.to_ascii_lowercase();
        match (name.strip_prefix("ui"), name.strip_prefix('i')) {
            (Some(bits), _) => XlaDtype::from_name(&format!("u{bits}")),
            (None, Some("1")) => XlaDtype::from_name("pred"),
            (None, Some(bits)) => XlaDtype::from_name(&format!("s{bits}")),
            (None, None) => XlaDtype::from_name(&name),
        }
    }

    /// Every type that is known.
    pub fn all() -> impl ExactSizeIterator<Item = XlaDtype> {
        ALL.iter().map(|(name, bytes)| XlaDtype { name, bytes: *bytes })
    }

    /// The XLA name for a name from another system, or the closest name to a misspelt one.
    ///
    /// ```
    /// use tensor_layout::xla::XlaDtype;
    /// assert_eq!(XlaDtype::meant_by("float32"), Some("f32"));
    /// assert_eq!(XlaDtype::meant_by("BF16"), Some("bf16"));
    /// ```
    #[must_use]
    pub fn meant_by(name: &str) -> Option<&'static str> {
        let name = name.to_ascii_lowercase();
        let kinds = [
            ("bfloat", "bf"),
            ("float", "f"),
            ("fp", "f"),
            ("uint", "u"),
            ("int", "s"),
            ("i", "s"),
            ("complex", "c"),
        ];
        let renamed = kinds.iter().find_map(|(kind, short)| {
            XlaDtype::from_name(&format!("{short}{}", name.strip_prefix(kind)?))
        });
        match &*name {
            "half" => Some("f16"),
            "bool" => Some("pred"),
            "double" => Some("f64"),
            "float" => Some("f32"),
            "int" => Some("s32"),
            _ if name.len() < 2 => None,
            _ => renamed
                .map(XlaDtype::name)
                .or_else(|| crate::error::closest(&name, ALL.iter().map(|(name, _)| *name))),
        }
    }

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The unpacked width in bits; `E(n)` in a layout overrides it.
    #[must_use]
    pub const fn bits(self) -> u64 {
        8 * self.bytes
    }

    /// The number of bits that a value needs: 4 for `s4`, 1 for `pred`.
    #[must_use]
    pub fn value_bits(self) -> u64 {
        match self.name {
            "pred" | "s1" | "u1" => 1,
            "s2" | "u2" => 2,
            "s4" | "u4" | "f4e2m1fn" => 4,
            "f6e3m2fn" | "f6e2m3fn" => 6,
            _ => self.bits(),
        }
    }
}

impl fmt::Display for XlaDtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
