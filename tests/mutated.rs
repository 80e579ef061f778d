//! Files with one byte changed, removed, or the rest cut off: they are answered as written, or rejected;
//! never half-read, never with a panic. The oracles read the same text in the plainest way.
//!
//! Arrow and Parquet are written here and never read. `python/tests/test_files.py` checks the headers of
//! arrays with NumPy.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

use tensor_layout::Placement;
use tensor_layout::image::ImageForm;
use tensor_layout::notation::Dtype;
use tensor_layout_hlo::{HloAllocations, HloDump, HloReport, LogAmount, MlirModule, OutOfMemory};
use tensor_layout_npy::{NpyHeader, UnitReader, UnitWriter};
use tensor_layout_vectors::{VectorData, VectorReader, check_vectors, compare_vectors};

/// Replacement bytes: some with a meaning in one of the formats, and some with none.
const BYTES: &[u8] = b"\0\t\n\r \"#'()*,-./0123789:<=>ALTW[\\]_aehu{}\x7f\x80\xff";

/// The position of the change, and the resulting file.
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

/// Mutants that are valid text, for readers of text.
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

/// A header without the parts that may vary: blanks, the kind of quotes, a trailing comma.
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
        // Complete data of that type and shape, or none.
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
    // The data, and the blanks after the header.
    assert!(read > 1000, "{read}");
}

