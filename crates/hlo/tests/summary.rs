//! Reports of dumps: the bytes that instructions write, and data that only moves, with its location.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tensor_layout::xla::XlaShape;
use tensor_layout_hlo::{
    Collectives, HloCopies, HloDump, HloReading, HloRole, HloShardings, HloSummary,
};
use tensor_layout_show::pages::hlo as pages;

const DUMPS: [&str; 5] = [
    include_str!("data/before.txt"),
    include_str!("data/mlp.txt"),
    include_str!("data/reshard.txt"),
    include_str!("data/scan.txt"),
    include_str!("data/sharded.txt"),
];

fn summary(text: &str, top: Option<usize>) -> HloSummary {
    let (mut dump, mut summary) = (HloDump::new(text.as_bytes()), HloSummary::new(top));
    while let Some(computation) = dump.next_computation().unwrap() {
        summary.add(computation).unwrap();
    }
    summary.finish();
    summary
}

fn copies(text: &str) -> HloCopies {
    greatest_copies(text, None)
}

fn greatest_copies(text: &str, top: Option<usize>) -> HloCopies {
    let (mut dump, mut copies) = (HloDump::new(text.as_bytes()), HloCopies::new(top));
    while let Some(computation) = dump.next_computation().unwrap() {
        copies.add(computation).unwrap();
    }
    copies.finish().unwrap();
    copies
}

/// By the words of each line: the calls of each computation with their kinds, and the bytes it writes.
#[derive(Default)]
struct Slow {
    calls: Vec<(String, HloRole, String)>,
    entries: BTreeSet<String>,
    written: BTreeMap<String, (u64, u64)>,
}

impl Slow {
    fn new(text: &str) -> Slow {
        let (mut slow, mut current) = (Slow::default(), String::new());
        for line in text.lines() {
            if line.ends_with('{') && !line.starts_with([' ', 'H']) {
                let head = line.trim_start_matches("ENTRY ").trim_start_matches('%');
                current = head.split([' ', '(']).next().unwrap().to_owned();
                slow.written.insert(current.clone(), (0, 0));
                if line.starts_with("ENTRY") {
                    slow.entries.insert(current.clone());
                }
            }
            let instruction = line.strip_prefix("  ").and_then(|line| line.split_once(" = "));
            if let Some((_, rest)) = instruction {
                slow.instruction(&current, rest);
            }
        }
        slow
    }

    fn instruction(&mut self, current: &str, rest: &str) {
        let (shape, end) = XlaShape::parse_prefix(rest).unwrap();
        let opcode = rest[end..].trim_start().split('(').next().unwrap();
        let update = rest.starts_with("f32[5]{0} dynamic-update-slice(")
            || rest.starts_with("f32[5]{0} fusion(")
                && rest.contains("calls=%fused_computation.1,");
        let alias = ["parameter", "tuple", "get-tuple-element", "bitcast", "while", "call"];
        if !alias.contains(&opcode) && !opcode.ends_with("-done") {
            let entry = self.written.get_mut(current).unwrap();
            // In place: one of the five floats of the array.
            let bytes = if update { 4 } else { shape.sizes().unwrap().allocated_bytes };
            *entry = (entry.0 + 1, entry.1 + bytes);
        }
        for (marks, key, role) in [
            (&["fusion"][..], "calls=", HloRole::Fused),
            (&["while"], "body=", HloRole::Called),
            (&["while"], "condition=", HloRole::Called),
            (&["call"], "to_apply=", HloRole::Called),
            (
                &["reduce", "reduce-window", "all-reduce", "reduce-scatter", "all-reduce-start"],
                "to_apply=",
                HloRole::Applied,
            ),
        ] {
            if let Some(name) = rest.split(key).nth(1).filter(|_| marks.contains(&opcode)) {
                let name = name.trim_start_matches('%').split([',', ' ', '}']).next().unwrap();
                self.calls.push((current.to_owned(), role, name.to_owned()));
            }
        }
    }

