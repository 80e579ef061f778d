//! One test for each cause of a wrong answer that was found outside these laws, in its shortest form, and for
//! each unjustified refusal. The generators of the laws reach all of them.

use tensor_layout::algebra::{IndexOrder, Subaxis};
use tensor_layout::error::ErrorKind;
use tensor_layout::machine::Memory;
use tensor_layout::notation::{Notation, PadLayout};
use tensor_layout::relayout::{Distance, Relayout, UnitPart, WriteOrder};
use tensor_layout::xla::{XlaArray, XlaDtype, XlaShape};
use tensor_layout::{Found, Layout, LayoutText, Level, Location, Machine, Placement};

const A: Level = Level::ADDR;

fn land(size: u64, level: Level, stride: u64) -> Subaxis {
    Subaxis::land(size, level, stride)
}

fn feed(size: u64, derived: usize, weight: u64) -> Subaxis {
    Subaxis::feed(size, derived, weight)
}

fn address(at: u64) -> Location {
    [(A, at)].into_iter().collect()
}

/// An XLA shape whose span is longer than its extent.
fn rounded() -> Layout {
    "f32[3,4]{1,0:T(2,2)L(64)}".parse::<XlaShape>().unwrap().lower().unwrap()
}

#[test]
fn a_span_moves_with_the_base() {
    let placement = Placement::of(rounded()).base(100).build().unwrap();
    let place = placement.locate(&[2, 3]).unwrap();
    assert_eq!(place.get(A), Some(113));
    assert_eq!(placement.element(&place).unwrap(), Found::Element(vec![2, 3]));
    assert_eq!(placement.layout().span(A), 164);
}

#[test]
fn a_placement_with_a_base_behind_its_span_packs_every_element() {
    let placement = Placement::of(rounded()).base(100).build().unwrap();
    let program = placement.program().unwrap();
    let tensor: Vec<i64> = (1..=12).collect();
    let mut image = vec![0; program.places() as usize];
    program.pack(&tensor, &mut image, 0).unwrap();
    let packed = image.iter().filter(|value| **value > 0).count();
    assert_eq!(packed, 12);
    let mut inverse = vec![0_u8; image.len()];
    program.fill_inverse(&mut inverse).unwrap();
    assert_eq!(inverse[113], 11);
}

#[test]
fn a_layout_with_an_offset_behind_its_span_can_be_tiled() {
    let spanned = Layout::builder().axis(3, [land(3, A, 1)]).span(A, 4).build().unwrap();
    let tiled = spanned.with_offset(A, 5).unwrap().tile(0, 2, A).unwrap();
    assert_eq!(tiled.locate(&[3]).unwrap(), address(5 + 4));
}

#[test]
fn layouts_without_elements_are_the_same_map_only_if_their_padding_is() {
    let builder = Layout::builder().axis(0, [land(2, A, 1)]).span(A, 4);
    let (plain, moved) = (builder.clone().build().unwrap(), builder.offset(A, 1).build().unwrap());
    assert!(plain.same_map(&moved).unwrap().is_some());
}

#[test]
fn an_inverse_keeps_digits_that_move_nothing_inside_derived_axes() {
    let cute = |text: &str| LayoutText::parse(text).unwrap().lower().unwrap();
    let order = IndexOrder::Colexicographic;
    let composed = cute("(2,2):(0,1)").as_function(order).compose_axes(&cute("2:3")).unwrap();
    let at = |index: u64| composed.locate(&[index]).unwrap().get(A);
    assert_eq!((at(0), at(1)), (Some(0), Some(1)));
    for inverse in [composed.left_inverse(), composed.right_inverse()] {
        // Index 1 is at address 1.
        assert_eq!(inverse.unwrap().locate(&[1]).unwrap().get(Level::axis(0)), Some(1));
    }
}

#[test]
fn the_memory_of_a_group_keeps_base_and_offsets() {
    let machine = Machine::mn_core_2();
    let on = |text: &str, base| {
        let placement = Placement::of(text.parse().unwrap()).on(&machine).memory("DRAM");
        placement.base(base).build().unwrap()
    };
    let (low, high) = (on("((8:1))", 0), on("((8:1))", 100));
    assert!(low.copyable(&high).unwrap().is_some());
    let traffic = Relayout::new(&low, &high).unwrap().traffic().unwrap();
    assert_eq!(traffic.count(Distance::InPlace), 0);
}

