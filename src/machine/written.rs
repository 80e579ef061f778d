//! `Serialize` and `Deserialize` of machines: the name if it parses as the same machine, otherwise all parts.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::{Assembly, Machine, MachineBuilder, Memory, Movement, MovementKind};
use crate::level::Level;

/// The version of the form that is written, and the only one that is read.
const VERSION: u32 = 1;

/// A machine as it is written.
#[derive(PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenMachine {
    version: u32,
    name: String,
    word_bits: u64,
    /// From the root down.
    levels: Vec<(Level, u64)>,
    memories: Vec<(String, Memory)>,
    bandwidth: Vec<(Level, u64)>,
    movements: Vec<Movement>,
    assembly: Assembly,
}

impl From<&Machine> for WrittenMachine {
    fn from(machine: &Machine) -> WrittenMachine {
        let memories = machine.memories().map(|(name, memory)| (name.to_owned(), memory));
        WrittenMachine {
            version: VERSION,
            name: machine.name().to_owned(),
            word_bits: machine.word_bits(),
            levels: machine.levels().collect(),
            memories: memories.collect(),
            bandwidth: machine.parts.bandwidth.clone().into_iter().collect(),
            movements: machine.movements().to_vec(),
            assembly: machine.parts.assembly.clone(),
        }
    }
}

impl WrittenMachine {
    /// The machine, checked as any that is built.
    fn machine<E: Error>(self) -> Result<Machine, E> {
        crate::words::check_version("a machine", self.version, VERSION)?;
        // Two layouts without units have such a machine; nobody builds one by mistake.
        let one_unit = Machine::one_unit();
        if self == WrittenMachine::from(&one_unit) {
            return Ok(one_unit);
        }
        let start = Machine::builder(&self.name).word_bits(self.word_bits);
        let level = |all: MachineBuilder, (level, size)| all.level(level, size);
        let memory =
            |all: MachineBuilder, (name, memory): (String, Memory)| all.memory(&name, memory);
        let bandwidth = |all: MachineBuilder, (level, words)| all.bandwidth(level, words);
        let machine = self.levels.into_iter().fold(start, level);
        let machine = self.memories.into_iter().fold(machine, memory);
        let machine = self.bandwidth.into_iter().fold(machine, bandwidth);
        machine.movements(self.movements).assembly(self.assembly).build().map_err(E::custom)
    }
}

/// Either form; formats that are not human-readable have only the parts.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum NameOrParts {
    Name(String),
    Parts(Box<WrittenMachine>),
}

impl Serialize for Machine {
    /// The name of a preset, or the levels that name the machine, in human-readable formats; else its parts.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_name = || self.name().parse::<Machine>().is_ok_and(|named| named == *self);
        match serializer.is_human_readable() && is_name() {
            true => serializer.serialize_str(self.name()),
            false => WrittenMachine::from(self).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Machine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Machine, D::Error> {
        if !deserializer.is_human_readable() {
            return WrittenMachine::deserialize(deserializer)?.machine();
        }
        match NameOrParts::deserialize(deserializer)? {
            NameOrParts::Name(name) => name.parse().map_err(D::Error::custom),
            NameOrParts::Parts(parts) => parts.machine(),
        }
    }
}

impl Serialize for MovementKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for MovementKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MovementKind, D::Error> {
        let words = String::deserialize(deserializer)?;
        let unknown = || D::Error::custom(format!("`{words}` is not a kind of movement"));
        MovementKind::named(&words).ok_or_else(unknown)
    }
}
