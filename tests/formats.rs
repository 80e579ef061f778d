//! Long words, files that are rejected. Law 2 tests generated tables and images.

use std::io::{Cursor, ErrorKind, Read, Write};

use tensor_layout::image::ImageForm;
use tensor_layout::program::Program;
use tensor_layout::{Level, Placement};
use tensor_layout_npy::{NpyHeader, UnitReader, UnitWriter};
use tensor_layout_rows::{Format, write};

fn program(text: &str) -> Program {
    Placement::of(text.parse().unwrap()).build().unwrap().program().unwrap()
}

#[test]
fn long_words_hold_lane_0_most_significant() {
    let placement = Placement::of("((2_PE), (2:1, 4_W:1))".parse().unwrap());
    let program = placement.element_bits(16).build().unwrap().program().unwrap();
    let tensor: Vec<u8> = (0..16_u16).flat_map(|n| (n + 0xa0).to_le_bytes()).collect();
    let mut image = Vec::new();
    let form = ImageForm::LongWords;
    program.pack_stream(&mut Cursor::new(&tensor), &mut image, 0_u16, form).unwrap();
    let word = u64::from_le_bytes(image[..8].try_into().unwrap());
    assert_eq!(word, 0x00a0_00a1_00a2_00a3);
    let mut back = Vec::new();
    program.unpack_stream::<u16>(&mut Cursor::new(image), &mut back, form).unwrap();
    assert_eq!(back, tensor);
}

#[test]
fn a_tensor_that_ends_early_is_refused() {
    let program = Placement::of("((4:1))".parse().unwrap()).build().unwrap().program().unwrap();
    let short = &mut Cursor::new(vec![0_u8; 7]);
    let refusal = program.pack_stream(short, &mut Vec::new(), 0_u16, ImageForm::Cells).unwrap_err();
    assert_eq!(refusal.to_string(), "failed to fill whole buffer");
}

/// A `.npy` file of version 1.0 with this text.
fn header(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes()].concat()
}

fn refused_header(file: &[u8]) -> String {
    NpyHeader::read(&mut &file[..]).expect_err(&format!("{file:?}")).to_string()
}

#[test]
fn headers_are_read_as_python_reads_a_dict() {
    let header_of = |text: &str| NpyHeader::read(&mut &header(text)[..]).unwrap();
    for (text, shape) in [
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), }", &[2, 3][..]),
        ("{\"descr\": \"<u4\", \"fortran_order\": False, \"shape\": (2,3,)}", &[2, 3]),
        ("\t{ 'shape':() ,\n'fortran_order'\t:False,'descr':'<u4'}  \n", &[]),
        ("{'descr': '>f4', 'shape': (7,), 'fortran_order': False, 'descr': '<u4'}", &[7]),
        ("{'descr': '<u4', 'fortran_order': True, 'shape': (2,), 'fortran_order': False}", &[2]),
    ] {
        let expected = NpyHeader { descr: "<u4".into(), shape: shape.into() };
        assert_eq!(header_of(text), expected, "{text}");
    }
}

#[test]
fn headers_that_are_not_plain_arrays_are_refused() {
    assert_eq!(refused_header(b"PK\x03\x04________"), "not a .npy file");
    assert_eq!(refused_header(b"\x93NUM"), "not a .npy file");
    assert_eq!(refused_header(b"\x93NUMPY\x01\x00\x10\x00{'descr':"), "the .npy header is cut off");
    let mut other = header("{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), }");
    other[7] = 102;
    let refusal = "version 1.102 of .npy is not known; expected 1.0, 2.0 or 3.0";
    assert_eq!(refused_header(&other), refusal);
    for (text, refusal) in [
        ("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", "Fortran order"),
        // The last occurrence of a key counts, as in NumPy.
        (
            "{'descr':'<u4','fortran_order':False,'shape':(2,3),'fortran_order':True}",
            "Fortran order",
        ),
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), ", "a key such as"),
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3)", "`,` or `}`"),
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3, 4, 40)e }", "`,` or `}`"),
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (3)}", "a tuple of extents"),
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (,)}", "an extent"),
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (-1,)}", "an extent"),
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (2 3)}", "`,` or `)`"),
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (02, 3)}", "begin with 0"),
        ("{'descr': '<u4', 'fortran_order': False0, 'shape': (2, 3)}", "`True` or `False`"),
        ("{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (2,)}", "a plain type"),
        ("{'descr': '<u4\\x00', 'fortran_order': False, 'shape': (2,)}", "the closing quote"),
        ("{'descr': '<u4', 'fortran_order': False}", "the key `shape` is missing"),
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (2,), 'more': 1}", "the keys are"),
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (2,)} }", "the end of the header"),
        ("{'descr': '<u4', 'fortran_order': False, 'shape': (2,)}\n ", "the end of the header"),
    ] {
        let found = refused_header(&header(text));
        assert!(found.starts_with("invalid .npy header: ") && found.contains(refusal), "{found}");
    }
}

