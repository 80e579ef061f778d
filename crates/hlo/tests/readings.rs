//! Defects in the reports on dumps that careful readers found, each in its shortest form.

use tensor_layout::LayoutError;
use tensor_layout::error::ErrorKind;
use tensor_layout_hlo::{Collective, HloCopies, HloDump, HloRole, HloSummary};

fn summary(text: &str) -> HloSummary {
    let (mut dump, mut summary) = (HloDump::new(text.as_bytes()), HloSummary::new(None));
    while let Some(computation) = dump.next_computation().unwrap() {
        summary.add(computation).unwrap();
    }
    assert_eq!(dump.reading().lines, []);
    summary.finish();
    summary
}

/// The bytes that the instructions of an entry write to memory, and those that its callees write.
fn written(entry: &str) -> (u64, u64) {
    let text = format!("ENTRY e {{\n  a = f32[1024]{{0}} parameter(0)\n  {entry}\n}}\n");
    let summary = summary(&text);
    let of = |role| summary.written(role).unwrap().unpadded;
    (of(HloRole::Entry), of(HloRole::Called))
}

#[test]
fn operands_in_the_tuple_of_a_start_are_not_written() {
    for (entry, bytes) in [
        (
            "s = ((f32[1024]{0}), f32[128]{0:S(1)}, s32[1]{0}) slice-start(a), slice={[0:128]}\n  \
             d = f32[128]{0:S(1)} slice-done(s)",
            512,
        ),
        (
            "s = ((f32[1024]{0}), f32[256]{0}) reduce-scatter-start(a), replica_groups={{0,1,2,3}}",
            1024,
        ),
        ("s = ((f32[1024]{0}), (f32[4]{0}, f32[2]{0})) custom-call-start(a)", 24),
        ("s = ((f32[1024]{0}, f32[8]{0}), f32[8]{0}, u32[]) ragged-all-to-all-start(a, a)", 32),
        ("s = (((f32[1024]{0})), f32[8]{0}, u32[]) custom-call-start(a)", 32),
        ("s = ((), f32[8]{0}, u32[]) custom-call-start()", 32),
        ("s = ((f32[1024]{0}), (f32[8]{0}, u32[], token[]), s32[]) recv-start(a)", 36),
        // An all-reduce-start has no operands in its tuple.
        ("s = (f32[1024]{0}, f32[1024]{0}) all-reduce-start(a, a)", 8192),
    ] {
        assert_eq!(written(entry), (bytes, 0), "{entry}");
    }
}

#[test]
fn what_a_start_calls_has_the_role_that_the_whole_gives_it() {
    let inner = "{\n  p = f32[1024]{0} parameter(0)\n  ROOT n = f32[1024]{0} negate(p)\n}\n";
    let text = format!(
        "f {inner}g {inner}h {inner}sum {inner}ENTRY e {{\n  a = f32[1024]{{0}} parameter(0)\n  \
         s = ((f32[1024]{{0}}), f32[1024]{{0}}, u32[]) fusion-start(a), kind=kLoop, calls=f\n  \
         d = f32[1024]{{0}} fusion-done(s)\n  \
         t = ((f32[1024]{{0}}), f32[1024]{{0}}, u32[]) call-start(a), to_apply=g\n  \
         u = ((f32[1024]{{0}}), f32[1024]{{0}}, u32[]) async-start(a), calls=h\n  \
         v = f32[1024]{{0}} async-done(u), calls=h\n  \
         w = ((f32[1024]{{0}}), f32[256]{{0}}) reduce-scatter-start(a), to_apply=sum\n}}\n"
    );
    let summary = summary(&text);
    let roles: Vec<(&str, &str, u64)> = summary
        .computations()
        .iter()
        .map(|totals| (&*totals.name, totals.role.name(), totals.written.unpadded))
        .collect();
    // A fusion writes its result itself; the writes of `call-start` and `async-start` are in `g` and `h`.
    assert_eq!(
        roles,
        [
            ("f", "fused", 4096),
            ("g", "called", 4096),
            ("h", "called", 4096),
            ("sum", "applied", 4096),
            ("e", "entry", 4096 + 1024),
        ]
    );
}

#[test]
fn a_send_names_its_operand_and_writes_nothing() {
    let text = "t = token[] after-all()\n  s = (f32[1024]{0}, u32[], token[]) send(a, t), channel_id=1\n  \
                d = token[] send-done(s), channel_id=1";
    assert_eq!(written(text), (0, 0));
    let received = "t = token[] after-all()\n  r = (f32[8]{0}, u32[], token[]) recv(t), channel_id=1\n  \
                    d = (f32[8]{0}, token[]) recv-done(r), channel_id=1";
    assert_eq!(written(received), (36, 0));
}

