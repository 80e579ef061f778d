//! Relayouts: known counts, and refusals. Law 17 tests generated pairs.

use tensor_layout::algebra::Subaxis;
use tensor_layout::machine::Memory;
use tensor_layout::placement::PlacementBuilder;
use tensor_layout::relayout::{CostModel, Distance, PlaceRun, Pricer, Rate, Relayout, TimeOrder};
use tensor_layout::xla::XlaShape;
use tensor_layout::{Layout, LayoutError, Level, Machine, Placement};

use crate::laws::check_traffic;
use crate::slow::Slow;
use crate::stage::Stage;

#[test]
fn digits_that_do_not_line_up_are_counted_too() {
    let machine = Stage::tree(&[(Level::L2B, 4), (Level::MAB, 12), (Level::PE, 12)]);
    for (a, b) in [
        ("((3_MAB, 4:1))", "((2_MAB, 6:1))"),
        ("((3:4, 4_PE))", "((2_PE, 6:1))"),
        ("(11)/((3:4, 4_PE))", "(11)/((2_PE, 6:1))"),
        ("(35, 6)/((3_MAB, 4_PE, 3:6), (6:1))", "(35, 6)/((6_PE, 6:1), (2_L2B, 3_MAB))"),
        ("((5:7, 7_PE), (4_L2B))", "((7:5, 5_MAB:1), (4:1); B@[2_MAB:5])"),
        ("((9_PE, 4:1))", "((4_MAB, 9:1))"),
        ("((4_PE, 2_Time, 3:8), (8:1))", "((4_PE, 3:8, 2_Time), (8:1))"),
    ] {
        let [a, b] = [a, b].map(|text| Slow::of(&text.parse().unwrap()));
        check_traffic(&machine, &a, &b);
        check_traffic(&machine, &b, &a);
    }
}

#[test]
fn flows_between_units_that_could_all_send_or_are_too_many_are_refused() {
    let flows = |machine: &str, level, a: &str, b: &str| {
        let machine: Machine = machine.parse().unwrap();
        let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
        Relayout::new(&on(a), &on(b)).unwrap().flows(level).unwrap_err()
    };
    let copied = flows("PE=4", Level::PE, "((4:1); B@[2_PE:1])", "((4_PE))");
    assert_eq!(
        copied.to_string(),
        "several units of `PE` hold copies of an element, so it is open which of them sends it"
    );
    assert_eq!(copied.help().unwrap(), "transfers choose one of them, the nearest");
    let many = flows("PE=257", Level::PE, "((257_PE))", "((257:1); B@[1_PE])");
    assert_eq!(
        many.to_string(),
        "`PE` has more than 256 units, the most between which flows are counted"
    );
}

#[test]
fn tiled_shapes_are_counted_too() {
    let machine = Stage::tree(&[(Level::PE, 1)]);
    let shapes = [
        "f32[6,10]{1,0}",
        "f32[6,10]{0,1}",
        "f32[6,10]{1,0:T(2,4)}",
        "f32[6,10]{1,0:T(4,4)(2,1)}",
        "f32[6,10]{1,0:T(3,4)(2,1)}",
        "f32[6,10]{0,1:T(4,3)(2,2)}",
        "f32[6,10]{1,0:T(*,4)}",
    ];
    for a in shapes {
        for b in shapes {
            let [a, b] =
                [a, b].map(|text| Slow::of(&text.parse::<XlaShape>().unwrap().lower().unwrap()));
            check_traffic(&machine, &a, &b);
        }
    }
}

/// Axes of extent 3 in two digits of 2, which are exchanged: only index 0 stays.
fn twenty_truncated_axes(
    extent: u64,
    size: u64,
) -> Result<tensor_layout::relayout::Traffic, LayoutError> {
    let stride = |n: u32| (size * size).pow(n);
    let axes = |a: u64, b: u64, count: u32| {
        let axis = |n: u32| format!("({size}:{}, {size}:{})", a * stride(n), b * stride(n));
        let axes: Vec<String> = (0..count).map(axis).collect();
        let shape = vec![extent.to_string(); axes.len()].join(",");
        format!("({shape})/({})", axes.join(", "))
    };
    let machine: Machine = "PE=1".parse().unwrap();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    let count = if size == 2 { 20 } else { 2 };
    Relayout::new(&on(&axes(size, 1, count)), &on(&axes(1, size, count)))?.traffic()
}

