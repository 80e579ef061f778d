//! Names of levels, and their refusal.

use super::{LayoutError, fault};
use crate::level::Level;

impl Level {
    /// Checks a name: a letter, then letters, digits and `_`, at most [`Level::MAX_LEN`] bytes.
    /// Known levels joined by `_` are not a valid name: `4_PE_MAB` is a typing error, not a level `PE_MAB`.
    ///
    /// # Errors
    /// `Invalid` for any other text.
    ///
    /// ```
    /// use tensor_layout::Level;
    /// let error = Level::new("P-E").unwrap_err();
    /// assert_eq!(error.to_string(), "`P-E` is not a valid level name");
    /// let rule = "a level is a letter, then letters, digits and `_`, at most 23 in all";
    /// assert_eq!(error.help().as_deref(), Some(rule));
    /// ```
    pub fn new(name: &str) -> Result<Level, LayoutError> {
        let letter_first = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic());
        let word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let is_slip = joins_known_levels(name);
        if !letter_first || !word || is_slip || name.len() > Level::MAX_LEN {
            return Err(invalid_name(name));
        }
        Ok(Level::literal(name))
    }

    /// Reads the name of a node, at which a memory hangs: a level or [groups](Level::in_groups_of) of its units.
    ///
    /// # Errors
    /// As [`new`](Level::new).
    ///
    /// ```
    /// use tensor_layout::Level;
    /// assert_eq!(Level::of_node("L2B/2")?, Level::L2B.in_groups_of(2));
    /// assert!(Level::of_node("L2B/1").is_err() && Level::new("L2B/2").is_err());
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn of_node(name: &str) -> Result<Level, LayoutError> {
        let grouped = |(level, units): (&str, &str)| {
            let units: u64 = units.parse().ok().filter(|units| *units > 1)?;
            let node = Level::new(level).ok()?.in_groups_of(units);
            (node.as_str() == name).then_some(node)
        };
        name.split_once('/').and_then(grouped).map_or_else(|| Level::new(name), Ok)
    }
}

/// The refusal of a name, cut where it is too long, with the rule for names.
fn invalid_name(name: &str) -> LayoutError {
    let cut: String = name.chars().take(Level::MAX_LEN + 1).collect();
    let refused = fault!(Invalid, "`{name}` is not a valid level name", [name = cut]);
    refused.with("most", Level::MAX_LEN).with_help(match joins_known_levels(name) {
        true => {
            "known levels joined by `_` are not a level: name each on its own, as in \
             `2_PE, 2_MAB`, or choose another name"
        }
        false => "a level is a letter, then letters, digits and `_`, at most {most} in all",
    })
}

/// Returns whether a name is known levels joined by `_`, as in `PE_MAB`.
fn joins_known_levels(name: &str) -> bool {
    let known = |part: &str| Level::KNOWN.iter().any(|level| level.as_str() == part);
    name.contains('_') && name.split('_').all(known)
}
