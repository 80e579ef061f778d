//! Values of an XOR axis read backward, eight bits at once.
//!
//! ```text
//! (8,64), rows feed 72, columns 1      value 201 = 11 001 001      row 3: 216      column 17
//!
//! byte 0   each of 256 values: its bits as columns of the matrix, and the bits that are left over
//! byte 1   ..
//! ```
//!
//! Law: the digits of [`BitSystem::solve`], where every value has one solution at most.

use crate::algebra::digits::Digits;
use crate::algebra::strided::NodeDigit;
use crate::algebra::xor::BitSystem;
use crate::number::to_index;

/// The digits that feed an XOR axis, decoded from its value.
#[derive(Clone, Debug)]
pub(crate) struct XorDecoder {
    /// Of every byte, its values: the bits that no column makes, and the columns of the others.
    bytes: Vec<Vec<(u64, u64)>>,
    /// Each digit with the position of its lowest bit among the columns.
    digits: Vec<(NodeDigit, u32)>,
}

fn xor(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0 ^ b.0, a.1 ^ b.1)
}

impl XorDecoder {
    /// Returns `None` if bits are dependent; `copies` is the node of replicas.
    pub(crate) fn new(digits: &Digits, derived: usize, copies: usize) -> Option<XorDecoder> {
        let system = BitSystem::of_slots(digits, derived);
        if !system.is_injective() {
            return None;
        }
        let byte = |byte: u32| {
            let bits = (0..8).map(|bit: u32| system.reduced(1 << (8 * byte + bit)));
            bits.fold(vec![(0, 0)], |all, bit| {
                let set = all.iter().map(|value| xor(*value, bit)).collect();
                [all, set].concat()
            })
        };
        let mut from = 0;
        let digits = system.digits().into_iter().map(|(number, bits)| {
            let digit = (NodeDigit::new(digits.digit(number), copies), from);
            from += bits;
            digit
        });
        let digits = digits.collect();
        Some(XorDecoder { bytes: (0..system.value_bits().div_ceil(8)).map(byte).collect(), digits })
    }

    /// Adds digit x weight to the values of the nodes, modulo 2^64; `false` if no digits give the value.
    #[inline]
    pub(crate) fn add(&self, value: u64, values: &mut [u64]) -> bool {
        let (mut all, mut left) = ((0, 0), value);
        for byte in &self.bytes {
            all = xor(all, byte[to_index(left & 255)]);
            left >>= 8;
        }
        let (rest, columns) = all;
        if rest | left != 0 {
            return false;
        }
        for (NodeDigit { node, digit }, from) in &self.digits {
            // The size is a power of two.
            let at = columns >> from & (digit.size - 1);
            values[*node] = values[*node].wrapping_add(at.wrapping_mul(digit.weight));
        }
        true
    }
}