#[test]
fn a_send_between_devices_is_not_counted_and_one_to_the_host_is_no_collective() {
    let error = |more: &str| {
        let send = format!("send(a, t), channel_id=3{more}");
        let text = format!(
            "ENTRY e {{\n  a = f32[8]{{0}} parameter(0)\n  t = token[] after-all()\n  \
             ROOT s = (f32[8]{{0}}, u32[], token[]) {send}\n}}\n"
        );
        let mut dump = HloDump::new(text.as_bytes());
        dump.next_computation().unwrap().unwrap().root().unwrap().collective()
    };
    let pairs = ", frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2}}}";
    for attributes in [pairs, ""] {
        let refused = error(attributes).unwrap_err().to_string();
        assert_eq!(refused, "the bytes that `send` moves between devices are not counted");
    }
    assert_eq!(error(", is_host_transfer=true"), Ok(None));
}

#[test]
fn an_instruction_may_have_a_buffer_as_its_result() {
    let text = "ENTRY e {
  a = f32[8]{0} parameter(0)
  b = b(f32[8]{0}) custom-call(a), custom_call_target=\"CreateBuffer\"
  c = (b(f32[8]{0}), f32[2]{0}) custom-call(b)
  ROOT d = f32[8]{0} custom-call(b), custom_call_target=\"Unpin\"
}
";
    let summary = summary(text);
    let rows: Vec<(&str, u64)> =
        summary.rows().map(|row| (row.shape, row.sizes.unpadded_bytes)).collect();
    assert_eq!(rows, [("(b(f32[8]{0}), f32[2]{0})", 40), ("b(f32[8]{0})", 32), ("f32[8]{0}", 32)]);
}

#[test]
fn a_reshape_is_free_only_if_width_prefix_and_splits_stay() {
    let change = |from: &str, to: &str| {
        let text = format!("ENTRY e {{\n  a = {from} parameter(0)\n  b = {to} reshape(a)\n}}\n");
        let (mut dump, mut copies) = (HloDump::new(text.as_bytes()), HloCopies::default());
        while let Some(computation) = dump.next_computation().unwrap() {
            copies.add(computation).unwrap();
        }
        copies.finish().unwrap();
        let entry = &copies.entries()[0];
        (entry.is_free, entry.read, entry.written, entry.changes.last().unwrap().clone())
    };
    let paid = |changed: &str, read, written| (Some(false), read, written, changed.to_owned());
    assert_eq!(change("s4[64]{0:E(4)}", "s4[8,8]{1,0}"), paid("element bits 4 -> 8", 32, 64));
    assert_eq!(change("s8[64]{0:E(8)}", "s8[8,8]{1,0}").0, Some(true));
    assert_eq!(change("s8[64]{0}", "s8[8,8]{1,0:M(16)}"), paid("prefix bytes 0 -> 16", 64, 64));
    let split = change("s8[64]{0}", "s8[8,8]{1,0:SC(0:4)}");
    assert_eq!(split, paid("splits none -> SC(0:4)", 64, 64));
    // Arrays that are split in the same way are not compared.
    assert_eq!(change("s8[8,8]{1,0:SC(0:4)}", "s8[8,8,1]{2,1,0:SC(0:4)}").0, None);
    let padded = change("s8[64]{0:T(64)}", "s8[64,1]{0,1:T(1,64)L(128)}");
    assert_eq!(padded.3, "tail padding 1 -> 128");
}

/// The collective in a module with these attributes.
fn collective(head: &str, instruction: &str) -> Result<Collective, LayoutError> {
    let text = format!(
        "HloModule m{head}\nENTRY e {{\n  a = f32[1024]{{0}} parameter(0)\n  \
         o = f32[1024]{{0}} parameter(1)\n  i = s32[] parameter(2)\n  \
         t = (f32[1024]{{0}}, f32[1024]{{0}}) tuple(a, o)\n  \
         w = (f32[1024]{{0}}, s8[1024]{{0}}) parameter(3)\n  \
         ROOT c = f32[1024]{{0}} {instruction}\n}}\n"
    );
    let mut dump = HloDump::new(text.as_bytes());
    let root = dump.next_computation().unwrap().unwrap().root().unwrap();
    root.collective().map(Option::unwrap)
}