    fn role(&self, name: &str) -> HloRole {
        let callers = self.calls.iter().filter(|(.., callee)| callee == name);
        let as_what = callers.map(|(caller, role, _)| match self.role(caller) {
            inside @ (HloRole::Fused | HloRole::Applied) => inside,
            _ => *role,
        });
        match self.entries.contains(name) {
            true => HloRole::Entry,
            false => as_what.min().unwrap_or(HloRole::Uncalled),
        }
    }
}

#[test]
fn totals_of_real_dumps_are_those_of_their_lines() {
    let mut roles = BTreeSet::new();
    for text in DUMPS {
        let summary = summary(text, None);
        let slow = Slow::new(text);
        assert_eq!(summary.computations().len(), slow.written.len());
        for totals in summary.computations() {
            let written = (totals.written.count, totals.written.allocated);
            assert_eq!(written, slow.written[&totals.name], "{}", totals.name);
            assert_eq!(totals.role, slow.role(&totals.name), "{}", totals.name);
            roles.insert(totals.role);
        }
        assert_eq!(summary.reading().lines, []);
    }
    assert_eq!(roles.len(), 4, "{roles:?}");
}

#[test]
fn instructions_of_a_jitted_program_are_shown_with_their_op_names_and_source_lines() {
    let summary = summary(DUMPS[1], None);
    let rows: Vec<_> = summary.rows().map(|row| (row.opcode, row.op_name, row.source)).collect();
    assert!(rows.contains(&("dot", Some("jit(mlp)/transpose"), Some("prog.py:5"))), "{rows:?}");
    // Instructions inside fusions are counted but not listed.
    assert!(summary.rows().all(|row| row.role == HloRole::Entry));
    assert_eq!(summary.parameters().unwrap().unpadded, 4 * (48 * 32 + 32 * 128 + 128 * 64));
    assert_eq!(summary.result().unwrap().unpadded, 4 * (48 * 64 + 128));
    let fused = summary.written(HloRole::Fused).unwrap();
    assert!(fused.count > 10);
}

#[test]
fn the_worst_rows_are_the_first_of_all_rows() {
    for text in DUMPS.into_iter().chain([&*many_computations()]) {
        let all = summary(text, None);
        let keys: Vec<_> =
            all.rows().map(|r| (r.sizes.padding_bytes(), r.sizes.allocated_bytes)).collect();
        assert!(keys.is_sorted_by(|a, b| a >= b));
        for top in [0, 1, 3, 100] {
            let few = summary(text, Some(top));
            assert!(few.rows().eq(all.rows().take(top)));
            assert_eq!(few.computations(), all.computations());
        }
    }
}

#[test]
fn totals_are_those_of_all_computations_whether_these_are_kept_or_not() {
    let both = DUMPS.join("\n");
    for text in DUMPS.into_iter().chain([&*many_computations(), &*both]) {
        let all = summary(text, None);
        let mut dump = HloDump::new(text.as_bytes());
        let mut totals = HloSummary::new(Some(20)).totals_only();
        while let Some(computation) = dump.next_computation().unwrap() {
            totals.add(computation).unwrap();
        }
        totals.finish();
        assert_eq!(totals.computations(), []);
        assert!(totals.rows().eq(all.rows().take(20)));
        assert_eq!(
            pages::summary(&totals, None, dump.reading()),
            pages::summary(&all, None, dump.reading())
        );
        for &role in HloRole::ALL {
            let computations = all.computations().iter().filter(|of| of.role == role);
            let sums = computations.fold((0, 0, 0), |sums, of| {
                let of = of.written;
                (sums.0 + of.count, sums.1 + of.unpadded, sums.2 + of.allocated)
            });
            let written = totals.written(role).unwrap();
            assert_eq!((written.count, written.unpadded, written.allocated), sums, "{role:?}");
        }
        let mut largest: Vec<_> =
            all.computations().iter().filter(|of| of.role.is_in_memory()).collect();
        largest.sort_by_key(|of| std::cmp::Reverse(of.written.allocated));
        let names = |of: &tensor_layout_hlo::HloLargest| (of.name.clone(), of.line, of.written);
        let first = largest.iter().take(10).map(|of| (of.name.clone(), of.line, of.written));
        assert!(totals.largest().iter().map(names).eq(first));
    }
}

