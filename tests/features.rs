//! Tests of the features that `cargo test` does not turn on, in one binary.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(clippy::as_conversions, reason = "small numbers")]
#![allow(clippy::single_range_in_vec_init, reason = "a window has one range per axis")]
#![allow(dead_code, reason = "the generator serves the laws too")]
#![allow(missing_docs, reason = "the names of tests are statements")]

mod cores;
mod formats;
mod generate;
mod pairs;
mod program;
mod program_edges;
mod run;
mod slow;
mod stage;
mod stored;

/// The laws over the thresholds between fast paths, which `TENSOR_LAYOUT_SEAMS=early` makes early.
mod laws {
    mod law_02_files;
    mod law_02_locate;
    mod law_02_pictures;
    mod law_02_program;
    mod law_04_collision;
    mod law_17_film;
    mod law_17_memories;
    mod law_17_parts;
    mod law_17_relayout;

    pub(crate) use law_02_program::{check_program, packed};
    pub(crate) use law_04_collision::{is_of_copies, judge as judge_collision, shared};

    use crate::run::Law;

    pub(crate) fn all() -> Vec<Law> {
        let all = [
            law_02_files::laws(),
            law_02_locate::laws(),
            law_02_pictures::laws(),
            law_02_program::laws(),
            law_04_collision::laws(),
            law_17_film::laws(),
            law_17_memories::laws(),
            law_17_parts::laws(),
            law_17_relayout::laws(),
        ];
        all.into_iter().flatten().collect()
    }
}
