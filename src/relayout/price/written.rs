//! `Serialize` and `Deserialize` of cost models: the rates of the levels, and how they are combined.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::borders::Border;
use super::cost::{CostModel, LevelRates, Rate};
use super::ways::Ways;

/// The version of the form that is written, and the only one that is read.
const VERSION: u32 = 3;

/// A cost model as it is written.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenModel {
    version: u32,
    element_bits: u64,
    word_bits: u64,
    in_sequence: bool,
    inside: Option<Rate>,
    levels: Vec<LevelRates>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    borders: Vec<Border>,
    #[serde(default)]
    ways: Ways,
}

/// Long words, and the steps that they take.
impl From<Rate> for (u64, u64) {
    fn from(rate: Rate) -> (u64, u64) {
        (rate.words, rate.steps)
    }
}

impl TryFrom<(u64, u64)> for Rate {
    type Error = String;

    fn try_from((words, steps): (u64, u64)) -> Result<Rate, String> {
        let refused = || format!("a rate of {words} long words in {steps} steps; neither may be 0");
        Rate::new(words, steps).ok_or_else(refused)
    }
}

impl Serialize for CostModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = WrittenModel {
            version: VERSION,
            element_bits: self.element_bits,
            word_bits: self.word_bits,
            in_sequence: self.in_sequence,
            inside: self.inside,
            levels: self.levels.clone(),
            borders: self.borders.to_vec(),
            ways: Ways::clone(&self.ways),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CostModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CostModel, D::Error> {
        let written = WrittenModel::deserialize(deserializer)?;
        let WrittenModel { version, element_bits, word_bits, in_sequence, inside, .. } = written;
        let WrittenModel { levels, borders, ways, .. } = written;
        crate::words::check_version("a cost model", version, VERSION)?;
        if word_bits == 0 {
            return Err(D::Error::custom("long words of 0 bits"));
        }
        if let Some(LevelRates { level, .. }) = levels.iter().find(|of| of.units == 0) {
            return Err(D::Error::custom(format!("0 units of {level}")));
        }
        if let Some(Border { level, .. }) = borders.iter().find(|border| !border.is_sound()) {
            return Err(D::Error::custom(format!("the rates at the border of {level} are 0")));
        }
        if !ways.is_sound() {
            return Err(D::Error::custom("a movement between nodes that the model lacks"));
        }
        let is_again = |at: &usize| levels[..*at].iter().any(|of| of.level == levels[*at].level);
        if let Some(at) = (0..levels.len()).find(is_again) {
            let level = levels[at].level;
            return Err(D::Error::custom(format!("level `{level}` has its rates twice")));
        }
        let (borders, ways) = (borders.into(), ways.into());
        Ok(CostModel { levels, borders, ways, inside, in_sequence, element_bits, word_bits })
    }
}
