//! Law 5: the canonical form preserves the map, and is the same for every layout with that map.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use proptest::prelude::*;
use tensor_layout::Level;

use crate::generate::any_layout;
use crate::pairs::pair;
use crate::run::{Tally, laws};
use crate::slow::{Axis, Digit, Slow, To};

laws! {
    canonical_forms_are_equal_if_and_only_if_the_maps_are: 1500, 100 %, pair(), canonical;
    canonical_forms_without_elements_are_those_of_the_slots: 600, 100 %, empty_pair(), canonical;
    simplifying_keeps_the_map_and_the_invariants_and_happens_once: 800, 100 %, any_layout(), simplified;
}

/// Two layouts without elements: the slots of axes in one are copies in the other, or nearly so.
fn empty_pair() -> impl Strategy<Value = (Slow, Slow)> {
    let pair = (any_layout(), any::<u64>()).prop_map(|(mut a, how)| {
        if a.axes.is_empty() {
            a.axes.push(Axis::new(0, []));
        }
        let empty = how as usize % a.axes.len();
        a.axes[empty].extent = 0;
        let mut b = a.clone();
        for axis in b.axes.iter_mut().filter(|axis| axis.extent <= 1) {
            let (landed, fed) = axis.digits.iter().partition(|d| matches!(d.to, To::Land(..)));
            axis.digits = fed;
            let copies = |digit: Digit| match digit.to {
                To::Land(level, stride) => Some((digit.size, level, stride)),
                To::Feed(..) => None,
            };
            b.replicas.extend(Vec::into_iter(landed).filter_map(copies));
        }
        if how >> 32 & 3 == 0 {
            b = b.moved(Level::ADDR, 1);
        }
        (a, b)
    });
    pair.prop_filter("refused", |(a, b)| a.build().is_ok() && b.build().is_ok())
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn canonical((a, b): &(Slow, Slow), tally: &mut Tally) -> Result<(), TestCaseError> {
    let (x, y) = (a.layout(), b.layout());
    let (x, y) = (tally.answer(x.canonical())?, tally.answer(y.canonical())?);
    let derived = x.has_derived_axes() || y.has_derived_axes();
    if x == y {
        prop_assert!(a.same_map(b), "{:?}", x);
        prop_assert_eq!(hash(&x), hash(&y));
    } else {
        prop_assert!(derived || !a.same_map(b), "{:?} {:?}", x, y);
    }
    Ok(())
}

fn simplified(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = slow.layout();
    let simplified = layout.simplified();
    let plain = Slow::of(&simplified);
    let rebuilt = simplified.to_builder().build();
    prop_assert_eq!(rebuilt.as_ref(), Ok(&simplified), "{:?}", plain);
    prop_assert!(plain.same_map(slow), "{:?}", plain);
    prop_assert!(plain.derived.len() <= slow.derived.len());
    // If derived axes remain, equal maps may have different forms.
    let before = tally.answer(layout.canonical())?;
    let after = tally.answer(simplified.canonical())?;
    prop_assert!(before == after || before.has_derived_axes() || after.has_derived_axes());
    prop_assert!(Slow::of(&simplified.simplified()).same_map(slow));
    Ok(())
}