#[test]
fn many_truncated_axes_are_counted_one_by_one() {
    let traffic = twenty_truncated_axes(3, 2).unwrap();
    assert_eq!(traffic.count(Distance::InPlace), 1);
    assert_eq!(traffic.count(Distance::Address), 3_u64.pow(20) - 1);
    // Long axes are boxes: (a, b) moves to (b, a), and 5000 is the last of them.
    let traffic = twenty_truncated_axes(5000, 128).unwrap();
    let stay = (0..5000).filter(|x| x / 128 == x % 128).count() as u64;
    assert_eq!(traffic.count(Distance::InPlace), stay * stay);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let on = |text: &str, machine: &str, memory: Option<&str>| {
        let placement = Placement::of(text.parse().unwrap()).on(&machine.parse().unwrap());
        memory.into_iter().fold(placement, PlacementBuilder::memory).build().unwrap()
    };
    let a = on("((4_PE, 3:1))", "PE=4", None);
    let refused = |b: &Placement| Relayout::new(&a, b).unwrap_err().to_string();
    assert_eq!(refused(&on("((12:1), ())", "PE=4", None)), "the shapes differ: [12] and [12, 1]");
    assert!(refused(&on("((12:1))", "PE=8", None)).starts_with("the machines differ"));
    assert_eq!(refused(&on("((12:1))", "PE=4", Some("LM0"))), "the memories differ: none and LM0");
    let nowhere = Placement::of("((12:1))".parse().unwrap()).build().unwrap();
    assert!(refused(&nowhere).starts_with("the machines differ"));
}

#[test]
fn prices_of_compiler_inputs_are_those_of_the_docs() {
    let machine = Machine::mn_core_2();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    let gather = on("((), (8_L2B:1, 8_L1B:1, 64:1), (4_Time:1, 24:64, 4_W:1, 4_PE:1))");
    let gemm = on("((), (8:3072, 8_L1B:1, 2_Time:1, 2:1536, 16:1), (96:16, 4_W:1, 4_PE:1))");
    let traffic = Relayout::new(&gather, &gemm).unwrap().traffic().unwrap();
    assert_eq!(traffic.elements * traffic.copies, 805_306_368);
    assert_eq!(traffic.count(Distance::InPlace), 32_768);
    let between = |level| traffic.count(Distance::Level(level));
    assert_eq!(
        [between(Level::L2B), between(Level::L2B.in_groups_of(2))],
        [25_165_824, 150_994_944]
    );
    assert_eq!(traffic.count(Distance::Level(Level::TIME)), 603_979_776);
    let weight = "((16_MAB:1, 5_Time:1, 7:16, 4:1, 4:4), (96:112, 4_W:1, 4_PE:1); B@[L1B,L2B])";
    let other = "((96:112, 4_W:1, 4_PE:1), (16_MAB:1, 5_Time:1, 7:16, 4:1, 4:4); B@[L1B,L2B])";
    let transposed = weight.parse::<Layout>().unwrap().permute(&[1, 0]).unwrap();
    let transposed = Placement::of(transposed).on(&machine).build().unwrap();
    let relayout = Relayout::new(&transposed, &on(other)).unwrap();
    assert_eq!(relayout.traffic().unwrap().farthest(), Distance::InPlace);
}

/// 2^20 elements of 16 bits over all leaves of `mn-core-2`, and in the leaves of one L2B.
fn spread_and_crowded(machine: &Machine) -> [Placement; 2] {
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(machine).build().unwrap();
    [
        on("((8_L2B, 8_L1B, 16:1), (16_MAB, 4_PE, 16:16))"),
        on("((1_L2B, 8_L1B, 128:1), (16_MAB, 4_PE, 16:128))"),
    ]
}

