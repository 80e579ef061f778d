//! Instructions that come in many shapes and types, by the parts of their names.

use super::copies::copy;
use super::printed::Printed;
use super::tree::Operand;
use crate::algebra::Layout;
use crate::error::ParseError;
use crate::text::TritonLayout;

/// What a name of a family says of a matrix.
pub(super) enum OfFamily {
    /// Its layout.
    Held(Layout),
    /// No thread holds it.
    InSharedMemory,
    /// The instruction has no such matrix, or its layout is not known.
    Refused(String),
}

/// M, N and K of `64x128x16`.
fn shape(text: &str) -> Option<[u64; 3]> {
    let number = |text: &str| text.parse().ok().filter(|_| !text.starts_with(['0', '+']));
    text.split('x').map(number).collect::<Option<Vec<u64>>>()?.try_into().ok()
}

pub(super) fn read(text: &str) -> Result<OfFamily, ParseError> {
    text.parse::<Layout>().map(OfFamily::Held)
}

/// The matrix of an instruction; `None` for a name of no family.
pub(super) fn of_family(of: &Printed, operand: Operand) -> Option<Result<OfFamily, ParseError>> {
    let name = &*of.name;
    hopper(name, operand)
        .or_else(|| blackwell(name, operand))
        .or_else(|| of_template(of, operand))
        .or_else(|| amd(name, operand))
        .or_else(|| copy(of, operand))
}

/// Four warps multiply 64 rows: `SM90_64x128x16_F32F16F16_RS`, with A from registers, or `.._SS`.
///
/// Source: NVIDIA/cutlass at 7107b05, `include/cute/atom/mma_traits_sm90_gmma.hpp`.
fn hopper(name: &str, operand: Operand) -> Option<Result<OfFamily, ParseError>> {
    let (size, rest) = name.strip_prefix("SM90_")?.split_once('_')?;
    let (types, rest) = rest.split_once('_')?;
    let [64, n, k] = shape(size)? else { return None };
    let is_known = match k {
        8 => types == "F32TF32TF32",
        16 => ["F16F16F16", "F32F16F16", "F32BF16BF16"].contains(&types),
        32 => is_of_bytes(types),
        _ => false,
    };
    let from_registers = match rest.strip_suffix("_SATURATE").unwrap_or(rest) {
        "RS" | "RS_TN" => true,
        "SS" | "SS_TN" => false,
        _ => return None,
    };
    // Integers have no odd multiples of 8 beyond 24.
    let has_width = n.is_multiple_of(16) || n <= 24 || !types.starts_with("S32");
    if !is_known || !(8..=256).contains(&n) || !n.is_multiple_of(8) || !has_width {
        return None;
    }
    Some(match operand {
        Operand::A if from_registers => match k {
            8 => read("((4_WARP:1, 2:1, 8_LANE:4), (2:2, 4_LANE:1))"),
            16 => read("((4_WARP:1, 2:2, 8_LANE:4), (2:4, 4_LANE:1, 2:1))"),
            _ => read("((4_WARP:1, 2:4, 8_LANE:4), (2:8, 4_LANE:1, 4:1))"),
        },
        Operand::A | Operand::B => Ok(OfFamily::InSharedMemory),
        Operand::C => {
            let columns = n / 8;
            read(&format!("((4_WARP:1, 2:2, 8_LANE:4), ({columns}:4, 4_LANE:1, 2:1))"))
        }
        _ => return None,
    })
}

/// Returns whether these are a result, and two operands of a byte each.
fn is_of_bytes(types: &str) -> bool {
    let ints = ["S8S8", "S8U8", "U8S8", "U8U8"];
    let floats = ["E4M3E4M3", "E4M3E5M2", "E5M2E4M3", "E5M2E5M2"];
    let is_int = types.strip_prefix("S32").is_some_and(|rest| ints.contains(&rest));
    let float = types.strip_prefix("F32").or_else(|| types.strip_prefix("F16"));
    is_int || float.is_some_and(|rest| floats.contains(&rest))
}

/// Results in tensor memory, a row of the matrix in a row there, or 16 in every 32: `SM100_128x256x16_F32F16F16_SS`.
///
/// Source: NVIDIA, PTX ISA, tcgen05 data path layouts D and F.
fn blackwell(name: &str, operand: Operand) -> Option<Result<OfFamily, ParseError>> {
    let (size, rest) = name.strip_prefix("SM100_")?.split_once('_')?;
    let [m, n, k] = shape(size)?;
    let types = rest.strip_suffix("_SS")?;
    let is_known = match k {
        8 => types == "F32TF32TF32",
        16 => ["F16F16F16", "F32F16F16", "F32BF16BF16"].contains(&types),
        32 => is_of_bytes(types),
        _ => false,
    };
    if is_known { in_tensor_memory([m, n], operand) } else { None }
}

/// Its name and shape as a template: `SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256, ..>`.
///
/// Source: NVIDIA/cutlass, `include/cute/arch/mma_sm100_umma.hpp`.
fn of_template(of: &Printed, operand: Operand) -> Option<Result<OfFamily, ParseError>> {
    let name = of.name.strip_prefix("SM100_MMA_")?;
    let refuse = |why: &str| Some(Ok(OfFamily::Refused(why.into())));
    if name.contains("2x1SM") {
        return refuse("its matrices are in the tensor memories of two multiprocessors");
    }
    if name.contains("SPARSE") {
        return refuse("sparse instructions of tensor memory are not supported");
    }
    let number = |at: usize| of.arguments.get(at).and_then(|number| number.parse().ok());
    match (number(3), number(4)) {
        (Some(m), Some(n)) if name.ends_with("_SS") || operand != Operand::A => {
            in_tensor_memory([m, n], operand)
        }
        (Some(_), Some(_)) => {
            refuse("A is read from tensor memory, whose layout the name does not give")
        }
        _ => refuse(
            "M and N are missing, as in `SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256>`",
        ),
    }
}

