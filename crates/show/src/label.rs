//! The text in a cell.

use std::str::FromStr;

use itertools::Itertools;

use super::Cell;
use super::bank::banks;
use tensor_layout::LayoutError;
use tensor_layout::Level;
use tensor_layout::program::CoordinateSpan;

/// A line in every cell of a picture.
///
/// ```
/// use tensor_layout::Level;
/// use tensor_layout_show::Label;
/// assert_eq!("index".parse(), Ok(Label::Index));
/// assert_eq!("L2B".parse(), Ok(Label::Level(Level::L2B)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// The address, and the lane where lanes are used: `15`, `15.1`.
    Address,
    /// The coordinates of the unit from the root down: `3.0.1`.
    Unit,
    /// The index of the element, or the first of a block: `9,1`.
    Index,
    /// The thread of a GPU, by its coordinate in `LANE`: `T5`, or with its warp `W1.T5`.
    Thread,
    /// The register of a thread, as the number of its value: `V3`.
    Value,
    /// The banks of shared memory, for elements of so many bits: `4..7`.
    Bank(u64),
    /// The coordinate in one level: `L2B 3`.
    Level(Level),
}

/// The name of a text that is the unit of its cell.
pub(super) const UNIT: &str = "unit";

/// The level of the lanes of a warp, and that of the warps.
const LANE: &str = "LANE";
const WARP: &str = "WARP";

impl FromStr for Label {
    type Err = LayoutError;

    /// `address`, `unit`, `index`, `thread`, `value`, `bank` (of elements with 32 bits), or the name of a level.
    fn from_str(text: &str) -> Result<Label, LayoutError> {
        Ok(match text {
            "address" => Label::Address,
            UNIT => Label::Unit,
            "index" => Label::Index,
            "thread" => Label::Thread,
            "value" => Label::Value,
            "bank" => Label::Bank(32),
            level => Label::Level(Level::new(level)?),
        })
    }
}

impl Label {
    /// The word for it that [`from_str`](Label::from_str) reads.
    fn name(&self) -> &str {
        match self {
            Label::Address => "address",
            Label::Unit => UNIT,
            Label::Index => "index",
            Label::Thread => "thread",
            Label::Value => "value",
            Label::Bank(_) => "bank",
            Label::Level(level) => level.as_str(),
        }
    }

    /// The name of the text of some lines; empty for addresses alone.
    pub(super) fn names(labels: &[Label]) -> String {
        match labels {
            [Label::Address] => String::new(),
            labels => labels.iter().map(Label::name).join("."),
        }
    }

    /// The text of coordinates in a cell: `0..7`, `0..12~` with gaps, `0..12?` at most.
    fn coordinates(span: &CoordinateSpan) -> String {
        let text = span.to_string();
        match (text.strip_suffix(" with gaps"), text.strip_prefix("within ")) {
            (Some(range), _) => format!("{range}~"),
            (_, Some(range)) => format!("{range}?"),
            _ => text,
        }
    }

    /// The line in a cell; nothing where the cell does not have it.
    pub(super) fn line(self, cell: &Cell) -> Option<String> {
        let of = |level| cell.places.iter().find(|(of, _)| *of == level).map(|(_, span)| span);
        let text = Label::coordinates;
        match self {
            Label::Address => {
                let lane = of(Level::W).map_or(String::new(), |lane| format!(".{}", text(lane)));
                of(Level::ADDR).map(|address| format!("{}{lane}", text(address)))
            }
            Label::Unit => (!cell.unit.is_empty()).then(|| cell.unit.clone()),
            Label::Index => {
                (cell.elements > 0).then(|| indexed(cell.indexes.iter().map(|range| range.start)))
            }
            Label::Thread => {
                let named = |name| cell.places.iter().find(|(of, _)| of.as_str() == name);
                let warp =
                    named(WARP).map_or(String::new(), |(_, warp)| format!("W{}.", text(warp)));
                named(LANE).map(|(_, lane)| format!("{warp}T{}", text(lane)))
            }
            Label::Value if cell.elements == 0 => None,
            // A thread that holds one value does not need a level for it.
            Label::Value => Some(format!("V{}", of(Level::ADDR).map_or_else(|| "0".into(), text))),
            Label::Bank(bits) => banks(*of(Level::ADDR)?, bits).map(|banks| banks.to_string()),
            Label::Level(level) => of(level).map(|span| format!("{level} {}", text(span))),
        }
    }

    /// The lines in a cell.
    pub(super) fn lines(labels: &[Label], cell: &Cell) -> String {
        let lines: Vec<String> = labels.iter().filter_map(|label| label.line(cell)).collect();
        lines.join("\n")
    }
}

/// An index as text: `9,1`, and `()` for the one of a tensor without axes.
pub(super) fn indexed(index: impl IntoIterator<Item = u64>) -> String {
    match index.into_iter().join(",") {
        none if none.is_empty() => "()".into(),
        index => index,
    }
}

/// A count with its digits in groups of three: `151,936`. Indexes and coordinates have no groups.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let first = digits.len() % 3;
    let (first, rest) = digits.split_at(first);
    let rest = rest.as_bytes().chunks(3).map(String::from_utf8_lossy);
    let groups =
        std::iter::once(first.into()).filter(|group: &std::borrow::Cow<'_, str>| !group.is_empty());
    groups.chain(rest).join(",")
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn counts_have_groups_of_three_digits() {
        let groups = [0, 7, 999, 1000, 151_936, 1_000_000].map(grouped);
        assert_eq!(groups, ["0", "7", "999", "1,000", "151,936", "1,000,000"]);
    }
}
