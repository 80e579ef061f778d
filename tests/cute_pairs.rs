//! Random pairs of CuTe layouts: wherever a `shape:stride` has the values of their composition, it
//! is what is printed; and every right inverse is one. Judged by values alone.

use itertools::Itertools;
use tensor_layout::algebra::IndexOrder::Colexicographic;
use tensor_layout::notation::{CuteLayout, CuteMode};
use tensor_layout::{Layout, LayoutError};

/// The same numbers at every run (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

/// A layout as (extent, stride) leaves per mode, each the fastest first.
type Modes = Vec<Vec<(u64, u64)>>;

fn modes(random: &mut Random, most: u64, strides: &[u64]) -> Modes {
    let leaf = |random: &mut Random| {
        let extent = 1 + random.below(most);
        (extent, strides[random.below(strides.len() as u64) as usize])
    };
    let mode = |random: &mut Random| (0..1 + random.below(3) / 2).map(|_| leaf(random)).collect();
    (0..1 + random.below(3)).map(|_| mode(random)).collect()
}

/// Strides that follow each other without gaps, in a random order of the leaves.
fn compact(random: &mut Random, modes: &mut Modes) {
    let mut leaves = modes.iter_mut().flatten().collect_vec();
    let mut stride = 1;
    while !leaves.is_empty() {
        let at = random.below(leaves.len() as u64) as usize;
        let leaf = leaves.remove(at);
        leaf.1 = stride;
        stride *= leaf.0;
    }
}

fn text(modes: &Modes) -> String {
    let part = |leaf: fn(&(u64, u64)) -> u64| {
        let mode = |mode: &Vec<(u64, u64)>| match &mode[..] {
            [one] => leaf(one).to_string(),
            leaves => format!("({})", leaves.iter().map(leaf).join(",")),
        };
        match &modes[..] {
            [one] if one.len() == 1 => mode(one),
            modes => format!("({})", modes.iter().map(mode).join(",")),
        }
    };
    format!("{}:{}", part(|leaf| leaf.0), part(|leaf| leaf.1))
}

fn size(modes: &Modes) -> u64 {
    modes.iter().flatten().map(|(extent, _)| extent).product()
}

/// The value at a number, the first leaf the fastest.
fn value(leaves: &[(u64, u64)], mut number: u64) -> u64 {
    let mut sum = 0;
    for (extent, stride) in leaves {
        sum += number % extent * stride;
        number /= extent;
    }
    sum
}

fn values(modes: &Modes) -> Vec<u64> {
    let leaves = modes.concat();
    (0..size(modes)).map(|number| value(&leaves, number)).collect()
}

/// What a printed layout says, mode by mode; a single mode is written without its bracket.
fn read(text: &str, rank: usize) -> Modes {
    let layout: CuteLayout = text.parse().unwrap();
    match rank {
        1 => vec![layout.mode.leaves()],
        _ => layout.axes().iter().map(CuteMode::leaves).collect(),
    }
}

/// Whether the values of one mode are those of some `shape:stride`: tries every first extent.
fn is_plain(values: &[u64]) -> bool {
    let n = values.len();
    let linear = |first: usize| {
        let step = values[1].checked_sub(values[0]);
        step.is_some_and(|step| {
            let at = |i: usize| values[0] + i as u64 * step;
            (0..first).all(|i| values[i] == at(i))
        })
    };
    let repeats = |first: usize| {
        let rest = values.iter().step_by(first).copied().collect_vec();
        let same = (0..n).all(|i| values[i] + values[0] == values[i % first] + rest[i / first]);
        same && is_plain(&rest)
    };
    n <= 1 || (2..=n).any(|first| n.is_multiple_of(first) && linear(first) && repeats(first))
}