#[test]
fn images_of_units_are_read_as_they_stand_or_refused() {
    let program =
        Placement::of("((2_PE, 2:1))".parse().unwrap()).build().unwrap().program().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let header = NpyHeader::of_unit(&program, ImageForm::Cells, "|u1");
    let mut image = UnitWriter::new(dir.path(), &program, header).unwrap();
    std::io::Write::write_all(&mut image, &[1, 2, 3, 4]).unwrap();
    drop(image);
    let units = [0, 1].map(|unit| dir.path().join(format!("PE={unit}.npy")));
    let whole = fs::read(&units[0]).unwrap();
    for (unit, path) in units.iter().enumerate() {
        let original = fs::read(path).unwrap();
        // Headers are tested above; here only some of them, and all of the data.
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
[[movements]]
name = \"up\"
upper = \"LM0\"
lower = \"LM0\"
direction = \"both\"
kind = \"pick one\"
map = \"((2:1))\"
lower_rate = 5
";

/// The values of a file that consists only of plain lines, by section and key.
#[cfg(feature = "toml")]
fn plain_toml(text: &str) -> Option<BTreeMap<(String, String), String>> {
    let (mut section, mut values) = (String::new(), BTreeMap::new());
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[') {
            section = name.strip_suffix(']')?.trim().to_owned();
        } else if !line.is_empty() {
            let (key, value) = line.split_once('=')?;
            let (key, value) = (key.trim(), value.trim());
            let plain = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let word = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let value = match word {
                Some(word) if word.contains(['"', '\\']) => return None,
                Some(word) => word.to_owned(),
                None => value.strip_prefix('+').unwrap_or(value).parse::<u64>().ok()?.to_string(),
            };
            values.insert((section.clone(), plain.then(|| key.to_owned())?), value);
        }
    }
    Some(values)
}

/// The properties of a machine, in the form of a file.
#[cfg(feature = "toml")]
fn machine_values(
    machine: &tensor_layout::Machine,
    has: impl Fn(&str, &str) -> bool,
) -> BTreeMap<(String, String), String> {
    let mut values = BTreeMap::new();
    let mut add = |section: &str, key: &str, value: Option<String>| {
        value.map(|value| values.insert((section.to_owned(), key.to_owned()), value));
    };
    let is_said = |key: &str, value: String| has("", key).then_some(value);
    add("", "name", is_said("name", machine.name().to_owned()));
    add("", "word_bits", is_said("word_bits", machine.word_bits().to_string()));
    for (level, size) in machine.levels() {
        add("levels", level.as_str(), Some(size.to_string()));
        add("bandwidth", level.as_str(), machine.bandwidth(level).map(|words| words.to_string()));
    }
    for (name, memory) in machine.memories() {
        // A machine without memories has one of unlimited size.
        add("memories", name, memory.capacity.map(|words| words.to_string()));
    }
    for of in machine.movements() {
        let mut add = |key: &str, value: Option<String>| add("[movements]", key, value);
        let words = [("name", &of.name), ("upper", &of.upper), ("lower", &of.lower)];
        words.into_iter().for_each(|(key, word)| add(key, Some(word.clone())));
        add("direction", Some(format!("{:?}", of.direction).to_lowercase()));
        add("kind", Some(of.kind.to_string()));
        add("map", of.map.clone());
        add("upper_rate", of.rates.0.map(|rate| rate.to_string()));
        add("lower_rate", of.rates.1.map(|rate| rate.to_string()));
    }
    values
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
        let has = |section: &str, key: &str| plain.contains_key(&(section.into(), key.into()));
        let found = machine_values(&machine, has);
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
        let unread: Vec<u64> = dump.reading().lines.iter().map(|line| line.line).collect();
        for (number, line) in (1..).zip(text.lines()) {
            let Some(plain) = plain_instruction(line).filter(|_| line.starts_with("  ")) else {
                continue;
            };
            let known = original.contains(&line);
            match seen.get(&number) {
                Some(parts) if known => assert_eq!(parts, &plain, "byte {at}:\n{text}"),
                Some(_) => {}
                // Outside computations, whose heads or ends the change may have hit, any text is allowed.
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

/// The lanes that the lines of a file set, in their order in the text.
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
        // A line that sets the same place as another leaves something unset, which is reported.
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
        // Every line writes its long word twice, so little else may change.
        let has_both = words.iter().all(|word| text.contains(word));
        assert!(has_both || !is_same, "byte {at}:\n{text}");
        same += usize::from(is_same);
    }
    assert!(same > 100, "{same}");
}

const LOG: &str = "\
Ran out of memory in memory space hbm. Used 20.50G of 16.00G hbm.
    arguments         4.00G
  1. Size: 8.00G
     Operator: op_name=\"jit(f)/take\"
     Shape: s32[64,8,4]{2,1,0:T(8,128)}
     Unpadded size: 256.00M
     XLA label: fusion.9 = fusion(param.3)
     Allocation type: HLO temp
     ==========================
  2. Size: 3.50K
     Shape: f32[896]{0}
     ==========================
";

/// The facts of a log, each with its line number, from 0.
fn facts(log: &[OutOfMemory]) -> BTreeMap<usize, String> {
    let amount = |of: LogAmount| of.to_string();
    let mut facts = BTreeMap::new();
    for limit in log.iter().flat_map(|message| &message.limits) {
        let capacity = limit.capacity.map(amount);
        let said = format!("{} {} {capacity:?}", limit.memory, limit.needed);
        facts.insert(to_index(limit.line), said);
    }
    facts.extend(
        log.iter()
            .flat_map(|message| &message.parts)
            .map(|(name, size)| (1, format!("{name} {size}"))),
    );
    for one in log.iter().flat_map(|message| &message.allocations) {
        let start = to_index(one.line);
        let mut add = |line: usize, fact: Option<String>| {
            fact.map(|fact| facts.insert(start + line, fact));
        };
        add(0, Some(format!("{:?}", one.size.map(amount))));
        // The second allocation has no operator, so that its shape is the next line.
        let is_first = start == 2;
        add(1, one.op_name.clone());
        add(if is_first { 2 } else { 1 }, one.shape.clone());
        add(3, one.unpadded.map(amount));
        add(4, one.label.clone());
        add(5, one.kind.clone());
    }
    facts
}

fn to_index(line: u64) -> usize {
    usize::try_from(line - 1).unwrap()
}

#[test]
fn logs_are_read_line_by_line_and_no_allocation_takes_the_fields_of_another() {
    let original = facts(&OutOfMemory::read_all(LOG));
    assert_eq!(original.len(), 10, "{original:?}");
    let lines: Vec<&str> = LOG.lines().collect();
    let mut kept = 0;
    for (at, text) in mutated_texts(LOG) {
        let changed = LOG[..at].matches('\n').count();
        let found = facts(&OutOfMemory::read_all(&text));
        // Unless a line break changes, the line numbers stay the same.
        if text.lines().count() != lines.len() {
            continue;
        }
        for (line, fact) in &original {
            // The fields of an allocation whose size cannot be read are not reported.
            let owner = if (2..8).contains(line) { 2 } else { 9 };
            match found.get(line) {
                Some(again) if *line != changed => {
                    assert_eq!(again, fact, "byte {at}, line {line}:\n{text}");
                    kept += 1;
                }
                Some(_) => {}
                None => assert!(changed == *line || changed == owner, "byte {at}:\n{text}"),
            }
        }
        assert!(found.keys().all(|line| original.contains_key(line)), "byte {at}:\n{text}");
    }
    assert!(kept > 100_000, "{kept}");
}

const ALLOCATIONS: &str = "\
BufferAssignment:
allocation 0: size 4096, parameter 2, shape |f32[8,128]| at ShapeIndex {}:
 value: <31 arg.5{1} (phi) @0> (size=4096,offset=0): f32[8,128]{1,0}
allocation 1: size 132, preallocated-temp:
 value: <2 b @0> (size=132,offset=0): f32[33]{0}
 value: <3 c @0> (size=128,offset=0): f32[32]{0}
";

#[test]
fn values_are_those_of_the_allocation_above_them_or_told_as_unread() {
    let is_value = |line: &str| line.trim_start().starts_with("value: ");
    let mut read = 0;
    for (at, text) in mutated_texts(ALLOCATIONS) {
        let all = HloAllocations::read(&text);
        // A value whose shape alone cannot be read still counts as a value.
        let told = all.reading().lines.iter().filter(|line| line.reason.ends_with("value"));
        let told: Vec<usize> = told.map(|line| to_index(line.line)).collect();
        let lines: Vec<(usize, &str)> = text.lines().enumerate().collect();
        for block in &all.allocations {
            let head = to_index(block.line);
            let (_, size) = lines[head].1.split_once("size ").unwrap();
            let size = size.split([',', ':']).next().unwrap();
            assert_eq!(size.parse(), Ok(block.size), "byte {at}:\n{text}");
            let below = lines[head + 1..].iter();
            let below = below.take_while(|(_, line)| is_value(line) || line.trim().is_empty());
            let below = below.filter(|(at, line)| is_value(line) && !told.contains(at)).count();
            assert_eq!(block.values, below as u64, "byte {at}:\n{text}");
        }
        let values = lines.iter().filter(|(_, line)| is_value(line)).count();
        let of_blocks: u64 = all.allocations.iter().map(|block| block.values).sum();
        assert_eq!(values as u64, of_blocks + told.len() as u64, "byte {at}:\n{text}");
        read += of_blocks;
    }
    assert!(read > 20_000, "{read}");
}

const MODULE: &str = "\
module @jit_f {
  sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>
  func.func public @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %arg1: tensor<i1>) -> tensor<8xbf16> {
    %3 = sdy.sharding_constraint %2 <@mesh, [{\"x\"}, {\"y\"}]> : tensor<64x64xf32>
  }
}
";

#[test]
fn tensors_of_a_module_are_read_as_they_stand_or_told_as_unread() {
    let (mut read, mut unread) = (0, 0);
    for (at, text) in mutated_texts(MODULE).step_by(3) {
        let module = MlirModule::read(&text);
        for value in &module.values {
            let line = text.lines().nth(to_index(value.line)).unwrap();
            let (dtype, dims) = value.shape.trim_end_matches(']').split_once('[').unwrap();
            let dtypes = [("pred", "i1"), ("f32", "f32"), ("bf16", "bf16")];
            let dtype = dtypes.iter().find(|(name, _)| *name == dtype).map_or(dtype, |(_, of)| of);
            let dims: String = dims.split(',').map(|dim| dim.to_owned() + "x").collect();
            let dims = if dims == "x" { "" } else { &dims };
            let tensor = format!("tensor<{dims}{dtype}");
            let line = line.to_ascii_lowercase();
            assert!(
                line.contains(&tensor) || dtype.starts_with(['s', 'u']),
                "byte {at}: {value:?}\n{text}"
            );
            // A device holds the whole tensor, or the part that the sharding in the text determines.
            let cut = value.whole_bytes / value.device_bytes.max(1);
            let is_sharded = value.sharding.as_ref().is_some_and(|text| text.contains("x\"}"));
            assert!(cut == 1 || is_sharded, "byte {at}: {value:?}\n{text}");
            read += 1;
        }
        unread += module.reading().lines.len();
    }
    assert!(read > 5_000 && unread > 500, "{read} {unread}");
}
