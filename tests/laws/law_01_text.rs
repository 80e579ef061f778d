//! Law 1: printed text parses to the same layout, and error messages point into the text.

use proptest::prelude::*;
use proptest::sample::Index;
use tensor_layout::Layout;
use tensor_layout::notation::PadLayout;

use super::law_04_collision;
use crate::generate::{any_layout, any_tree, good_layout};
use crate::run::{Tally, laws};
use crate::slow::Slow;

laws! {
    a_tree_is_parsed_from_what_it_prints: 1500, 100 %, any_tree(), tree;
    blanks_do_not_matter: 1500, 100 %, with_blanks(), blanks;
    a_layout_is_parsed_from_what_it_prints: 600, 30 %, good_layout(), layout;
    a_text_is_read_again_unless_a_note_says_why_not: 600, 30 %, any_layout(), read_again;
    spans_of_errors_lie_inside_the_text: 1500, 100 %, damaged(), spans;
}

fn tree(tree: &PadLayout, tally: &mut Tally) -> Result<(), TestCaseError> {
    let text = tree.to_string();
    let parsed: PadLayout = text.parse().unwrap();
    prop_assert_eq!(&parsed, tree);
    prop_assert_eq!(parsed.to_string(), text);
    tally.sure();
    Ok(())
}

fn with_blanks() -> impl Strategy<Value = (PadLayout, Vec<u8>)> {
    (any_tree(), prop::collection::vec(0_u8..5, 1..9))
}

/// Inserts blanks where they are allowed: around brackets, commas, semicolons and slashes.
fn blanks((tree, blanks): &(PadLayout, Vec<u8>), tally: &mut Tally) -> Result<(), TestCaseError> {
    let text = tree.to_string();
    let mut blanks = blanks.iter().cycle().map(|b| [" ", "\n", "\t", "", "  "][*b as usize % 5]);
    let mut out = String::new();
    for (at, c) in text.char_indices() {
        if c == ')' || c == '/' || c == '@' && !text[..at].ends_with('B') {
            out.extend(blanks.next());
        }
        out.push(c);
        if matches!(c, '(' | ')' | ',' | ';' | '/') {
            out.extend(blanks.next());
        }
    }
    let parsed = out.parse::<PadLayout>();
    prop_assert_eq!(parsed.as_ref(), Ok(tree));
    tally.sure();
    Ok(())
}

/// If a PadLayout can express the layout, it is printed in full; the law of the notation covers the rest.
fn layout(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = slow.layout();
    let Ok(text) = tally.count(PadLayout::of(&layout)) else { return Ok(()) };
    let text = text.to_string();
    let back: Layout = text.parse().unwrap();
    prop_assert!(Slow::of(&back).same_map(slow), "{}", text);
    // A level that is only marked as used is written as a digit of size 1.
    let plain = slow.derived.is_empty() && slow.marked.is_empty();
    prop_assert!(!plain || back == layout, "{}", text);
    prop_assert_eq!(PadLayout::of(&back).unwrap().to_string(), text);
    Ok(())
}

/// Elements that share places are an error where every text must be readable again, and a note elsewhere.
fn read_again(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = slow.layout();
    match tally.count(PadLayout::of(&layout)) {
        Ok(text) => {
            // Copies that coincide count as one, so they are not in the text.
            let back = Slow::of(&text.to_string().parse().unwrap());
            prop_assert!(back.is_injective() && back.same_map(slow), "{}", text);
        }
        Err(error) => {
            if let Some((first, second, place)) = law_04_collision::shared(&error) {
                prop_assert!(!slow.is_injective());
                let held =
                    |index: &[u64]| slow.places(index).iter().filter(|at| *at == place).count();
                prop_assert!(held(first) + held(second) > 1);
            }
        }
    }
    let Ok((text, note)) = PadLayout::map_of(&layout) else { return Ok(()) };
    let back = text.to_string().parse::<Layout>();
    prop_assert!(back.is_ok() || !slow.is_injective(), "{}", text);
    let is_noted = note.as_ref().is_some_and(|note| note.contains("cannot be read back"));
    prop_assert_eq!(back.is_err(), is_noted, "{}: {:?}", text, note);
    if let (None, Ok(back)) = (note, back) {
        prop_assert!(Slow::of(&back).same_map(slow), "{}", text);
    }
    Ok(())
}

fn damaged() -> impl Strategy<Value = (PadLayout, Index, String)> {
    (any_tree(), any::<Index>(), "[-_(),:;@B0-9a-zP ]{0,3}")
}

fn spans(
    (tree, at, junk): &(PadLayout, Index, String),
    tally: &mut Tally,
) -> Result<(), TestCaseError> {
    let mut text = tree.to_string();
    text.insert_str(at.index(text.len() + 1), junk);
    let error = match text.parse::<PadLayout>() {
        Err(error) => error,
        Ok(tree) => match tree.lower() {
            Err(error) => error,
            Ok(_) => return Ok(()),
        },
    };
    let span = error.span();
    prop_assert!(span.start <= span.end && span.end <= error.text().len());
    prop_assert!(error.to_string().len() < 4096);
    tally.sure();
    Ok(())
}
