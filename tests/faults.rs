//! Faults: for every one of a sharding, an input that triggers it.

use tensor_layout::algebra::Subaxis;
use tensor_layout::error::ErrorKind;
use tensor_layout::machine::Memory;
use tensor_layout::notation::{Dtype, Notation};
use tensor_layout::relayout::{Relayout, UnitPart};
use tensor_layout::sharding::{
    DeviceGroups, HloSharding, Mesh, PartitionSpec, Placements, ShardedShape, Sharding,
};
use tensor_layout::xla::XlaDtype;
use tensor_layout::{Layout, LayoutError, Level, Machine, Placement};
use tensor_layout_hlo::HloDump;
use tensor_layout_npy::NpyHeader;
use tensor_layout_vectors::{TensorDirection, VectorData, VectorError, VectorHeader, VectorWriter};

use crate::sharding::sharding;

fn fault<T>(answer: Result<T, LayoutError>) -> LayoutError {
    answer.err().expect("a refusal")
}

fn lowered(text: &str) -> LayoutError {
    fault(text.parse::<HloSharding>().unwrap_or_else(|error| panic!("{text}\n{error}")).lower())
}

fn of_shape(text: &str) -> LayoutError {
    fault(text.parse::<ShardedShape>().unwrap().sharding())
}

fn mesh(text: &str) -> Mesh {
    text.parse().unwrap()
}

fn of_layout(text: &str) -> LayoutError {
    fault(Sharding::of_layout(&text.parse().unwrap(), &"PE=4".parse().unwrap()))
}

/// The fault of an element's place.
fn unplaced(text: &str) -> LayoutError {
    fault(sharding(text).locate(&[8], &[3]))
}

/// The fault of the layout of 8 elements, with the shard in order.
fn unlaid(text: &str, machine: Option<&str>) -> LayoutError {
    let sharding = sharding(text);
    let shard = sharding.shard_extents(&[8]).unwrap()[0];
    let machine: Option<Machine> = machine.map(|machine| machine.parse().unwrap());
    let shard: Layout = format!("(({shard}:1))").parse().unwrap();
    fault(sharding.layout(&[8], &shard, machine.as_ref()))
}

/// The fault of placements on a mesh of 2 x 2.
fn placed(text: &str, extents: &[u64]) -> LayoutError {
    placed_on("x=2,y=2", text, extents)
}

fn placed_on(of: &str, text: &str, extents: &[u64]) -> LayoutError {
    fault(text.parse::<Placements>().unwrap().lower(&mesh(of), extents))
}

fn grouped(text: &str) -> LayoutError {
    fault(text.parse::<DeviceGroups>().unwrap().lower(8))
}

/// The fault of the traffic of an `all-gather` of these groups on two devices.
fn gathered(groups: &str) -> LayoutError {
    let text = format!(
        "ENTRY e {{\n  a = f32[4]{{0}} parameter(0)\n  ROOT g = f32[8]{{0}} all-gather(a), \
         replica_groups={groups}, dimensions={{0}}\n}}"
    );
    let mut dump = HloDump::new(text.as_bytes());
    let entry = dump.next_computation().unwrap().unwrap();
    let collective = entry.root().unwrap().collective();
    let machine = "PE=2".parse().unwrap();
    match collective.and_then(|collective| collective.unwrap().traffic(Some(&machine))) {
        Err(fault) => fault,
        other => panic!("{other:?}"),
    }
}

fn per_device(text: &str) -> ShardedShape {
    ShardedShape { per_device: true, ..text.parse().unwrap() }
}