/// More fusions and loops than the number of instructions that are held at a time.
fn many_computations() -> String {
    let mut text = String::from("HloModule many\n");
    for k in 0..400 {
        let shape = format!("f32[{},{}]{{1,0:T(8,128)}}", 1 + k * 7 % 31, 1 + k * 11 % 300);
        let turned = shape.replace("{1,0", "{0,1");
        text += &format!(
            "fused.{k} {{\n  p.{k} = {shape} parameter(0)\n  q.{k} = {turned} copy(p.{k})\n  \
             r.{k} = {shape} copy(q.{k})\n  ROOT s.{k} = {shape} add(r.{k}, p.{k})\n}}\n\
             body.{k} {{\n  a.{k} = {shape} parameter(0)\n  b.{k} = {turned} copy(a.{k})\n  \
             ROOT c.{k} = {shape} fusion(b.{k}), kind=kLoop, calls=fused.{k}\n}}\n"
        );
    }
    text += "ENTRY e {\n";
    for k in 0..400 {
        let shape = format!("f32[{},{}]{{1,0:T(8,128)}}", 1 + k * 7 % 31, 1 + k * 11 % 300);
        text += &format!(
            "  x.{k} = {shape} parameter({k})\n  y.{k} = {shape} call(x.{k}), to_apply=body.{k}\n"
        );
    }
    text + "}\n"
}

#[test]
fn the_greatest_copies_are_the_first_of_all_copies() {
    for text in DUMPS.into_iter().chain([&*many_computations()]) {
        let all = copies(text);
        for top in [0, 1, 3, 450, 1000] {
            let few = greatest_copies(text, Some(top));
            let first = all.entries().len().min(top);
            assert_eq!(few.entries(), &all.entries()[..first]);
            assert_eq!((few.count(), few.moved()), (all.count(), all.moved()));
            assert_eq!(few.reading().lines, []);
        }
        let paid = all.entries().iter().filter(|entry| entry.is_paid()).count();
        assert_eq!(all.count(), (all.entries().len(), paid));
    }
}

#[test]
fn a_fusion_that_is_called_otherwise_too_is_told_where_its_rows_were_dropped() {
    let mut text = many_computations();
    text = text.replace("to_apply=body.399", "to_apply=fused.0");
    let told = summary(&text, Some(3)).reading().lines.to_vec();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].line, &*told[0].text), (2, "fused.0"));
    assert!(
        greatest_copies(&text, Some(3)).reading().lines[0].why().ends_with("are listed: fused.0")
    );
    assert_eq!(summary(&many_computations(), Some(3)).reading().lines, []);
}

fn shardings(text: &str) -> HloShardings {
    let (mut dump, mut all) = (HloDump::new(text.as_bytes()), HloShardings::default());
    while let Some(computation) = dump.next_computation().unwrap() {
        all.add(computation).unwrap();
    }
    all.finish().unwrap();
    all
}

#[test]
fn a_device_holds_before_partitioning_what_shapes_say_after_it() {
    // One program before and after: parameters and the result are the same arrays.
    let [before, after] = [DUMPS[0], DUMPS[4]].map(shardings);
    assert_eq!(before.on_device(), after.on_device());
    assert_eq!(before.on_device().parameters.unpadded, 64 << 10);
    assert_eq!((before.left_over(), before.partitions()), (0, None));
    assert_eq!((after.left_over(), after.partitions()), (7, Some(8)));
    let parameters = |all: &HloShardings| {
        let of = all.entries().iter().filter(|entry| entry.opcode == "parameter");
        of.map(|entry| (entry.line, entry.device, entry.whole_bytes)).collect::<Vec<_>>()
    };
    let bytes = |all: &HloShardings| {
        parameters(all).into_iter().map(|(_, device, whole)| (device, whole)).collect::<Vec<_>>()
    };
    assert_eq!(bytes(&before), bytes(&after));
    assert_eq!(parameters(&before).len(), 7);
    let [before, after] = [DUMPS[0], DUMPS[4]].map(|text| summary(text, Some(0)));
    assert_eq!(before.on_device().unwrap().unwrap().result.unpadded, 16 << 10);
    assert_eq!((after.on_device().unwrap(), after.partitions()), (None, Some(8)));
}

