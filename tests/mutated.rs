//! Files with one byte changed, taken out or cut off behind: answered as they stand, or refused; never
//! half, never by a panic. The judges read the same text in the plainest way.
//!
//! Arrow and Parquet are written here and never read. `python/tests/test_files.py` lets NumPy judge
//! the headers of arrays.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

use tensor_layout::Placement;
use tensor_layout::image::{ImageForm, NpyHeader, UnitReader, UnitWriter};
use tensor_layout::notation::Dtype;
use tensor_layout_hlo::{HloDump, HloReport};
use tensor_layout_vectors::{VectorData, VectorReader, check_vectors, compare_vectors};

/// What a byte becomes: what formats mean something by, and what none of them knows.
const BYTES: &[u8] = b"\0\t\n\r \"#'()*,-./0123789:<=>ALTW[\\]_aehu{}\x7f\x80\xff";

/// The place of the change, and the file that it makes.
fn mutants(file: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> + '_ {
    let changed = move |at: usize| {
        let others = BYTES.iter().filter(move |byte| **byte != file[at]);
        let replaced = others.map(move |byte| [&file[..at], &[*byte], &file[at + 1..]].concat());
        let without = [&file[..at], &file[at + 1..]].concat();
        let twice = [&file[..=at], &file[at..]].concat();
        let cut = file[..at].to_vec();
        replaced.chain([without, twice, cut]).map(move |file| (at, file))
    };
    (0..file.len()).flat_map(changed)
}

/// Texts alone, for readers of text.
fn mutated_texts(file: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    mutants(file.as_bytes()).filter_map(|(at, file)| Some((at, String::from_utf8(file).ok()?)))
}

/// An array of 2 x 3 numbers, with the length of its header.
fn array(descr: &str) -> (Vec<u8>, usize) {
    let mut file = Vec::new();
    NpyHeader { descr: descr.into(), shape: vec![2, 3] }.write(&mut file).unwrap();
    let data = file.len();
    file.extend((0..6_u32).flat_map(|n| (0x0102_0304 * n).to_le_bytes()));
    (file, data)
}

/// A header as it is written, without what may vary: blanks, the kind of the quotes, a last comma.
fn plain_header(text: &str) -> String {
    let text = text.replace('"', "'").replace([' ', '\t', '\r', '\n'], "");
    text.replace(",}", "}").replace("3,)", "3)")
}

#[test]
fn arrays_are_read_as_they_stand_or_refused() {
    let (file, data) = array("<u4");
    let mut read = 0;
    for (at, file) in mutants(&file) {
        let mut rest = &file[..];
        let Ok(header) = NpyHeader::read(&mut rest) else { continue };
        let text = String::from_utf8(file[10..file.len() - rest.len()].to_vec()).unwrap();
        let mut again = Vec::new();
        header.write(&mut again).unwrap();
        let written = String::from_utf8(again[10..].to_vec()).unwrap();
        assert_eq!(plain_header(&text), plain_header(&written), "byte {at}: {header:?}");
        // Whole data of that type and shape, or none.
        match VectorData::from_npy(Dtype::UInt, &mut &file[..]) {
            Err(_) => assert!(at < data || rest.len() != 24, "byte {at}"),
            Ok(array) => {
                read += 1;
                let cells: Vec<u64> =
                    (0..header.entries().unwrap()).map(|n| array.bits(n)).collect();
                let bytes = rest.chunks(4).map(|cell| cell.try_into().unwrap());
                let found: Vec<u64> = bytes.map(|cell| u32::from_le_bytes(cell).into()).collect();
                assert_eq!(
                    (&header.descr[..], array.shape(), cells),
                    ("<u4", &header.shape[..], found)
                );
            }
        }
    }
    // The data, and the blanks behind the header.
    assert!(read > 1000, "{read}");
}

