//! Conversions between lengths in memory and numbers, which cannot fail, and products, which can;
//! the factors of an XOR.

/// A length or an index as a number.
#[inline]
#[allow(clippy::as_conversions, reason = "`usize` has at most 64 bits, which is asserted below")]
pub const fn to_u64(length: usize) -> u64 {
    length as u64
}

const _: () = assert!(usize::BITS <= u64::BITS);

/// Converts a number to an index or a length. A number beyond `usize` becomes `usize::MAX`, which is likewise
/// beyond the end of every slice.
#[inline]
pub fn to_index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the product, 0 if any factor is 0; `None` if it does not fit in 64 bits.
pub fn product(factors: impl IntoIterator<Item = u64, IntoIter: Clone>) -> Option<u64> {
    let mut factors = factors.into_iter();
    match factors.clone().any(|factor| factor == 0) {
        true => Some(0),
        false => factors.try_fold(1, u64::checked_mul),
    }
}

/// The greatest common divisor; of 0 and a number, the number.
#[must_use]
pub const fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// Returns factors whose products with a digit below `size` have the XOR that the digit flips: the weight
/// itself if the shifted digits do not overlap, else each of its bits.
#[must_use]
pub fn xor_factors(weight: u64, size: u64) -> Vec<u64> {
    let bits = (0..u64::BITS).filter(|bit| weight >> bit & 1 == 1);
    let apart = bits.clone().zip(bits.clone().skip(1)).all(|(low, high)| size <= 1 << (high - low));
    if apart { vec![weight] } else { bits.map(|bit| 1 << bit).collect() }
}

#[cfg(test)]
mod tests {
    use super::{gcd, product, to_index, to_u64, xor_factors};

    #[test]
    fn the_greatest_common_divisor_of_0_and_a_number_is_the_number() {
        assert_eq!((gcd(12, 18), gcd(7, 12), gcd(0, 5), gcd(5, 0)), (6, 1, 5, 5));
    }

    #[test]
    fn a_factor_of_0_makes_a_product_that_fits() {
        assert_eq!(product([]), Some(1));
        assert_eq!(product([3, 5]), Some(15));
        assert_eq!(product([u64::MAX, 2]), None);
        assert_eq!(product([u64::MAX, 2, 0]), Some(0));
    }

    #[test]
    fn the_xor_of_products_with_the_factors_is_the_xor_of_shifted_digits() {
        for (weight, size) in (0..64_u64).flat_map(|weight| (1..20).map(move |size| (weight, size)))
        {
            for digit in 0..size {
                let shifted = (0..6).filter(|bit| weight >> bit & 1 == 1).map(|bit| digit << bit);
                let products = xor_factors(weight, size).into_iter().map(|factor| factor * digit);
                let [shifted, products] =
                    [shifted.fold(0, |a, b| a ^ b), products.fold(0, |a, b| a ^ b)];
                assert_eq!(products, shifted, "{weight} {size} {digit}");
            }
        }
        assert_eq!((xor_factors(9, 8), xor_factors(9, 9)), (vec![9], vec![1, 8]));
    }

    #[test]
    fn indexes_and_numbers_convert_into_one_another() {
        assert_eq!(to_index(to_u64(usize::MAX)), usize::MAX);
        assert_eq!(to_index(u64::MAX), usize::MAX);
    }
}