fn text_faults() -> Vec<(LayoutError, &'static str)> {
    let huge = u64::MAX;
    vec![
        (
            lowered("{devices=[2,4]<=[2,4]T(0,0)}"),
            "T(0,0) does not list each of the dimensions 0 to 1 exactly once",
        ),
        (lowered("{devices=[2,2]0,1,2,2}"), "device 2 is listed twice, at positions 2 and 3"),
        (lowered("{devices=[0]<=[0]}"), "[0] has a 0, so there are no devices"),
        (
            lowered(&format!("{{devices=[{huge},2]<=[8]}}")),
            "the number of devices does not fit in 64 bits",
        ),
        (
            lowered("{devices=[3,2]<=[8]}"),
            "the product of [3,2] is 6, but the number of devices is 8",
        ),
        (
            lowered("{devices=[8]<=[8] last_tile_dims={manual, replicated}}"),
            "there are 2 last tile dimensions, more than the 1 of `devices=`",
        ),
        (
            lowered("{{replicated}, {manual}}"),
            "this is a tuple of 2 shardings: ask for one of them",
        ),
        (lowered("{mesh['x'=2,'x'=4], [{'x'}]}"), "axis 'x' appears twice in the mesh"),
        (
            lowered("{mesh['0'=2], [{'0'}]}"),
            "axis '0' would be read as the number of an axis: give it a name with a letter",
        ),
        (
            unlaid("{mesh['i0'=2], [{'i0'}]}", None),
            "a mesh axis cannot be called `i0`, because tables have a column of that name: rename the axis",
        ),
        (
            of_shape("f32[8], sharding={devices=[4]<=[4]}, mesh=x=8"),
            "the sharding is for 4 devices, but `mesh=` has 8",
        ),
        (
            of_shape("f32[8], sharding={maximal device=9}, mesh=x=2"),
            "device 9 holds the tensor, but `mesh=` has only 2 devices",
        ),
        (
            of_shape(r#"f32[8], sharding=#sdy.sharding<mesh<["x"=2]>, [{"x"}]>, mesh=x=4"#),
            "the sharding already has a mesh, mesh['x'=2]; leave out `mesh=`",
        ),
        (
            lowered("{mesh['x'=2], device_ids=(0,2), [{'x'}]}"),
            "`device_ids` lists device 2, but the mesh has only 2 devices",
        ),
        (
            lowered("{mesh['x'=4], device_ids=(2,1,0), [{'x'}]}"),
            "`device_ids` lists 3 devices, but the mesh has 4",
        ),
        (
            lowered("{mesh['x'=2], device_ids=(0,1), [{'x'}]}"),
            "`device_ids` repeats the order that a mesh has anyway; leave it out",
        ),
        (lowered("{mesh['x'=2], [{'z'}]}"), "'z' is not an axis of the mesh, whose axes are 'x'"),
        (lowered("{mesh['x'=8], [{'x':(3)2}]}"), "'x':(3)2 is not a part: 3 x 2 does not divide 8"),
        (
            lowered("{mesh['x'=8], [{'x':(2)1}]}"),
            "'x':(2)1 is a part of size 1, which does not split anything",
        ),
        (lowered("{mesh['x'=8], [{'x':(1)8}]}"), "'x':(1)8 is the whole axis: write 'x'"),
        (
            lowered("{mesh['x'=8], [{'x':(1)2, 'x':(2)2}]}"),
            "two parts of 'x' are side by side: write them as one",
        ),
        (
            lowered("{mesh['x'=12], [{'x':(1)2}, {'x':(3)2}]}"),
            "two parts of 'x' do not fit side by side",
        ),
        (lowered("{mesh['x'=8], [{'x'}, {'x'}]}"), "axis 'x' is used twice"),
        (
            lowered("{mesh['x'=2,'y'=4], [{}], replicated={'y', 'x'}}"),
            "the axes of `replicated` must be in the order of the mesh",
        ),
        (
            fault("P('x')".parse::<PartitionSpec>().unwrap().lower(None, 1)),
            "the sharding names axes of a mesh that is not given",
        ),
        (
            fault("P('x', None)".parse::<PartitionSpec>().unwrap().lower(Some(&mesh("x=2")), 1)),
            "2 entries for a tensor of rank 1",
        ),
        (placed("[Shard(0)]", &[8]), "the sharding has 1 placement, but the mesh has 2 axes"),
        (
            placed("[Shard(3), Replicate()]", &[8]),
            "`Shard(3)` names a dimension that a tensor of rank 1 lacks",
        ),
        (
            placed("[Partial(sum), Partial(max)]", &[8]),
            "partial results are reduced by `sum` and by `max`, but a sharding has one reduction",
        ),
        (
            placed("[Shard(0), Shard(0)]", &[5]),
            "applying Shard(0) over 2, Shard(0) over 2 to extent 5 is not the same as cutting it once into 4 tiles of 2; the first difference is element 3",
        ),
        (
            placed("[_StridedShard(dim=0, sf=2), Replicate()]", &[8]),
            "the devices hold pieces of parts of dimension 0, whose extent is 8, and these are not tiles",
        ),
        // The first cut of the last two is at 2^63, two cuts at once are at 2^63 + 1, and three of those exceed 2^64.
        (
            placed_on("x=1,y=2,z=3", "[Shard(0), Shard(0), Shard(0)]", &[u64::MAX]),
            "applying Shard(0) over 1, Shard(0) over 2, Shard(0) over 3 to extent 18446744073709551615 is not the same as cutting it once into 6 tiles of 3074457345618258603; the first difference is element 9223372036854775808",
        ),
        (
            fault(per_device("f32[8], sharding=[Shard(0), Shard(0)], mesh=x=2,y=2").sharding()),
            "cuts in turn need the extents of the whole tensor",
        ),
        (grouped("[2,4]<=[4]"), "the groups have 8 places for 4 devices"),
        (grouped("[2,2,2]<=[8]"), "groups are written as `[groups,size]<=[..]`, not as [2,2,2]"),
        (gathered("{{0,1},{2}}"), "its groups have different sizes"),
        (gathered("{{0,1},{}}"), "its group 1 is empty; `{}` alone means all devices"),
        (gathered("{{}}"), "its group 0 is empty; `{}` alone means all devices"),
        (
            gathered("{{0,2}}"),
            "the machine `PE=2` has 2 units, numbered from 0; device 2 is beyond the last",
        ),
    ]
}

fn place_faults() -> Vec<(LayoutError, &'static str)> {
    let half = 1_u64 << 62;
    let quarters = format!("f32[{half}], sharding={{devices=[4]<=[4]}}");
    // 2 x i + j, split into 2 and 3: no digit of an axis corresponds to a digit of the units.
    let crossed = Layout::builder()
        .axis(3, [Subaxis::feed(3, 0, 2)])
        .axis(2, [Subaxis::feed(2, 0, 1)])
        .derived(0, 6, [Subaxis::land(2, Level::PE, 1), Subaxis::land(3, Level::ADDR, 1)])
        .build()
        .unwrap();
    let later = Layout::builder()
        .axis(2, [Subaxis::land(2, Level::PE, 1)])
        .offset(Level::PE, 2)
        .build()
        .unwrap();
    let machine: Machine = "PE=4".parse().unwrap();
    let two: Layout = "((2:1))".parse().unwrap();
    let to_mesh = |text: &str, on: &str| fault(sharding(text).to_sdy(&mesh(on), 1));
    vec![
        (
            fault(sharding("{devices=[2]<=[2]}").tiles(3)),
            "the sharding has tiles for 1 dimension, but the tensor has 3",
        ),
        (
            two.write(Notation::Sharded, XlaDtype::from_name("f32").unwrap()).unwrap_err(),
            "a sharded shape cannot express this layout: it is a shape and a sharding; \
             `Sharding::of_layout` reads the sharding",
        ),
        (
            fault(per_device(&quarters).extents()),
            "shards of (4611686018427387904) in (4) tiles make extents that do not fit in 64 bits",
        ),
        (
            fault(sharding("{devices=[2]<=[2]}").layout(&[8], &two, None)),
            "the shard has the extents (4), but its layout has (2)",
        ),
        (unplaced("{manual}"), "`manual` leaves the placement of the elements to the program"),
        (unlaid("{manual}", None), "`manual` leaves the placement of the elements to the program"),
        (unplaced("{unreduced}"), "`unreduced` holds partial results, not copies"),
        (unlaid("{unreduced}", None), "`unreduced` holds partial results, not copies"),
        (unplaced("{unknown}"), "`unknown` is not decided yet"),
        (unlaid("{unknown}", None), "`unknown` is not decided yet"),
        (unplaced("{replicated}"), "it does not say how many devices have a copy"),
        (
            unplaced("{devices=[2,2]<=[4] last_tile_dims={manual}}"),
            "the contents of its `manual` devices are not known",
        ),
        (
            unplaced("{devices=[2,2]<=[4] last_tile_dims={unreduced}}"),
            "its `unreduced` devices hold partial results",
        ),
        (
            unplaced("{devices=[2,2]<=[4] last_tile_dims={maximal}}"),
            "which of its `maximal` devices holds the tile is not known",
        ),
        (
            unlaid("{devices=[4]0,1,3,2}", None),
            "in normal form its device list is irregular: the device number is not a strided function of the tile index",
        ),
        (
            unlaid("{devices=[4,3]0,1,4,5,8,9,2,3,6,7,10,11 last_tile_dim_replicate}", None),
            "the copies of a tile are not digits of the device number",
        ),
        (
            unlaid("{devices=[1,4]<=[4] last_tile_dim_replicate}", Some("HOST=3,CHIP=3")),
            "its copies are not digits of the levels of the machine",
        ),
        (
            unlaid("{devices=[4]<=[4]}", Some("PE=2")),
            "it has 4 devices, but the machine `PE=2` has 2 units",
        ),
        (
            unlaid(&format!("{{maximal device={}}}", u64::MAX), None),
            "the number of devices does not fit in 64 bits",
        ),
        (
            fault(Sharding::of_layout(&crossed, &machine)),
            "its units depend on a derived axis, which a sharding cannot express",
        ),
        (
            fault(Sharding::of_layout(&later, &machine)),
            "the layout starts at unit 2 of `PE`; a sharding must start at unit 0",
        ),
        (
            of_layout("((4:1, 4_PE))"),
            "axis 0 is interleaved over `PE` (a digit in memory is major to it), so no unit holds a box of the tensor",
        ),
        (
            of_layout("(10)/((4_PE, 4:1))"),
            "axis 0 of extent 10 is cut into 4 parts of 4; a sharding cuts it into parts of 3",
        ),
        (
            of_layout("((2:1); B@[2_Addr:2])"),
            "its copies in `Addr` are within a unit, not on other devices",
        ),
        (
            of_layout("((2_PE, 6:1))"),
            "the layout does not use each of the 4 units of the machine exactly once; a sharding needs a part for every device",
        ),
        (
            to_mesh("{devices=[2]<=[2]}", "x=4"),
            "a sharding on a mesh cannot express this sharding: it has 2 devices, but the mesh has 4",
        ),
        (
            to_mesh("{manual}", "x=4"),
            "a sharding on a mesh cannot express this sharding: it is one word for the whole tensor",
        ),
        (
            to_mesh("{devices=[6]0,2,1,3,4,5}", "x=6"),
            "a sharding on a mesh cannot express this sharding: its tiles do not line up with the axes of the mesh",
        ),
        (
            to_mesh("{devices=[2,2]<=[4] last_tile_dims={maximal}}", "x=2,y=2"),
            "a sharding on a mesh cannot express this sharding: it has `maximal` devices",
        ),
        (
            fault(
                sharding("{devices=[2,2]<=[4] last_tile_dims={manual}}")
                    .to_sdy(&mesh("x=2,y=2"), 1),
            ),
            "a Shardy sharding cannot express this sharding: it has manual axes",
        ),
        (
            fault(
                sharding("{devices=[2,2]<=[4] last_tile_dims={manual}}")
                    .to_partition_spec(&mesh("x=2,y=2"), 1),
            ),
            "a PartitionSpec cannot express this sharding: it has manual axes",
        ),
        (
            fault(
                "[Partial(max)]"
                    .parse::<Placements>()
                    .unwrap()
                    .lower(&mesh("x=2"), &[8])
                    .unwrap()
                    .to_partition_spec(&mesh("x=2"), 1),
            ),
            "a PartitionSpec cannot express this sharding: its partial results are reduced by `max`",
        ),
        (
            fault(
                sharding("{devices=[2,2]<=[4] last_tile_dim_replicate}")
                    .to_partition_spec(&mesh("x=4"), 1),
            ),
            "a PartitionSpec cannot express this sharding: it needs the part 'x':(1)2 of an axis",
        ),
    ]
}

/// The texts of the faults that the files of shardings make, each as its longest part without a value.
fn texts() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/text/sharding");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let sources = files.map(|file| std::fs::read_to_string(file).unwrap());
    let mut texts = Vec::new();
    for source in sources {
        for fault in source.split("fault!(").skip(1) {
            let text = fault.split('"').nth(1).unwrap().replace("{{}}", "{");
            let lines = text.lines().map(|line| line.trim_start().trim_end_matches('\\'));
            let text = lines.collect::<String>();
            let parts = text.split(['{', '}']).step_by(2).map(str::to_owned);
            texts.extend(parts.max_by_key(String::len));
        }
    }
    texts
}

