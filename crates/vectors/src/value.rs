//! One element: its bits, its value as text, and back.
//!
//! ```text
//! Float  3DCCCCCD  0.10000000149011612     the shortest decimal of the exact double
//! Half   3F00      1.5                     6 bits of exponent, 9 of mantissa
//! Byte   FF        -1
//! ```

use std::fmt::Write;

use super::minifloat::MN_CORE_HALF;
use tensor_layout::notation::Dtype;

/// The type of the entries of a `.npy` file that holds a dtype, as NumPy writes it.
///
/// NumPy lacks a type for the halves of MN-Core (6 exponent bits); `<f4` holds them exactly.
#[must_use]
pub const fn npy_descr(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Float | Dtype::Half => "<f4",
        Dtype::Double => "<f8",
        Dtype::Int => "<i4",
        Dtype::UInt => "<u4",
        Dtype::Long => "<i8",
        Dtype::ULong => "<u8",
        Dtype::Byte => "|i1",
        Dtype::UByte => "|u1",
    }
}

/// Returns whether the numbers of a dtype are floating-point ones, which are compared within a tolerance.
pub(super) const fn is_floating(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::Float | Dtype::Double | Dtype::Half)
}

const fn is_signed(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::Int | Dtype::Long | Dtype::Byte)
}

/// The bits that an element can have.
pub(super) fn mask(dtype: Dtype) -> u64 {
    u64::MAX >> (64 - dtype.bits())
}

/// The value of a floating-point element.
pub(super) fn float(dtype: Dtype, bits: u64) -> f64 {
    match dtype {
        Dtype::Double => f64::from_bits(bits),
        Dtype::Half => MN_CORE_HALF.value(bits),
        _ => u32::try_from(bits).map_or(f64::NAN, |bits| f32::from_bits(bits).into()),
    }
}

/// Returns whether a floating-point element is nearer to 0 than every normal number, but not 0.
pub(super) fn is_subnormal(dtype: Dtype, bits: u64) -> bool {
    let least = match dtype {
        Dtype::Double => f64::MIN_POSITIVE,
        Dtype::Half => MN_CORE_HALF.value(1 << 9),
        _ => f32::MIN_POSITIVE.into(),
    };
    let value = float(dtype, bits);
    value != 0.0 && value.abs() < least
}

/// Returns the absolute difference of two elements; NaN where one is not a finite number.
pub(super) fn difference(dtype: Dtype, a: u64, b: u64) -> f64 {
    if is_floating(dtype) {
        let (a, b) = (float(dtype, a), float(dtype, b));
        return if a.is_finite() && b.is_finite() { (a - b).abs() } else { f64::NAN };
    }
    let value = |bits| match is_signed(dtype) {
        true => i128::from(signed(dtype, bits)),
        false => i128::from(bits),
    };
    // The difference is exact; as text it is rounded once.
    (value(a) - value(b)).unsigned_abs().to_string().parse().unwrap_or(f64::NAN)
}

/// The value of a signed integer element.
fn signed(dtype: Dtype, bits: u64) -> i64 {
    let unused = 64 - dtype.bits();
    (bits << unused).cast_signed() >> unused
}

/// The value as Python prints it.
pub(super) fn shown(dtype: Dtype, bits: u64) -> String {
    let mut text = String::new();
    write(&mut text, dtype, bits);
    text
}

/// Appends the value as Python prints it.
/// Law: [`read`] gives the bits back, but for the mantissa of a NaN.
pub(super) fn write(text: &mut String, dtype: Dtype, bits: u64) {
    let _ = match dtype {
        _ if is_floating(dtype) => return write_float(text, float(dtype, bits)),
        _ if is_signed(dtype) => write!(text, "{}", signed(dtype, bits)),
        _ => write!(text, "{bits}"),
    };
}

/// Appends a number as Python's `repr` does: the shortest decimal that reads back the same, without an
/// exponent from 0.0001 up to 1e16. Of two equally near decimals, it takes the even one.
pub(super) fn write_float(text: &mut String, value: f64) {
    if !value.is_finite() {
        text.push_str(match value {
            _ if value.is_nan() => "nan",
            f64::INFINITY => "inf",
            _ => "-inf",
        });
        return;
    }
    let shortest = shortest(value);
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Writing to a string does not fail.
    let _ = match exponent {
        -4..16 => write_plain(text, digits, exponent),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            write!(text, "{digits}e{sign}{:02}", exponent.unsigned_abs())
        }
    };
}

/// The shortest digits that read back the same, as `1.5e-7`.
fn shortest(value: f64) -> String {
    let shortest = format!("{value:e}");
    let digits =
        shortest.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count();
    // Of two equally near decimals, Rust takes the upper one; rounding to the same number of digits takes the
    // even one.
    let even = format!("{value:.*e}", digits.saturating_sub(1));
    if even.parse() == Ok(value) { even } else { shortest }
}