#[test]
fn images_of_units_are_read_as_they_stand_or_refused() {
    let program =
        Placement::of("((2_PE, 2:1))".parse().unwrap()).build().unwrap().program().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let header = program.unit_header(ImageForm::Cells, "|u1");
    let mut image = UnitWriter::new(dir.path(), &program, header).unwrap();
    std::io::Write::write_all(&mut image, &[1, 2, 3, 4]).unwrap();
    drop(image);
    let units = [0, 1].map(|unit| dir.path().join(format!("PE={unit}.npy")));
    let whole = fs::read(&units[0]).unwrap();
    for (unit, path) in units.iter().enumerate() {
        let original = fs::read(path).unwrap();
        // Headers are judged above; here some of them, and all of the data.
        let some = mutants(&original).step_by(61);
        for (at, file) in some.chain(mutants(&original).filter(|(at, _)| *at >= 128)) {
            fs::write(path, &file).unwrap();
            let mut cells = Vec::new();
            let read = UnitReader::open(dir.path(), &program);
            if read.and_then(|mut image| image.read_to_end(&mut cells)).is_ok() {
                let mut expected = [1, 2, 3, 4];
                expected[2 * unit..][..2].copy_from_slice(&file[file.len() - 2..]);
                assert_eq!((file.len(), &cells[..]), (whole.len(), &expected[..]), "byte {at}");
            }
        }
        fs::write(path, &original).unwrap();
    }
}

#[cfg(feature = "toml")]
const MACHINE: &str = "\
name = \"m\"
word_bits = 32
[levels]
L2B = 2
PE = 4
[memories]
LM0 = 70
[bandwidth]
PE = 3
";

/// The numbers of a file that has nothing but plain lines: by section and key.
#[cfg(feature = "toml")]
fn plain_toml(text: &str) -> Option<BTreeMap<(String, String), u64>> {
    let (mut section, mut numbers) = (String::new(), BTreeMap::new());
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[') {
            section = name.strip_suffix(']')?.trim().to_owned();
        } else if !line.is_empty() {
            let (key, value) = line.split_once('=')?;
            let (key, value) = (key.trim(), value.trim());
            if value.starts_with('"') {
                continue;
            }
            let plain = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let value = value.strip_prefix('+').unwrap_or(value).parse().ok().filter(|_| plain);
            numbers.insert((section.clone(), key.to_owned()), value?);
        }
    }
    Some(numbers)
}

#[cfg(feature = "toml")]
#[test]
fn machines_are_read_as_they_stand_or_refused() {
    let (mut read, mut judged) = (0, 0);
    for (at, text) in mutated_texts(MACHINE).step_by(3) {
        let Ok(machine) = tensor_layout::Machine::from_toml(&text) else { continue };
        read += 1;
        let Some(plain) = plain_toml(&text) else { continue };
        judged += 1;
        let mut found = BTreeMap::new();
        let mut add =
            |section: &str, key: &str, n| found.insert((section.to_owned(), key.to_owned()), n);
        if plain.contains_key(&(String::new(), "word_bits".to_owned())) {
            add("", "word_bits", machine.word_bits());
        }
        for (level, size) in machine.levels() {
            add("levels", level.as_str(), size);
            machine.bandwidth(level).map(|words| add("bandwidth", level.as_str(), words));
        }
        for (name, memory) in machine.memories() {
            // A machine without memories has one of any size.
            memory.capacity.map(|words| add("memories", name, words));
        }
        assert_eq!(found, plain, "byte {at}:\n{text}");
    }
    assert!(judged > 100 && judged * 10 > read * 9, "{judged} of {read}");
}

const DUMP: &str = "\
HloModule m

add {
  x = f32[3] parameter(0)
  ROOT y = f32[3] add(x, x)
}