#[test]
fn a_module_without_a_mark_has_the_entry_that_nothing_calls() {
    let marked = "HloModule m\nf {\n  p = f32[8]{0} parameter(0), sharding={replicated}\n  ROOT n = f32[8]{0} negate(p)\n}\n\
                  ENTRY e {\n  a = f32[8]{0} parameter(0), sharding={devices=[4]<=[4]}\n  \
                  ROOT c = f32[8]{0} call(a), to_apply=f, sharding={devices=[2]<=[2]}\n}\n";
    let held = |text: &str| {
        let on_device = shardings(text).on_device();
        assert_eq!(summary(text, None).on_device().unwrap().unwrap_or_default(), on_device);
        (on_device.parameters.unpadded, on_device.result.unpadded)
    };
    let text = marked.replace("ENTRY ", "");
    assert_eq!((held(marked), held(&text)), ((8, 16), (8, 16)));
    let (_, alone) = text.split_once("}\n").unwrap();
    assert_eq!(held(&alone.replace("call(a), to_apply=f", "negate(a)")), (8, 16));
    // Cut off, or with another computation that nothing calls, it has no entry.
    assert_eq!(held(text.trim_end().trim_end_matches('}')), (0, 0));
    assert_eq!(held(&text.replace("to_apply=f", "to_apply=g")), (0, 0));
    // A sharding that cannot be read is unread once, in the entry and elsewhere.
    for part in ["[4]<=[4]", "[2]<=[2]"] {
        let lines = |unread: &HloReading| unread.lines.iter().map(|of| of.line).collect::<Vec<_>>();
        let text = text.replace(part, "[3]<=[4]");
        assert_eq!(lines(shardings(&text).reading()), lines(summary(&text, None).reading()));
        assert_eq!(shardings(&text).reading().count, 1);
    }
}

#[test]
fn shards_of_tuples_are_those_of_their_arrays_and_what_cannot_be_read_is_told() {
    let text = "ENTRY e {\n  \
        a = (bf16[10,130]{1,0:T(8,128)(2,1)}, f32[7]{0}) parameter(0), sharding={{devices=[3,1]<=[3]}, {replicated}}\n  \
        b = f32[8]{0} parameter(1), sharding={{replicated}, {replicated}}\n  \
        c = f32[8]{0} parameter(2), sharding={devices=[3]<=[4]}\n  \
        d = f32[8,8]{1,0} parameter(3), sharding={devices=[2]<=[2]}\n  \
        ROOT f = f32[7]{0} get-tuple-element(a), index=1, sharding={devices=[2]<=[2]}\n}\n";
    let all = shardings(text);
    let [a, f] = all.entries() else { panic!("{:?}", all.entries()) };
    // ceil(10 / 3) = 4 rows of 130 in tiles of 8 x 128, and 7 floats without tiles.
    let tile = "bf16[4,130]{1,0:T(8,128)(2,1)}".parse::<XlaShape>().unwrap().sizes().unwrap();
    assert_eq!(a.device.allocated, tile.allocated_bytes + 28);
    assert_eq!((a.device.unpadded, a.whole_bytes), (4 * 130 * 2 + 28, 10 * 130 * 2 + 28));
    assert_eq!((f.device.unpadded, f.whole_bytes), (16, 28));
    let told: Vec<(u64, &str)> =
        all.reading().lines.iter().map(|line| (line.line, &*line.reason)).collect();
    assert_eq!(told[0], (3, "the sharding has 2 parts, one for each member, but the shape has 1"));
    assert!(told[1].1.contains("the product of [3] is 3"), "{told:?}");
    assert!(told[2].1.contains("tiles for 1 dimension, but the tensor has 2"), "{told:?}");
    let also: Vec<u64> = summary(text, None).reading().lines.iter().map(|line| line.line).collect();
    assert_eq!(also, [3, 4, 5]);
    // A token has a part of the sharding but no bytes.
    let token = "ENTRY e {\n  ROOT a = (f32[8]{0}, token[]) parameter(0), \
                 sharding={{devices=[2]<=[2]}, {maximal device=0}}\n}\n";
    assert_eq!(shardings(token).on_device().parameters.unpadded, 16);
}