/// Whether some layout with modes of these sizes has these values: a sum of one plain function per
/// mode.
fn exists(sizes: &[u64], values: &[u64]) -> bool {
    let weights = sizes.iter().scan(1, |weight, size| {
        let own = *weight;
        *weight *= size;
        Some(own)
    });
    let weights = weights.collect_vec();
    let of = |mode: usize, entry: u64| values[(entry * weights[mode]) as usize];
    let is_sum = (0..values.len() as u64).all(|number| {
        let entries = sizes.iter().zip(&weights).map(|(size, weight)| number / weight % size);
        let sum: u64 = entries.enumerate().map(|(mode, entry)| of(mode, entry)).sum();
        sum == values[number as usize] + (sizes.len() as u64 - 1) * values[0]
    });
    let plain =
        |mode: usize| is_plain(&(0..sizes[mode]).map(|entry| of(mode, entry)).collect_vec());
    values[0] == 0 && is_sum && (0..sizes.len()).all(plain)
}

/// A pair whose composition is defined: the values of the inner layout are numbers of the outer.
fn pair(random: &mut Random) -> (Modes, Modes) {
    loop {
        let mut outer = modes(random, 6, &[0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 59]);
        if random.below(2) == 0 {
            compact(random, &mut outer);
        }
        let inner = modes(random, 6, &[0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 12]);
        if values(&inner).iter().all(|number| *number < size(&outer)) {
            return (outer, inner);
        }
    }
}

fn lower(modes: &Modes) -> Layout {
    text(modes).parse::<CuteLayout>().unwrap().lower().unwrap()
}

fn composed_values(outer: &Modes, inner: &Modes) -> Vec<u64> {
    let leaves = outer.concat();
    values(inner).into_iter().map(|number| value(&leaves, number)).collect()
}

fn sizes(modes: &Modes) -> Vec<u64> {
    modes.iter().map(|mode| mode.iter().map(|(extent, _)| extent).product()).collect()
}

/// What is printed must have these values; nothing is printed only if nothing has them.
fn judge_composition(outer: &Modes, inner: &Modes, printed: Option<&str>) -> bool {
    let wanted = composed_values(outer, inner);
    let exists = exists(&sizes(inner), &wanted);
    let name = || format!("{} o {}: {printed:?}", text(outer), text(inner));
    assert_eq!(printed.is_some(), exists, "{}", name());
    if let Some(printed) = printed {
        let found = read(printed, inner.len());
        assert_eq!((values(&found), sizes(&found)), (wanted, sizes(inner)), "{}", name());
    }
    exists
}

/// `f(g(a)) = a` for every a that the inverse covers, and it begins with 0.
fn judge_inverse(layout: &Modes, printed: &str) -> u64 {
    let (f, g) = (values(layout), values(&read(printed, 1)));
    for (address, number) in (0..).zip(&g) {
        assert_eq!(f.get(*number as usize), Some(&address), "{}: {printed}", text(layout));
    }
    g.len() as u64
}

/// The extents and strides that are left where neighbours step evenly, minor to major.
fn merged(layout: &Modes) -> Vec<(u64, u64)> {
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (extent, stride) in layout.concat().into_iter().filter(|(extent, _)| *extent > 1) {
        match merged.last_mut() {
            Some((size, step)) if *size * *step == stride => *size *= extent,
            _ => merged.push((extent, stride)),
        }
    }
    merged
}

/// How many addresses digits can count, each from 0 on and each up to where the next one steps, when
/// those below `end` are counted.
fn countable(digits: &[(u64, u64)], end: u64) -> u64 {
    let next = digits.iter().filter(|(_, stride)| *stride == end);
    let ends = next.flat_map(|(extent, _)| 2..=*extent).map(|values| end * values);
    ends.map(|end| countable(digits, end)).max().unwrap_or(end)
}

#[test]
fn compositions_are_printed_wherever_a_shape_and_a_stride_have_their_values() {
    let mut random = Random(20_261_121);
    let mut printed = 0;
    for _ in 0..10_000 {
        let (outer, inner) = pair(&mut random);
        let composed = lower(&outer).compose_in(Colexicographic, &lower(&inner)).unwrap();
        let cute = composed.to_cute();
        if let Err(error) = &cute {
            assert!(matches!(error, LayoutError::Inexpressible { .. }), "{error}");
        }
        let found = cute.ok().map(|layout| layout.to_string());
        printed += u32::from(judge_composition(&outer, &inner, found.as_deref()));
    }
    // Both answers are common.
    assert!((4_000..9_000).contains(&printed), "{printed}");
}