#[test]
fn memories_of_groups_are_told_apart_by_their_copies() {
    let memory = Memory { capacity: None, owner: Level::PE, group: 2 };
    let machine = Machine::builder("pairs").level(Level::PE, 8).memory("M", memory);
    let machine = machine.build().unwrap();
    let copies = |size, stride, offset| {
        let layout = Layout::builder().replica(size, Level::PE, stride).offset(Level::PE, offset);
        Placement::of(layout.build().unwrap()).on(&machine).memory("M").build()
    };
    // Units 0 2 4 are in groups 0 1 2, and units 0 4 in groups 0 2.
    let (three, two) = (copies(3, 2, 0).unwrap(), copies(2, 4, 0).unwrap());
    assert!(three.copyable(&two).unwrap().is_some());
    // Units 0 3 6 are in groups 0 1 3, which are not evenly spaced.
    assert!(matches!(&copies(3, 3, 0), Err(error) if error.kind() == ErrorKind::Uneven));
    // Units 1 and 2 are in different memories.
    assert!(copies(2, 1, 1).is_ok());
}

#[test]
fn a_simplified_layout_keeps_the_invariants() {
    for layout in [
        Layout::builder().axis(5, [land(5, A, 1)]).derived(2, 4, [feed(4, 1, 1)]).derived(
            0,
            3,
            [land(3, A, 0)],
        ),
        Layout::builder().axis(11, [feed(11, 0, 1)]).axis(0, []).derived(
            0,
            1,
            [land(2, Level::MAB, 8)],
        ),
        Layout::builder().axis(1, []).derived(1, 5, [feed(5, 1, 1)]).derived(
            0,
            2,
            [land(2, A, 40)],
        ),
    ] {
        let simplified = layout.build().unwrap().simplified();
        assert_eq!(simplified.to_builder().build().as_ref(), Ok(&simplified));
        if let Ok(text) = PadLayout::of(&simplified) {
            text.to_string().parse::<Layout>().unwrap();
        }
    }
}

#[test]
fn constants_that_a_chain_of_derived_axes_gives_stay() {
    let layout = Layout::builder()
        .axis(2, [land(2, A, 2)])
        .derived(1, 2, [feed(2, 1, 2)])
        .derived(0, 3, [land(3, A, 40)])
        .build()
        .unwrap();
    assert_eq!(layout.locate(&[1]).unwrap(), address(82));
    let program = Placement::of(layout.clone()).build().unwrap().program().unwrap();
    let mut table = [0_u64; 2];
    program.fill_packed(&mut table).unwrap();
    assert_eq!(table, [80, 82]);
    assert_eq!(program.element(82).unwrap(), Found::Element(1));
    if let Ok(inverse) = layout.left_inverse() {
        assert_eq!(inverse.locate(&[82]).unwrap().get(Level::axis(0)), Some(1));
    }
}

#[test]
fn the_reach_of_fused_axes_counts_copies_once() {
    let layout = Layout::builder()
        .axis(4, [feed(4, 0, 3)])
        .axis(2, [feed(1, 0, 2), feed(2, 0, 12)])
        .derived(0, 22, [land(22, A, 40)])
        .build()
        .unwrap();
    let machine: Machine = "MAB=2".parse().unwrap();
    let program = Placement::of(layout).on(&machine).build().unwrap().program().unwrap();
    assert!(program.reach().end <= program.places());
}

#[test]
fn one_map_has_one_canonical_form_where_sums_are_many() {
    let layout =
        |a: u64, b: u64| Layout::builder().axis(1, [land(a, A, 2), land(b, A, 3)]).build().unwrap();
    let (one, other) = (layout(300, 300), layout(297, 302));
    assert_eq!(one.same_map(&other).unwrap(), None);
    assert_eq!(one.canonical().unwrap(), other.canonical().unwrap());
}

#[test]
fn a_huge_stride_of_a_digit_of_size_1_moves_nothing() {
    let layout: Layout = "((2_W, 3:1, 1:9223372036854775808))".parse().unwrap();
    let machine: Machine = "PE=2".parse().unwrap();
    let placement = Placement::of(layout).on(&machine).element_bits(16).build().unwrap();
    let program = placement.program().unwrap();
    let mut table = [0_u64; 6];
    program.fill_packed(&mut table).unwrap();
    // A word has four lanes; two of them are used.
    assert_eq!(table, [0, 4, 8, 1, 5, 9]);
    assert_eq!(program.element(9).unwrap(), Found::Element(5));
}

