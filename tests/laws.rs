//! The laws, in the order of `docs/algebra.md`, over generated layouts.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use proptest::prelude::*;
use tensor_layout::notation::PadLayout;
use tensor_layout::{Found, Layout, LayoutError, Level, Machine, Placement};

use crate::generate::{any_layout, any_tree, good_layout};
use crate::slow::{Place, Slow, location};

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        max_global_rejects: 1 << 20,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn placed(slow: &Slow) -> Placement {
    Placement::of(slow.layout()).build().unwrap()
}

mod law_01_text {
    use super::*;

    /// Blanks where they may stand: around brackets, commas, semicolons and slashes.
    fn with_blanks(text: &str, blanks: &[u8]) -> String {
        let mut out = String::new();
        let mut blanks =
            blanks.iter().cycle().map(|b| [" ", "\n", "\t", "", "  "][*b as usize % 5]);
        for (at, c) in text.char_indices() {
            if c == ')' || c == '/' || c == '@' && !text[..at].ends_with('B') {
                out.extend(blanks.next());
            }
            out.push(c);
            if matches!(c, '(' | ')' | ',' | ';' | '/') {
                out.extend(blanks.next());
            }
        }
        out
    }

    proptest! {
        #![proptest_config(cases(2000))]

        #[test]
        fn parse_of_print_is_the_tree(tree in any_tree()) {
            let text = tree.to_string();
            let parsed: PadLayout = text.parse().unwrap();
            prop_assert_eq!(&parsed, &tree);
            prop_assert_eq!(parsed.to_string(), text);
        }

        #[test]
        fn blanks_do_not_matter(tree in any_tree(), blanks in prop::collection::vec(0_u8..5, 1..9)) {
            let text = with_blanks(&tree.to_string(), &blanks);
            prop_assert_eq!(text.parse::<PadLayout>().unwrap(), tree);
        }

        #[test]
        fn parse_of_print_is_the_layout(slow in good_layout()) {
            let layout = slow.layout();
            let text = layout.to_pad_layout().unwrap().to_string();
            prop_assert_eq!(text.parse::<Layout>().unwrap(), layout);
        }

        #[test]
        fn spans_of_errors_lie_inside_the_text(
            tree in any_tree(), at in any::<prop::sample::Index>(), junk in "[-_(),:;@B0-9a-zP ]{0,3}"
        ) {
            let mut text = tree.to_string();
            let at = at.index(text.len() + 1);
            text.insert_str(at, &junk);
            let error = match text.parse::<PadLayout>() {
                Err(error) => Some(error),
                Ok(tree) => tree.lower().err(),
            };
            if let Some(error) = error {
                let span = error.span();
                prop_assert!(span.start <= span.end && span.end <= error.text().len());
                prop_assert!(error.to_string().len() < 4096);
            }
        }
    }
}

mod law_02_locate {
    use super::*;

    proptest! {
        #![proptest_config(cases(1000))]

        #[test]
        fn locate_is_the_sum_of_digit_times_stride(slow in good_layout()) {
            let layout = slow.layout();
            for index in slow.indexes() {
                let expected: Vec<_> = slow.places(&index).iter().map(location).collect();
                prop_assert_eq!(layout.locate(&index).unwrap(), expected[0].clone());
                prop_assert_eq!(layout.locate_all(&index).unwrap().collect::<Vec<_>>(), expected);
            }
        }

        #[test]
        fn indexes_are_row_major(slow in any_layout()) {
            prop_assert_eq!(slow.layout().indexes().collect::<Vec<_>>(), slow.indexes());
        }

        #[test]
        fn the_table_is_all_places_in_order(slow in good_layout(), padding in any::<bool>()) {
            let placement = placed(&slow);
            let mut expected = Vec::new();
            for index in slow.slot_indexes() {
                let real = slow.is_real(&index);
                if real || padding {
                    for place in slow.places(&index) {
                        let row: Vec<u64> = placement.columns().iter().map(|l| place[l]).collect();
                        expected.push((row, !real, if real { index.clone() } else { Vec::new() }));
                    }
                }
            }
            expected.sort();
            prop_assert_eq!(rows(&placement, padding, &Place::new()), expected);
        }

        #[test]
        fn a_restricted_table_is_the_rows_of_the_subtree(slow in good_layout(), pick in any::<[u64; 7]>()) {
            let placement = placed(&slow);
            let mut at = Place::new();
            for (level, pick) in placement.columns().iter().zip(pick) {
                if pick & 1 == 0 {
                    at.insert(*level, (pick >> 1) % (slow.layout().extent(*level) + 1));
                }
            }
            let inside = |row: &(Vec<u64>, bool, Vec<u64>)| {
                placement.columns().iter().zip(&row.0).all(|(l, c)| at.get(l).is_none_or(|a| a == c))
            };
            let all = rows(&placement, true, &Place::new());
            let expected: Vec<_> = all.into_iter().filter(inside).collect();
            prop_assert_eq!(rows(&placement, true, &at), expected);
        }
    }

