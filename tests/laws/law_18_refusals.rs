//! Law 18: a notation refuses a layout only if it cannot express the places of its elements, as determined
//! from values alone.

use proptest::prelude::*;
use proptest::sample::Index;
use tensor_layout::error::ErrorKind;
use tensor_layout::notation::{CuteLayout, Notation, PadLayout, Strided};
use tensor_layout::xla::{XlaDtype, XlaParser};
use tensor_layout::{Layout, LayoutError, LayoutText, Level, Location};

use crate::generate::{any_layout, derived_layout, good_layout, plain_layout};
use crate::run::{Tally, laws};
use crate::slow::Slow;

laws! {
    a_cute_refusal_is_true: 1500, 5 %, any_layout(), cute;
    a_cute_refusal_of_derived_axes_is_true: 1500, 2 %, derived_layout(), cute;
    a_strided_refusal_is_true: 1500, 5 %, any_layout(), strided;
    a_strided_refusal_of_derived_axes_is_true: 1500, 2 %, derived_layout(), strided;
    a_pad_layout_refusal_is_true: 1500, 30 %, good_layout(), pad_layout;
    a_pad_layout_refusal_of_derived_axes_is_true: 1500, 10 %, derived_layout(), pad_layout;
    what_the_map_form_writes_in_full_the_exact_form_writes: 1500, 40 %, edited(), exact;
    what_the_map_form_of_any_layout_writes_in_full_the_exact_form_writes:
        1500, 20 %, any_layout(), exact;
    a_note_says_what_a_text_leaves_out: 600, 20 %, any_layout(), noted;
    a_note_says_what_a_text_of_edited_digits_leaves_out: 600, 25 %, edited(), noted;
}

/// The written text has the places of the elements; a refusal does not depend on the form of the layout.
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
        Err(error) if error.kind() == ErrorKind::Inexpressible => {
            prop_assert!(!exists(slow), "refused: {}", error);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::NotDecided => Ok(()),
        Err(other) => Err(TestCaseError::fail(format!("refused otherwise: {other}"))),
    }
}

fn cute(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let lower = |text: tensor_layout::notation::CuteLayout| {
        let again = text.to_string().parse::<tensor_layout::notation::CuteLayout>().unwrap();
        again.lower().unwrap()
    };
    let written = CuteLayout::of(&slow.layout()).map(lower);
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
    let written = Strided::of(&slow.layout()).map(lower);
    judge(slow, tally, written, |slow| is_linear(slow) && axes_are(slow, &steps_evenly))
}

/// Law 1 covers copies: it prints every layout that a tree can produce. Elements that share places are
/// refused when the text is read.
fn pad_layout(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    if slow.copies() > 1 || !slow.is_injective() {
        tally.sure();
        return Ok(());
    }
    let written = PadLayout::map_of(&slow.layout());
    let written = written.map(|(text, _)| text.to_string().parse::<Layout>().unwrap());
    judge(slow, tally, written, |slow| {
        starts_at_0(slow) && axes_are(slow, &|values| is_plain(values, false))
    })
}

/// A layout in digits, padded and then reshaped, which fuses them.
fn edited() -> impl Strategy<Value = Slow> {
    let pads = prop::collection::vec(0_u64..3, 4);
    (plain_layout(), pads, any::<Index>()).prop_map(|(slow, pads, cut)| {
        let layout = slow.layout();
        let shape: Vec<u64> = layout.shape().iter().zip(&pads).map(|(n, pad)| n + pad).collect();
        let padded = match layout.pad_to(&shape) {
            Ok(padded) if padded.slots() < 1500 => padded,
            _ => layout,
        };
        let elements = padded.elements();
        let cuts: Vec<u64> = (1..=elements).filter(|n| elements.is_multiple_of(*n)).collect();
        let shape = match cuts.is_empty() {
            true => padded.shape(),
            false => vec![cuts[cut.index(cuts.len())], elements / cuts[cut.index(cuts.len())]],
        };
        Slow::of(&padded.reshape(&shape).unwrap())
    })
}

