//! `Serialize` and `Deserialize` of cost models: the rates of the levels, and how they are combined.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::cost::{CostModel, LevelRates, Rate};
use crate::level::Level;

/// The version of the form that is written, and the only one that is read.
const VERSION: u32 = 1;

/// Long words, and the steps that they take.
type WrittenRate = (u64, u64);

/// A cost model as it is written.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenModel {
    version: u32,
    element_bits: u64,
    word_bits: u64,
    in_sequence: bool,
    inside: Option<WrittenRate>,
    levels: Vec<WrittenLevel>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLevel {
    level: Level,
    units: u64,
    into: Option<WrittenRate>,
    out_of: Option<WrittenRate>,
    latency: u64,
}

fn rate<E: Error>(written: Option<WrittenRate>) -> Result<Option<Rate>, E> {
    let read = |(words, steps)| {
        let refused = || format!("a rate of {words} long words in {steps} steps; neither may be 0");
        Rate::new(words, steps).ok_or_else(|| E::custom(refused()))
    };
    written.map(read).transpose()
}

impl WrittenLevel {
    fn rates<E: Error>(&self) -> Result<LevelRates, E> {
        let WrittenLevel { level, units, latency, .. } = *self;
        if units == 0 {
            return Err(E::custom(format!("0 units of {level}")));
        }
        Ok(LevelRates { level, units, into: rate(self.into)?, out_of: rate(self.out_of)?, latency })
    }
}

impl Serialize for CostModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pair = |rate: Option<Rate>| rate.map(|rate| (rate.words, rate.steps));
        let level = |of: &LevelRates| WrittenLevel {
            level: of.level,
            units: of.units,
            into: pair(of.into),
            out_of: pair(of.out_of),
            latency: of.latency,
        };
        let written = WrittenModel {
            version: VERSION,
            element_bits: self.element_bits,
            word_bits: self.word_bits,
            in_sequence: self.in_sequence,
            inside: pair(self.inside),
            levels: self.levels.iter().map(level).collect(),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CostModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CostModel, D::Error> {
        let written = WrittenModel::deserialize(deserializer)?;
        let WrittenModel { version, element_bits, word_bits, in_sequence, .. } = written;
        if version != VERSION {
            return Err(crate::words::other_version("a cost model", version, VERSION));
        }
        if word_bits == 0 {
            return Err(D::Error::custom("long words of 0 bits"));
        }
        let levels: Vec<LevelRates> =
            written.levels.iter().map(WrittenLevel::rates).collect::<Result<_, D::Error>>()?;
        let is_again = |at: &usize| levels[..*at].iter().any(|of| of.level == levels[*at].level);
        if let Some(at) = (0..levels.len()).find(is_again) {
            let level = levels[at].level;
            return Err(D::Error::custom(format!("level `{level}` has its rates twice")));
        }
        Ok(CostModel {
            levels,
            inside: rate(written.inside)?,
            in_sequence,
            element_bits,
            word_bits,
        })
    }
}
