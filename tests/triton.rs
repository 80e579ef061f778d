//! Layouts of Triton: bases that Triton itself has, values of places, and what is refused.

use proptest::prelude::*;
use tensor_layout::notation::{Notation, TritonLayout};
use tensor_layout::{Layout, LayoutText, Level, Location};

/// A text, the inputs that it has, and the bases of each.
fn judged() -> impl Iterator<Item = (&'static str, Vec<Vec<Vec<u64>>>)> {
    let lines = include_str!("data/triton.txt").lines().filter(|line| !line.starts_with("# "));
    lines.map(|line| {
        let (text, bases) = line.split_once('\t').unwrap();
        let basis = |basis: &str| basis.split(',').map(|entry| entry.parse().unwrap()).collect();
        let input = |input: &str| input.split_whitespace().map(basis).collect();
        (text, bases.split('|').map(input).collect())
    })
}

fn read(text: &str) -> TritonLayout {
    assert_eq!(Notation::of(text), Notation::Triton, "{text}");
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn lower(text: &str) -> Layout {
    read(text).lower().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn bases(text: &str) -> Vec<Vec<Vec<u64>>> {
    let linear = read(text).to_linear().unwrap_or_else(|error| panic!("{text}: {error}"));
    linear.bases.into_iter().map(|(_, bases)| bases).collect()
}

#[test]
fn encodings_have_the_bases_that_triton_has() {
    let wrong: Vec<String> = judged()
        .filter_map(|(text, wanted)| {
            let found = read(text)
                .to_linear()
                .map(|linear| linear.bases.into_iter().map(|(_, bases)| bases).collect::<Vec<_>>());
            match found {
                Ok(found) if found == wanted => None,
                found => Some(format!("{text}\n  {found:?}\n  {wanted:?}")),
            }
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}
