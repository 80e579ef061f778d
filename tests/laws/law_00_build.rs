//! The invariants: `build` accepts a layout if and only if they hold.

use proptest::prelude::*;
use proptest::sample::Index;
use tensor_layout::error::ErrorKind;

use crate::generate::derived_layout;
use crate::run::{Tally, laws};
use crate::slow::Slow;

laws! {
    a_layout_is_built_if_and_only_if_its_invariants_hold:
        1000, 40 %, cut_layout(), built;
}

/// A layout whose derived axes hold all values fed to them, or one with a derived axis that was cut.
fn cut_layout() -> impl Strategy<Value = Slow> {
    let cut = prop::option::weighted(0.4, (any::<Index>(), any::<Index>()));
    (derived_layout(), cut).prop_map(|(mut slow, cut)| {
        if let Some((derived, extent)) = cut {
            let number = derived.index(slow.derived.len());
            let axis = &mut slow.derived[number].1;
            // The extent of an XOR is determined by its digits.
            if !slow.xors.contains(&number) {
                axis.extent = extent.index(axis.extent as usize + 1) as u64;
            }
        }
        slow
    })
}

/// A refusal names the first derived axis whose values exceed its extent, and the greatest value.
fn built(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let beyond = |derived: &usize| {
        slow.greatest(*derived).is_some_and(|most| most >= slow.derived[*derived].1.extent)
    };
    let first_beyond = (0..slow.derived.len()).find(beyond);
    match tally.count(slow.build()) {
        Ok(_) => prop_assert_eq!(first_beyond, None, "a derived axis is fed more than it holds"),
        Err(error) if error.kind() == ErrorKind::OutsideDomain => {
            let derived = error.number("derived").unwrap() as usize;
            prop_assert_eq!(Some(derived), first_beyond);
            prop_assert_eq!(error.number("extent"), Some(slow.derived[derived].1.extent));
            prop_assert_eq!(error.number("reach"), slow.greatest(derived));
        }
        Err(error) => prop_assert!(false, "{}", error),
    }
    Ok(())
}
