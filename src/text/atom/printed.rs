//! The names of instructions as source code and compilers print them.
//!
//! ```text
//! SM80_16x8x16_F32F16F16F32_TN
//! cute::SM90::GMMA::MMA_64x64x16_F32F16F16_SS<(cute::SM90::GMMA::Major)0, ..>     SM90_64x64x16_F32F16F16_SS
//! SM90::GMMA::SPARSE::GMMA_64x64x32_F32F16F16_RS<..>                              SM90_64x64x32_F32F16F16_RS, sparse
//! SM120::SPARSE::SM120_SPARSE_16x8x64_TN<float_e2m1_t, ..>                        SM120_16x8x64_TN, sparse
//! mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32          _16x8x32_F32F16F16F32_TN, sparse
//! ```

use itertools::Itertools;

/// A name without what says nothing of layouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Printed {
    /// The name as CuTe's table has it; that of an instruction of PTX has no machine in front.
    pub(super) name: String,
    /// The arguments of a template, without namespaces.
    pub(super) arguments: Vec<String>,
    /// Set if half of A is zero and left out.
    pub(super) is_sparse: bool,
}

impl Printed {
    pub(super) fn of(text: &str) -> Printed {
        if let Some(ptx) = of_ptx(text) {
            return ptx;
        }
        let (path, arguments) = match text.split_once('<') {
            Some((path, rest)) => (path, rest.trim_end().trim_end_matches('>')),
            None => (text, ""),
        };
        let name = last_name(path);
        let arguments = arguments.split(',').map(|part| last_name(part).to_owned());
        let of = |name: String, is_sparse| Printed {
            name,
            arguments: arguments.filter(|part| !part.is_empty()).collect(),
            is_sparse,
        };
        if let Some(rest) = name.strip_prefix("MMA_64x") {
            return of(format!("SM90_64x{rest}"), false);
        }
        if let Some(rest) = name.strip_prefix("GMMA_64x") {
            return of(format!("SM90_64x{rest}"), true);
        }
        match name.strip_prefix("SM120_SPARSE_") {
            Some(rest) => of(format!("SM120_{rest}"), true),
            None => of(name.to_owned(), false),
        }
    }

    /// The name without signs, saturation and the operation on bits: none of these moves an element.
    pub(super) fn of_bits(&self) -> String {
        let name = self.name.strip_suffix("_SATURATE").unwrap_or(&self.name);
        let name = name.replace("ANDPOPC", "XORPOPC");
        let mut types = name.clone();
        for bits in ["8", "4"] {
            let wanted = format!("S32S{bits}S{bits}S32");
            for (a, b) in ["S", "U"].into_iter().cartesian_product(["S", "U"]) {
                types = types.replace(&format!("S32{a}{bits}{b}{bits}S32"), &wanted);
            }
        }
        types
    }
}

/// The last name of a path such as `cute::SM90::GMMA::MMA_64x8x16_F16F16F16_SS`, without a cast in front.
fn last_name(path: &str) -> &str {
    let path = path.rsplit(')').next().unwrap_or(path).trim();
    path.rsplit("::").next().unwrap_or(path).trim()
}

/// Reads `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`.
fn of_ptx(name: &str) -> Option<Printed> {
    let parts = name.strip_prefix("mma.")?.split('.').collect_vec();
    let is_sparse = parts.iter().any(|part| part.starts_with("sp"));
    let kind = parts.iter().find_map(|part| part.strip_prefix("kind::"));
    let is_word = |part: &&str| {
        matches!(*part, "sync" | "aligned" | "satfinite" | "sp" | "block_scale")
            || ["sp::", "kind::", "scale_vec::"].iter().any(|start| part.starts_with(start))
    };
    let rest = parts.iter().copied().filter(|part| !is_word(part)).collect_vec();
    let [size, "row", "col", types @ ..] = &rest[..] else { return None };
    let (m, rest) = size.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    // Behind the types of the operands is that of the scales.
    let types = types.get(..4)?.concat().to_ascii_uppercase();
    let name = match kind {
        Some("f8f6f4" | "mxf8f6f4") => format!("SM120_{m}x{n}x{k}_TN"),
        Some("mxf4" | "mxf4nvf4") => format!("SM120_{m}x{n}x{k}_TN_VS"),
        _ => format!("_{m}x{n}x{k}_{types}_TN"),
    };
    Some(Printed { name, arguments: Vec::new(), is_sparse })
}