#[test]
fn pads_are_counted_where_a_feeder_moves_nothing() {
    let layout = Layout::builder().axis(2, [feed(2, 0, 0)]).derived(0, 1, []).build().unwrap();
    assert_eq!((layout.slots(), layout.pads()), (1, Ok(0)));
}

#[test]
fn what_no_real_index_feeds_does_not_count() {
    let layout = Layout::builder()
        .derived(3, 4, [land(4, A, 40)])
        .derived(3, 4, [land(2, A, 40), feed(3, 2, 1)])
        .derived(0, 1, [land(1, A, 2)])
        .build();
    assert_eq!(layout.unwrap().locate(&[]).unwrap(), address(160));
}

#[test]
fn a_replica_of_size_1_is_not_a_copy() {
    let map = Layout::builder().replica(1, A, 1).build().unwrap();
    assert!("()".parse::<Layout>().unwrap().compose(&map).is_ok());
}

#[test]
fn layouts_without_elements_have_inverses() {
    let layout = Layout::builder()
        .axis(4, [land(2, Level::TIME, 2), land(2, Level::TIME, 13)])
        .axis(0, [land(4, A, 0)])
        .build()
        .unwrap();
    assert!(layout.left_inverse().is_ok() && layout.right_inverse().is_ok());
}

#[test]
fn an_expanded_axis_ignores_the_stride_of_a_digit_of_size_1() {
    let layout = Layout::builder().axis(1, [land(1, A, 1 << 63)]).build().unwrap();
    let expanded = layout.expand(0, 3, A).unwrap();
    assert_eq!(expanded.locate(&[2]).unwrap(), address(2));
}

#[test]
fn a_layout_without_elements_is_padded_by_a_documented_refusal_or_not_at_all() {
    let layout = Layout::builder().axis(0, []).derived(0, 0, []).build().unwrap();
    match layout.pad_to(&[4]) {
        Ok(padded) => assert_eq!(padded.shape(), [4]),
        Err(error) => assert!(!error.to_string().contains("derived axis"), "{error}"),
    }
}

#[test]
fn a_collision_is_named_with_the_base() {
    let shared = Layout::builder().axis(2, [land(2, A, 0)]).build().unwrap();
    let refusal = Placement::of(shared).base(7).build().unwrap_err();
    assert_eq!(refusal.kind(), ErrorKind::Collision);
    assert_eq!(refusal.fact("place"), Some(&address(7).into()));
}

#[test]
fn a_level_below_the_memory_is_refused_though_it_is_only_marked_as_used() {
    let layout = Layout::builder().axis(2, [land(2, A, 2)]).used(Level::PE).build().unwrap();
    let on = |memory: &str| Placement::of(layout.clone()).on(&Machine::mn_core_2()).memory(memory);
    assert!(on("LM0").build().is_ok());
    let below = on("DRAM").build().unwrap_err().to_string();
    assert_eq!(below, "level `PE` is below the memory `DRAM`, which belongs to `L2B`");
}

#[test]
fn a_tensor_without_elements_has_none_however_large_its_other_extents_are() {
    let sizes = [1 << 40, 1 << 40, 1];
    let axes = sizes.iter().enumerate().map(|(at, size)| (size, if at == 2 { 0 } else { *size }));
    let large = axes.fold(Layout::builder(), |builder, (size, extent)| {
        builder.axis(extent, [feed(*size, 0, 0)])
    });
    let large = large.derived(0, 1, [land(1, A, 1)]).build().unwrap();
    assert_eq!(large.elements(), 0);
    let program = Placement::of(large).build().unwrap().program().unwrap();
    assert_eq!(program.elements(), 0);
}

#[test]
fn a_padded_axis_that_fills_a_run_in_another_order_has_a_complement() {
    // 6 a + b becomes a + 6 b: the last of 36 values is padding, and the others are 0 to 34.
    let digits = [feed(6, 0, 1), feed(6, 0, 6)];
    let turned = Layout::builder().axis(35, digits).derived(0, 35, [land(35, A, 40)]);
    let turned = turned.build().unwrap();
    assert_eq!(turned.complement_space().unwrap(), [(A, 1400)]);
    let rest = turned.complement(&[(A, 1400)]).unwrap();
    assert_eq!(rest, "((40:1))".parse().unwrap());
    // The values 0 to 9 in another order, split into 2 at 40 and 5 at 2.
    let split = Layout::builder().axis(10, [feed(2, 0, 1), feed(5, 0, 2)]);
    let split = split.derived(0, 10, [land(2, A, 40), land(5, A, 2)]).build().unwrap();
    assert_eq!(split.complement(&[(A, 160)]).unwrap(), "((2:80, 4:10, 2:1))".parse().unwrap());
    // The last two of 36 slots are padding, at places 29 and 35.
    let holed = Layout::builder().axis(34, [land(6, A, 1), land(6, A, 6)]).build().unwrap();
    assert!(
        matches!(&holed.complement(&[(A, 36)]), Err(error) if error.kind() == ErrorKind::CannotComplement)
    );
}

