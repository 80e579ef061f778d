//! The element types that a PadLayout names.

use std::fmt;
use std::str::FromStr;

use crate::error::{LayoutError, closest, fault};
use crate::words::cut;

/// The one list of dtypes: the name, the width in bits, and XLA's type of the same values.
macro_rules! dtypes {
    ($($name:ident $bits:literal $xla:literal),+ $(,)?) => {
        /// The type of the elements; a layout only uses its width.
        ///
        /// ```
        /// use tensor_layout::notation::Dtype;
        /// let half: Dtype = "Half".parse()?;
        /// assert_eq!((half.bits(), half.name()), (16, "Half"));
        /// # Ok::<(), tensor_layout::LayoutError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each variant is its own name")]
        pub enum Dtype {
            $($name),+
        }

        impl Dtype {
            /// Every dtype.
            pub const ALL: &[Dtype] = &[$(Dtype::$name),+];

            /// The help for a name that is not a dtype.
            pub(super) const HELP: &str = concat!("one of", $(" ", stringify!($name)),+);

            /// The width of an element in bits.
            #[must_use]
            pub const fn bits(self) -> u64 {
                match self {
                    $(Dtype::$name => $bits),+
                }
            }

            /// The name, as it is written after `@LM0 /`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Dtype::$name => stringify!($name)),+
                }
            }

            /// The name of the XLA type that holds the same values.
            pub(super) const fn xla_name(self) -> &'static str {
                match self {
                    $(Dtype::$name => $xla),+
                }
            }
        }
    };
}

dtypes! {
    Float 32 "f32",
    Int 32 "s32",
    UInt 32 "u32",
    Long 64 "s64",
    ULong 64 "u64",
    Double 64 "f64",
    Half 16 "f16",
    Byte 8 "s8",
    UByte 8 "u8",
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dtype {
    type Err = LayoutError;

    fn from_str(name: &str) -> Result<Dtype, LayoutError> {
        let known = Dtype::ALL.iter().copied().find(|dtype| dtype.name() == name);
        known.ok_or_else(|| {
            fault!(Unknown, "`{name}` is not a known dtype", [name = cut(name, 40)])
                .with_advice(Some(help(name)))
        })
    }
}

/// The PadLayout dtype for a name that other systems use.
pub(super) fn help(name: &str) -> String {
    let meant = match name.to_ascii_lowercase().as_str() {
        "float32" | "f32" | "fp32" => Some("Float"),
        "float16" | "f16" | "fp16" => Some("Half"),
        "bfloat16" | "bf16" => {
            return "PadLayouts do not name bfloat16; `Half` is as wide, 16 bits".into();
        }
        "float64" | "f64" | "fp64" => Some("Double"),
        "int32" | "s32" | "i32" => Some("Int"),
        "uint32" | "u32" => Some("UInt"),
        "int64" | "s64" | "i64" => Some("Long"),
        "uint64" | "u64" => Some("ULong"),
        "int8" | "s8" | "i8" => Some("Byte"),
        "uint8" | "u8" => Some("UByte"),
        name => closest(name, Dtype::ALL.iter().map(|dtype| dtype.name())),
    };
    let all = Dtype::HELP;
    meant.map_or_else(|| all.into(), |one| format!("did you mean `{one}`? It is {all}"))
}