#[test]
fn every_fault_of_a_sharding_is_reached_and_has_its_numbers() {
    let cases = [text_faults(), place_faults()].concat();
    let mut reached = String::new();
    for (found, wanted) in &cases {
        let message = found.to_string();
        assert_eq!(message, *wanted);
        assert!(!message.ends_with('.') && message.len() < 400, "{message}");
        reached += &message;
    }
    let texts = texts();
    assert!(texts.len() > 50, "{texts:?}");
    for text in texts {
        assert!(reached.contains(&text), "no case reaches {text}");
    }
}

#[test]
fn every_fault_of_a_layout_in_a_test_vector_is_reached() {
    for (layout, wanted) in [
        ("((4:1))", "it does not name its memory, as in `@LM0 / Float`"),
        ("((4:1))@LM0", "it does not name its dtype, as in `@LM0 / Float`"),
        ("((3_Time:1, 2_W:1))@LM0 / Int", "it takes 3 steps of `Time`, but a memory is set once"),
    ] {
        let mut npy = Vec::new();
        NpyHeader { descr: "<i4".into(), shape: vec![0] }.write(&mut npy).unwrap();
        let data = VectorData::from_npy(Dtype::Int, &mut &npy[..]).unwrap();
        let layout = layout.parse().unwrap();
        let header = VectorHeader { direction: TensorDirection::In, number: 0, layout };
        let Err(VectorError::Header(error)) = VectorWriter::new(header, data) else {
            panic!("{wanted}")
        };
        let cause = error.cause().unwrap().to_string();
        assert_eq!(cause, format!("a test vector cannot express this layout: {wanted}"));
    }
}

