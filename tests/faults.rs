//! Faults with numbers that a caller can match: for every variant, an input that triggers it.

use tensor_layout::algebra::Subaxis;
use tensor_layout::error::{Incomparable, Inexpressible};
use tensor_layout::image::NpyHeader;
use tensor_layout::machine::Memory;
use tensor_layout::notation::{Dtype, Notation};
use tensor_layout::relayout::{Relayout, UnitPart};
use tensor_layout::sharding::{
    DeviceGroups, HloSharding, InexpressibleSharding, Mesh, PartitionSpec, Placements,
    ShardedShape, Sharding, ShardingError, SubgroupKind,
};
use tensor_layout::xla::XlaDtype;
use tensor_layout::{Layout, LayoutError, Level, Machine, Placement};
use tensor_layout_hlo::{CollectiveError, HloDump};
use tensor_layout_vectors::{
    TensorDirection, TensorError, VectorData, VectorError, VectorHeader, VectorWriter,
};

use crate::sharding::sharding;

use InexpressibleSharding as I;
use ShardingError as F;

fn fault<T>(answer: Result<T, ShardingError>) -> ShardingError {
    answer.err().expect("a refusal")
}

fn lowered(text: &str) -> ShardingError {
    fault(text.parse::<HloSharding>().unwrap_or_else(|error| panic!("{text}\n{error}")).lower())
}

fn of_shape(text: &str) -> ShardingError {
    fault(text.parse::<ShardedShape>().unwrap().sharding())
}

fn mesh(text: &str) -> Mesh {
    text.parse().unwrap()
}

fn of_layout(text: &str) -> ShardingError {
    fault(Sharding::of_layout(&text.parse().unwrap(), &"PE=4".parse().unwrap()))
}

/// The fault of an element's place.
fn unplaced(text: &str) -> ShardingError {
    fault(sharding(text).locate(&[8], &[3]))
}

/// The fault of the layout of 8 elements, with the shard in order.
fn unlaid(text: &str, machine: Option<&str>) -> ShardingError {
    let sharding = sharding(text);
    let shard = sharding.shard_extents(&[8]).unwrap()[0];
    let machine: Option<Machine> = machine.map(|machine| machine.parse().unwrap());
    let shard: Layout = format!("(({shard}:1))").parse().unwrap();
    fault(sharding.layout(&[8], &shard, machine.as_ref()))
}

/// The fault of placements on a mesh of 2 x 2.
fn placed(text: &str, extents: &[u64]) -> ShardingError {
    placed_on("x=2,y=2", text, extents)
}

fn placed_on(of: &str, text: &str, extents: &[u64]) -> ShardingError {
    fault(text.parse::<Placements>().unwrap().lower(&mesh(of), extents))
}

fn grouped(text: &str) -> ShardingError {
    fault(text.parse::<DeviceGroups>().unwrap().lower(8))
}