/// Digits such as `1.25`, with the point moved.
fn write_plain(text: &mut String, digits: &str, exponent: i32) -> std::fmt::Result {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let digits = digits.replace('.', "");
    let before = usize::try_from(exponent + 1).unwrap_or(0);
    if before == 0 {
        let zeros = usize::try_from(-1 - exponent).unwrap_or(0);
        return write!(text, "{sign}0.{:0<zeros$}{digits}", "");
    }
    let (whole, part) = digits.split_at(before.min(digits.len()));
    let part = if part.is_empty() { "0" } else { part };
    write!(text, "{sign}{whole:0<before$}.{part}")
}

/// The bits of a value; `None` for text that is not a value of the dtype.
pub(super) fn read(dtype: Dtype, text: &str) -> Option<u64> {
    match dtype {
        Dtype::Float => text.parse().ok().map(|value: f32| value.to_bits().into()),
        Dtype::Double => text.parse().ok().map(f64::to_bits),
        Dtype::Half => text.parse().ok().map(|value| MN_CORE_HALF.bits(value)),
        _ if is_signed(dtype) => {
            let value: i64 = text.parse().ok()?;
            let bits = value.cast_unsigned() & mask(dtype);
            (signed(dtype, bits) == value).then_some(bits)
        }
        _ => text.parse().ok().filter(|value| *value <= mask(dtype)),
    }
}

/// Returns whether two elements have one value: equal numbers, or both NaN.
pub(super) fn is_same(dtype: Dtype, a: u64, b: u64) -> bool {
    let (x, y) = (float(dtype, a), float(dtype, b));
    a == b || is_floating(dtype) && (x == y || x.is_nan() && y.is_nan())
}

#[cfg(test)]
mod tests {
    use super::{read, shown, write_float};
    use tensor_layout::notation::Dtype;

    #[test]
    fn floats_print_as_python_prints_them() {
        // Each text is what `repr` of CPython prints.
        for text in [
            "0.0",
            "-0.0",
            "1.0",
            "-2.25",
            "0.1",
            "0.0001",
            "1e-05",
            "1.5e-07",
            "123456789.0",
            "9999999999999998.0",
            "1e+16",
            "1.2345e+20",
            "5e-324",
            "1.7976931348623157e+308",
            "inf",
            "-inf",
            "nan",
            "0.00012",
            "1e+22",
            "4.35e-05",
            // Two decimals are as near: the even one.
            "237.56179809570312",
            "-538.3323364257812",
            "-141.54476928710938",
            "65.93429565429688",
            "216.00521850585938",
            "-569.8380737304688",
            "680.1141967773438",
            "539.9869995117188",
            "77.35140991210938",
            "23.674148559570312",
            "133.28335571289062",
            // Powers of two, below which numbers are nearer to each other.
            "7.82878265628505e-295",
            "4.930380657631324e-32",
            "5.684341886080802e-14",
            "2.2250738585072014e-308",
            "1.1125369292536007e-308",
            "9007199254740992.0",
            "1.8014398509481984e+16",
            "1.2676506002282294e+30",
            "7.79625120912e+289",
        ] {
            let mut printed = String::new();
            write_float(&mut printed, text.parse().unwrap_or(0.0));
            assert_eq!(printed, text);
        }
    }

    #[test]
    fn elements_print_in_the_value_of_their_type() {
        assert_eq!(shown(Dtype::Float, 0x3dcc_cccd), "0.10000000149011612");
        assert_eq!(shown(Dtype::Float, 0x4053_3333), "3.299999952316284");
        assert_eq!(shown(Dtype::Half, 0x3f00), "1.5");
        assert_eq!(shown(Dtype::Byte, 0xff), "-1");
        assert_eq!(shown(Dtype::UByte, 0xff), "255");
        assert_eq!(shown(Dtype::Long, 1 << 63), "-9223372036854775808");
        assert_eq!(shown(Dtype::ULong, u64::MAX), "18446744073709551615");
    }

    #[test]
    fn every_value_reads_back() {
        for dtype in Dtype::ALL.iter().copied() {
            for seed in 0..4000_u64 {
                let bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) & super::mask(dtype);
                let again = read(dtype, &shown(dtype, bits));
                let nan = super::is_floating(dtype) && super::float(dtype, bits).is_nan();
                assert!(again == Some(bits) || nan, "{dtype} {bits:x}");
                assert!(again.is_some_and(|again| super::is_same(dtype, bits, again)));
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_not_a_value() {
        for (dtype, text) in [
            (Dtype::Byte, "128"),
            (Dtype::Byte, "-129"),
            (Dtype::UByte, "256"),
            (Dtype::UByte, "-1"),
            (Dtype::Int, "2147483648"),
            (Dtype::Int, "1.0"),
            (Dtype::Float, "x"),
            (Dtype::Float, ""),
        ] {
            assert_eq!(read(dtype, text), None, "{dtype} {text}");
        }
        assert_eq!(read(Dtype::Byte, "-128"), Some(0x80));
    }
}