#[test]
fn an_offset_may_stand_in_a_derived_axis() {
    let digits = [feed(1, 0, 6), land(16, Level::TIME, 2), feed(6, 1, 6)];
    let tail = |layout: tensor_layout::algebra::LayoutBuilder| {
        let split = [land(5, A, 40), land(7, Level::MAB, 2)];
        layout.derived(1, 2, [land(2, A, 40)]).derived(1, 35, split).build().unwrap()
    };
    let direct = tail(Layout::builder().axis(96, digits));
    let digits = [feed(1, 1, 6), land(16, Level::TIME, 2), feed(1, 1, 30), feed(6, 2, 6)];
    let chained = tail(Layout::builder().axis(96, [feed(96, 0, 1)]).derived(0, 96, digits));
    assert_eq!(direct.same_up_to_padding(&chained), Ok(None));
    assert_eq!(chained.same_up_to_padding(&direct), Ok(None));
}

/// Placed on one unit, without the lanes of a machine.
fn placed(layout: Layout) -> Placement {
    let die: Machine = "PE=1".parse().unwrap();
    Placement::of(layout).on(&die).build().unwrap()
}

#[test]
fn nothing_moves_without_elements_however_many_slices_they_would_have() {
    let empty = || Layout::builder().axis(0, [land(2, A, 1)]);
    let (here, sliced) = (empty().build().unwrap(), empty().replica(1 << 24, Level::TIME, 1));
    let (here, sliced) = (placed(here), placed(sliced.build().unwrap()));
    let relayout = Relayout::new(&here, &sliced).unwrap();
    assert_eq!(relayout.transfers().unwrap().count(), 0);
}

#[test]
fn places_whose_numbers_do_not_fit_are_not_transferred() {
    let far = 1 << 62;
    let lanes = Layout::builder().axis(2, [land(2, Level::W, far)]).offset(A, 4).build().unwrap();
    let words = Layout::builder().axis(2, [land(2, A, 1)]).build().unwrap();
    let relayout = Relayout::new(&placed(lanes), &placed(words)).unwrap();
    assert!(matches!(&relayout.transfers(), Err(error) if error.kind() == ErrorKind::TooLarge));
    let traffic = relayout.traffic().unwrap();
    assert_eq!(traffic.count(Distance::Address), 2);
}

/// Element 4 is lost to element 1, and copied over another copy of it as element 1, which belongs there.
#[test]
fn an_element_that_another_one_brings_back_by_accident_is_not_lost() {
    let machine: Machine = "PE=4".parse().unwrap();
    let on = |digits: [Subaxis; 3]| {
        let layout = Layout::builder().axis(16, digits).replica(2, A, 8).build().unwrap();
        Placement::of(layout).on(&machine).build().unwrap()
    };
    let source = on([land(2, A, 4), land(2, Level::PE, 1), land(4, A, 1)]);
    let target = on([land(2, A, 4), land(2, A, 1), land(4, Level::PE, 1)]);
    let lost = Relayout::new(&source, &target).unwrap().overwritten(WriteOrder::Ascending);
    assert_eq!(lost.unwrap().unwrap().element, [4]);
}

#[test]
fn few_elements_in_many_units_have_a_busiest_unit() {
    let machine: Machine = "PE=4194306".parse().unwrap();
    let on = |offset: u64| {
        let layout = Layout::builder().axis(3, [land(3, Level::PE, 1 << 20)]);
        let layout = layout.offset(Level::PE, offset).build().unwrap();
        Placement::of(layout).on(&machine).build().unwrap()
    };
    let busiest = Relayout::new(&on(0), &on(1)).unwrap().busiest(Level::PE).unwrap();
    assert_eq!((busiest.elements, busiest.total), (1, 3));
    assert_eq!(busiest.unit.get(Level::PE), Some(1));
}

