//! Defects that careful readers found, each in its shortest form.

use tensor_layout::algebra::{Arrangement, Axis, IndexOrder, Subaxis};
use tensor_layout::einsum::Einsum;
use tensor_layout::error::ErrorKind;
use tensor_layout::notation::{CuteLayout, CuteTiler, Notation};
use tensor_layout::sharding::{HloSharding, Mesh, Placements};
use tensor_layout::xla::{XlaDtype, XlaShape};
use tensor_layout::{Layout, LayoutError, LayoutText, Level, Location, Machine, Placement};
use tensor_layout_code::Language;
use tensor_layout_hlo::scan::LayoutScan;
use tensor_layout_hlo::{HloDump, HloSummary};

fn layout(text: &str) -> Layout {
    LayoutText::parse(text).unwrap().lower().unwrap()
}

fn hlo(text: &str) -> tensor_layout::sharding::Sharding {
    text.parse::<HloSharding>().unwrap().lower().unwrap()
}

#[test]
fn a_sharded_layout_keeps_the_offsets_and_copies_of_its_shard() {
    let sharding = hlo("{devices=[2]<=[2]}");
    let shard = layout("((8:1))").slice(0, 4, 8, 1).unwrap();
    let whole = sharding.layout(&[8], &shard, None).unwrap();
    assert_eq!(whole.locate(&[0]).unwrap().to_string(), "Device=0,Addr=4");
    let shard = layout("((4:1); B@[2_PE:1])");
    let whole = sharding.layout(&[8], &shard, None).unwrap();
    assert_eq!(whole.copies(), 2);
}

#[test]
fn a_replicated_sharding_keeps_its_mesh() {
    let sharding = hlo("{mesh['x'=2,'y'=2], replicated}");
    assert_eq!(sharding.devices(), Some(4));
    let machine = sharding.machine().unwrap().unwrap();
    assert_eq!(machine.levels().count(), 2);
    let written = hlo("{mesh['x'=2,'y'=2], [{}]}");
    let places = |sharding: &tensor_layout::sharding::Sharding| {
        sharding.layout(&[8], &layout("((8:1))"), None).unwrap()
    };
    assert_eq!(places(&sharding), places(&written));
}

#[test]
fn axes_of_a_set_are_in_the_order_of_the_mesh() {
    let text = "{devices=[2,4]<=[2,2,2]T(0,2,1) last_tile_dims={unreduced}}";
    let mesh: Mesh = "x=2,y=2,z=2".parse().unwrap();
    let dims = hlo(text).to_sdy(&mesh, 1).unwrap().dims;
    let names: Vec<&str> = dims.unreduced.iter().map(|axis| axis.name.as_str()).collect();
    assert_eq!(names, ["y", "z"]);
}

#[test]
fn more_devices_than_can_be_listed_are_not_listed() {
    let many = 1_u64 << 60;
    let sharding = hlo(&format!("{{devices=[1,{many}]<=[{many}] last_tile_dim_replicate}}"));
    let refused = sharding.locate(&[8], &[0]);
    assert!(matches!(&refused, Err(error) if error.kind() == ErrorKind::NotDecided), "{refused:?}");
}

#[test]
fn copies_of_a_mesh_lie_in_a_larger_machine() {
    let text = "f32[8]{0}, sharding={devices=[4,2]<=[2,4]T(1,0) last_tile_dim_replicate}";
    let lowered = LayoutText::parse(text).unwrap().lower_on(&"CHIP=10".parse().unwrap()).unwrap();
    let places = Placement::of(lowered).build().unwrap();
    let chip = Level::new("CHIP").unwrap();
    let chips: Vec<_> = places.locate_all(&[0]).unwrap().map(|place| place.get(chip)).collect();
    assert_eq!(chips, [Some(0), Some(4)]);
}

