//! Cells that are numbers, as bytes: their moves are compiled once for each width, with this library, and not by every caller
//! for every type.
//!
//! Law: a move of cells of another type gives the same image.

/// Both sides of a move of numbers, as cells of as many bytes.
#[cfg_attr(not(feature = "simd"), expect(dead_code, reason = "cells are moved as they are"))]
pub(super) enum Numbers<'a> {
    Of1(&'a [u8], &'a mut [u8]),
    Of2(&'a [[u8; 2]], &'a mut [[u8; 2]]),
    Of4(&'a [[u8; 4]], &'a mut [[u8; 4]]),
    /// As numbers, of which the compiler fills vectors better.
    Of8(&'a [u64], &'a mut [u64]),
}

#[cfg(feature = "simd")]
mod cast {
    use bytemuck::{must_cast_slice, must_cast_slice_mut};
    use castaway::cast;

    use super::Numbers;

    impl Numbers<'_> {
        /// Calls `moves` with the cells as numbers; `false` without a call if they are none.
        pub(in crate::image) fn with<T: Copy>(
            source: &[T],
            target: &mut [T],
            moves: &mut dyn FnMut(Numbers<'_>),
        ) -> bool {
            macro_rules! try_each {
                ($($width:ident: $($cell:ty)*;)*) => {$($(
                    if let Ok(target) = cast!(&mut *target, &mut [$cell])
                        && let Ok(source) = cast!(source, &[$cell])
                    {
                        moves(Numbers::$width(
                            must_cast_slice(source),
                            must_cast_slice_mut(target),
                        ));
                        return true;
                    }
                )*)*};
            }
            try_each! {
                Of1: u8 i8;
                Of2: u16 i16 [u8; 2];
                Of4: u32 i32 f32 [u8; 4];
                Of8: u64 i64 f64;
            }
            false
        }

        /// Calls `moves` with the bytes of the cells; `false` without a call if they are no numbers.
        pub(in crate::image) fn with_bytes<T: Copy>(
            source: &[T],
            target: &mut [T],
            moves: &mut dyn FnMut(&[u8], &mut [u8]),
        ) -> bool {
            Numbers::with(source, target, &mut |numbers| match numbers {
                Numbers::Of1(source, target) => moves(source, target),
                Numbers::Of2(source, target) => {
                    moves(source.as_flattened(), target.as_flattened_mut());
                }
                Numbers::Of4(source, target) => {
                    moves(source.as_flattened(), target.as_flattened_mut());
                }
                Numbers::Of8(source, target) => {
                    moves(must_cast_slice(source), must_cast_slice_mut(target));
                }
            })
        }
    }
}

#[cfg(not(feature = "simd"))]
impl Numbers<'_> {
    pub(super) fn with<T: Copy>(_: &[T], _: &mut [T], _: &mut dyn FnMut(Numbers<'_>)) -> bool {
        false
    }
}