#[test]
fn a_computation_is_inside_of_a_fusion_if_all_its_callers_are() {
    let text = "HloModule a\n\
        sum {\n x = f32[] parameter(0)\n ROOT y = f32[] add(x, x)\n}\n\
        deep {\n p = f32[8]{0} parameter(0)\n ROOT r = f32[] reduce(p, p), dimensions={0}, to_apply=sum\n}\n\
        inner {\n p = f32[8]{0} parameter(0)\n ROOT c = f32[] call(p), to_apply=deep\n}\n\
        shared {\n ROOT p = f32[8]{0} parameter(0)\n}\n\
        body {\n p = f32[8]{0} parameter(0)\n ROOT s = f32[8]{0} call(p), to_apply=shared\n}\n\
        dead {\n ROOT p = f32[8]{0} parameter(0)\n}\n\
        ENTRY e {\n a = f32[8]{0} parameter(0)\n f = f32[] fusion(a), kind=kLoop, calls=inner\n \
        g = f32[8]{0} fusion(a), kind=kLoop, calls=shared\n \
        i = f32[8]{0} conditional(a, a, a), branch_computations={body, body}\n ROOT t = (f32[], f32[8]{0}) tuple(f, i)\n}\n\
        HloModule b\nsum {\n ROOT x = f32[] parameter(0)\n}\n";
    let summary = summary(text, None);
    let roles: Vec<(&str, &str)> =
        summary.computations().iter().map(|totals| (&*totals.name, totals.role.name())).collect();
    assert_eq!(
        roles,
        [
            ("sum", "fused"),
            ("deep", "fused"),
            ("inner", "fused"),
            ("shared", "called"),
            ("body", "called"),
            ("dead", "uncalled"),
            ("e", "entry"),
            // Without a marked entry, the last computation is the entry.
            ("sum", "entry"),
        ]
    );
    let entry = &summary.computations()[6];
    assert_eq!((entry.written.count, entry.parameters.count, entry.result.unpadded), (2, 1, 36));
}

#[test]
fn copies_of_real_dumps_are_all_listed_and_bitcasts_are_free() {
    for text in DUMPS {
        let copies = copies(text);
        let marks = [" copy(", " transpose(", " reshape(", " bitcast(", " copy-start("];
        let lines = text.lines().filter(|line| marks.iter().any(|mark| line.contains(mark)));
        // Fusions that only copy do not count as copies.
        let is_fusion = |opcode: &str| matches!(opcode, "fusion" | "copy and convert");
        let fusions = copies.entries().iter().filter(|entry| is_fusion(&entry.opcode));
        assert!(
            fusions
                .clone()
                .all(|entry| text.contains(&format!("%{} = {} fusion(", entry.name, entry.to)))
        );
        assert_eq!(copies.entries().len() - fusions.count(), lines.count());
        assert_eq!(copies.reading().lines, []);
        let mut moved = (0, 0);
        for entry in copies.entries() {
            assert_eq!(entry.opcode == "bitcast", entry.read == 0, "{entry:?}");
            assert!(entry.opcode != "bitcast" || entry.is_free == Some(true));
            assert!(entry.is_free.is_some());
            let paid = entry.is_paid();
            moved =
                (moved.0 + u64::from(paid) * entry.read, moved.1 + u64::from(paid) * entry.written);
        }
        assert_eq!(copies.moved(), moved);
    }
}

/// Shapes of one array in two layouts, and a permutation.
fn moved() -> impl Strategy<Value = (Vec<u64>, Vec<usize>, Vec<usize>, Vec<usize>, usize)> {
    prop::collection::vec(1_u64..4, 1..4).prop_flat_map(|dims| {
        let order = || Just((0..dims.len()).collect::<Vec<_>>()).prop_shuffle();
        (Just(dims.clone()), order(), order(), order(), 0..3_usize)
    })
}

