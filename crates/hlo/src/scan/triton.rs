//! The types of a module of Triton, which name their encodings by aliases: `tensor<128x64xf16, #blocked>`.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;
use memchr::memchr2;

use crate::escapes::SOFT_BREAK;
use crate::scan::composed::{LONGEST_TYPE, type_end};
use crate::scan::known::Known;
use tensor_layout::notation::{Notation, TritonLayout};

/// The dialects of encodings.
const DIALECTS: [&[u8]; 7] = [
    b"#ttg.",
    b"#ttng.",
    b"#triton_gpu.",
    b"#triton_nvidia_gpu.",
    b"#triton_intel_gpu.",
    b"#ttig.",
    b"#gluon.",
];

/// The aliases of a module, and the types that were seen since the last one.
#[derive(Clone, Debug, Default)]
pub(super) struct TritonTypes {
    aliases: IndexMap<Box<[u8]>, Box<str>>,
    /// The id of each type.
    seen: HashMap<Box<[u8]>, Option<usize>>,
    /// The number of aliases of encodings that were read.
    defined: u64,
}

impl TritonTypes {
    /// Keeps the alias that a line defines, as `#blocked = #ttg.blocked<{..}>`.
    pub(super) fn read_line(&mut self, rest: &[u8]) {
        // A comparison of two files has marks in front.
        let marks = rest.iter().take_while(|byte| b"<>+- \t".contains(byte)).count();
        let rest = rest.get(marks..).unwrap_or_default();
        if !rest.starts_with(b"#") {
            return;
        }
        let rest = rest.get(..LONGEST_TYPE).unwrap_or(rest);
        let line = rest.get(..memchr2(b'\n', SOFT_BREAK, rest).unwrap_or(rest.len()));
        let text = line.and_then(|line| std::str::from_utf8(line).ok()).unwrap_or_default();
        let Some((name, encoding)) = text.split_once('=') else { return };
        let (name, encoding) = (name.trim(), encoding.trim());
        if name_end(name.as_bytes()) == name.len() && encoding.starts_with('#') {
            let is_of_triton = DIALECTS.iter().any(|start| encoding.as_bytes().starts_with(start));
            self.defined += u64::from(is_of_triton);
            self.aliases.shift_remove(name.as_bytes());
            self.aliases.insert(name.as_bytes().into(), encoding.into());
            self.seen.clear();
        }
    }

    /// The number of aliases of encodings that were read.
    pub(super) fn defined(&self) -> u64 {
        self.defined
    }

    /// The type whose `<` is at `open`: its id, its start and its end. `None` where it has no encoding of Triton.
    pub(super) fn classify(
        &mut self,
        bytes: &[u8],
        open: usize,
        known: &mut Known,
    ) -> Option<(usize, usize, usize)> {
        let before = bytes.get(..open)?;
        let names = [&b"tensor"[..], b"!ttg.memdesc", b"!triton_gpu.memdesc", b"!tt.memdesc"];
        let start = names.iter().find_map(|name| before.strip_suffix(*name))?.len();
        let end = type_end(bytes, open)?;
        let text = bytes.get(start..end)?;
        let number = match self.seen.get(text) {
            Some(number) => *number,
            None => {
                let number = self.read(text, known);
                self.seen.insert(text.into(), number);
                number
            }
        };
        Some((number?, start, end))
    }

    fn read(&self, text: &[u8], known: &mut Known) -> Option<usize> {
        let (mut used, mut texts, mut is_of_triton) = (BTreeSet::new(), vec![text], false);
        while let Some(text) = texts.pop() {
            for at in memchr::memchr_iter(b'#', text) {
                let rest = text.get(at..).unwrap_or_default();
                is_of_triton |= DIALECTS.iter().any(|dialect| rest.starts_with(dialect));
                let name = rest.get(..name_end(rest)).unwrap_or_default();
                let is_alias = rest.get(name.len()).is_none_or(|byte| *byte != b'.');
                match self.aliases.get_full(name) {
                    Some((number, _, encoding)) if used.insert(number) => {
                        texts.push(encoding.as_bytes());
                    }
                    // Its line may have been cut off: counted, since it may be one of Triton.
                    None if is_alias => is_of_triton = true,
                    _ => {}
                }
            }
        }
        let short = std::str::from_utf8(text).ok().filter(|_| is_of_triton)?;
        // Aliases are defined before they are used.
        let lines = used.into_iter().filter_map(|number| self.aliases.get_index(number));
        let lines = lines
            .map(|(name, encoding)| format!("{} = {encoding}\n", String::from_utf8_lossy(name)));
        let whole = lines.chain([short.to_owned()]).collect::<String>();
        match whole.parse::<TritonLayout>() {
            Ok(layout) => known.classify(&layout.to_string(), Notation::Triton, true),
            Err(error) => Some(known.refuse(short, &error.kind().to_string())),
        }
    }
}

/// The end of `#name` at the start of a text.
fn name_end(text: &[u8]) -> usize {
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    1 + text.iter().skip(1).take_while(is_word).count()
}
