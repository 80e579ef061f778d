//! Law 2: a place is the offset plus the sum of digit x stride, in every level.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tensor_layout::LayoutError;
use tensor_layout::error::ErrorKind;

use crate::generate::any_layout;
use crate::run::{Tally, laws};
use crate::slow::Slow;

laws! {
    a_place_is_the_offset_plus_the_sum_of_digit_times_stride: 600, 100 %, any_layout(), located;
}

fn located(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = slow.layout();
    let used: BTreeSet<_> = layout.used_levels().iter().copied().collect();
    prop_assert_eq!(used, slow.used());
    prop_assert_eq!(layout.indexes().collect::<Vec<_>>(), slow.indexes());
    for index in slow.indexes() {
        let expected = slow.places(&index);
        prop_assert_eq!(&tally.answer(layout.locate(&index))?, &expected[0]);
        let all = tally.answer(layout.locate_all(&index))?;
        prop_assert_eq!(all.collect::<Vec<_>>(), expected);
    }
    let rank = slow.rank();
    let longer = vec![0; rank + 1];
    prop_assert_eq!(layout.locate(&longer), Err(LayoutError::index_rank(rank + 1, rank)));
    for (axis, extent) in slow.shape().into_iter().enumerate() {
        let mut beyond = vec![0; rank];
        beyond[axis] = extent;
        let refused =
            matches!(&layout.locate(&beyond), Err(error) if error.kind() == ErrorKind::OutOfRange);
        prop_assert!(refused);
    }
    Ok(())
}
