//! Whether a relayout needs a second buffer.

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout::relayout::{Overwritten, Relayout};

type Answer = Result<Option<Overwritten>, LayoutError>;

/// Whether the memory of the source is enough, by the answers for both orders of addresses.
#[must_use]
pub fn in_place(pair: &Relayout, up: &Answer, down: &Answer) -> String {
    let [each, of] = match pair.lanes() {
        1 => ["addresses", "addresses"],
        _ => ["addresses, and the lanes of each long word,", "addresses and lanes"],
    };
    let enough = format!("one memory is enough if every unit writes its {each} in");
    let first = match (up, down) {
        (Ok(None), Ok(None)) => format!("{enough} ascending or descending order"),
        (Ok(None), _) => format!("{enough} ascending order"),
        (_, Ok(None)) => format!("{enough} descending order"),
        (Ok(_), Ok(_)) => format!("a second buffer is needed, in either order of {of}"),
        _ => format!("a second buffer is needed in one order of {of}"),
    };
    let lines = [("ascending", up), ("descending", down)];
    let lines =
        lines.iter().filter_map(|(order, answer)| Some(format!("\n  {order}: {}", words(answer)?)));
    format!("{first}{}", lines.collect::<String>())
}

fn words(answer: &Answer) -> Option<String> {
    let index = |index: &[u64]| format!("({})", index.iter().join(","));
    match answer {
        Ok(None) => None,
        Ok(Some(Overwritten { element, by, place, .. })) => {
            let (element, by) = (index(element), index(by));
            Some(format!("element {element} is overwritten by {by} at {place} before it is read"))
        }
        Err(error) => Some(error.to_string()),
    }
}