/// A result of M x N in tensor memory, and operands in shared memory.
fn in_tensor_memory([m, n]: [u64; 2], operand: Operand) -> Option<Result<OfFamily, ParseError>> {
    let step = match m {
        64 => 8,
        128 => 16,
        _ => return None,
    };
    if n == 0 || n > 256 || !n.is_multiple_of(step) {
        return None;
    }
    Some(match (operand, m) {
        (Operand::A | Operand::B, _) => Ok(OfFamily::InSharedMemory),
        (Operand::C, 64) => read(&format!("((4_ROW:32, 16_ROW:1), ({n}:1))")),
        (Operand::C, _) => read(&format!("((128_ROW:1), ({n}:1))")),
        _ => return None,
    })
}

/// MFMA instructions with one block: the types of a result and of the operands, and pairs of M = N and K.
///
/// Source: AMD, CDNA 1 to 4 instruction set architectures, and its matrix instruction calculator.
const MFMA: [(&str, &str, &[[u64; 2]]); 11] = [
    ("f32", "f16", &[[32, 8], [16, 16], [32, 16], [16, 32]]),
    ("f32", "bf16", &[[32, 4], [16, 8], [32, 8], [16, 16], [32, 16], [16, 32]]),
    ("f32", "bf16_1k", &[[32, 8], [16, 16]]),
    ("i32", "i8", &[[32, 8], [16, 16], [32, 16], [16, 32], [32, 32], [16, 64]]),
    ("f32", "f32", &[[32, 2], [16, 4]]),
    ("f32", "xf32", &[[32, 4], [16, 8]]),
    ("f64", "f64", &[[16, 4]]),
    ("f32", "fp8_fp8", &[[32, 16], [16, 32]]),
    ("f32", "fp8_bf8", &[[32, 16], [16, 32]]),
    ("f32", "bf8_fp8", &[[32, 16], [16, 32]]),
    ("f32", "bf8_bf8", &[[32, 16], [16, 32]]),
];

/// Instructions of AMD by the names of their instruction sets, as Triton lays their operands out.
fn amd(name: &str, operand: Operand) -> Option<Result<OfFamily, ParseError>> {
    let name = name.to_ascii_lowercase();
    if let Some(rest) = name.strip_prefix("v_mfma_") {
        let (result, rest) = rest.split_once('_')?;
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != 'x').unwrap_or(rest.len());
        let (size, types) = rest.split_at(end);
        // Before CDNA 3 there is no `_` before the types, so that `x` of a type follows a number.
        let (size, types) = match size.strip_suffix('x') {
            Some(size) => (size, format!("x{types}")),
            None => (size, types.trim_start_matches('_').to_owned()),
        };
        let [m, n, k] = shape(size)?;
        let is_known = |(out, ins, sizes): &(&str, &str, &[[u64; 2]])| {
            (*out, *ins) == (result, &*types) && sizes.contains(&[m, k])
        };
        (m == n && MFMA.iter().any(is_known)).then_some(())?;
        let bits = if result == "f64" { ", elementBitWidth = 64" } else { "" };
        let parent = format!(
            "#ttg.amd_mfma<{{version = 3, warpsPerCTA = [1, 1], instrShape = [{m}, {n}, {k}], isTransposed = false{bits}}}>"
        );
        return of_triton(&parent, [m, n, k], m * k / 64, operand);
    }
    let (version, rest) = match name.split_once("_v_wmma_") {
        Some(("gfx11" | "rdna3", rest)) => (1, rest),
        Some(("gfx12" | "rdna4", rest)) => (2, rest),
        Some(_) => return None,
        None => {
            name.strip_prefix("v_wmma_")?;
            let why = "RDNA 3 and RDNA 4 hold the matrices of this instruction in different ways: \
                       write `gfx11_` or `gfx12_` in front";
            return Some(Ok(OfFamily::Refused(why.into())));
        }
    };
    let known: &[&str] = match version {
        1 => &["f32_16x16x16_f16", "f32_16x16x16_bf16", "i32_16x16x16_iu8"],
        _ => &["f32_16x16x16_f16", "f32_16x16x16_bf16"],
    };
    known.contains(&rest).then_some(())?;
    let parent = format!(
        "#ttg.amd_wmma<{{version = {version}, isTranspose = false, ctaLayout = {{warp = []}}}}>"
    );
    of_triton(&parent, [16; 3], if version == 1 { 16 } else { 8 }, operand)
}

/// The matrix of one instruction by its encoding in Triton; `width` is the number of neighbours along K in a lane.
fn of_triton(
    parent: &str,
    [m, n, k]: [u64; 3],
    width: u64,
    operand: Operand,
) -> Option<Result<OfFamily, ParseError>> {
    let of = |number: u64| {
        format!("#ttg.dot_op<{{opIdx = {number}, parent = {parent}, kWidth = {width}}}>")
    };
    let text = match operand {
        Operand::A => format!("tensor<{m}x{k}xf32, {}>", of(0)),
        Operand::B => format!("tensor<{k}x{n}xf32, {}>", of(1)),
        Operand::C => format!("tensor<{m}x{n}xf32, {parent}>"),
        _ => return None,
    };
    let layout = text.parse::<TritonLayout>().and_then(|text| text.lower());
    Some(
        layout
            .and_then(|layout| match operand {
                // Triton's second operand is K x N, CuTe's N x K.
                Operand::B => {
                    layout.permute(&[1, 0]).map_err(|error| ParseError::whole(error, &text))
                }
                _ => Ok(layout),
            })
            .map(OfFamily::Held),
    )
}