/// (Sender, receiver) pairs with two replicas of three partitions: device 3 x replica + partition.
fn on_six(instruction: &str) -> Vec<(u64, u64)> {
    let collective = collective(", replica_count=2, num_partitions=3", instruction).unwrap();
    collective.hops().map(|hop| (hop.from, hop.to)).collect()
}

fn received(head: &str, instruction: &str) -> u64 {
    collective(head, instruction).unwrap().traffic(None).unwrap().received
}

#[test]
fn with_a_channel_a_reduction_goes_across_all_partitions_and_without_one_across_none() {
    let head = ", num_partitions=4";
    assert_eq!(received(head, "all-reduce(a), channel_id=1, replica_groups={{0}}"), 24 << 10);
    assert_eq!(received(head, "all-reduce(a), channel_id=1, replica_groups={}"), 24 << 10);
    assert_eq!(received(head, "all-reduce(a), replica_groups={}"), 0);
    assert_eq!(received(head, "all-reduce(a), replica_groups={{0}}"), 0);
    let global =
        "all-reduce(a), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true";
    assert_eq!(received(head, global), 24 << 10);
}

#[test]
fn numbers_of_replicas_stand_for_every_partition_and_those_of_partitions_for_every_replica() {
    let rings = [(0, 3), (3, 0), (1, 4), (4, 1), (2, 5), (5, 2)];
    assert_eq!(on_six("all-reduce(a), replica_groups={{0,1}}"), rings);
    assert_eq!(on_six("all-reduce(a), replica_groups={}"), rings);
    assert_eq!(on_six("all-to-all(a), replica_groups={{0,1}}"), rings);
    let pairs = [(0, 2), (2, 0), (3, 5), (5, 3)];
    assert_eq!(on_six("all-to-all(a), channel_id=1, replica_groups={{0,2}}"), pairs);
    let broadcast = "collective-broadcast(a), channel_id=1, replica_groups={{2,0},{1}}";
    assert_eq!(on_six(broadcast), [(2, 0), (5, 3)]);
}

#[test]
fn with_a_channel_a_group_of_replicas_takes_all_of_their_partitions() {
    let each = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)];
    assert_eq!(on_six("reduce-scatter(a), channel_id=1, replica_groups={{0},{1}}"), each);
    let all = [(3, 4), (4, 5), (5, 0), (0, 1), (1, 2), (2, 3)];
    assert_eq!(on_six("all-gather(a), channel_id=1, replica_groups={{1,0}}"), all);
    let global = "all-gather(a), channel_id=1, replica_groups={{0,4},{1,3},{2,5}}, \
                  use_global_device_ids=true";
    assert_eq!(on_six(global), [(0, 4), (4, 0), (1, 3), (3, 1), (2, 5), (5, 2)]);
}

#[test]
fn a_permute_of_replicas_or_partitions_happens_in_all_of_the_others() {
    let permute = "collective-permute(a), source_target_pairs={{0,1},{1,1}}";
    assert_eq!(on_six(permute), [(0, 3), (1, 4), (2, 5)]);
    assert_eq!(on_six(&format!("{permute}, channel_id=1")), [(0, 1), (3, 4)]);
    let started = "collective-permute-start(a), channel_id=1, source_target_pairs={{0,2},{2,1}}";
    assert_eq!(on_six(started), [(0, 2), (3, 5), (2, 1), (5, 4)]);
}

#[test]
fn numbers_that_the_module_does_not_have_are_refused_and_the_reason_is_said() {
    let refused =
        |instruction| collective(", num_partitions=4", instruction).unwrap_err().to_string();
    assert_eq!(
        refused("all-reduce(a), replica_groups={{0,1},{2,3}}"),
        "this collective names replica 1, but the module has only 1 replica: without `channel_id`, \
         the numbers are those of replicas"
    );
    assert_eq!(
        refused("all-reduce(a), channel_id=1, replica_groups={{0,1},{2,3}}"),
        "this collective names replica 1, but the module has only 1 replica: with `channel_id` and \
         without `use_global_device_ids=true`, the numbers are those of replicas"
    );
    assert_eq!(
        refused("collective-permute(a), channel_id=1, source_target_pairs={{0,4}}"),
        "this collective names partition 4, but the module has only 4 partitions: with \
         `channel_id`, the numbers are those of partitions"
    );
    assert_eq!(
        refused("all-reduce(a), replica_groups={{0,1}}, use_global_device_ids=true"),
        "`use_global_device_ids=true` needs `channel_id`, which this collective lacks"
    );
    assert_eq!(
        refused("all-reduce(a), channel_id=1, replica_groups={}, use_global_device_ids=true"),
        "with `use_global_device_ids=true`, `replica_groups` must name the devices"
    );
    // A module that does not declare its devices has those that are named.
    assert_eq!(received("", "all-reduce(a), replica_groups={{0,1},{2,3}}"), 4 * 4096);
}