#[test]
fn a_bound_knows_that_one_unit_sends_or_receives_all() {
    let machine = Machine::mn_core_2().with_bandwidth([(Level::L2B, 32)]).unwrap();
    let model = CostModel::new(&machine, 16).unwrap();
    let [spread, crowded] = spread_and_crowded(&machine);
    let traffic = |from, to| Relayout::new(from, to).unwrap().traffic().unwrap();
    for (from, to, senders, receivers) in [(&crowded, &spread, 1, 8), (&spread, &crowded, 8, 1)] {
        let traffic = traffic(from, to);
        let crossing = *traffic.level(Level::L2B).unwrap();
        assert_eq!((crossing.senders, crossing.receivers), (senders, receivers));
        // 7/8 of 2^20 elements cross, 4 per long word, at 32 words per step, all through one L2B.
        assert_eq!(model.at_least(&traffic.levels).unwrap().steps, (7 << 17) / 4 / 32);
        let pricer = Pricer::new(model.clone());
        let (from, to) = (pricer.part(from).unwrap(), pricer.part(to).unwrap());
        assert_eq!(pricer.cost(from, to).unwrap().steps, 7168);
        assert_eq!(pricer.busiest_cost(from, to).unwrap().steps, 7168);
    }
}

#[test]
fn words_take_the_latency_of_levels_without_a_rate() {
    let machine: Machine = "L2B=4,PE=2".parse().unwrap();
    let machine = machine.with_bandwidth([(Level::L2B, 1)]).unwrap();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    let (from, to) = (on("((8:1); B@[1_L2B:1])"), on("(8)/((3_L2B:1, 3:1))"));
    let rate = Rate::new(1, 1).unwrap();
    let model = CostModel::new(&machine, 64).unwrap().with_rates(
        Level::L2B,
        rate,
        Rate::new(8, 1).unwrap(),
    );
    let model = model.unwrap().with_latency(Level::PE, 5).unwrap();
    // Of the words that cross, 3 enter one L2B; those that are even would be 2.
    let fast = Rate::new(1_000_000, 1).unwrap();
    for model in [model.clone(), model.with_rates(Level::PE, fast, fast).unwrap()] {
        let pricer = Pricer::new(model);
        let (from, to) = (pricer.part(&from).unwrap(), pricer.part(&to).unwrap());
        let (even, busiest) =
            (pricer.cost(from, to).unwrap(), pricer.busiest_cost(from, to).unwrap());
        assert_eq!((even.steps, busiest.steps), (2 + 5, 3 + 5));
    }
}

#[test]
fn elements_are_priced_by_their_own_width_and_a_cast_by_the_narrower_one() {
    let machine: Machine = "PE=4".parse().unwrap();
    let machine = machine.with_bandwidth([(Level::PE, 1)]).unwrap();
    let pricer = Pricer::new(CostModel::new(&machine, 16).unwrap());
    let part = |text: &str, bits: u64| {
        let placement = Placement::of(text.parse().unwrap()).on(&machine).element_bits(bits);
        pricer.part(&placement.build().unwrap()).unwrap()
    };
    let steps = |from: u64, to: u64| {
        let pair = (part("((4_PE, 64:1))", from), part("((64:1, 4_PE))", to));
        assert!(
            pricer.busiest_cost(pair.0, pair.1).unwrap() >= pricer.cost(pair.0, pair.1).unwrap()
        );
        pricer.cost(pair.0, pair.1).unwrap().steps
    };
    // 48 of the 64 elements of each PE move: 12 long words of 16 bits, 24 of 32.
    assert_eq!([steps(16, 16), steps(32, 32), steps(16, 32), steps(32, 16)], [12, 24, 12, 12]);
    assert_eq!(steps(8, 24), 6);
}