#[test]
fn every_difference_between_placements_is_told() {
    let shared = |group| Memory { capacity: None, owner: Level::PE, group };
    let groups = Machine::builder("groups").level(Level::PE, 6);
    let groups = groups.memory("A", shared(2)).memory("B", shared(3)).build().unwrap();
    let (four, eight) = ("PE=4".parse().unwrap(), "PE=8".parse().unwrap());
    let place = |text: &str| Placement::of(text.parse().unwrap());
    let on = |machine: &Machine| place("((12:1))").on(machine);
    let bits = |bits| on(&four).element_bits(bits).build().unwrap();
    let told = |from: &Placement, to: &Placement| {
        let refused = Relayout::new(from, to).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::NotComparable, "{refused}");
        refused.to_string()
    };
    let plain = on(&four).build().unwrap();
    let part = |machine: &Machine| UnitPart::of(&on(machine).build().unwrap()).unwrap();
    let unit = |answer: Result<(), LayoutError>| {
        let refused = answer.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::NotComparable, "{refused}");
        refused.to_string()
    };
    let cases = [
        (
            told(&plain, &place("((12:1), ())").on(&four).build().unwrap()),
            "the shapes differ: [12] and [12, 1]",
        ),
        (
            told(&plain, &on(&eight).build().unwrap()),
            "the machines differ: machine `PE=4` and machine `PE=8`",
        ),
        (
            told(&plain, &place("((12:1))").build().unwrap()),
            "the machines differ: machine `PE=4` and none",
        ),
        (
            told(&plain, &on(&four).memory("LM0").build().unwrap()),
            "the memories differ: none and LM0",
        ),
        (told(&bits(16), &plain), "the numbers of lanes differ: 4 and none"),
        (
            // Values that are cast have no runs of addresses.
            unit(Relayout::new(&bits(16), &bits(32)).and_then(|pair| pair.transfers().map(|_| ()))),
            "the numbers of lanes differ: 4 and 2",
        ),
        (
            told(
                &on(&groups).memory("A").build().unwrap(),
                &on(&groups).memory("B").build().unwrap(),
            ),
            "the memories are shared by 2 and by 3 units, and neither divides the other",
        ),
        (
            unit(UnitPart::of(&place("((12:1))").build().unwrap()).map(drop)),
            "without a machine there are no units to compare",
        ),
        (unit(part(&four).traffic_to(&part(&eight)).map(drop)), "the levels differ: PE=4 and PE=8"),
    ];
    for (found, wanted) in &cases {
        assert_eq!(found, wanted);
    }
}

#[test]
fn a_merge_of_no_axes_and_one_of_too_many_have_reasons_of_their_own() {
    let layout: Layout = "((4_PE), (3:1))".parse().unwrap();
    let refused = |count| layout.merge_axes(1, count).unwrap_err().to_string();
    assert!(refused(0).ends_with("cannot merge 0 axes from axis 1 on: at least 1 is needed"));
    assert!(refused(2).ends_with("cannot merge 2 axes from axis 1 on: the layout has rank 2"));
}
