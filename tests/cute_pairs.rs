//! Random pairs of CuTe layouts: if a `shape:stride` has the values of their composition, it is printed, and
//! every right inverse is one. Checked only by values.

use itertools::Itertools;
use tensor_layout::algebra::IndexOrder::Colexicographic;
use tensor_layout::error::ErrorKind;
use tensor_layout::notation::CuteLayout;

use crate::cute_judge::*;

/// The extents and strides that remain after merging neighbours that step evenly, minor to major.
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

/// The number of addresses that digits can count from 0 on, each up to the step of the next one, using the
/// digits below `end`.
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
        let composed =
            lower(&outer).as_function(Colexicographic).compose_axes(&lower(&inner)).unwrap();
        let cute = CuteLayout::of(&composed);
        if let Err(error) = &cute {
            assert!(error.kind() == ErrorKind::Inexpressible, "{error}");
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
        let Ok(inverse) = lower(&layout).as_function(Colexicographic).contiguous_inverse() else {
            panic!("{} has no right inverse", text(&layout));
        };
        printed += 1;
        let reached = judge_inverse(&layout, &CuteLayout::of(&inverse).unwrap().to_string());
        assert_eq!(reached, countable(&merged(&layout), 1), "{}", text(&layout));
        let held = values(&layout);
        if held.iter().all_unique() {
            assert!(!held.contains(&reached), "{}", text(&layout));
        }
        longest = longest.max(reached);
    }
    assert!(printed == 10_000 && longest > 100, "{printed} {longest}");
}

#[test]
fn coordinates_are_numbers_of_their_modes() {
    let mut random = Random(7);
    for _ in 0..500 {
        let (layout, _) = pair(&mut random);
        let parsed: CuteLayout = text(&layout).parse().unwrap();
        let lowered = parsed.lower().unwrap();
        for (number, address) in (0_u64..).zip(values(&layout)) {
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
            // A single mode of several leaves has its own bracket.
            let index = parsed.index_of(&nested).unwrap();
            let by_number = parsed.index_of(&number.to_string()).unwrap();
            assert_eq!(index, by_number, "{parsed} at {nested}");
            let place = lowered.locate(&index).unwrap();
            assert_eq!(place.get(tensor_layout::Level::ADDR), Some(address));
        }
    }
}