#[test]
fn right_inverses_of_random_layouts_are_right_inverses() {
    let mut random = Random(13);
    let (mut printed, mut longest) = (0, 0);
    for _ in 0..10_000 {
        let (layout, _) = pair(&mut random);
        let Ok(inverse) = lower(&layout).contiguous_inverse(Colexicographic) else {
            panic!("{} has no right inverse", text(&layout));
        };
        printed += 1;
        let reached = judge_inverse(&layout, &inverse.to_cute().unwrap().to_string());
        assert_eq!(reached, countable(&merged(&layout), 1), "{}", text(&layout));
        let held = values(&layout);
        if held.iter().all_unique() {
            assert!(!held.contains(&reached), "{}", text(&layout));
        }
        longest = longest.max(reached);
    }
    assert!(printed == 10_000 && longest > 100, "{printed} {longest}");
}

#[cfg(feature = "cli")]
#[test]
fn the_command_composes_and_inverts_as_the_library_does() {
    let mut random = Random(300);
    for _ in 0..200 {
        let (outer, inner) = pair(&mut random);
        let (outer_text, inner_text) = (text(&outer), text(&inner));
        let output = crate::cli::run(&["edit", &outer_text, "--compose", &inner_text]);
        let printed = String::from_utf8(output.stdout).unwrap();
        let printed = printed.strip_suffix('\n').filter(|_| output.status.code() == Some(0));
        assert!(printed.is_some() || output.status.code() == Some(2), "{outer_text} {inner_text}");
        judge_composition(&outer, &inner, printed);
        let inverse = crate::cli::stdout(&["edit", &outer_text, "--inverse", "right"]);
        judge_inverse(&outer, inverse.trim_end());
    }
}

#[cfg(feature = "cli")]
#[test]
fn the_command_locates_nested_coordinates() {
    let at = |index: &str| {
        crate::cli::stdout(&["locate", "((2,2),3):((1,2),4)", index]).trim_end().to_owned()
    };
    for index in ["((1,0),2)", "(1,0),2", "1,2", "(1, 2)", "9", "((_1,_0),_2)"] {
        assert_eq!(at(index), "Addr=9", "{index}");
    }
    for (index, says) in [
        ("((2,0),2)", "2 is not below the size 2 of its mode"),
        ("((1,0,0),2)", "the coordinate has 3 entries here, but the shape has 2"),
        ("((1,0),(2,0))", "expected an integer, as in the shape"),
        ("12", "12 is not below the size 12 of its mode"),
        ("(1,0", "expected"),
    ] {
        let refused = crate::cli::refused(&["locate", "((2,2),3):((1,2),4)", index]);
        assert!(refused.contains(says), "{index}: {refused}");
    }
}

#[test]
fn coordinates_are_numbers_of_their_modes() {
    let mut random = Random(7);
    for _ in 0..500 {
        let (layout, _) = pair(&mut random);
        let parsed: CuteLayout = text(&layout).parse().unwrap();
        let lowered = parsed.lower().unwrap();
        for number in 0..size(&layout) {
            let mut rest = number;
            let mut digit = |extent: &u64| {
                let digit = rest % extent;
                rest /= extent;
                digit
            };
            let modes = layout.iter().map(|mode| {
                let digits = mode.iter().map(|(extent, _)| digit(extent)).collect_vec();
                if digits.len() == 1 {
                    digits[0].to_string()
                } else {
                    format!("({})", digits.iter().join(","))
                }
            });
            let modes = modes.collect_vec();
            let inside = modes.join(",");
            let is_leaf = modes.len() == 1 && layout[0].len() == 1;
            let nested = if is_leaf { inside } else { format!("({inside})") };
            // A single mode of several leaves is a bracket of its own.
            let index = parsed.index_of(&nested).unwrap();
            let by_number = parsed.index_of(&number.to_string()).unwrap();
            assert_eq!(index, by_number, "{parsed} at {nested}");
            let place = lowered.locate(&index).unwrap();
            assert_eq!(
                place.get(tensor_layout::Level::ADDR),
                Some(values(&layout)[number as usize])
            );
        }
    }
}
