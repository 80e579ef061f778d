//! Suggestions for "did you mean": the known name closest to a misspelt one.

/// Returns the known name nearest to `name`: equal except for case, `-` and look-alikes, or differing in at
/// most a third of its letters.
///
/// ```text
/// mncore2 -> mn-core-2     MABB -> MAB     lm0 -> LM0     LlB -> L1B
/// ```
pub(crate) fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric()).take(40);
        letters.flat_map(char::to_lowercase).map(seen).collect()
    };
    let name = plain(name);
    let letters = name.chars().count();
    // At least one letter of the name has to stay.
    let far = (letters / 3).max(1).min(letters.saturating_sub(1));
    let near = known.into_iter().map(|known| (strsim::osa_distance(&name, &plain(known)), known));
    near.filter(|(distance, _)| *distance <= far).min_by_key(|(distance, _)| *distance).map(|n| n.1)
}

/// The question that suggests the name nearest to `name`.
pub(crate) fn did_you_mean<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    closest(name, known).map(|known| format!("did you mean `{known}`?"))
}

/// The digit that a letter looks like.
fn seen(letter: char) -> char {
    match letter {
        'l' | 'i' => '1',
        'o' => '0',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        let machines = ["mn-core", "mn-core-2"];
        assert_eq!(closest("mncore2", machines), Some("mn-core-2"));
        assert_eq!(closest("MN-CORE", machines), Some("mn-core"));
        assert_eq!(closest("MABB", ["L2B", "L1B", "MAB", "PE"]), Some("MAB"));
        assert_eq!(closest("Core", ["L2B", "L1B", "MAB", "PE"]), None);
        assert_eq!(closest("", machines), None);
        assert_eq!(closest("-1", ["s1", "u1"]), None);
        assert_eq!(closest("w", ["W"]), Some("W"));
        assert_eq!(closest("LlB", ["L2B", "L1B", "MAB", "PE"]), Some("L1B"));
        assert_eq!(closest("LMO", ["LM1", "LM0"]), Some("LM0"));
    }
}
