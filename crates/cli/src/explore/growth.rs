//! Twice the text takes at most about twice the steps, in every dimension of a text: questions of the page ask
//! for nearly all that the commands do.

use tensor_layout::Level;
use tensor_layout::steps_of;

use super::answer::view;
use super::question::Question;

/// A question with a text of `n` parts.
type Grown = fn(usize) -> Question;

fn joined(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(",")
}

fn of(layout: String) -> Question {
    Question { layout, ..Question::default() }
}

/// Dimensions without a limit.
const DIMENSIONS: [(&str, Grown); 9] = [
    ("axes", |n| of(format!("({})", joined(n, |_| "(1:1)".into())))),
    ("digits", |n| of(format!("((4:1,{}))", joined(n, |_| "1:1".into())))),
    ("tiles", |n| of(format!("f32[4]{{0:T(4){}}}", "(1)".repeat(n)))),
    ("derived axes", |n| of(format!("f32[4]{{0:T(2){}}}", "(2)".repeat(n)))),
    ("XLA axes", |n| of(format!("f32[{}]", joined(n, |_| "1".into())))),
    ("CuTe modes", |n| of(format!("({0}):({0})", joined(n, |_| "1".into())))),
    ("nested modes", |n| of(format!("(({0})):(({0}))", joined(n, |_| "1".into())))),
    ("strides", |n| {
        let ones = joined(n, |_| "1".into());
        of(format!("shape=({ones}), strides=({ones})"))
    }),
    ("window", |n| Question {
        window: vec![Some(("0".into(), "1".into())); n],
        ..of(format!("({})", joined(n, |_| "(1:1)".into())))
    }),
];

/// Dimensions up to [`Level::MOST`]: every level is asked about every digit.
const OF_LEVELS: [(&str, Grown); 5] = [
    ("levels", |n| of(format!("((4:1,{}))", joined(n, |at| format!("1_L{at}"))))),
    ("levels of axes", |n| of(format!("((4:1),{})", joined(n, |at| format!("(2_L{at})"))))),
    ("copies", |n| of(format!("((4:1); B@[{}])", joined(n, |at| format!("1_L{at}:1"))))),
    ("machine", |n| Question {
        machine: joined(n, |at| format!("L{at}=1")),
        after: "((4:1))".into(),
        ..of("((4:1))".into())
    }),
    ("mesh", |n| {
        of(format!("f32[4], sharding=P(None), mesh={}", joined(n, |at| format!("a{at}=1"))))
    }),
];

fn steps(name: &str, grown: Grown, n: usize) -> u64 {
    let (answer, steps) = steps_of(|| view(&grown(n)));
    assert!(answer["error"].is_null(), "{name}, {n}: {}", answer["error"]);
    steps
}

#[test]
fn twice_the_text_takes_about_twice_the_steps() {
    for (name, grown) in DIMENSIONS {
        let [few, many] = [256, 512].map(|n| steps(name, grown, n));
        assert!(few > 0 && 2 * many <= 5 * few, "{name}: {few}, {many}");
    }
}

#[test]
fn twice_the_levels_take_at_most_four_times_the_steps_and_are_limited() {
    for (name, grown) in OF_LEVELS {
        let [few, many] = [15, 30].map(|n| steps(name, grown, n));
        assert!(2 * many <= 9 * few, "{name}: {few}, {many}");
        let answer = view(&grown(Level::MOST + 1));
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("at most 64") || message.contains("64 bits"), "{name}: {answer}");
    }
}