#[test]
fn a_pricer_refuses_units_that_its_model_does_not_price() {
    let machine = |text: &str| {
        let machine: Machine = text.parse().unwrap();
        machine.with_bandwidth([(Level::PE, 1)]).unwrap()
    };
    let pricer = Pricer::new(CostModel::new(&machine("PE=4"), 16).unwrap());
    let part = |on: &str, bits: Option<u64>| {
        let placement = Placement::of("((4_PE, 16:1))".parse().unwrap()).on(&machine(on));
        let placed = bits.into_iter().fold(placement, PlacementBuilder::element_bits);
        pricer.part(&placed.build().unwrap()).map_err(|error| error.to_string())
    };
    assert_eq!(part("PE=4", None), part("PE=4", Some(16)));
    let refusal = "`PE` has 8 units in this machine, but 4 in that of the cost model";
    assert_eq!(part("PE=8", None), Err(refusal.into()));
    assert!(part("L2B=2,PE=4", None).is_err());
}

#[test]
fn rates_differ_by_direction_and_latencies_add_up_from_the_level_inwards() {
    let rates = [(Level::L2B, 32), (Level::PE, 1)];
    let machine = Machine::mn_core_2().with_bandwidth(rates).unwrap();
    let model = CostModel::new(&machine, 16).unwrap();
    let [spread, crowded] = spread_and_crowded(&machine);
    let levels = Relayout::new(&crowded, &spread).unwrap().traffic().unwrap().levels;
    let steps = |model: &CostModel| model.at_least(&levels).unwrap().steps;
    let rate = |words, steps| Rate::new(words, steps).unwrap();
    assert_eq!((Rate::new(0, 1), Rate::new(1, 0)), (None, None));
    // 28 672 words enter each L2B on average, one every 40 steps; one of them sends eight times as many.
    let slow = model.clone().with_rates(Level::L2B, rate(1, 40), rate(3, 2)).unwrap();
    assert_eq!(steps(&slow), 28_672 * 40);
    let slow = model.clone().with_rates(Level::L2B, rate(8, 1), rate(3, 2)).unwrap();
    assert_eq!(steps(&slow), (8 * 28_672_u64 * 2).div_ceil(3));
    let late = |model: CostModel, level, steps| model.with_latency(level, steps).unwrap();
    let late_inside = late(model.clone(), Level::PE, 100);
    assert_eq!(steps(&late_inside), 7168 + 100);
    assert_eq!(steps(&late(late_inside, Level::L2B, 11)), 7168 + 111);
    let pe = model.at_least(&levels[..1]).unwrap();
    assert_eq!(pe.level, Some(Level::PE));
    assert_eq!(steps(&model.clone().in_sequence()), 7168 + pe.steps);
    assert!(model.with_latency(Level::ADDR, 1).is_err());
}

#[test]
fn flows_count_what_every_slice_has_once_where_time_is_set_aside() {
    let machine: Machine = "PE=1".parse().unwrap();
    let on = |layout: Layout| Placement::of(layout).on(&machine).build().unwrap();
    let sliced = on(Layout::builder().replica(2, Level::TIME, 1).build().unwrap());
    let relayout = Relayout::new(&sliced, &on(Layout::builder().build().unwrap())).unwrap();
    assert_eq!(relayout.flows(Level::PE).unwrap().counts, [[2]]);
    let aside = relayout.with_time(TimeOrder::Aside);
    assert_eq!(aside.flows(Level::PE).unwrap().counts, [[1]]);
    assert_eq!(aside.elements() * aside.copies(), 1);
}

/// Two axes whose elements form one sequence over MAB and PE, starting at the third place.
fn in_sequence(machine: &Machine) -> Placement {
    let units = [Subaxis::land(2, Level::MAB, 1), Subaxis::land(4, Level::PE, 1)];
    let digits = units.into_iter().chain([Subaxis::land(4, Level::ADDR, 1)]);
    let layout = Layout::builder()
        .axis(3, [Subaxis::feed(3, 0, 5)])
        .axis(5, [Subaxis::feed(5, 0, 1)])
        .derived(3, 32, digits);
    Placement::of(layout.build().unwrap()).on(machine).build().unwrap()
}