fn shape(dims: &[u64], order: &[usize], tile: usize) -> String {
    let text = |list: Vec<String>| list.join(",");
    let tile = match (tile, dims.len() > 1) {
        (1, _) => ":T(2)",
        (2, true) => ":T(2,2)",
        _ => "",
    };
    let dims = text(dims.iter().map(u64::to_string).collect());
    format!("f32[{dims}]{{{}{tile}}}", text(order.iter().map(usize::to_string).collect()))
}

/// The addresses of all elements in row-major order of a shape.
fn addresses(shape: &str) -> Vec<(Vec<u64>, String)> {
    let layout = shape.parse::<XlaShape>().unwrap().lower().unwrap();
    let mut indexes = vec![Vec::new()];
    for extent in layout.shape() {
        indexes = indexes
            .into_iter()
            .flat_map(|index: Vec<u64>| (0..extent).map(move |i| [index.clone(), vec![i]].concat()))
            .collect();
    }
    indexes.into_iter().map(|i| (i.clone(), layout.locate(&i).unwrap().to_string())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_transpose_or_reshape_is_free_if_and_only_if_no_element_changes_its_address(
        (dims, order, from, to, tile) in moved()
    ) {
        let permuted: Vec<u64> = order.iter().map(|axis| dims[*axis]).collect();
        let (before, after) = (shape(&dims, &from, tile), shape(&permuted, &to, tile));
        let flat = format!("f32[{}]{{0}}", dims.iter().product::<u64>());
        let axes: Vec<String> = order.iter().map(usize::to_string).collect();
        let text = format!(
            "ENTRY e {{\n  a = {before} parameter(0)\n  t = {after} transpose(a), dimensions={{{}}}\n  \
             r = {flat} reshape(a)\n}}", axes.join(",")
        );
        let copies = copies(&text);
        let free = |opcode: &str| copies.entries().iter().find(|e| e.opcode == opcode).unwrap().is_free;
        let old: BTreeMap<Vec<u64>, String> = addresses(&before).into_iter().collect();
        let transposed = addresses(&after).into_iter().all(|(index, address)| {
            let mut source = vec![0; index.len()];
            for (axis, i) in order.iter().zip(index) {
                source[*axis] = i;
            }
            old[&source] == address
        });
        prop_assert_eq!(free("transpose"), Some(transposed), "{}", text);
        let reshaped = addresses(&before).into_iter().map(|(_, address)| address)
            .eq(addresses(&flat).into_iter().map(|(_, address)| address));
        prop_assert_eq!(free("reshape"), Some(reshaped), "{}", text);
    }
}

#[test]
fn copies_say_what_changes() {
    let text = "ENTRY e {\n  a = bf16[8,128]{1,0:T(8,128)(2,1)} parameter(0)\n  \
                b = bf16[8,128]{0,1:T(8,128)(2,1)} copy(a)\n  c = bf16[8,128]{0,1} copy(b)\n  \
                d = bf16[8,128]{0,1:S(1)} copy(c)\n  e = bf16[8,128]{0,1:S(1)} copy(d)\n  \
                f = (bf16[8,128]{0,1}, bf16[8,128]{0,1:S(1)}, u32[]) copy-start(e)\n  \
                g = bf16[4,2,128]{2,1,0} reshape(c)\n  h = bf16[8,128]{0,1} reshape(f)\n}\n";
    let copies = copies(text);
    let changes: BTreeMap<&str, String> =
        copies.entries().iter().map(|e| (&*e.name, e.changes.join("; "))).collect();
    assert_eq!(changes["b"], "order {1,0} -> {0,1}");
    assert_eq!(changes["c"], "tiles T(8,128)(2,1) -> none");
    assert_eq!(changes["d"], "memory space 0 -> 1: a prefetch");
    assert_eq!(
        (changes["e"].as_str(), changes["f"].as_str()),
        ("", "memory space 1 -> 0: a write-back")
    );
    assert_eq!(changes["g"], "shape [8,128] -> [4,2,128]; order {0,1} -> {2,1,0}");
    let sizes: Vec<_> =
        copies.entries().iter().map(|e| (e.name.as_str(), e.read, e.written)).collect();
    // Eight rows of 128 are padded to 128 where they run fastest.
    assert_eq!(sizes[0], ("b", 2048, 32_768));
    let unread = &copies.reading().lines[0];
    assert_eq!((copies.reading().count, unread.line), (1, 9));
    assert_eq!(unread.why(), "`f` is not one array");
}

#[test]
fn shapes_and_pairs_that_no_row_has_are_forgotten_without_a_trace() {
    const COMPUTATIONS: u64 = 70_000;
    let shape = |extent: u64| format!("u8[{extent},128]{{1,0:T(8,128)}}");
    let computation = |n: u64| {
        let extent = COMPUTATIONS + 1 - n;
        let array = shape(extent);
        format!(
            "c{n} {{\n p = {array} parameter(0)\n t = u8[{extent}]{{0}} negate(p)\n \
             ROOT r = {array} copy(p)\n}}\n"
        )
    };
    let text: String = (1..=COMPUTATIONS).map(computation).collect();
    // Seven of eight rows are padding where the extent is 8 k + 1.
    let summary = summary(&text, Some(3));
    let rows: Vec<_> = summary.rows().map(|row| (row.line, row.shape.to_owned())).collect();
    assert_eq!(rows, [8, 16, 24].map(|n| (5 * n - 1, shape(COMPUTATIONS + 1 - n))));
    let copies = greatest_copies(&text, Some(2));
    let greatest: Vec<_> = copies.entries().iter().map(|copy| copy.to.clone()).collect();
    assert_eq!(greatest, [shape(COMPUTATIONS), shape(COMPUTATIONS - 1)]);
}

#[test]
fn copies_that_are_not_kept_are_not_shown() {
    let text = "ENTRY e {\n a = f32[8]{0} parameter(0)\n b = f32[8]{0} copy(a)\n c = f32[8]{0} copy(b)\n \
                ROOT d = f32[8]{0} copy(c)\n}\n";
    for (kept, top, hidden) in
        [(Some(1), None, "; 2 not shown"), (None, Some(1), "; 2 not shown"), (None, None, "")]
    {
        let page = pages::copies(&greatest_copies(text, kept), top);
        assert!(page.contains(&format!("all that is not free: 3 of 3{hidden}\n")), "{page}");
    }
}

#[test]
fn escapes_in_a_dump_do_not_reach_the_terminal() {
    let text = "ENTRY e {
  a\u{1b}c = f32[3,8]{1,0:T(8,128)} parameter(0)
  b\u{1b}c = f32[8,3]{1,0:T(8,128)} transpose(a\u{1b}c), metadata={op_name=\"x\u{1b}c\"}, sharding={replicated}
  ROOT r\u{1b}c = f32[8,3]{1,0:T(8,128)} all-reduce(b\u{1b}c), replica_groups={}
  broken \u{1b}c
}
";
    let machine = "PE=1".parse().unwrap();
    let mut collectives = Collectives::default();
    let mut dump = HloDump::new(text.as_bytes());
    while let Some(computation) = dump.next_computation().unwrap() {
        collectives.add(computation, Some(&machine)).unwrap();
    }
    let pages = [
        pages::summary(&summary(text, None), None, dump.reading()).unwrap(),
        pages::copies(&copies(text), None),
        pages::shardings(&shardings(text), None),
        pages::collectives(&collectives.finish().unwrap(), None),
    ];
    for page in pages {
        assert!(page.contains("?c") && !page.contains('\u{1b}'), "{page}");
    }
}

#[test]
fn computations_whose_callers_are_cut_off_are_on_the_page() {
    let text = "HloModule m\n\n%region_0.5 (g: f32[256,256]) -> f32[256,256] {\n  %g = f32[256,256]{1,0} parameter(0)\n  \
                ROOT %big = f32[256,256]{1,0} negate(%g)\n}\n\nENTRY %main (p: f32[";
    let page = pages::summary(&summary(text, None), None, &HloReading::default()).unwrap();
    let cut = "1 value in computations whose callers are cut off: not listed above";
    assert!(page.contains(cut), "{page}");
}