/// The exact text is the text of the map whenever the map form does not have a note.
fn exact(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = slow.layout();
    let exact = tally.count(PadLayout::of(&layout)).map(|text| text.to_string());
    match (PadLayout::map_of(&layout), exact) {
        (Ok((text, None)), exact) => prop_assert_eq!(exact, Ok(text.to_string())),
        (_, Ok(text)) => prop_assert!(false, "{} although the map form has a note", text),
        (_, Err(error)) if error.kind() == ErrorKind::Inexpressible => {
            let reason = error.reason();
            prop_assert!(!reason.ends_with(' ') && !reason.contains("  "), "{}", reason);
            prop_assert!(!reason.contains("into ,"), "{}", reason);
        }
        (_, Err(_)) => {}
    }
    Ok(())
}

/// A text without a note is the same map; one with a note is not, and a lost span is named.
fn noted(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = slow.layout();
    let f32 = XlaDtype::from_name("f32").unwrap();
    for notation in
        [Notation::PadLayout, Notation::Cute, Notation::Strided, Notation::Xla, Notation::Triton]
    {
        let Ok((text, note)) = tally.count(layout.write(notation, f32)) else { continue };
        let note = note.unwrap_or_default();
        if note.contains("cannot be read back") {
            prop_assert!(!slow.is_injective());
            continue;
        }
        let (step, note) = moved_by(&note);
        let said = LayoutText::parse_as(notation, XlaParser::strict(), &text).unwrap();
        let said = Slow::of(&said.lower().unwrap().with_offset(Level::ADDR, step).unwrap());
        prop_assert_eq!(note.is_empty(), said.same_map(slow), "{}: {:?}", text, note);
        for level in slow.used().into_iter().filter(|of| slow.span(*of) > slow.extent(*of)) {
            let is_named = note.contains(&format!("the span of `{level}` is {}", slow.span(level)));
            prop_assert_eq!(is_named, said.span(level) != slow.span(level), "{}: {}", text, note);
        }
    }
    Ok(())
}

/// The offset to add to the addresses of a text, and the rest of its note.
fn moved_by(note: &str) -> (u64, &str) {
    let moved = "this notation cannot express an offset; add ";
    let Some(rest) = note.strip_prefix(moved) else { return (0, note) };
    let (step, rest) = rest.split_once(" to every address").unwrap();
    (step.parse().unwrap(), rest.strip_prefix("; ").unwrap_or(rest))
}

/// True if every element has a single place, in `Addr` alone.
fn is_linear(slow: &Slow) -> bool {
    let used: Vec<Level> = slow.used().into_iter().collect();
    let one = |index: &Vec<u64>| slow.place_set(index).len() == 1;
    used == [Level::ADDR] && slow.copies() == 1 && slow.indexes().iter().all(one)
}

fn starts_at_0(slow: &Slow) -> bool {
    let origin = vec![0; slow.rank()];
    slow.elements() == 0 || slow.places(&origin)[0].iter().all(|(_, at)| at == 0)
}

/// True if the place is a sum of one function per axis, and each is of this kind.
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

/// The increments per level.
type Steps = Vec<i128>;

fn steps(from: &Location, to: &Location) -> Steps {
    from.iter().zip(to.iter()).map(|((_, a), (_, b))| i128::from(b) - i128::from(a)).collect()
}

/// True for multiples of one non-negative step.
fn steps_evenly(values: &[Steps]) -> bool {
    let evenly =
        |(i, value): (i128, &Steps)| value.iter().zip(&values[1]).all(|(v, s)| *v == i * s);
    values.len() < 2 || values[1].iter().all(|step| *step >= 0) && (0..).zip(values).all(evenly)
}

/// True for digits that each step in at most one level: tries every size of the fastest one. The last digit
/// may be cut short unless `exact` is set.
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
