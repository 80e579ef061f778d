//! Plain cases of a notation, read without its grammar.
//!
//! A grammar defines each notation and reports its errors; it takes a few microseconds. Dumps have many XLA shapes,
//! nearly all of them plain, so a quick reader tries those first: it either reads a text exactly as the
//! grammar would, including spans, or leaves it to the grammar. It never reports an error.
//! Law: the grammar returns the same result as a quick reader that does not give up.

pub(crate) use tensor_layout_words::Cursor;

#[cfg(test)]
pub(super) mod tests {
    /// The texts of a corpus (up to the tab of each line), and each with a few characters changed.
    pub(in crate::text) fn mutated(corpus: &str) -> impl Iterator<Item = String> {
        const JUNK: &[u8] = b"-019aTLPESx(){}[],:;*#<=? /_@B.\t\n";
        let lines = corpus.lines().filter(|line| !line.starts_with('#'));
        let texts: Vec<String> =
            lines.filter_map(|line| line.split('\t').next()).map(String::from).collect();
        let mut state = 1_u64;
        let mut draw = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        (0..40).flat_map(move |round| {
            let changed = texts.iter().map(|text| {
                let mut chars: Vec<char> = text.chars().collect();
                for _ in 0..round % 4 {
                    let at = draw(chars.len() + 1);
                    match draw(3) {
                        0 if at < chars.len() => drop(chars.remove(at)),
                        1 => chars.insert(at, char::from(JUNK[draw(JUNK.len())])),
                        _ => chars.iter_mut().skip(at).take(1).for_each(|c| {
                            *c = char::from(JUNK[draw(JUNK.len())]);
                        }),
                    }
                }
                chars.into_iter().collect()
            });
            changed.collect::<Vec<String>>()
        })
    }
}
