//! The integers that tables hold, and the one inner loop: a number plus a vector.
//!
//! ```text
//! vector   0 1 2 3 | 8 9 10 11 | 32 33 34 35     heads 0 8 32, tail 0 1 2 3
//! row      base + head + tail, block by block    the tail stays in registers
//! ```
//!
//! The loops are compiled for AVX2 too; which of the two versions runs is decided once. Tables that fit in
//! cache are limited by vector width, not by memory: for an irregular vector, every number is loaded, added
//! to and stored.

#[cfg(feature = "simd")]
use multiversion::multiversion;

/// An integer that a table holds, with or without a sign: a signed one holds numbers up to its own greatest.
///
/// ```
/// use tensor_layout::Placement;
/// use tensor_layout::program::Cell;
/// let placement = Placement::of("(10)/((3:1, 4_PE))".parse()?).build()?;
/// let mut table = [0_i8; 12]; // of indexes that a kernel may also count down
/// placement.program()?.fill_inverse(&mut table)?;
/// assert_eq!(table, [0, 4, 8, 1, 5, 9, 2, 6, i8::PADDING, 3, 7, i8::PADDING]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Cell: Copy + private::Sealed {
    /// The greatest value, which marks holes in inverse tables.
    const MAX: Self;
    /// One less, which marks padding there.
    const PADDING: Self;
}

mod private {
    pub trait Sealed: Sized + TryFrom<u64> {
        /// Keeps the low bits: a wrapping sum of such values is correct if the true sum fits.
        fn wrapped(value: u64) -> Self;
        fn plus(self, other: Self) -> Self;
        /// The first cell of each block less the first cell of the vector; `None` unless every block is the
        /// first block plus such a difference.
        fn heads(vector: &[Self]) -> Option<Vec<Self>>;
        fn add(row: &mut [Self], base: Self, vector: &[Self]);
        /// `first`, `first + step`, ..
        fn run(row: &mut [Self], first: Self, step: Self);
        fn add_blocks(row: &mut [Self], base: Self, vector: &[Self], heads: &[Self]);
    }
}

macro_rules! cell {
    ($($int:ty),*) => {$(
        impl private::Sealed for $int {
            #[inline(always)]
            #[allow(clippy::as_conversions, reason = "the low bits are meant")]
            fn wrapped(value: u64) -> $int {
                value as $int
            }

            fn plus(self, other: $int) -> $int {
                self.wrapping_add(other)
            }

            fn heads(vector: &[$int]) -> Option<Vec<$int>> {
                let (blocks, rest) = vector.as_chunks::<{ BLOCK_BYTES / size_of::<$int>() }>();
                let first = blocks.first().filter(|_| rest.is_empty())?;
                let head = |block: &[$int; _]| block[0].wrapping_sub(first[0]);
                let moved = |block: &&[$int; _]| {
                    block.iter().zip(first).all(|(a, b)| *a == b.wrapping_add(head(block)))
                };
                blocks.iter().all(|block| moved(&block)).then(|| blocks.iter().map(head).collect())
            }

            fn add(row: &mut [$int], base: $int, vector: &[$int]) {
                #[cfg_attr(feature = "simd", multiversion(targets("x86_64+avx2")))]
                fn add(row: &mut [$int], base: $int, vector: &[$int]) {
                    for (cell, step) in row.iter_mut().zip(vector) {
                        *cell = base.wrapping_add(*step);
                    }
                }
                add(row, base, vector);
            }

            fn run(row: &mut [$int], first: $int, step: $int) {
                #[cfg_attr(feature = "simd", multiversion(targets("x86_64+avx2")))]
                fn run(row: &mut [$int], first: $int, step: $int) {
                    let mut next = first;
                    for cell in row {
                        *cell = next;
                        next = next.wrapping_add(step);
                    }
                }
                match step {
                    0 => row.fill(first),
                    _ => run(row, first, step),
                }
            }

            fn add_blocks(row: &mut [$int], base: $int, vector: &[$int], heads: &[$int]) {
                #[cfg_attr(feature = "simd", multiversion(targets("x86_64+avx2")))]
                fn add(row: &mut [$int], base: $int, vector: &[$int], heads: &[$int]) {
                    let (blocks, _) = row.as_chunks_mut::<{ BLOCK_BYTES / size_of::<$int>() }>();
                    let Some(tail) = vector.first_chunk() else { return };
                    // A copy, so that the compiler knows that the rows do not overlap it.
                    let tail: [$int; { BLOCK_BYTES / size_of::<$int>() }] = *tail;
                    for (block, head) in blocks.iter_mut().zip(heads) {
                        let base = base.wrapping_add(*head);
                        for (cell, step) in block.iter_mut().zip(tail) {
                            *cell = base.wrapping_add(step);
                        }
                    }
                }
                add(row, base, vector, heads);
            }
        }

        impl Cell for $int {
            const MAX: $int = <$int>::MAX;
            const PADDING: $int = <$int>::MAX - 1;
        }
    )*};
}

/// Eight vector registers of the baseline x86-64 and AArch64.
const BLOCK_BYTES: usize = 128;

cell!(u8, u16, u32, u64, i8, i16, i32, i64);

/// An inner vector, ready to be added to.
pub(super) struct Steps<T> {
    cells: Vec<T>,
    pattern: Pattern<T>,
}

/// The form of the vector, for the fastest loop.
enum Pattern<T> {
    /// All numbers are the same.
    Even(T),
    /// Every block is the first one plus a constant: the constant of each block.
    Blocks(Vec<T>),
    Any,
}

impl<T: Cell> Steps<T> {
    pub(super) fn new(vector: &[u64]) -> Steps<T> {
        let cells: Vec<T> = vector.iter().map(|step| T::wrapped(*step)).collect();
        let even = vector.first().filter(|first| vector.iter().all(|step| step == *first));
        let blocks = || T::heads(&cells).map(Pattern::Blocks);
        let even = even.map(|first| Pattern::Even(T::wrapped(*first)));
        let pattern = even.or_else(blocks).unwrap_or(Pattern::Any);
        Steps { cells, pattern }
    }

    /// Writes `base` plus the vector from `from` on.
    #[inline]
    pub(super) fn write(&self, row: &mut [T], base: T, from: usize) {
        match &self.pattern {
            Pattern::Even(step) => row.fill(base.plus(*step)),
            Pattern::Blocks(heads) if row.len() == self.cells.len() => {
                T::add_blocks(row, base, &self.cells, heads);
            }
            _ => T::add(row, base, &self.cells[from..]),
        }
    }
}