#[test]
fn more_devices_than_can_be_listed_are_not_counted() {
    let head = ", replica_count=3, num_partitions=4611686018427387904";
    for instruction in [
        "all-reduce(a), channel_id=1, replica_groups={}",
        "all-reduce(a), replica_groups={{0,1,2}}",
        "collective-permute(a), source_target_pairs={{0,1}}",
    ] {
        let refused = collective(head, instruction).unwrap_err();
        let kinds = [ErrorKind::NotDecided, ErrorKind::TooLarge];
        assert!(kinds.contains(&refused.kind()), "{refused}");
    }
    let refused =
        collective(", num_partitions=1152921504606846976", "all-reduce(a), replica_groups={}");
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::NotDecided);
}

#[test]
fn groups_of_a_reduction_may_have_different_sizes() {
    let (head, global) = (", num_partitions=4", "channel_id=2, use_global_device_ids=true");
    let groups = "replica_groups={{0,1,2},{3}}";
    let reduced = collective(head, &format!("all-reduce(a), {groups}, {global}")).unwrap();
    let bytes: Vec<u64> = reduced.hops().map(|hop| hop.bytes).collect();
    // Two thirds of 4096 bytes, twice.
    assert_eq!(bytes, [5462; 3]);
    let groups = "replica_groups={{0,1,2},{3,4}}";
    assert_eq!(received("", &format!("all-reduce(a), {groups}")), 3 * 5462 + 2 * 4096);
    assert_eq!(received("", &format!("collective-broadcast(a), {groups}")), 3 * 4096);
    let scattered = collective("", &format!("reduce-scatter(a), {groups}"));
    assert!(scattered.unwrap_err().to_string().contains("different sizes"));
}

#[test]
fn a_permute_in_place_sends_its_slices_alone() {
    let permute = |operands: &str, slices: &str| {
        let operands = format!("collective-permute({operands}, i, i)");
        collective(
            "",
            &format!("{operands}, source_target_pairs={{{{0,1}}}}, slice_sizes={slices}"),
        )
    };
    let bytes = |operands, slices| permute(operands, slices).unwrap().bytes;
    assert_eq!(bytes("a, o", "{{8}}"), 32);
    assert_eq!(bytes("a, o", "{{8},{2}}"), 40);
    assert_eq!(bytes("t, t", "{{8},{1024}}"), 32 + 4096);
    for (operands, slices) in
        [("a, o", "{{1025}}"), ("a, o", "{{8,1}}"), ("a, o", "[1,8]<=[8]"), ("w, w", "{{8},{8}}")]
    {
        let refused = permute(operands, slices).unwrap_err().to_string();
        assert!(
            refused.starts_with("`slice_sizes` is not a list of slices"),
            "{slices}: {refused}"
        );
    }
}

#[test]
fn what_names_devices_and_is_not_known_is_counted_as_missing() {
    let groups = "channel_id=1, replica_groups={{0,1}}";
    let config = r#"frontend_attributes={async_collective_config="{\"replica_groups\":[[0,1]]}"}"#;
    for (row, name) in [
        (format!("collective-reduce(a), {groups}, to_apply=sum"), Some("collective-reduce")),
        (format!("invented(a), {groups}"), Some("invented")),
        ("invented(a), source_target_pairs={{0,1}}".into(), Some("invented")),
        (
            "custom-call(a), custom_call_target=\"all-gather-start\"".into(),
            Some("all-gather-start"),
        ),
        (format!("custom-call(a), custom_call_target=\"begin\", {config}"), Some("begin")),
        (format!("custom-call(a), custom_call_target=\"all-gather-done\", {config}"), None),
        (format!("invented-done(a), {groups}"), None),
        ("negate(a), metadata={op_name=\"replica_groups={{0,1}}\"}".into(), None),
    ] {
        let text = format!(
            "HloModule m, num_partitions=2\nENTRY e {{\n  a = f32[8]{{0}} parameter(0)\n  ROOT r = f32[8]{{0}} {row}\n}}\n"
        );
        let mut dump = HloDump::new(text.as_bytes());
        let found = dump.next_computation().unwrap().unwrap().root().unwrap().collective();
        let expected = name.map_or(Ok(None), |name| {
            Err(format!("the bytes that `{name}` moves between devices are not counted"))
        });
        assert_eq!(found.map_err(|error| error.to_string()), expected, "{row}");
    }
}