/// The fault of the traffic of an `all-gather` of these groups on two devices.
fn gathered(groups: &str) -> ShardingError {
    let text = format!(
        "ENTRY e {{\n  a = f32[4]{{0}} parameter(0)\n  ROOT g = f32[8]{{0}} all-gather(a), \
         replica_groups={groups}, dimensions={{0}}\n}}"
    );
    let mut dump = HloDump::new(text.as_bytes());
    let entry = dump.next_computation().unwrap().unwrap();
    let collective = entry.root().unwrap().collective();
    let machine = "PE=2".parse().unwrap();
    match collective.and_then(|collective| collective.unwrap().traffic(Some(&machine))) {
        Err(CollectiveError::Sharding(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

fn per_device(text: &str) -> ShardedShape {
    text.parse::<ShardedShape>().unwrap().per_device()
}

fn cannot(notation: &'static str, reason: InexpressibleSharding) -> ShardingError {
    F::Inexpressible { notation, reason }
}

const ON_MESH: &str = "a sharding on a mesh";

fn text_faults() -> Vec<(ShardingError, ShardingError)> {
    let huge = u64::MAX;
    let x = || "x".to_owned();
    vec![
        (lowered("{devices=[2,4]<=[2,4]T(0,0)}"), F::Transpose { order: vec![0, 0], last: 1 }),
        (lowered("{devices=[2,2]0,1,2,2}"), F::DuplicateDevice { device: 2, first: 2, second: 3 }),
        (lowered("{devices=[0]<=[0]}"), F::NoDevices { sizes: vec![0] }),
        (lowered(&format!("{{devices=[{huge},2]<=[8]}}")), F::TooManyDevices),
        (
            lowered("{devices=[3,2]<=[8]}"),
            F::DeviceCountMismatch { dims: vec![3, 2], places: 6, devices: 8 },
        ),
        (
            lowered("{devices=[8]<=[8] last_tile_dims={manual, replicated}}"),
            F::TooManySubgroupKinds { kinds: 2, dims: 1 },
        ),
        (lowered("{{replicated}, {manual}}"), F::Tuple { members: 2 }),
        (fault(HloSharding::Whole(SubgroupKind::Maximal, String::new()).lower()), F::MaximalDevice),
        (lowered("{mesh['x'=2,'x'=4], [{'x'}]}"), F::DuplicateAxis { axis: x() }),
        (lowered("{mesh['0'=2], [{'0'}]}"), F::NumberedAxis { axis: "0".into() }),
        (unlaid("{mesh['i0'=2], [{'i0'}]}", None), F::ReservedAxis { axis: "i0".into() }),
        (
            of_shape("f32[8], sharding={devices=[4]<=[4]}, mesh=x=8"),
            F::MeshOfOthers { devices: 4, given: 8 },
        ),
        (
            of_shape("f32[8], sharding={maximal device=9}, mesh=x=2"),
            F::MaximalBeyondMesh { device: 9, given: 2 },
        ),
        (
            of_shape(r#"f32[8], sharding=#sdy.sharding<mesh<["x"=2]>, [{"x"}]>, mesh=x=4"#),
            F::TwoMeshes { own: "mesh['x'=2]".into() },
        ),
        (
            lowered("{mesh['x'=2], device_ids=(0,2), [{'x'}]}"),
            F::MeshDevice { device: 2, devices: 2 },
        ),
        (
            lowered("{mesh['x'=4], device_ids=(2,1,0), [{'x'}]}"),
            F::MeshDevices { listed: 3, devices: 4 },
        ),
        (lowered("{mesh['x'=2], device_ids=(0,1), [{'x'}]}"), F::DefaultOrder),
        (lowered("{mesh['x'=2], [{'z'}]}"), F::UnknownAxis { axis: "z".into(), known: vec![x()] }),
        (
            lowered("{mesh['x'=8], [{'x':(3)2}]}"),
            F::UnevenSubAxis { axis: x(), before: 3, size: 2, whole: 8 },
        ),
        (lowered("{mesh['x'=8], [{'x':(2)1}]}"), F::UnitSubAxis { axis: x(), before: 2 }),
        (lowered("{mesh['x'=8], [{'x':(1)8}]}"), F::FullSubAxis { axis: x(), size: 8 }),
        (lowered("{mesh['x'=8], [{'x':(1)2, 'x':(2)2}]}"), F::AdjacentSubAxes { axis: x() }),
        (lowered("{mesh['x'=12], [{'x':(1)2}, {'x':(3)2}]}"), F::OverlappingSubAxes { axis: x() }),
        (lowered("{mesh['x'=8], [{'x'}, {'x'}]}"), F::DuplicateUse { axis: x() }),
        (
            lowered("{mesh['x'=2,'y'=4], [{}], replicated={'y', 'x'}}"),
            F::AxisOrder { list: "replicated" },
        ),
        (fault("P('x')".parse::<PartitionSpec>().unwrap().lower(None, 1)), F::NoMesh),
        (
            fault("P('x', None)".parse::<PartitionSpec>().unwrap().lower(Some(&mesh("x=2")), 1)),
            F::SpecTooLong { entries: 2, rank: 1 },
        ),
        (placed("[Shard(0)]", &[8]), F::Placements { placements: 1, axes: 2 }),
        (placed("[Shard(3), Replicate()]", &[8]), F::ShardDim { dim: 3, rank: 1 }),
        (
            placed("[Partial(sum), Partial(max)]", &[8]),
            F::Reductions { first: "sum".into(), second: "max".into() },
        ),
        (
            placed("[Shard(0), Shard(0)]", &[5]),
            F::UnevenSequentialShards {
                dim: 0,
                extent: 5,
                cuts: vec![2, 2],
                tiles: 4,
                size: 2,
                first: 3,
            },
        ),
        (
            placed("[_StridedShard(dim=0, sf=2), Replicate()]", &[8]),
            F::PiecesOfParts { dim: 0, extent: 8 },
        ),
        // The first cut of the last two is at 2^63, two cuts at once are at 2^63 + 1, and three of those exceed 2^64.
        (
            placed_on("x=1,y=2,z=3", "[Shard(0), Shard(0), Shard(0)]", &[u64::MAX]),
            F::UnevenSequentialShards {
                dim: 0,
                extent: u64::MAX,
                cuts: vec![1, 2, 3],
                tiles: 6,
                size: 3_074_457_345_618_258_603,
                first: 1 << 63,
            },
        ),
        (
            fault(per_device("f32[8], sharding=[Shard(0), Shard(0)], mesh=x=2,y=2").sharding()),
            F::NeedsGlobalShape,
        ),
        (grouped("[2,4]<=[4]"), F::GroupPlaces { places: 8, devices: 4 }),
        (grouped("[2,2,2]<=[8]"), F::GroupDims { dims: vec![2, 2, 2] }),
        (gathered("{{0,1},{2}}"), F::UnevenGroups),
        (gathered("{{0,1},{}}"), F::EmptyGroup { group: 1 }),
        (gathered("{{}}"), F::EmptyGroup { group: 0 }),
        (
            gathered("{{0,2}}"),
            F::NoSuchDevice { device: 2, units: 2, machine: "machine `PE=2`".into() },
        ),
    ]
}

fn place_faults() -> Vec<(ShardingError, ShardingError)> {
    let half = 1 << 62;
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
    let to_mesh = |text: &str, on: &str| fault(sharding(text).to_mesh_dims(&mesh(on), 1));
    vec![
        (fault(sharding("{devices=[2]<=[2]}").tiles(3)), F::Rank { tiles: 1, rank: 3 }),
        (
            fault(per_device(&quarters).extents()),
            F::GlobalShapeTooLarge { shard: vec![half], tiles: vec![4] },
        ),
        (
            fault(sharding("{devices=[2]<=[2]}").layout(&[8], &two, None)),
            F::ShardExtents { found: vec![2], wanted: vec![4] },
        ),
        (unplaced("{manual}"), F::Manual),
        (unlaid("{manual}", None), F::Manual),
        (unplaced("{unreduced}"), F::Unreduced),
        (unlaid("{unreduced}", None), F::Unreduced),
        (unplaced("{unknown}"), F::Unknown),
        (unlaid("{unknown}", None), F::Unknown),
        (unplaced("{replicated}"), F::UncountedCopies),
        (unplaced("{devices=[2,2]<=[4] last_tile_dims={manual}}"), F::ManualDevices),
        (unplaced("{devices=[2,2]<=[4] last_tile_dims={unreduced}}"), F::UnreducedDevices),
        (unplaced("{devices=[2,2]<=[4] last_tile_dims={maximal}}"), F::MaximalDevices),
        (unlaid("{devices=[4]0,1,3,2}", None), F::ListedDevices),
        (
            unlaid("{devices=[4,3]0,1,4,5,8,9,2,3,6,7,10,11 last_tile_dim_replicate}", None),
            F::CopiesOfTile,
        ),
        (
            unlaid("{devices=[1,4]<=[4] last_tile_dim_replicate}", Some("HOST=3,CHIP=3")),
            F::CopiesAcrossLevels,
        ),
        (
            unlaid("{devices=[4]<=[4]}", Some("PE=2")),
            F::TooFewUnits { devices: 4, machine: "machine `PE=2`".into(), units: 2 },
        ),
        (unlaid(&format!("{{maximal device={}}}", u64::MAX), None), F::TooManyDevices),
        (fault(Sharding::of_layout(&crossed, &machine)), F::DerivedUnits),
        (fault(Sharding::of_layout(&later, &machine)), F::FirstUnit { level: Level::PE, first: 2 }),
        (of_layout("((4:1, 4_PE))"), F::InsideMemory { axis: 0, level: Level::PE }),
        (
            of_layout("(10)/((4_PE, 4:1))"),
            F::PartSize { axis: 0, extent: 10, tiles: 4, part: 4, wanted: 3 },
        ),
        (of_layout("((2:1); B@[2_Addr:2])"), F::CopiesInMemory { level: Level::ADDR }),
        (of_layout("((2_PE, 6:1))"), F::UnusedUnits { units: 4 }),
        (
            to_mesh("{devices=[2]<=[2]}", "x=4"),
            cannot(ON_MESH, I::Devices { found: 2, devices: 4 }),
        ),
        (to_mesh("{manual}", "x=4"), cannot(ON_MESH, I::Word)),
        (to_mesh("{devices=[6]0,2,1,3,4,5}", "x=6"), cannot(ON_MESH, I::Tiles)),
        (
            to_mesh("{devices=[2,2]<=[4] last_tile_dims={maximal}}", "x=2,y=2"),
            cannot(ON_MESH, I::Maximal),
        ),
        (
            fault(
                sharding("{devices=[2,2]<=[4] last_tile_dims={manual}}")
                    .to_sdy(&mesh("x=2,y=2"), 1),
            ),
            cannot("a Shardy sharding", I::ManualAxes),
        ),
        (
            fault(
                sharding("{devices=[2,2]<=[4] last_tile_dims={manual}}")
                    .to_partition_spec(&mesh("x=2,y=2"), 1),
            ),
            cannot("a PartitionSpec", I::ManualAxes),
        ),
        (
            fault(
                sharding("{devices=[2,2]<=[4] last_tile_dim_replicate}")
                    .to_partition_spec(&mesh("x=4"), 1),
            ),
            cannot("a PartitionSpec", I::Part { axis: "x".into(), before: 1, size: 2 }),
        ),
    ]
}

/// The names of the variants of the enums in a file of the crate.
fn variants(source: &str) -> Vec<&str> {
    let lines = source.lines().filter_map(|line| line.strip_prefix("    "));
    let names = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    names.map(|line| line.split([' ', ',', '(']).next().unwrap()).collect()
}

#[test]
fn every_fault_of_a_sharding_is_reached_and_has_its_numbers() {
    let cases = [text_faults(), place_faults()].concat();
    let mut reached = String::new();
    for (found, wanted) in &cases {
        assert_eq!(found, wanted);
        reached += &format!("{wanted:?}");
        let message = found.to_string();
        assert!(!message.ends_with('.') && message.len() < 400, "{message}");
    }
    let names = variants(include_str!("../src/text/sharding/error.rs"));
    assert!(names.len() > 50, "{names:?}");
    for name in names.iter().filter(|name| !["Layout", "LevelName"].contains(name)) {
        assert!(reached.contains(name), "no case reaches {name}");
    }
}

#[test]
fn a_layout_does_not_become_a_shape_and_a_sharding_at_once() {
    let two: Layout = "((2:1))".parse().unwrap();
    let f32 = XlaDtype::from_name("f32").unwrap();
    let refused = two.write(Notation::Sharded, f32).unwrap_err();
    let LayoutError::Inexpressible { reason, .. } = refused else { panic!("{refused}") };
    assert_eq!(reason, Inexpressible::TwoTexts);
}

#[test]
fn a_digit_that_is_padded_inside_names_only_sizes_that_it_is_split_into() {
    let said = |into: &[u64]| {
        Inexpressible::InnerPadding { axis: 1, size: 3, into: into.to_vec() }.to_string()
    };
    assert_eq!(said(&[]), "a digit of axis 1, of size 3, is cut to one value");
    assert_eq!(said(&[3]), "axis 1 is padded inside a tile, in a digit of size 3");
    let split = "axis 1 is padded inside a tile: a digit of size 3 is split into ";
    assert_eq!(said(&[4]), format!("{split}4"));
    assert_eq!(said(&[2, 2]), format!("{split}2 x 2"));
}

#[test]
fn every_fault_of_a_layout_in_a_test_vector_is_reached() {
    for (layout, wanted) in [
        ("((4:1))", TensorError::NoMemory),
        ("((4:1))@LM0", TensorError::NoDtype),
        ("((3_Time:1, 2_W:1))@LM0 / Int", TensorError::Time { steps: 3 }),
    ] {
        let mut npy = Vec::new();
        NpyHeader { descr: "<i4".into(), shape: vec![0] }.write(&mut npy).unwrap();
        let data = VectorData::from_npy(Dtype::Int, &mut &npy[..]).unwrap();
        let layout = layout.parse().unwrap();
        let header = VectorHeader { direction: TensorDirection::In, number: 0, layout };
        let Err(VectorError::Header(error)) = VectorWriter::new(header, data) else {
            panic!("{wanted}")
        };
        assert_eq!(error.cause(), Some(&wanted), "{error}");
    }
}

#[test]
fn every_difference_between_placements_is_told() {
    use Incomparable as D;
    let shared = |group| Memory { capacity: None, owner: Level::PE, group };
    let groups = Machine::builder("groups").level(Level::PE, 6);
    let groups = groups.memory("A", shared(2)).memory("B", shared(3)).build().unwrap();
    let (four, eight) = ("PE=4".parse().unwrap(), "PE=8".parse().unwrap());
    let place = |text: &str| Placement::of(text.parse().unwrap());
    let on = |machine: &Machine| place("((12:1))").on(machine);
    let bits = |bits| on(&four).element_bits(bits).build().unwrap();
    let told = |from: &Placement, to: &Placement| {
        let refused = Relayout::new(from, to).unwrap_err();
        let LayoutError::NotComparable(what) = &refused else { panic!("{refused}") };
        assert_eq!(refused.to_string(), what.to_string());
        what.clone()
    };
    let plain = on(&four).build().unwrap();
    let named = |name: &str| Some(format!("machine `{name}`"));
    let part = |machine: &Machine| UnitPart::of(&on(machine).build().unwrap()).unwrap();
    let unit = |answer: Result<(), LayoutError>| match answer.unwrap_err() {
        LayoutError::NotComparable(what) => what,
        other => panic!("{other}"),
    };
    let cases = [
        (
            told(&plain, &place("((12:1), ())").on(&four).build().unwrap()),
            D::Shapes { from: vec![12], to: vec![12, 1] },
        ),
        (
            told(&plain, &on(&eight).build().unwrap()),
            D::Machines { from: named("PE=4"), to: named("PE=8") },
        ),
        (
            told(&plain, &place("((12:1))").build().unwrap()),
            D::Machines { from: named("PE=4"), to: None },
        ),
        (
            told(&plain, &on(&four).memory("LM0").build().unwrap()),
            D::Memories { from: None, to: Some("LM0".into()) },
        ),
        (told(&bits(16), &plain), D::Lanes { from: Some(4), to: None }),
        (
            // Values that are cast have no runs of addresses.
            unit(Relayout::new(&bits(16), &bits(32)).and_then(|pair| pair.transfers().map(|_| ()))),
            D::Lanes { from: Some(4), to: Some(2) },
        ),
        (
            told(
                &on(&groups).memory("A").build().unwrap(),
                &on(&groups).memory("B").build().unwrap(),
            ),
            D::Groups { from: 2, to: 3 },
        ),
        (unit(UnitPart::of(&place("((12:1))").build().unwrap()).map(drop)), D::NoMachine),
        (
            unit(part(&four).traffic_to(&part(&eight)).map(drop)),
            D::Levels { from: vec![(Level::PE, 4)], to: vec![(Level::PE, 8)] },
        ),
    ];
    for (found, wanted) in &cases {
        assert_eq!(found, wanted);
    }
    let levels = cases.last().map(|(found, _)| found.to_string());
    assert_eq!(levels.as_deref(), Some("the levels differ: PE=4 and PE=8"));
}

#[test]
fn a_merge_of_no_axes_and_one_of_too_many_have_reasons_of_their_own() {
    let layout: Layout = "((4_PE), (3:1))".parse().unwrap();
    let refused = |count| layout.merge_axes(1, count).unwrap_err().to_string();
    assert!(refused(0).ends_with("cannot merge 0 axes from axis 1 on: at least 1 is needed"));
    assert!(refused(2).ends_with("cannot merge 2 axes from axis 1 on: the layout has rank 2"));
}
