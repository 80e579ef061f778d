//! `machines`, `dtypes`, `notations`: the names that options take.

use clap::Args as ClapArgs;
use serde_json::{Value, json};
use tensor_layout::Machine;
use tensor_layout::machine::Memory;
use tensor_layout::notation::Dtype;
use tensor_layout::xla::XlaDtype;

use super::failure::Failure;
use super::input::Form;
use super::output::print;

/// List the machines that --machine knows by name.
#[derive(Debug, ClapArgs)]
pub(super) struct Machines {
    #[command(flatten)]
    form: Form,
}

/// List the element types of PadLayouts and of XLA shapes.
#[derive(Debug, ClapArgs)]
pub(super) struct Dtypes {
    #[command(flatten)]
    form: Form,
}

/// List the notations that can be read and written, with an example of each.
#[derive(Debug, ClapArgs)]
pub(super) struct Notations {
    #[command(flatten)]
    form: Form,
}

/// Names, meanings and examples of the notations.
const NOTATIONS: [(&str, &str, &str); 7] = [
    ("pad-layout", "TensorLayout / PadLayout", "((4_PE, 3:8), (8:1))"),
    ("xla", "XLA shapes", "bf16[8,128]{1,0:T(8,128)(2,1)}"),
    ("cute", "CuTe layouts, shape:stride", "((2,2),3):((24,2),8)"),
    ("strided", "NumPy and PyTorch strides", "shape=(2, 3), strides=(3, 1)"),
    (
        "triton",
        "Triton encodings and linear layouts",
        "tensor<4x8xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>>",
    ),
    ("atom", "matrices of GPU instructions", "SM80_16x8x16_F32F16F16F32_TN:A"),
    ("sharded", "XLA shapes with a sharding", "f32[10,7], sharding={devices=[2,4]<=[8]}"),
];

impl Machines {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let machines = || Machine::PRESETS.iter().filter_map(|name| Machine::preset(name));
        if self.form.is_json() {
            return print(&Value::from_iter(machines().map(|m| machine_json(&m))).to_string());
        }
        let mut page: String = machines().map(|machine| machine_page(&machine)).collect();
        page.push_str("Any other tree: levels such as L2B=4,PE=4, or a TOML file.\n");
        print(&page)
    }
}

fn machine_page(machine: &Machine) -> String {
    let levels: Vec<String> =
        machine.levels().map(|(level, size)| format!("{size} {level}")).collect();
    let mut page = format!("{}\n  levels    {}\n", machine.name(), levels.join(" > "));
    for (name, Memory { capacity, owner, group }) in machine.memories() {
        let capacity = capacity.map_or_else(
            || "capacity not public".to_owned(),
            |words| format!("{words} long words of {} bits", machine.word_bits()),
        );
        let of = match group {
            1 => format!("per {owner}"),
            _ => format!("for every {group} {owner}"),
        };
        page.push_str(&format!("  {name:<8}  {capacity}, {of}\n"));
    }
    page + "\n"
}

fn machine_json(machine: &Machine) -> Value {
    let levels: serde_json::Map<String, Value> =
        machine.levels().map(|(level, size)| (level.to_string(), json!(size))).collect();
    let memories = machine.memories().map(|(name, memory)| {
        let Memory { capacity, owner, group } = memory;
        json!({
            "memory": name, "capacity_words": capacity, "owner": owner.as_str(), "group": group,
        })
    });
    json!({
        "machine": machine.name(),
        "levels": levels,
        "word_bits": machine.word_bits(),
        "memories": memories.collect::<Vec<_>>(),
    })
}

impl Dtypes {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let pad: Vec<(&str, u64)> = Dtype::ALL.iter().map(|d| (d.name(), d.bits())).collect();
        let xla: Vec<(&str, u64)> = XlaDtype::all().map(|d| (d.name(), d.bits())).collect();
        if self.form.is_json() {
            let list = |types: &[(&str, u64)]| -> Value {
                types.iter().map(|(name, bits)| json!({ "dtype": name, "bits": bits })).collect()
            };
            return print(&json!({ "pad-layout": list(&pad), "xla": list(&xla) }).to_string());
        }
        let list = |types: &[(&str, u64)]| -> String {
            types.iter().map(|(name, bits)| format!("  {name:<14} {bits:>4} bits\n")).collect()
        };
        print(&format!(
            "PadLayout (--dtype, or after the memory, as in @LM0 / Half)\n{}\nXLA\n{}",
            list(&pad),
            list(&xla)
        ))
    }
}

impl Notations {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if self.form.is_json() {
            let one = |(name, what, example): &(&str, &str, &str)| json!({ "notation": name, "meaning": what, "example": example, "read": true });
            let written = super::convert::only_written().into_iter().map(|(name, what)| {
                json!({ "notation": name, "meaning": what, "example": null, "read": false })
            });
            return print(&NOTATIONS.iter().map(one).chain(written).collect::<Value>().to_string());
        }
        let written = super::convert::only_written().into_iter();
        let written = written.map(|(name, what)| format!("{name:<14} {what}\n"));
        let line = |(name, what, example): &(&str, &str, &str)| {
            format!("{name:<14} {what:<26} {example}\n")
        };
        let read = NOTATIONS.iter().map(line).collect::<String>();
        print(&format!("{read}\nonly written, with convert --to\n{}", written.collect::<String>()))
    }
}