ENTRY e {
  p = f32[3]{0} parameter(0), metadata={op_name=\"a\"}
  ROOT q = f32[3]{0} call(p), to_apply=add
}
";

/// The name, the shape and the opcode of a line `name = shape opcode(..`.
fn plain_instruction(line: &str) -> Option<[&str; 3]> {
    let (name, rest) = line.trim().split_once(" = ")?;
    let (shape, rest) = rest.split_once(' ')?;
    Some([name.strip_prefix("ROOT ").unwrap_or(name), shape, rest.split_once('(')?.0])
}

#[test]
fn dumps_are_read_line_by_line_or_told_as_unread() {
    let original: Vec<&str> = DUMP.lines().collect();
    let mut read = 0;
    for (at, file) in mutants(DUMP.as_bytes()) {
        let mut dump = HloDump::new(&file[..]);
        let mut seen: BTreeMap<u64, [String; 3]> = BTreeMap::new();
        while let Some(computation) = dump.next_computation().unwrap() {
            for of in computation.instructions() {
                let parts = [of.name(), of.shape_text(), of.opcode()].map(str::to_owned);
                seen.insert(of.line(), parts);
            }
        }
        let text = String::from_utf8_lossy(&file);
        let unread: Vec<u64> = dump.unread_lines().iter().map(|line| line.line).collect();
        for (number, line) in (1..).zip(text.lines()) {
            let Some(plain) = plain_instruction(line).filter(|_| line.starts_with("  ")) else {
                continue;
            };
            let known = original.contains(&line);
            match seen.get(&number) {
                Some(parts) if known => assert_eq!(parts, &plain, "byte {at}:\n{text}"),
                Some(_) => {}
                // Outside of computations, whose heads or ends the change may have hit, any text may stand.
                None => assert!(
                    unread.contains(&number) || seen.len() + unread.len() < 4 || !known,
                    "byte {at}, line {number}:\n{text}"
                ),
            }
        }
        read += seen.len();
        let _ = HloReport::scan(&file[..], |_| {});
    }
    assert!(read > 20_000, "{read}");
}

const VECTORS: &str = "\
# ======= In(0): ((2:1, 2_W:1))@LM0 / Float =======
d set $lm0 1 3F800000C0000000 # values=[1.0, -2.0] / Float @[0],[1]
d set $lm2 1 4080000040000000 # values=[4.0, 2.0] / Float @[2],[3]
# ======= Out(0): ((2:1, 2_W:1))@LM1 / Int =======
d getd $ln0 1 # expect=[1, 2] / Int @[0],[1]
d getd $ln2 1 # expect=[3, 4] / Int @[2],[3]
";

/// The lanes that the lines of a file set, as they stand.
fn lanes(text: &str) -> Vec<u64> {
    let words = text.lines().filter_map(|line| {
        let line = line.split('#').next()?.trim().strip_prefix('d')?.trim_start();
        line.strip_prefix("set")?.split_whitespace().last()
    });
    let lanes = words.flat_map(|word| [word.get(..8), word.get(8..)]);
    lanes.map(|lane| u64::from_str_radix(lane.unwrap_or(""), 16).unwrap_or(u64::MAX)).collect()
}

#[test]
fn vectors_are_read_as_they_stand_or_refused() {
    let mut answered = 0;
    for (at, text) in mutated_texts(VECTORS).step_by(11) {
        let _ = check_vectors(text.as_bytes(), &mut |_| {});
        let mut reader = VectorReader::new(text.as_bytes());
        let Ok(Some(first)) = reader.next_tensor(&mut |_| {}) else { continue };
        if first.header.number != 0
            || !first.header.layout.to_string().starts_with("((2:1, 2_W:1))@LM0")
        {
            continue;
        }
        let set = (0..4).filter(|element| !first.unset().any(|unset| unset == *element));
        let set: Vec<u64> = set.map(|element| first.data.bits(element)).collect();
        let said = lanes(text.split("# ======= O").next().unwrap());
        // A line that sets what another one does leaves something unset, which is told.
        assert!(
            set == said || (first.unset_count() > 0 && set.len() < said.len()),
            "byte {at}: {set:x?}\n{text}"
        );
        answered += 1;
    }
    assert!(answered > 100, "{answered}");
}

const RESULT: &str = "\
DEBUG-LM1(n0c0b0m0p0,0):(0) (0x0000000100000002) #d getd $ln0n0c0b0m0p0 1
DEBUG-LM1(n0c0b0m0p0,2):(0) (0x0000000300000004) #d getd $ln2n0c0b0m0p0 1
";

#[test]
fn results_are_compared_as_they_stand_or_refused() {
    let file = VECTORS.replace("$ln0 ", "$ln0n0c0b0m0p0 ").replace("$ln2 ", "$ln2n0c0b0m0p0 ");
    let mut same = 0;
    for (at, result) in mutants(RESULT.as_bytes()) {
        let Ok(compared) = compare_vectors(file.as_bytes(), &result[..], &mut |_| {}) else {
            continue;
        };
        let text = String::from_utf8_lossy(&result);
        let words = ["(0x0000000100000002)", "(0x0000000300000004)"];
        let is_same = compared.iter().all(|tensor| tensor.wrong == 0);
        // Every line says its long word twice over, so little else may change.
        let stands = words.iter().all(|word| text.contains(word));
        assert!(stands || !is_same, "byte {at}:\n{text}");
        same += usize::from(is_same);
    }
    assert!(same > 100, "{same}");
}