#[test]
fn the_part_of_a_layout_in_units_does_not_depend_on_how_an_address_is_cut() {
    let machine: Machine = "L2B=3".parse().unwrap();
    let part = |digits: &[Subaxis]| {
        let layout = Layout::builder().axis(128, [land(16, A, 2), feed(8, 0, 1)]);
        let digits = [land(2, Level::L2B, 2)].iter().chain(digits).copied().collect::<Vec<_>>();
        let layout = layout.derived(0, 12, digits).build().unwrap();
        UnitPart::of(&Placement::of(layout).on(&machine).build().unwrap()).unwrap()
    };
    assert_eq!(part(&[land(6, A, 33)]), part(&[land(2, A, 99), land(3, A, 33)]));
}

#[test]
fn copies_that_do_not_line_up_with_the_groups_of_the_other_memory_are_refused() {
    let memory = |group| Memory { capacity: None, owner: Level::PE, group };
    let machine = Machine::builder("test").level(Level::PE, 7);
    let machine = machine.memory("four", memory(4)).memory("two", memory(2)).build().unwrap();
    let on = |layout: Layout, memory: &str| {
        Placement::of(layout).on(&machine).memory(memory).build().unwrap()
    };
    let one = Layout::builder().axis(1, [land(1, Level::PE, 1)]);
    let (here, twice) = (one.clone().build().unwrap(), one.replica(2, Level::PE, 6));
    let refused = Relayout::new(&on(here, "four"), &on(twice.build().unwrap(), "two"));
    let refused = refused.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Uneven);
    assert_eq!((refused.level("level"), refused.number("group")), (Some(Level::PE), Some(4)));
}

#[test]
fn digits_that_an_edit_fused_are_written_where_the_map_has_plain_ones() {
    let layout = |text: &str| text.parse::<Layout>().unwrap();
    let padded = layout("((1:1), (6:2))").pad_to(&[1, 8]).unwrap().reshape(&[8]).unwrap();
    assert_eq!(PadLayout::of(&padded).unwrap().to_string(), "(8)/((2:11, 6:2))");
    let turned = layout("((2:3, 3:1))").reshape(&[3, 2]).unwrap();
    assert_eq!(PadLayout::of(&turned).unwrap().to_string(), "((3:2), (2:1))");
    assert_eq!(XlaArray::of(&turned, f32()).unwrap().to_string(), "f32[3,2]{1,0}");
    assert_eq!(turned.canonical(), layout("((3:2), (2:1))").canonical());
}

fn f32() -> XlaDtype {
    XlaDtype::from_name("f32").unwrap()
}

#[test]
fn layouts_without_elements_have_the_form_of_their_slots() {
    let layout = |text: &str| text.parse::<Layout>().unwrap().canonical().unwrap();
    assert_eq!(layout("(0)/((2:1))"), layout("(0)/((); B@[2_Addr:1])"));
    let fed = Layout::builder().axis(0, []).axis(5, [feed(5, 0, 0)]).derived(0, 1, []);
    let fed = fed.build().unwrap();
    assert!(fed.canonical().unwrap().is_unique());
    assert_eq!(PadLayout::map_of(&fed).unwrap().1, None);
    assert_eq!(PadLayout::of(&fed).unwrap().to_string(), "(0,5)/((), (5:0))");
}

#[test]
fn a_span_and_the_padding_of_shared_slots_do_not_go_without_a_word() {
    let layout = Layout::builder().axis(3, [land(3, A, 12), feed(3, 0, 0)]).derived(0, 1, []);
    let layout = layout.offset(A, 4).span(A, 36).build().unwrap();
    let (text, note) = layout.write(Notation::Strided, f32()).unwrap();
    assert_eq!(text, "shape=(3,), strides=(0,), offset=4");
    assert_eq!(
        note.unwrap(),
        "the span of `Addr` is 36, which shape and strides cannot express: it ends at 5; \
         padding is omitted (1 of 3 slots is kept)"
    );
    let shape: XlaShape = "f32[16,128]{1,0:T(8,128)L(4096)}".parse().unwrap();
    let (_, note) = shape.lower().unwrap().write(Notation::Cute, f32()).unwrap();
    let span = "the span of `Addr` is 4096, which a CuTe layout cannot express: it ends at 2048";
    assert_eq!(note.unwrap(), span);
}