#[test]
fn marks_in_metadata_and_the_name_of_a_memory_do_not_choose_the_notation() {
    let text = "f32[8]{0}, sharding={devices=[4]<=[4] metadata={op_name=\"x^2\"}}";
    assert!(LayoutText::parse(text).is_ok());
    assert!(LayoutText::parse("Sw<3,3,3>").is_err());
    for text in ["()@LM0 / Half", "(())@LM0"] {
        assert_eq!(Notation::of(text), Notation::PadLayout, "{text}");
        assert!(LayoutText::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn a_coordinate_beyond_64_bits_is_refused() {
    let cute: CuteLayout = "((4294967296,4294967296,4294967296),2):((0,0,0),0)".parse().unwrap();
    assert!(cute.index_of("((0,0,4294967295),0)").is_err());
}

#[test]
fn the_stride_of_an_axis_that_does_not_step_may_be_anything() {
    let unit = layout("shape=(1, 2), strides=(3, 4), itemsize=4");
    assert_eq!(unit.locate(&[0, 1]).unwrap().get(Level::ADDR), Some(1));
    assert!(LayoutText::parse("((4:8), (8:1); B@[1_Addr])").unwrap().lower().is_ok());
}

#[test]
fn levels_have_different_names_as_variables() {
    let python = Language::Python.write(&layout("((2_in, 2_in_, 3:1))")).unwrap();
    assert!(python.contains("return (in_, in__, Addr)"), "{python}");
}

#[test]
fn a_layout_with_copies_has_a_product() {
    let tile = layout("((2:1); B@[2_Addr:2])");
    let product = tile.product(&layout("((3:1))"), Arrangement::Logical).unwrap();
    assert_eq!(product.locate(&[1, 2]).unwrap().get(Level::ADDR), Some(9));
}

#[test]
fn the_inverse_of_nothing_has_no_addresses() {
    let empty = layout("((4:1))").slice(0, 0, 0, 1).unwrap();
    let inverse = empty.as_function(IndexOrder::RowMajor).contiguous_inverse().unwrap();
    assert_eq!(inverse.shape(), [0]);
}

#[test]
fn bits_beyond_64_bits_are_refused() {
    let long: Layout = "((4611686018427387903:1))".parse().unwrap();
    assert!(long.in_bytes(4).is_err());
    let place: Location = "L2B=18446744073709551615".parse().unwrap();
    assert_eq!(Machine::mn_core().unit(&place), u64::MAX);
}

#[test]
fn a_level_of_any_name_takes_part_in_a_sum() {
    let sum = [Subaxis::land(4, Level::ADDR, 1)];
    let summed = Axis { extent: 4, subaxes: sum.to_vec() };
    let local =
        "ik->i".parse::<Einsum>().unwrap().local(&layout("((4_Summed:1))"), &[('k', summed)]);
    assert!(local.is_ok(), "{local:?}");
}

#[test]
fn brackets_that_close_at_the_beginning_of_a_line_do_not_end_a_computation() {
    let text = "ENTRY e {
  a = f32[2,2]{1,0} parameter(0)
  c = f32[2,2]{1,0} constant({
    { 1, 2 },
    { 3, 4 }
})
  ROOT q = f32[2,2]{1,0} negate(a)
}
";
    let mut dump = HloDump::new(text.as_bytes());
    let entry = dump.next_computation().unwrap().unwrap();
    assert_eq!(entry.root().unwrap().opcode(), "negate");
    assert_eq!(entry.instructions().count(), 3);
}

#[test]
fn asynchronous_starts_write_their_results_alone() {
    let text = "ENTRY e {
  a = f32[1024]{0} parameter(0)
  s = (f32[1024]{0:S(1)}, f32[1024]{0}, u32[]) copy-start(a)
  ROOT d = f32[1024]{0:S(1)} copy-done(s)
}
";
    let mut summary = HloSummary::new(None);
    let mut dump = HloDump::new(text.as_bytes());
    while let Some(computation) = dump.next_computation().unwrap() {
        summary.add(computation).unwrap();
    }
    summary.finish();
    let written = summary.written(tensor_layout_hlo::HloRole::Entry).unwrap();
    assert_eq!(written.allocated, 4096);
}

#[test]
fn parts_of_memories_at_other_nodes_are_compared_as_placements_are() {
    use tensor_layout::machine::Memory;
    use tensor_layout::relayout::{Relayout, UnitPart};
    let memory = |group| Memory { capacity: None, owner: Level::L2B, group };
    let machine = Machine::builder("m").level(Level::L2B, 8);
    let machine = machine.memory("SRAM", memory(1)).memory("DRAM", memory(2)).build().unwrap();
    let on = |name: &str| {
        let placement = Placement::of("((4_L2B:2, 8:1))".parse().unwrap()).on(&machine);
        placement.memory(name).build().unwrap()
    };
    for (from, to) in [("SRAM", "SRAM"), ("SRAM", "DRAM"), ("DRAM", "SRAM")] {
        let (from, to) = (on(from), on(to));
        let part = UnitPart::of(&from).unwrap().traffic_to(&UnitPart::of(&to).unwrap());
        assert_eq!(part, Relayout::new(&from, &to).unwrap().traffic().map(|all| all.levels));
    }
}

#[test]
fn levels_below_the_memory_cannot_be_fixed() {
    use tensor_layout::candidates::Candidates;
    let candidates =
        Candidates { memory: Some("DRAM".into()), ..Candidates::new(&Machine::mn_core_2(), &[64]) };
    let refused = Candidates { fixed: vec![(0, vec![Level::PE])], ..candidates }.count();
    assert!(refused.is_err(), "{refused:?}");
}

#[test]
fn a_reduction_is_written_where_there_is_a_word_for_it() {
    let mesh: Mesh = "x=2,y=4".parse().unwrap();
    let partial = |word: &str| {
        let text: Placements = format!("[Shard(0), Partial({word})]").parse().unwrap();
        text.lower(&mesh, &[8, 8]).unwrap()
    };
    let other: Mesh = "a=2,b=4".parse().unwrap();
    let written = partial("max").to_sdy(&other, 2).unwrap().to_string();
    assert!(written.ends_with(r#"unreduced=max{"b"}>"#), "{written}");
    assert!(partial("avg").to_sdy(&mesh, 2).is_err());
    assert!(partial("max").to_partition_spec(&mesh, 2).is_err());
    let spec = partial("sum").to_partition_spec(&mesh, 2).unwrap().to_string();
    assert_eq!(spec, "P('x', None, unreduced={'y'})");
}

#[test]
fn a_buffer_is_a_shape_at_the_head_of_a_text() {
    let (shape, end) = XlaShape::parse_prefix("b(f32[2]{0}) custom-call(b(f32[2]{0}) %a)").unwrap();
    assert_eq!((shape.to_string().as_str(), end), ("b(f32[2]{0})", 12));
    assert!(XlaShape::parse_prefix("sub(f32[2])").is_err());
}

#[test]
fn a_mesh_in_brackets_behind_a_sharding_is_read_with_it() {
    let text = "f32[8,4], sharding=P('x', None), mesh=mesh['x'=2,'y'=4] and more";
    let mut scan = LayoutScan::new(text.as_bytes());
    let found = scan.next_layout().unwrap().unwrap();
    assert_eq!(found.text(), "f32[8,4], sharding=P('x', None), mesh=mesh['x'=2,'y'=4]");
}

#[test]
fn elements_begin_behind_the_metadata_prefix() {
    let bit = |text: &str| text.parse::<XlaShape>().unwrap().as_array().unwrap().bit_offset(6);
    assert_eq!((bit("f32[8]{0}"), bit("f32[8]{0:M(64)}")), (6 * 32, 6 * 32 + 64 * 8));
}

#[test]
fn tilers_have_static_integers_too() {
    let tiler: CuteTiler = "<_3:_3, _8>".parse().unwrap();
    assert_eq!(tiler, "<3:3, 8:1>".parse().unwrap());
    assert!("<__>".parse::<CuteTiler>().is_err());
}

#[test]
fn tiles_of_an_unbounded_dimension_are_those_of_a_great_one() {
    let shape: XlaShape = "f32[?,256]{1,0:T(8,128)}".parse().unwrap();
    let array = shape.as_array().unwrap().with_dtype(XlaDtype::from_name("bf16").unwrap());
    assert_eq!(array.to_string(), "bf16[?,256]{1,0:T(8,128)(2,1)}");
}

#[test]
fn a_collective_whose_sizes_are_known_at_run_time_sends_at_most_its_operand() {
    let text = "HloModule m, num_partitions=4\nENTRY e {\n  p = f32[8]{0} parameter(0)\n  i = s64[2]{0} parameter(1)\n  \
                ROOT r = f32[8]{0} ragged-all-to-all(p, p, i, i, i, i), channel_id=1, replica_groups={{0,1},{2,3}}\n}\n";
    let mut dump = HloDump::new(text.as_bytes());
    let root = dump.next_computation().unwrap().unwrap().root().unwrap();
    let collective = root.collective().unwrap().unwrap();
    let traffic = collective.traffic(Some(&"HOST=2,CHIP=2".parse().unwrap())).unwrap();
    assert_eq!((collective.bytes, traffic.sent, traffic.received), (32, 32, 4 * 32));
    assert_eq!(traffic.into.iter().map(|(_, bytes)| *bytes).collect::<Vec<_>>(), [0, 4 * 32]);
    let across = text.replace("{{0,1},{2,3}}", "{{0,1,2}}");
    let mut dump = HloDump::new(across.as_bytes());
    let root = dump.next_computation().unwrap().unwrap().root().unwrap();
    let traffic = root.collective().unwrap().unwrap();
    let traffic = traffic.traffic(Some(&"HOST=2,CHIP=2".parse().unwrap())).unwrap();
    // Each sends at most its 32 bytes, whatever the receivers; two devices of the first host, one of the second.
    assert_eq!((traffic.sent, traffic.received, traffic.into[0].1), (32, 3 * 32, 3 * 32));
}

#[test]
fn a_table_of_a_unit_that_is_not_there_is_refused() {
    let placement = Placement::of(layout("((4_PE))")).build().unwrap();
    let beyond = placement.table().at(&"PE=9".parse().unwrap()).unwrap_err();
    assert_eq!(beyond, LayoutError::coordinate_out_of_range(Level::PE, 9, 4));
}

/// The devices that hold an element, in numerical order; levels count as on the machine.
fn devices(layout: &Layout, index: &[u64]) -> Vec<u64> {
    let weights = [("Device", 1), ("POD", 8), ("HOST", 2), ("CHIP", 1)];
    let number = |place: Location| {
        let at = |name: &str| place.get(Level::new(name).unwrap()).unwrap_or(0);
        weights.iter().map(|(name, weight)| at(name) * weight).sum::<u64>()
    };
    let placement = Placement::of(layout.clone()).build().unwrap();
    let mut devices: Vec<u64> = placement.locate_all(index).unwrap().map(number).collect();
    devices.sort_unstable();
    devices
}

#[test]
fn copies_below_tiles_that_do_not_line_up_have_their_own_levels() {
    let machine: Machine = "POD=3,HOST=4,CHIP=2".parse().unwrap();
    for text in [
        "f32[12], sharding={devices=[6,2]<=[12] last_tile_dim_replicate}",
        "f32[12], sharding={devices=[3,2]<=[6] last_tile_dim_replicate}",
        "f32[7], sharding={devices=[3,4]<=[12] last_tile_dim_replicate}",
        "f32[3,4], sharding={devices=[3,4,2]<=[4,3,2]T(1,0,2) last_tile_dim_replicate}",
        "f32[12], sharding={devices=[12]<=[4,3]T(1,0)}",
        "f32[5], sharding={devices=[24]<=[3,8]T(1,0)}",
    ] {
        let text = LayoutText::parse(text).unwrap();
        let (plain, placed) = (text.lower().unwrap(), text.lower_on(&machine).unwrap());
        for index in plain.indexes() {
            assert_eq!(devices(&plain, &index), devices(&placed, &index), "{text} {index:?}");
        }
    }
}
