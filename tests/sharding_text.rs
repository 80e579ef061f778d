//! The notations of shardings: texts that are read, texts that are rejected, and printed texts.

use tensor_layout::sharding::{
    DeviceGroups, HloSharding, Mesh, PartitionSpec, Placements, SdySharding, ShardedShape,
};

use crate::sharding::sharding;

#[test]
fn texts_that_kill_xla_or_should_be_refused_are_refused_with_the_reason() {
    for (text, reason) in [
        ("{devices=[3,2]<=[8]}", "the product of [3,2] is 6, but the number of devices is 8"),
        ("{devices=[0]<=[0]}", "[0] has a 0"),
        ("{devices=[-2,-4]<=[8]}", "the number is negative"),
        (
            "{devices=[2,4]<=[2,4]T(0,0)}",
            "T(0,0) does not list each of the dimensions 0 to 1 exactly once",
        ),
        ("{devices=[2,4]<=[2,4]}", "several numbers need a transpose"),
        ("{devices=[8]<=[8]T(0)}", "a single number does not take a transpose"),
        ("{devices=[2,4]<=[2,4]T(0)}", "there are 2 numbers, but the transpose has 1"),
        (
            "{devices=[8,1]<=[8] last_tile_dim_replicate last_tile_dims={manual}}",
            "this contradicts what comes before it",
        ),
        (
            "{devices=[8]<=[8] last_tile_dims={manual, replicated}}",
            "2 last tile dimensions, more than the 1 of `devices=`",
        ),
        ("{devices=[2]0,1,2}", "the product of [2] is 2, but the number of devices is 3"),
        ("{devices=[2,2]0,1,2,2}", "device 2 is listed twice, at positions 2 and 3"),
        ("{maximal device=-1}", "the number is negative"),
        ("{replicated manual}", "this contradicts what comes before it"),
        ("{devices=[2]<=[2] replicated}", "contradict each other"),
        ("{shard_as 1}", "does not say where the tensor is"),
        ("{mesh['x'=0], [{'x'}]}", "[0] has a 0"),
        ("{mesh['x'=2,'x'=4], [{'x'}]}", "axis 'x' appears twice in the mesh"),
        ("{mesh['x'=2,'y'=4], [{'z'}]}", "'z' is not an axis of the mesh, whose axes are 'x', 'y'"),
        ("{mesh['x'=8], [{'x':(2)1}]}", "a part of size 1"),
        ("{mesh['x'=8], [{'x':(3)2}]}", "3 x 2 does not divide 8"),
        ("{mesh['x'=8], [{'x':(1)8}]}", "is the whole axis"),
        ("{mesh['x'=8], [{'x'}, {'x'}]}", "axis 'x' is used twice"),
        ("{mesh['x'=8], [{'x':(1)4}, {'x':(2)4}]}", "axis 'x' is used twice"),
        ("{mesh['x'=12], [{'x':(1)2}, {'x':(3)2}]}", "do not fit side by side"),
        ("{mesh['x'=8], [{'x':(1)2, 'x':(2)2}]}", "write them as one"),
        ("{mesh['x'=2,'y'=4], [{}], replicated={'y', 'x'}}", "in the order of the mesh"),
        ("{mesh['x'=2], device_ids=(0,1), [{'x'}]}", "repeats the order that a mesh has anyway"),
        (
            "{mesh['x'=2], device_ids=(0,2), [{'x'}]}",
            "lists device 2, but the mesh has only 2 devices",
        ),
        (
            "{mesh['x'=2,'y'=2], device_ids=(0,1,0,3), [{'x'}]}",
            "device 0 is listed twice, at positions 0 and 2",
        ),
        ("{mesh['0'=2], [{'0'}]}", "would be read as the number of an axis"),
        ("{devices=[18446744073709551615,2]<=[8]}", "does not fit in 64 bits"),
        ("{devices=[18446744073709551616]<=[8]}", "does not fit in 64 bits"),
        ("{{replicated}, {manual}}", "a tuple of 2 shardings"),
        ("{devices=[8]<=[8", "expected `,` or `]`"),
    ] {
        let message = match text.parse::<HloSharding>() {
            Err(error) => {
                assert!(error.span().end <= text.len());
                error.kind().to_string()
            }
            Ok(tree) => tree.lower().unwrap_err().to_string(),
        };
        assert!(message.contains(reason), "{text}\n{message}");
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    let texts = [
        "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dims={manual, replicated} shard_as 3 metadata={op_name=\"a\"}}",
        "{mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)), [{'x', ?}, {'y':(1)2}], replicated={'y':(2)2}}",
        "#sdy.sharding<mesh<[\"x\"=2], device_ids=[1,0]>, [{\"x\"}p1], unreduced=sum{\"y\"}>",
        "NamedSharding(mesh=Mesh('x': 2, axis_types=(Auto,)), spec=P('x', ('y', 'z'), None), memory_kind=device)",
        "(Shard(dim=0), Replicate(), Partial(sum))",
    ];
    for text in texts {
        for cut in 0..=text.len() {
            for text in [
                text[..cut].to_owned(),
                text[cut..].to_owned(),
                text.replace(&text[cut..cut + usize::from(cut < text.len())], ""),
            ] {
                if let Ok(read) = text.parse::<HloSharding>() {
                    let _ = read.lower();
                }
                let _ =
                    (text.parse::<SdySharding>().is_ok(), text.parse::<PartitionSpec>().is_ok());
                let _ = (text.parse::<Placements>().is_ok(), text.parse::<Mesh>().is_ok());
            }
        }
    }
}

#[test]
fn every_form_prints_what_it_reads() {
    for text in [
        "{mesh['x'=2,'y'=4], [{'x', ?}, {'y':(1)2}], replicated={'y':(2)2}}",
        "{mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)), [{'x'}, {'y'}]}",
        "{mesh['x'=2,'y'=4], [{'x'}, {?}, {}], unreduced={'y'}}",
        "{mesh['x'=2,'y'=4], replicated}",
        "{maximal_mesh[device_id=3]}",
        "{devices=[2]<=[2] shard_like 4}",
        "{{replicated}, {manual}, {replicated}, {replicated}, {replicated}, /*index=5*/{replicated}}",
        "{}",
    ] {
        assert_eq!(text.parse::<HloSharding>().unwrap().to_string(), text);
    }
    for text in [
        r#"#sdy.sharding<@mesh, [{"x", ?}, {"y":(1)2}p0], replicated={"z"}, unreduced={"w"}>"#,
        r#"#sdy.sharding<mesh<["x"=2]>, [{"x"}]>"#,
        r#"#sdy.sharding<mesh<["a"=3, "b"=2], device_ids=[0, 2, 4, 1, 3, 5]>, []>"#,
    ] {
        assert_eq!(text.parse::<SdySharding>().unwrap().to_string(), text);
    }
    for text in [
        "P('x', ('y', 'z'), None)",
        "P(UNCONSTRAINED, 'x')",
        "P(None, unreduced={'y'})",
        "P(None, unreduced={'y'}, reduced={'x'})",
        "P()",
        "NamedSharding(mesh=Mesh('x': 2, 'y': 4, axis_types=(Manual, Auto)), spec=P(None, 'y'))",
    ] {
        assert_eq!(text.parse::<PartitionSpec>().unwrap().to_string(), text);
    }
    assert_eq!(
        "PartitionSpec('tensor', None, ('expert',))".parse::<PartitionSpec>().unwrap().to_string(),
        "P('tensor', None, 'expert')"
    );
}

#[test]
fn manual_axes_of_a_mesh_are_those_of_the_sharding() {
    let of = |types: &str, spec: &str| {
        let mesh = format!("Mesh('x': 2, 'y': 4, axis_types=({types}))");
        let text = format!("NamedSharding(mesh={mesh}, spec={spec}, memory_kind=device)");
        let spec = text.parse::<PartitionSpec>().map_err(|error| error.kind().to_string())?;
        let sharding = spec.lower(None, 2).map_err(|error| error.to_string())?;
        Ok::<_, String>(sharding.to_hlo().to_string())
    };
    let hlo = |text: &str| Ok(text.to_owned());
    assert_eq!(
        of("Manual, Auto", "P(None, 'y')"),
        hlo("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}")
    );
    assert_eq!(
        of("AxisType.Auto, AxisType.Manual", "P('x', None)"),
        hlo("{devices=[2,1,4]<=[8] last_tile_dims={manual}}")
    );
    assert_eq!(of("Manual, Manual", "P(None, None)"), hlo("{manual}"));
    assert_eq!(
        of("Explicit, Auto", "P(None, 'y')"),
        hlo("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}")
    );
    let refused = of("Manual, Auto", "P('x', 'y')").unwrap_err();
    assert_eq!(refused, "`x` is a manual axis, along which a spec cannot cut");
    assert_eq!(of("Auto", "P('x')").unwrap_err(), "1 types of axes, but 2 axes");
}

#[test]
fn conversions_go_there_and_back() {
    let mesh: Mesh = "x=2,y=4,z=3".parse().unwrap();
    let mut said = 0;
    for first in ["{}", "{'x'}", "{'y', 'x'}", "{'y':(2)2}", "{'z', 'y':(1)2}"] {
        for second in ["{}", "{'z'}", "{'y':(1)2}", "{'x', 'z'}", "{'y'}"] {
            let text = format!("{{{mesh}, [{first}, {second}]}}");
            let Ok(named) = text.parse::<HloSharding>().unwrap().lower() else { continue };
            let plain = sharding(&named.to_hlo().to_string());
            assert_eq!(plain, sharding(&plain.to_hlo().to_string()));
            let sdy = plain.to_sdy(&mesh, 2).unwrap();
            let back: SdySharding = sdy.to_string().parse().unwrap();
            assert_eq!(back.lower(None).unwrap().to_hlo(), plain.to_hlo(), "{text}");
            match plain.to_partition_spec(&mesh, 2) {
                Ok(spec) => {
                    let spec: PartitionSpec = spec.to_string().parse().unwrap();
                    assert_eq!(spec.lower(Some(&mesh), 2).unwrap().to_hlo(), plain.to_hlo());
                }
                Err(error) => assert!(text.contains(":("), "{text}: {error}"),
            }
            said += 1;
        }
    }
    assert_eq!(said, 16);
}

#[test]
fn groups_of_devices_are_read_in_all_three_forms() {
    let groups = |text: &str| text.parse::<DeviceGroups>().unwrap().lower(4);
    assert_eq!(groups("{{0,1},{2,3}}").unwrap(), [[0, 1], [2, 3]]);
    assert_eq!(groups("{}").unwrap(), [[0, 1, 2, 3]]);
    assert_eq!(groups("[2,4]<=[8]").unwrap(), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!(groups("mesh['a'=4,'b'=1] {'a'}").unwrap(), [[0, 1, 2, 3]]);
    for text in ["{{0,1},{1,2}}", "[2,4]<=[6]", "[8]<=[8]", "mesh['a'=4] {'b'}"] {
        assert!(groups(text).is_err(), "{text}");
    }
    for text in [
        "{{0,1},{2,3}}",
        "[2,4]<=[4,2]T(1,0)",
        "mesh['a'=4,'b'=2], device_ids=([2,2,2]T(0,2,1)) {'a':(2)2}",
    ] {
        assert_eq!(text.parse::<DeviceGroups>().unwrap().to_string(), text);
    }
}

#[test]
fn text_behind_a_sharding_is_attributes_of_an_instruction_or_an_error() {
    let whole = "%p = f32[4] parameter(0), sharding={devices=[2]<=[2]}";
    let parse = |behind: &str| format!("{whole}{behind}").parse::<ShardedShape>();
    for read in ["", " ", ", metadata={op_name=\"a, b\"}, backend_config={\"a\":[1]}", ", origin=x"]
    {
        assert!(parse(read).is_ok(), "{read}");
    }
    for stray in [
        " trailing words",
        ", garbage",
        "}",
        ", f32[8]",
        ", sharding={devices=[4]<=[4]}",
        ",",
        ", metadata={}, 7",
    ] {
        let error = parse(stray).unwrap_err();
        assert!(error.span().start >= whole.len(), "{stray}: {error}");
    }
}

#[test]
fn a_mesh_behind_a_sharding_agrees_with_it_or_is_an_error() {
    let read = |text: &str| {
        let shape: ShardedShape = text.parse().expect(text);
        shape.lower().map(|layout| layout.to_string()).map_err(|error| error.kind().to_string())
    };
    assert!(read("f32[8], sharding={devices=[4]<=[4]}, mesh=x=2,y=2").is_ok());
    let why = read("f32[8], sharding={devices=[4]<=[4]}, mesh=x=2,y=4").unwrap_err();
    assert_eq!(why, "the sharding is for 4 devices, but `mesh=` has 8");
    let own = r#"f32[8], sharding=#sdy.sharding<mesh<["x"=2]>, [{"x"}]>"#;
    assert!(read(&format!("{own}, mesh=x=2")).is_ok());
    let why = read(&format!("{own}, mesh=x=4")).unwrap_err();
    assert!(why.starts_with("the sharding already has a mesh, mesh['x'=2]; leave out"), "{why}");
    let named = "f32[8], sharding={mesh['x'=2], [{'x'}]}, mesh=x=4";
    assert!(read(named).unwrap_err().starts_with("the sharding already has a mesh"));
    let rank = read("f32[8,8], sharding=[{}], mesh=x=2").unwrap_err();
    assert!(rank.contains("the tensor has 2"), "{rank}");
    assert_eq!(
        read("f32[8], sharding=<@m, []>, mesh=<[], device_ids=[3]>"),
        read("f32[8], sharding={maximal device=3}")
    );
    let maximal = |mesh: &str| read(&format!("f32[8], sharding={{maximal device=9}}, mesh={mesh}"));
    assert_eq!(
        maximal("x=2").unwrap_err(),
        "device 9 holds the tensor, but `mesh=` has only 2 devices"
    );
    assert!(maximal("x=10").is_ok() && maximal("<[], device_ids=[9]>").is_ok());
    assert!(maximal("<[], device_ids=[3]>").unwrap_err().contains("maximal_mesh[device_id=9]"));
    assert_eq!(
        read("f32[8], sharding={replicated}, mesh=x=2"),
        read("f32[8], sharding={mesh['x'=2], replicated}")
    );
    assert_eq!(
        read("f32[8], sharding={mesh[], [{}]}, mesh=x=2").unwrap_err(),
        "the sharding already has a mesh, without axes; leave out `mesh=`"
    );
    assert_eq!(
        read("f32[8], sharding=P('x'), mesh=<[]>").unwrap_err(),
        "'x' is not an axis of the mesh, which has no axes"
    );
    // Axes behind dimensions alone belong to the sharding, and `[]` is Shardy's for a scalar.
    assert!(read(r#"f32[8], sharding=[{"y"}], replicated={"x"}, mesh=x=2,y=2"#).is_ok());
    assert!(read("f32[], sharding=[], mesh=x=4").is_ok());
    assert_eq!(
        read(r#"f32[8], sharding=#sdy.sharding<mesh<[], device_ids=[2]>, []>"#),
        read("f32[8], sharding={maximal device=2}")
    );
}

#[test]
fn a_mesh_is_read_wherever_it_is_among_the_attributes_and_only_once() {
    let wanted: ShardedShape = "f32[8,4], sharding=P('x', None), mesh=x=2,y=4".parse().unwrap();
    for text in [
        "f32[8,4], mesh=x=2,y=4, sharding=P('x', None)",
        "f32[8,4] mesh={'x': 2, 'y': 4}, sharding=P('x', None)",
        "p = f32[8,4] parameter(0), mesh=x=2,y=4, sharding=P('x', None), metadata={op_name=\"a\"}",
        "p = f32[8,4] parameter(0), sharding=P('x', None), metadata={op_name=\"a\"}, mesh=x=2,y=4",
        "p = f32[8,4] parameter(0), sharding=P('x', None), mesh=x=2, y=4, metadata={op_name=\"a\"}",
        "f32[8,4], sharding=P('x', None), mesh=mesh['x'=2,'y'=4], metadata={}, channel_id=1",
        "f32[8,4], sharding=P('x', None), mesh=<[\"x\"=2, \"y\"=4]>, metadata={}",
        "f32[8,4], sharding=P('x', None) mesh=x=2,y=4",
    ] {
        assert_eq!(text.parse().as_ref(), Ok(&wanted), "{text}");
    }
    let moved = "f32[8], sharding=P('x'), mesh=mesh['x'=2], device_ids=(1,0)";
    assert_eq!(moved.parse::<ShardedShape>().unwrap().to_string(), moved);
    for (text, why) in [
        ("f32[8], mesh=x=2, sharding=P('x'), mesh=x=4", "`mesh=` appears twice"),
        ("f32[8], sharding=P('x'), mesh=x=2, mesh=x=2", "`mesh=` appears twice"),
        ("f32[8], sharding=P('x'), metadata={}, mesh=x=2, mesh={'x': 2}", "`mesh=` appears twice"),
        ("f32[8], sharding=P('x'), mesh=x=2, sharding=P('x')", "`sharding=` appears twice"),
        ("f32[8], sharding=P('x'), mesh={'x': 2} y", "expected `, mesh=..`, attributes"),
        ("f32[8], sharding=P('x'), mesh=x=2 y", "expected `,` or the end"),
        ("f32[8], sharding=P('x'), mesh=x=2, y=", "expected an integer"),
        ("f32[8], sharding=P('x'), mesh=", "expected a mesh"),
        ("f32[8], mesh=x=2", "expected a shape, then `, sharding={..}`"),
    ] {
        let error = text.parse::<ShardedShape>().unwrap_err();
        assert!(error.to_string().contains(why), "{text}: {error}");
    }
}

#[test]
fn shardings_on_a_mesh_are_read_as_versions_of_xla_print_them() {
    // Without quotes, as in 2025; with quotes; and metadata behind a word.
    let quoted = "{mesh['a'=2,'b'=4], [{'a'}, {'b':(2)2, ?}], unreduced={'b':(1)2}}";
    let bare: HloSharding = quoted.replace('\'', "").parse().unwrap();
    assert_eq!(bare, quoted.parse().unwrap());
    assert_eq!(bare.to_string(), quoted);
    for text in [
        "{mesh['a'=2], replicated, metadata={{op_name=\"foo\"}}}",
        "{mesh['a'=2], [{'a'}], metadata={{op_name=\"foo\"}}}",
        "{maximal_mesh[device_id=5], metadata={op_name=\"foo\"}}",
        "{replicated metadata={op_name=\"foo\"}}",
    ] {
        assert_eq!(text.parse::<HloSharding>().unwrap().to_string(), text);
    }
    let other = r#"{mesh['a"'=2,'a'=2], [{'a"'}, {'a'}]}"#;
    assert_eq!(sharding(other).to_hlo().to_string(), "{devices=[2,2]<=[4]}");
    let comma = "{maximal device=3, metadata={op_name=\"foo\"}}";
    assert_eq!(comma.parse::<HloSharding>(), comma.replace(',', "").parse::<HloSharding>());
}

#[test]
fn an_axis_called_like_a_column_is_read_and_counted_but_has_no_layout() {
    for name in ["Addr", "i0"] {
        let text = format!("f32[8], sharding={{mesh['{name}'=2], [{{'{name}'}}]}}");
        let shape: ShardedShape = text.parse().unwrap();
        // Nothing in the sizes or in the text is a column, so neither can be mistaken for the other.
        assert_eq!(shape.to_string(), text);
        assert_eq!(shape.sizes().unwrap().shard_bytes, 16);
        let why = shape.lower().unwrap_err().to_string();
        assert!(why.contains(&format!("a mesh axis cannot be called `{name}`")), "{why}");
        // With levels of a machine, the axis is only a name.
        let machine = "PE=2".parse().unwrap();
        assert!(shape.lower_on(&machine).is_ok());
    }
}

#[test]
fn placements_that_pytorch_prints_are_read() {
    for (text, printed) in [
        ("(_StridedShard(dim=0, sf=2), Shard(dim=0))", "[_StridedShard(dim=0, sf=2), Shard(0)]"),
        ("[_StridedShard(0, split_factor=2), S(0)]", "[_StridedShard(dim=0, sf=2), Shard(0)]"),
        ("(_S(0, 2), R)", "[_StridedShard(dim=0, sf=2), Replicate()]"),
        (
            "[Partial(reduce_op='avg'), Partial(\"avg\"), Partial(avg), P(avg)]",
            "[Partial(avg), Partial(avg), Partial(avg), Partial(avg)]",
        ),
        ("(P, Partial())", "[Partial(sum), Partial(sum)]"),
        (
            "[_MaskPartial(reduce_op=sum, offset_shape=torch.Size([10]), offset_dim=0), MaskP(sum, torch.Size([10]), 0)]",
            "[Partial(sum), Partial(sum)]",
        ),
    ] {
        let read: Placements = text.parse().unwrap();
        assert_eq!(read.to_string(), printed);
        assert_eq!(printed.parse::<Placements>().unwrap(), read);
    }
    for slip in [
        "[Partial(x y)]",
        "[_StridedShard(dim=0, sf=0)]",
        "[_StridedShard(dim=0)]",
        "[Partial(reduce_op=)",
    ] {
        assert!(slip.parse::<Placements>().is_err(), "{slip}");
    }
}

#[test]
fn meshes_that_pytorch_prints_are_read() {
    for (text, mesh) in [
        ("DeviceMesh('cuda', [[0, 1], [2, 3]], mesh_dim_names=('dp', 'tp'))", "dp=2,tp=2"),
        ("DeviceMesh([[0, 1], [2, 3]], mesh_dim_names=('dp', 'tp'))", "dp=2,tp=2"),
        ("DeviceMesh((dp=2, tp=2), 'cuda', stride=(2, 1))", "dp=2,tp=2"),
        ("DeviceMesh((2, 2), 'cpu', stride=(2, 1))", "d0=2,d1=2"),
        (
            "DeviceMesh('cuda', [[0, 2], [1, 3]], mesh_dim_names=('dp', 'tp'))",
            "mesh['dp'=2,'tp'=2], device_ids=(0,2,1,3)",
        ),
        (
            "DeviceMesh((dp=2, tp=2), 'cuda', stride=(1, 2))",
            "mesh['dp'=2,'tp'=2], device_ids=(0,2,1,3)",
        ),
        (
            "DeviceMesh((dp=2, tp=2), 'cuda', stride=(2, 1), Mesh: [[0, 2], [1, 3]])",
            "mesh['dp'=2,'tp'=2], device_ids=(0,2,1,3)",
        ),
        ("DeviceMesh('cuda', [4, 5, 6, 7], mesh_dim_names=('tp',))", "tp=4"),
    ] {
        assert_eq!(text.parse::<Mesh>().unwrap(), mesh.parse().unwrap(), "{text}");
    }
    let uneven = "DeviceMesh('cuda', [[0, 1], [2]])".parse::<Mesh>().unwrap_err().to_string();
    assert!(uneven.contains("the rows of the mesh have different lengths"), "{uneven}");
    for (text, reason) in [
        ("DeviceMesh((a=4000000000, b=2), 'cuda', stride=(1, 5))", "at most 1048576 devices"),
        ("DeviceMesh((a=2, b=4000000000), 'cuda', stride=(5, 2))", "at most 1048576 devices"),
        ("DeviceMesh((a=3, b=2), 'cuda', stride=(9223372036854775808, 1))", "fit in 64 bits"),
    ] {
        let error = text.parse::<Mesh>().unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let deep = format!("DeviceMesh('cuda', {})", "[".repeat(1 << 16));
    assert!(deep.parse::<Mesh>().unwrap_err().to_string().contains("nest deeper"));
}

/// Pieces of parts are cuts below those that make the parts.
#[test]
fn pieces_of_parts_are_tiles_where_later_cuts_make_the_parts() {
    let sharding = |text: &str| {
        let shape: ShardedShape = format!("f32[{text}").parse().unwrap();
        shape
            .sharding()
            .map(|sharding| sharding.to_hlo().to_string())
            .map_err(|error| error.to_string())
    };
    let two = "sharding=[_StridedShard(0, sf=2), Shard(0)], mesh=dp=2,tp=2";
    assert_eq!(sharding(&format!("8], {two}")).as_deref(), Ok("{devices=[4]<=[2,2]T(1,0)}"));
    // Devices (0,0), (0,1), (1,0), (1,1) have rows 0, 4, 2, 6 on.
    let shape: ShardedShape = format!("f32[8], {two}").parse().unwrap();
    let starts = |device| shape.sharding().unwrap().shard(&[8], device).unwrap().unwrap()[0].start;
    assert_eq!([0, 1, 2, 3].map(starts), [0, 4, 2, 6]);
    for odd in [
        "7], sharding=[_StridedShard(0, sf=2), Shard(0)], mesh=dp=2,tp=2",
        "8], sharding=[_StridedShard(0, sf=2)], mesh=x=2",
    ] {
        assert!(sharding(odd).unwrap_err().contains("pieces of parts of dimension 0"), "{odd}");
    }
}