#[test]
fn flows_from_a_derived_axis_are_counted() {
    let machine: Machine = "MAB=2,PE=4".parse().unwrap();
    let rows = Placement::of("((3_PE), (5:1); B@[2_MAB:1])".parse().unwrap());
    let rows = rows.on(&machine).build().unwrap();
    let relayout = Relayout::new(&in_sequence(&machine), &rows).unwrap();
    // Places 3, 4 .. 7, 8 .. 11, 12 .. 15, 16 and 17: all in PEs 0 to 3 and 0.
    let counts = relayout.flows(Level::PE).unwrap().counts;
    assert_eq!(counts, [[2, 0, 4], [8, 0, 0], [0, 8, 0], [0, 2, 6]]);
    let busiest = relayout.busiest(Level::PE).unwrap();
    // Row 1 is needed by PE 1 of both MABs, and is in PEs 2 and 3.
    assert_eq!((busiest.unit.to_string(), busiest.elements), ("MAB=0,PE=1".into(), 5));
}

#[test]
fn slices_of_a_tensor_without_elements_are_counted() {
    let memory = |owner| Memory { capacity: None, owner, group: 1 };
    let machine = Machine::builder("two").level(Level::MAB, 2).level(Level::PE, 2);
    let machine = machine.memory("H", memory(Level::MAB)).memory("L", memory(Level::PE));
    let machine = machine.build().unwrap();
    let on = |slices: u64, memory: &str| {
        let layout = Layout::builder().axis(0, []).replica(slices, Level::TIME, 1).build().unwrap();
        Placement::of(layout).on(&machine).memory(memory).build().unwrap()
    };
    for (from, to) in [("H", "L"), ("L", "H"), ("H", "H")] {
        let relayout = Relayout::new(&on(3, from), &on(2, to)).unwrap();
        assert_eq!(relayout.slices(), 3, "{from} {to}");
        assert!(relayout.into_in_slice(2).unwrap().iter().all(|(_, into)| *into == 0));
        assert!(relayout.into_in_slice(3).is_err());
    }
}

#[test]
fn copies_that_do_not_line_up_with_the_memory_of_a_group_are_refused_by_name() {
    let memory = Memory { capacity: None, owner: Level::MAB, group: 2 };
    let machine = Machine::builder("pairs").level(Level::MAB, 8).memory("M", memory);
    let machine = machine.build().unwrap();
    let on = |layout: &str| {
        let layout: Layout = layout.parse().unwrap();
        Placement::of(layout).on(&machine).memory("M").build()
    };
    assert!(on("((4:1); B@[2_MAB:4])").is_ok());
    // Copies in units 0, 3 and 6 are in memories 0, 1 and 3.
    let error = on("((4:1); B@[3_MAB:3])").unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is one memory for every 2 units of `MAB`, and the copies of an element do not line up \
         with these groups"
    );
    assert_eq!(error.help().unwrap(), "choose copies that are a multiple of 2 units apart");
}

#[test]
fn flows_of_a_long_axis_that_ends_within_its_digits_are_counted_one_by_one() {
    // Beyond 4096 values such an axis is cut into boxes; steps of 9 and of 2 share bits of a unit's number.
    let machine: Machine = "PE=46".parse().unwrap();
    let on = |stride| {
        let digits = [Subaxis::land(700, Level::ADDR, 1), Subaxis::land(6, Level::PE, stride)];
        let layout = Layout::builder().axis(4199, digits).build().unwrap();
        Placement::of(layout).on(&machine).build().unwrap()
    };
    let flows = Relayout::new(&on(9), &on(2)).unwrap().flows(Level::PE).unwrap();
    for (from, row) in flows.from.iter().zip(&flows.counts) {
        for (to, count) in flows.to.iter().zip(row) {
            let wanted = (0..4199).filter(|i| (9 * (i % 6), 2 * (i % 6)) == (*from, *to)).count();
            assert_eq!(*count, wanted as u64, "{from} to {to}");
        }
    }
}

#[test]
fn an_element_in_place_within_a_stretch_is_not_moved() {
    let machine: Machine = "PE=1".parse().unwrap();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    let relayout = Relayout::new(&on("((8:1))"), &on("((8:2))")).unwrap();
    let [run] = &relayout.transfers().unwrap().collect::<Vec<_>>()[..] else { panic!("one run") };
    assert_eq!((run.element, run.length), (1, 7));
    let along = |start, step| PlaceRun { start, step };
    assert_eq!((run.read, run.write), (along(1, 1), along(2, 2)));
}
