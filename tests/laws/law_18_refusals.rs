//! Law 18: a notation refuses a layout only if it cannot express the places of its elements, as
//! values alone tell.

use proptest::prelude::*;
use tensor_layout::{Layout, LayoutError, Level, Location};

use crate::generate::{any_layout, derived_layout, good_layout};
use crate::run::{Tally, laws};
use crate::slow::Slow;

laws! {
    a_cute_refusal_is_true: 1500, 5 %, any_layout(), cute;
    a_cute_refusal_of_derived_axes_is_true: 1500, 2 %, derived_layout(), cute;
    a_strided_refusal_is_true: 1500, 5 %, any_layout(), strided;
    a_strided_refusal_of_derived_axes_is_true: 1500, 2 %, derived_layout(), strided;
    a_pad_layout_refusal_is_true: 1500, 30 %, good_layout(), pad_layout;
    a_pad_layout_refusal_of_derived_axes_is_true: 1500, 10 %, derived_layout(), pad_layout;
}

/// What the notation wrote has the places of the elements; a refusal is not a matter of words.
fn judge(
    slow: &Slow,
    tally: &mut Tally,
    written: Result<Layout, LayoutError>,
    exists: impl Fn(&Slow) -> bool,
) -> Result<(), TestCaseError> {
    match tally.count(written) {
        Ok(back) => {
            let back = Slow::of(&back);
            prop_assert_eq!(back.shape(), slow.shape());
            for index in slow.indexes() {
                prop_assert_eq!(back.place_set(&index), slow.place_set(&index), "{:?}", index);
            }
            Ok(())
        }
        Err(LayoutError::Inexpressible { reason, .. }) => {
            prop_assert!(!exists(slow), "refused: {}", reason);
            Ok(())
        }
        Err(LayoutError::NotDecided { .. }) => Ok(()),
        Err(other) => Err(TestCaseError::fail(format!("refused otherwise: {other}"))),
    }
}

fn cute(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let lower = |text: tensor_layout::notation::CuteLayout| {
        let again = text.to_string().parse::<tensor_layout::notation::CuteLayout>().unwrap();
        again.lower().unwrap()
    };
    let written = slow.layout().to_cute().map(lower);
    judge(slow, tally, written, |slow| {
        let has_elements = slow.elements() > 0;
        let plain = |values: &[Steps]| is_plain(values, true);
        has_elements && is_linear(slow) && starts_at_0(slow) && axes_are(slow, &plain)
    })
}

fn strided(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let lower = |text: tensor_layout::notation::Strided| {
        let again = text.to_string().parse::<tensor_layout::notation::Strided>().unwrap();
        again.lower().unwrap()
    };
    let written = slow.layout().to_strided().map(lower);
    judge(slow, tally, written, |slow| is_linear(slow) && axes_are(slow, &steps_evenly))
}

/// Copies are left to law 1, which prints every layout that a tree can give; elements that share
/// places are refused when the text is read.
fn pad_layout(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    if slow.copies() > 1 || !slow.is_injective() {
        tally.sure();
        return Ok(());
    }
    let written = slow.layout().to_pad_layout_map();
    let written = written.map(|(text, _)| text.to_string().parse::<Layout>().unwrap());
    judge(slow, tally, written, |slow| {
        starts_at_0(slow) && axes_are(slow, &|values| is_plain(values, false))
    })
}

/// One place of one address per element.
fn is_linear(slow: &Slow) -> bool {
    let used: Vec<Level> = slow.used().into_iter().collect();
    let one = |index: &Vec<u64>| slow.place_set(index).len() == 1;
    used == [Level::ADDR] && slow.copies() == 1 && slow.indexes().iter().all(one)
}

fn starts_at_0(slow: &Slow) -> bool {
    let origin = vec![0; slow.rank()];
    slow.elements() == 0 || slow.places(&origin)[0].iter().all(|(_, at)| at == 0)
}

/// Whether the place is a sum of one function per axis, each of this kind.
fn axes_are(slow: &Slow, kind: &dyn Fn(&[Steps]) -> bool) -> bool {
    if slow.elements() == 0 {
        return true;
    }
    let origin = vec![0; slow.rank()];
    let start = slow.places(&origin).remove(0);
    let along = |axis: usize, entry: u64| {
        let mut index = origin.clone();
        index[axis] = entry;
        steps(&start, &slow.places(&index)[0])
    };
    let is_sum = slow.indexes().iter().all(|index| {
        let parts = index.iter().enumerate().map(|(axis, entry)| along(axis, *entry));
        let zero = vec![0; start.iter().count()];
        let sum = parts.fold(zero, |sum, part| sum.iter().zip(part).map(|(a, b)| a + b).collect());
        sum == steps(&start, &slow.places(index)[0])
    });
    let plain = |axis: usize| {
        kind(&(0..slow.shape()[axis]).map(|entry| along(axis, entry)).collect::<Vec<_>>())
    };
    is_sum && (0..slow.rank()).all(plain)
}

/// What is added per level.
type Steps = Vec<i128>;

fn steps(from: &Location, to: &Location) -> Steps {
    from.iter().zip(to.iter()).map(|((_, a), (_, b))| i128::from(b) - i128::from(a)).collect()
}

/// A multiple of one step, not negative.
fn steps_evenly(values: &[Steps]) -> bool {
    let evenly =
        |(i, value): (i128, &Steps)| value.iter().zip(&values[1]).all(|(v, s)| *v == i * s);
    values.len() < 2 || values[1].iter().all(|step| *step >= 0) && (0..).zip(values).all(evenly)
}

/// Digits, each of which steps in one level at most: tries every size of the fastest one. The last
/// may be cut short unless they must be exact.
fn is_plain(values: &[Steps], exact: bool) -> bool {
    let n = values.len();
    if n < 2 {
        return true;
    }
    let moves = values[1].iter().filter(|step| **step != 0).count();
    (2..=n).any(|size| {
        let rest: Vec<Steps> = values.iter().step_by(size).cloned().collect();
        let sum = |i: usize| -> Steps {
            values[i % size].iter().zip(&rest[i / size]).map(|(a, b)| a + b).collect()
        };
        (!exact || n.is_multiple_of(size))
            && moves <= 1
            && steps_evenly(&values[..size])
            && (0..n).all(|i| values[i] == sum(i))
            && is_plain(&rest, exact)
    })
}
