//! Floating-point numbers narrower than 32 bits, for which Rust has no types.
//!
//! ```text
//! Half of MN-Core   s eeeeee mmmmmmmmm    6 bits of exponent, 9 of mantissa
//! float16, IEEE     s eeeee mmmmmmmmmm    5 bits of exponent, 10 of mantissa
//! ```
//!
//! Source: MN-Core 2 Software Developer Manual, 1.3 (a half 1.0 is 0x3e00); the public judge of the MN-Core 2
//! programming contest reads and writes halves in this form.

/// A format of sign, exponent and mantissa; infinities, NaNs and subnormals are as in IEEE 754.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minifloat {
    exponent_bits: u32,
    mantissa_bits: u32,
}

/// The half precision of MN-Core.
pub(super) const MN_CORE_HALF: Minifloat = Minifloat { exponent_bits: 6, mantissa_bits: 9 };

/// `float16` of NumPy.
pub(super) const IEEE_HALF: Minifloat = Minifloat { exponent_bits: 5, mantissa_bits: 10 };

/// `float32`, where the mantissa of a NaN is to be kept: the processor changes it.
pub(super) const SINGLE: Minifloat = Minifloat { exponent_bits: 8, mantissa_bits: 23 };

const F64_MANTISSA: u32 = 52;
const F64_BIAS: u64 = 1023;
const F64_SPECIAL: u64 = 2047;

impl Minifloat {
    const fn bias(self) -> u64 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The exponent of infinities and NaNs.
    const fn special(self) -> u64 {
        (1 << self.exponent_bits) - 1
    }

    /// The number of bits by which a mantissa is shorter than that of an `f64`.
    const fn dropped(self) -> u32 {
        F64_MANTISSA - self.mantissa_bits
    }

    /// Returns the exact value. The mantissa of a NaN is kept.
    pub(super) fn value(self, bits: u64) -> f64 {
        let sign = (bits >> (self.exponent_bits + self.mantissa_bits) & 1) << 63;
        let exponent = bits >> self.mantissa_bits & self.special();
        let mantissa = bits & ((1 << self.mantissa_bits) - 1);
        if exponent == 0 {
            // The unit of subnormal numbers is a power of two, and the product exact.
            let unit = F64_BIAS + 1 - self.bias() - u64::from(self.mantissa_bits);
            let unit = f64::from_bits(unit << F64_MANTISSA);
            let magnitude = u32::try_from(mantissa).map_or(0.0, f64::from) * unit;
            return f64::from_bits(sign | magnitude.to_bits());
        }
        let exponent = match exponent == self.special() {
            true => F64_SPECIAL,
            false => exponent + F64_BIAS - self.bias(),
        };
        f64::from_bits(sign | exponent << F64_MANTISSA | mantissa << self.dropped())
    }

    /// Returns the bits of the nearest number, of two the one with an even mantissa; beyond the greatest one,
    /// those of infinity.
    /// Law: `bits(value(b)) == b`.
    pub(super) fn bits(self, value: f64) -> u64 {
        let wide = value.to_bits();
        let sign = (wide >> 63) << (self.exponent_bits + self.mantissa_bits);
        let exponent = wide >> F64_MANTISSA & F64_SPECIAL;
        let mantissa = wide & ((1 << F64_MANTISSA) - 1);
        let infinity = self.special() << self.mantissa_bits;
        if exponent == F64_SPECIAL {
            let nan = if mantissa == 0 { 0 } else { 1_u64 << (self.mantissa_bits - 1) };
            let kept = mantissa >> self.dropped();
            return sign | infinity | if kept == 0 { nan } else { kept };
        }
        let least = F64_BIAS + 1 - self.bias();
        let rounded = if exponent >= least {
            // A mantissa that rounds up to the next power of two carries into the exponent.
            let moved = (exponent - least + 1) << F64_MANTISSA | mantissa;
            shifted(moved, self.dropped())
        } else {
            let shift = u32::try_from(least - exponent).unwrap_or(u32::MAX);
            // Subnormal values of an f64 are far below the half of the least number.
            shifted(1 << F64_MANTISSA | mantissa, self.dropped().saturating_add(shift))
        };
        sign | rounded.min(infinity)
    }
}

/// Divides by a power of two and rounds to the nearest integer, of two to the even one.
fn shifted(value: u64, by: u32) -> u64 {
    let Some(floor) = value.checked_shr(by) else { return 0 };
    let rest = value - (floor << by);
    let half = 1 << (by - 1);
    floor + u64::from(rest > half || (rest == half && floor % 2 == 1))
}

#[cfg(test)]
mod tests {
    use super::{IEEE_HALF, MN_CORE_HALF, SINGLE};

    #[test]
    fn every_half_is_its_value_again() {
        for half in [MN_CORE_HALF, IEEE_HALF] {
            for bits in 0..=0xffff {
                assert_eq!(half.bits(half.value(bits)), bits, "{bits:04x} of {half:?}");
            }
        }
    }

    #[test]
    fn a_single_is_the_float_of_the_processor() {
        for seed in 0..20_000_u32 {
            let bits = seed.wrapping_mul(0x9e37_79b9);
            let value = SINGLE.value(u64::from(bits));
            let float = f64::from(f32::from_bits(bits));
            assert_eq!(SINGLE.bits(value), u64::from(bits), "{bits:08x}");
            assert!(value == float || value.is_nan() && float.is_nan(), "{bits:08x}");
        }
    }

    #[test]
    fn values_go_to_the_nearest_half() {
        let half = MN_CORE_HALF;
        assert_eq!((half.value(0x3e00), half.value(0x3f00)), (1.0, 1.5));
        assert_eq!(IEEE_HALF.value(0x3e00), 1.5);
        // Between two neighbours, below, at and above the middle.
        for bits in (0..0x7dfe_u64).step_by(7) {
            let (low, high) = (half.value(bits), half.value(bits + 1));
            let middle = (low + high) / 2.0;
            let even = bits + bits % 2;
            assert_eq!(half.bits(middle), even, "{bits:04x}");
            assert_eq!(half.bits(-middle), even | 0x8000);
            assert_eq!(half.bits(middle.next_down()), bits);
            assert_eq!(half.bits(middle.next_up()), bits + 1);
        }
        assert_eq!(half.bits(4_290_772_992.0), 0x7dff);
        assert_eq!(half.value(0x7dff), 4_290_772_992.0);
        assert_eq!(half.bits(1e30), 0x7e00);
        assert_eq!(half.bits(f64::NEG_INFINITY), 0xfe00);
        assert_eq!(half.bits(f64::MIN_POSITIVE / 4.0), 0);
        assert!(half.value(half.bits(f64::NAN)).is_nan());
    }
}