    fn rows(placement: &Placement, padding: bool, at: &Place) -> Vec<(Vec<u64>, bool, Vec<u64>)> {
        let mut rows = Vec::new();
        let table = placement.table().at(&location(at)).unwrap().with_padding(padding);
        let _ = table
            .for_each(|row| {
                let index = row.index.map(<[u64]>::to_vec);
                rows.push((row.place.to_vec(), index.is_none(), index.unwrap_or_default()));
                ControlFlow::<()>::Continue(())
            })
            .unwrap();
        rows
    }
}

mod law_03_element {
    use super::*;

    proptest! {
        #![proptest_config(cases(700))]

        #[test]
        fn element_inverts_locate_and_every_other_place_is_padding_or_hole(slow in good_layout()) {
            let layout = slow.layout();
            let contents = slow.contents();
            let used: Vec<Level> = slow.used().into_iter().collect();
            let extents: Vec<u64> = used.iter().map(|level| layout.extent(*level)).collect();
            prop_assume!(extents.iter().product::<u64>() < 20_000);
            for coordinates in crate::slow::count(&extents) {
                let place: Place = used.iter().copied().zip(coordinates).collect();
                let expected = match contents.get(&place) {
                    Some(Some(index)) => Found::Element(index.clone()),
                    Some(None) => Found::Padding,
                    None => Found::Hole,
                };
                prop_assert_eq!(layout.element(&location(&place)).unwrap(), expected);
            }
            for (level, extent) in used.iter().zip(&extents) {
                let mut place: Place = used.iter().map(|level| (*level, 0)).collect();
                place.insert(*level, *extent);
                prop_assert_eq!(layout.element(&location(&place)).unwrap(), Found::Outside);
            }
        }

        #[test]
        fn the_table_of_a_unit_is_its_elements_by_address(slow in good_layout()) {
            let placement = placed(&slow);
            let contents = slow.contents();
            let by_unit = |place: &Place| {
                let mut unit = place.clone();
                unit.remove(&Level::ADDR);
                unit.remove(&Level::W);
                unit
            };
            let units: BTreeSet<Place> = contents.keys().map(by_unit).collect();
            for unit in units.into_iter().take(8) {
                for slot in placement.unit(&location(&unit)).unwrap() {
                    let slot = slot.unwrap();
                    let mut place = unit.clone();
                    place.insert(Level::ADDR, slot.address);
                    if slow.used().contains(&Level::W) {
                        place.insert(Level::W, slot.lane);
                    }
                    let expected = match contents.get(&place) {
                        Some(Some(index)) => Found::Element(index.clone()),
                        Some(None) => Found::Padding,
                        None => Found::Hole,
                    };
                    prop_assert_eq!(slot.found, expected);
                }
            }
        }
    }
}

mod law_04_well_formed {
    use super::*;

    proptest! {
        #![proptest_config(cases(4000))]

        #[test]
        fn accepted_if_and_only_if_no_two_copies_share_a_place(slow in any_layout()) {
            let layout = slow.layout();
            match layout.check_injective() {
                Ok(()) => prop_assert!(slow.is_injective()),
                Err(LayoutError::Collision { first, second, place }) => {
                    prop_assert_ne!(&first, &second);
                    prop_assert!(slow.is_real(&first) && slow.is_real(&second));
                    prop_assert_eq!(location(&slow.places(&first)[0]), place.clone());
                    prop_assert_eq!(location(&slow.places(&second)[0]), place);
                }
                Err(LayoutError::ReplicaOverlap { first, second, place }) => {
                    let holds = |index: &[u64]| {
                        slow.places(index).iter().filter(|p| location(p) == place).count()
                    };
                    let copies = holds(&first) + if first == second { 0 } else { holds(&second) };
                    prop_assert!(slow.is_real(&first) && slow.is_real(&second) && copies >= 2);
                }
                Err(other) => prop_assert!(false, "{}", other),
            }
        }
    }
}

mod law_12_padding {
    use super::*;

