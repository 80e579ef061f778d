//! The laws, one file each, numbered in the order of `docs/algebra.md`, over generated cases.
//!
//! Every law counts answers and refusals: it asserts a floor on the share of answers, and verifies every
//! refusal. `CONTRIBUTING.md` has the commands of the long run.

mod causes;
mod edges;
mod law_00_build;
mod law_01_text;
mod law_02_files;
mod law_02_locate;
mod law_02_pictures;
mod law_02_program;
mod law_03_element;
mod law_03_placement;
mod law_04_collision;
mod law_05_canonical;
mod law_06_equality;
mod law_07_compose;
mod law_08_inverse;
mod law_09_complement;
mod law_10_divide_product;
mod law_11_chains;
mod law_11_edits;
mod law_11_parts;
mod law_12_padding;
mod law_13_replicas;
mod law_14_xla;
mod law_15_time;
mod law_16_operations;
mod law_16_total;
mod law_17_film;
mod law_17_memories;
mod law_17_parts;
mod law_17_relayout;
mod law_18_refusals;

pub(crate) use law_02_program::{check_program, packed};
pub(crate) use law_04_collision::{is_of_copies, judge as judge_collision, shared};
pub(crate) use law_14_xla::{any_array, judge as judge_xla};
pub(crate) use law_17_relayout::check_traffic;

use crate::run::Law;

/// The long run: many cases of every law, and a table of their answers.
#[test]
#[ignore = "minutes to hours: the number of cases per law is LONG_RUN, or 100 000"]
fn long_run() {
    let cases = std::env::var("LONG_RUN").map_or(100_000, |cases| cases.parse().unwrap());
    let only = std::env::var("LAW").unwrap_or_default();
    println!("| law | file | cases | answered | refused |\n|---|---|---|---|---|");
    for law in all().into_iter().filter(|law| law.name.contains(&only)) {
        let tally = law.tally(cases);
        let file = law.file.rsplit('/').next().unwrap_or_default();
        let (name, cases, percent) = (law.name.replace('_', " "), tally.cases, tally.percent());
        println!("| {name} | {file} | {cases} | {percent:.1} % | {:?} |", tally.refusals);
    }
}

/// Every law.
pub(crate) fn all() -> Vec<Law> {
    let all = [
        law_00_build::laws(),
        law_01_text::laws(),
        law_02_locate::laws(),
        law_02_files::laws(),
        law_02_pictures::laws(),
        law_02_program::laws(),
        law_03_element::laws(),
        law_03_placement::laws(),
        law_04_collision::laws(),
        law_05_canonical::laws(),
        law_06_equality::laws(),
        law_07_compose::laws(),
        law_08_inverse::laws(),
        law_09_complement::laws(),
        law_10_divide_product::laws(),
        law_11_chains::laws(),
        law_11_edits::laws(),
        law_11_parts::laws(),
        law_12_padding::laws(),
        law_13_replicas::laws(),
        law_14_xla::laws(),
        law_15_time::laws(),
        law_16_total::laws(),
        law_16_operations::laws(),
        law_17_relayout::laws(),
        law_18_refusals::laws(),
        law_17_parts::laws(),
        law_17_memories::laws(),
        law_17_film::laws(),
    ];
    all.into_iter().flatten().collect()
}