#[test]
fn a_header_longer_than_numpy_takes_is_refused_and_so_is_one_that_is_cut() {
    let header = |length: u32| {
        let mut file = b"\x93NUMPY\x02\x00".to_vec();
        file.extend(length.to_le_bytes());
        let text = b"{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }";
        file.extend(text);
        file.resize(12 + length as usize, b' ');
        file
    };
    assert_eq!(NpyHeader::read(&mut &header(10_000)[..]).unwrap().shape, [4]);
    assert!(NpyHeader::read(&mut &header(10_001)[..]).is_err());
    assert!(NpyHeader::read(&mut &header(128)[..100]).is_err());
}

#[test]
fn files_of_units_end_with_the_last_unit() {
    let program = program("((2_PE, 2:1))");
    let dir = tempfile::tempdir().unwrap();
    let header = NpyHeader::of_unit(&program, ImageForm::Cells, "|u1");
    let mut image = UnitWriter::new(dir.path(), &program, header).unwrap();
    assert!(image.write_all(&[1, 2, 3, 4]).is_ok());
    assert_eq!(image.write_all(&[5]).unwrap_err().kind(), ErrorKind::WriteZero);
    drop(image);
    let mut back = Vec::new();
    UnitReader::open(dir.path(), &program).unwrap().read_to_end(&mut back).unwrap();
    assert_eq!(back, [1, 2, 3, 4]);
    let path = dir.path().join("PE=1.npy");
    let file = std::fs::read(&path).unwrap();
    for wrong in [&file[..file.len() - 1], &[&file[..], &[0]].concat()[..]] {
        std::fs::write(&path, wrong).unwrap();
        let mut image = UnitReader::open(dir.path(), &program).unwrap();
        let refusal = image.read_to_end(&mut Vec::new()).unwrap_err().to_string();
        assert!(refusal.contains("PE=1.npy: the header gives the shape [2], but "), "{refusal}");
    }
}

#[test]
fn files_of_units_have_a_known_type_and_the_shape_of_a_unit() {
    let layout = program("((2_PE, 2:1))");
    let dir = tempfile::tempdir().unwrap();
    let unknown = NpyHeader::of_unit(&layout, ImageForm::Cells, ">u2");
    let refused = UnitWriter::new(dir.path(), &layout, unknown).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidInput);
    let header = NpyHeader::of_unit(&layout, ImageForm::Cells, "|u1");
    UnitWriter::new(dir.path(), &layout, header).unwrap().write_all(&[1, 2, 3, 4]).unwrap();
    let refused = UnitReader::open(dir.path(), &program("((2_PE, 4:1))")).unwrap_err();
    assert!(refused.to_string().ends_with("the shape is [2], but that of a unit is [4]"));
}

#[test]
fn long_words_that_the_lanes_do_not_fill_are_refused() {
    let cases = [("((2_PE, 8:1))", 1), ("((2_PE, 8:1, 2_W))", 2), ("((2_PE, 8_W))", 8)];
    for (text, lanes) in cases {
        let refused = program(text).pack_stream::<u16>(
            &mut Cursor::new(vec![0; 64]),
            &mut Vec::new(),
            0,
            ImageForm::LongWords,
        );
        let refused = refused.unwrap_err().to_string();
        assert_eq!(refused, format!("{lanes} lanes of 16 bits do not fill a long word of 64 bits"));
    }
}

#[test]
fn a_level_called_as_an_entry_of_the_index_is_refused_where_names_must_differ() {
    let placement = Placement::of("((2_i1:1), (3:1))".parse().unwrap()).build().unwrap();
    let write = |format| {
        let mut text = Vec::new();
        write(&placement.table(), format, &mut text, &mut |_| {}).map(|()| text)
    };
    let refused = write(Format::Csv).unwrap_err().to_string();
    assert!(refused.starts_with("two columns of the table would be called `i1`"), "{refused}");
    let lines = String::from_utf8(write(Format::JsonLines).unwrap()).unwrap();
    assert!(lines.starts_with("{\"at\":{\"i1\":0,\"Addr\":0},\"index\":[0,0]}\n"), "{lines}");
}

#[test]
fn a_level_that_is_not_a_column_cannot_be_a_partition() {
    let placement = Placement::of("((4_PE))".parse().unwrap()).build().unwrap();
    let place = [(Level::MAB, 0)].into_iter().collect();
    assert!(placement.table().partition(&place).is_err());
}