    proptest! {
        #![proptest_config(cases(1500))]

        #[test]
        fn slots_are_elements_times_copies_plus_pads(slow in good_layout()) {
            let layout = slow.layout();
            let replicas: u64 = slow.replicas.iter().map(|digit| digit.0).product();
            prop_assert_eq!(layout.slots(), slow.slot_indexes().len() as u64 * replicas);
            prop_assert_eq!(layout.elements(), slow.indexes().len() as u64);
            prop_assert_eq!(layout.slots(), layout.elements() * layout.copies() + layout.pads().unwrap());
        }

        #[test]
        fn extents_and_used_coordinates_are_those_of_the_slots(slow in any_layout()) {
            let layout = slow.layout();
            let mut used: BTreeMap<Level, BTreeSet<u64>> = BTreeMap::new();
            for index in slow.slot_indexes() {
                for (level, at) in slow.places(&index).into_iter().flatten() {
                    used.entry(level).or_default().insert(at);
                }
            }
            for (level, used) in used {
                prop_assert_eq!(layout.extent(level), used.iter().max().unwrap() + 1);
                prop_assert_eq!(layout.used_in(level).unwrap(), used.len() as u64);
            }
        }

        #[test]
        fn the_report_counts_places_where_padding_lies_on_an_element(slow in good_layout()) {
            let report = placed(&slow).report().unwrap();
            let mut pads = BTreeSet::new();
            let mut elements = BTreeSet::new();
            for index in slow.slot_indexes() {
                let set = if slow.is_real(&index) { &mut elements } else { &mut pads };
                set.extend(slow.places(&index));
            }
            let shared = pads.intersection(&elements).count() as u64;
            prop_assert_eq!(report.pads_on_elements, Some(shared));
        }
    }
}

mod law_13_replicas {
    use super::*;

    proptest! {
        #![proptest_config(cases(1000))]

        #[test]
        fn dropping_a_level_of_size_n_from_the_used_ones_multiplies_the_copies_by_n(
            slow in good_layout(), size in 1_u64..6
        ) {
            let cluster = Level::new("Cluster").unwrap();
            let mut machine = Machine::builder("test").level(cluster, size);
            for level in crate::generate::levels().into_iter().filter(|level| level.is_unit()) {
                machine = machine.level(level, slow.layout().extent(level));
            }
            let machine = machine.build().unwrap();
            let base = Placement::of(slow.layout()).on(&machine).build().unwrap();
            let used = slow.layout().to_builder().used(cluster).build().unwrap();
            let pinned = Placement::of(used).on(&machine).build().unwrap();
            prop_assert_eq!(base.copies(), pinned.copies() * size);
            prop_assert_eq!(base.replicated().contains(&cluster), true);
            for index in slow.indexes().into_iter().take(20) {
                let places: BTreeSet<_> = base.locate_all(&index).unwrap().collect();
                prop_assert_eq!(places.len() as u64, base.copies());
                for place in places {
                    prop_assert_eq!(base.element(&place).unwrap(), Found::Element(index.clone()));
                }
            }
        }

        #[test]
        fn sized_replicas_print_from_a_layout(slow in good_layout()) {
            let text = slow.layout().to_pad_layout().unwrap().to_string();
            prop_assert_eq!(text.contains("B@["), !slow.replicas.is_empty());
        }
    }

    #[test]
    fn bare_replicas_print_from_syntax_trees_only() {
        let tree: PadLayout = "((12:8), (8:1); B@[PE])".parse().unwrap();
        assert_eq!(tree.to_string(), "((12:8), (8:1); B@[PE])");
        let layout = tree.lower().unwrap();
        assert_eq!(layout.to_pad_layout().unwrap().to_string(), "((12:8), (8:1))");
        assert_eq!(layout, "((12:8), (8:1))".parse().unwrap());
    }
}

mod law_15_time {
    use super::*;

    proptest! {
        #![proptest_config(cases(1000))]

        #[test]
        fn the_slices_are_disjoint_and_together_hold_every_element_once(slow in good_layout()) {
            prop_assume!(slow.used().contains(&Level::TIME) && slow.replicas.is_empty());
            let placement = placed(&slow);
            let mut seen = BTreeSet::new();
            for time in 0..slow.layout().extent(Level::TIME) {
                let at = [(Level::TIME, time)].into_iter().collect();
                let _ = placement.table().at(&at).unwrap().for_each(|row| {
                    assert_eq!(row.place[0], time);
                    assert!(seen.insert(row.index.unwrap().to_vec()), "in two slices");
                    ControlFlow::<()>::Continue(())
                }).unwrap();
            }
            prop_assert_eq!(seen, slow.indexes().into_iter().collect::<BTreeSet<_>>());
        }
    }
}
