//! Squares of cells, transposed; with the feature `simd` by the shuffles of the processor.
//!
//! The compiler turns a loop over a square into scalar moves. `wide` has the shuffles of x86, ARM and
//! WebAssembly for numbers; `castaway` finds out, when the crate is compiled, whether the cells are numbers.

/// Transposes a square in place: its rows become its columns.
#[inline(always)]
pub(super) fn transpose<T: Copy, const SIDE: usize>(square: &mut [[T; SIDE]; SIDE]) {
    #[cfg(feature = "simd")]
    if const { SIDE * size_of::<T>() == 16 } && simd::transpose(square) {
        return;
    }
    for row in 1..SIDE {
        let (above, below) = square.split_at_mut(row);
        for (column, above) in above.iter_mut().enumerate() {
            std::mem::swap(&mut above[row], &mut below[0][column]);
        }
    }
}

#[cfg(feature = "simd")]
mod simd {
    use bytemuck::must_cast;
    use castaway::cast;
    use wide::{u16x8, u32x4, u64x2};

    /// Returns whether the cells are numbers of a size that has shuffles; if so, rows are columns afterwards.
    #[inline(always)]
    pub(super) fn transpose<T: Copy, const SIDE: usize>(square: &mut [[T; SIDE]; SIDE]) -> bool {
        macro_rules! in_vectors {
            ($($side:literal $vector:ident: $($cell:ty)*;)*) => {$($(
                if let Ok(square) = cast!(&mut *square, &mut [[$cell; $side]; $side]) {
                    *square = must_cast($vector::transpose(must_cast(*square)));
                    return true;
                }
            )*)*};
        }
        in_vectors! {
            8 u16x8: [u8; 2];
            4 u32x4: [u8; 4];
            2 u64x2: u64 [u8; 8];
        }
        if let Ok(square) = cast!(&mut *square, &mut [[u8; 16]; 16]) {
            bytes(square);
            return true;
        }
        false
    }

    /// Four perfect shuffles, each of which merges the first half of the bytes with the second.
    #[inline(always)]
    fn bytes(square: &mut [[u8; 16]; 16]) {
        for _ in 0..4 {
            let before = *square;
            for (at, pair) in square.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                for cell in 0..16 {
                    pair[cell / 8][2 * (cell % 8)] = before[at][cell];
                    pair[cell / 8][2 * (cell % 8) + 1] = before[at + 8][cell];
                }
            }
        }
    }
}
