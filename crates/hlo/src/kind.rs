//! The kind of a text, by its beginning: dumps, logs, and other files that XLA and JAX write.

use std::fmt;

use crate::HloReading;

/// A kind of text about a compiled program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HloTextKind {
    /// HLO text, or text with instructions in it.
    Dump,
    /// A log with an out-of-memory message.
    OutOfMemory,
    /// `..-buffer-assignment.txt`.
    BufferAssignment,
    /// `..-memory-usage-report.txt`.
    MemoryUsage,
    /// StableHLO or another MLIR module, with or without Shardy.
    Mlir,
    /// `..-buffer-assignment-values.txt`.
    AssignmentValues,
    /// `..-live-range.txt`.
    LiveRange,
    /// `.debug_options`.
    DebugOptions,
    /// `.ll`.
    Llvm,
    /// `.hlo.pb`, `.o`, or something else that is not text.
    Binary,
}

impl HloTextKind {
    /// Returns the kind of a text by its beginning; one mebibyte is enough for all but logs, whose message may come
    /// later.
    ///
    /// ```
    /// use tensor_layout_hlo::HloTextKind;
    /// assert_eq!(HloTextKind::of(b"HloModule m\n"), HloTextKind::Dump);
    /// assert_eq!(HloTextKind::of(b"module @jit_f {\n"), HloTextKind::Mlir);
    /// assert_eq!(HloTextKind::of(b"\x0a\x05jit_f\x00"), HloTextKind::Binary);
    /// ```
    #[must_use]
    pub fn of(head: &[u8]) -> HloTextKind {
        if head.contains(&0) {
            return HloTextKind::Binary;
        }
        let text = String::from_utf8_lossy(head);
        let text = without_mark(&text);
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        if let Some((_, kind)) = FIRST.iter().find(|(words, _)| first.starts_with(words)) {
            return *kind;
        }
        let has = |kind| text.lines().any(|line| begins(line) == Some(kind));
        let kinds = [HloTextKind::Dump, HloTextKind::OutOfMemory, HloTextKind::Mlir];
        if let Some(kind) = kinds.into_iter().find(|kind| has(*kind)) {
            kind
        } else if first.starts_with("xla_") && first.contains(": ") {
            HloTextKind::DebugOptions
        } else {
            HloTextKind::Dump
        }
    }

    /// Returns the first place of each other kind of text within a text of this kind; a report on this kind
    /// leaves those parts out.
    #[must_use]
    pub fn others(self, text: &str) -> HloReading {
        let (mut others, mut seen) = (HloReading::default(), vec![self]);
        for (line, number) in text.lines().zip(1..) {
            if let Some(kind) = begins(line).filter(|kind| !seen.contains(kind)) {
                others.push(number, line.as_bytes(), kind.elsewhere());
                seen.push(kind);
            }
        }
        others
    }

    /// The reason that a text of this kind within another one is not read.
    pub(super) fn elsewhere(self) -> String {
        format!("{self} begins here, which is not read: pass it as a file of its own")
    }

    /// Returns whether reports can be made from it.
    #[must_use]
    pub fn is_read(self) -> bool {
        self.instead().is_none()
    }

    /// The advice on what to pass instead; `None` for a kind that is read.
    #[must_use]
    pub fn instead(self) -> Option<&'static str> {
        match self {
            HloTextKind::Dump
            | HloTextKind::OutOfMemory
            | HloTextKind::BufferAssignment
            | HloTextKind::MemoryUsage
            | HloTextKind::Mlir => None,
            HloTextKind::AssignmentValues => Some("pass the file without `-values`"),
            HloTextKind::LiveRange => {
                Some("pass the after_optimizations.txt beside it, and ask for its memory")
            }
            HloTextKind::DebugOptions | HloTextKind::Llvm => {
                Some("pass the after_optimizations.txt beside it")
            }
            HloTextKind::Binary => Some(
                "pass a text dump, as XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text' writes it",
            ),
        }
    }
}

/// Returns a text without the byte order mark, which some editors put before it.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The beginnings of the first line, each with its kind.
const FIRST: [(&str, HloTextKind); 15] = [
    ("HloModule ", HloTextKind::Dump),
    ("BufferAssignment:", HloTextKind::BufferAssignment),
    ("allocation 0: size ", HloTextKind::BufferAssignment),
    ("Memory Space:", HloTextKind::MemoryUsage),
    ("Total bytes used:", HloTextKind::AssignmentValues),
    ("Total bytes:", HloTextKind::MemoryUsage),
    ("HloLiveRange", HloTextKind::LiveRange),
    ("; ModuleID", HloTextKind::Llvm),
    ("module @", HloTextKind::Mlir),
    ("module {", HloTextKind::Mlir),
    ("module attributes ", HloTextKind::Mlir),
    ("builtin.module", HloTextKind::Mlir),
    ("\"builtin.module\"", HloTextKind::Mlir),
    ("#sdy", HloTextKind::Mlir),
    ("#loc", HloTextKind::Mlir),
];

/// The kind of text that a line begins.
pub(super) fn begins(line: &str) -> Option<HloTextKind> {
    let start = line.trim_start();
    let is = |words: &[&str]| words.iter().any(|word| start.starts_with(word));
    let is_mlir = || MLIR.iter().any(|word| start.trim_start_matches('"').starts_with(word));
    if is(&["HloModule ", "ENTRY "]) {
        Some(HloTextKind::Dump)
    } else if is_limit(line) || ALLOCATIONS.iter().any(|words| line.contains(words)) {
        Some(HloTextKind::OutOfMemory)
    } else if is_mlir() {
        Some(HloTextKind::Mlir)
    } else {
        None
    }
}

/// The beginnings of lines of MLIR modules, in both forms; readers of words skip the first quote.
const MLIR: [&str; 6] =
    ["module @", "func.func ", "sdy.mesh @", "builtin.module", "func.func\"(", "sdy.mesh\"("];

/// Returns whether a line has a sentence about an amount of memory that did not fit; an allocator adds where it only
/// tried.
pub(super) fn is_limit(line: &str) -> bool {
    LIMITS.iter().any(|words| line.contains(words)) && !line.contains("this is not a failure")
}

/// The words of sentences about an amount of memory that did not fit.
const LIMITS: [&str; 9] = [
    "Ran out of memory in memory space",
    "would exceed memory (size=",
    "exceeding available bytes",
    "Out of memory while trying to allocate",
    "Out of memory allocating",
    "Failed to allocate request for",
    "ran out of memory trying to allocate",
    "That was not possible. There are",
    "CUDA_ERROR_OUT_OF_MEMORY",
];

/// The other words that identify out-of-memory messages.
const ALLOCATIONS: [&str; 6] = [
    "Largest program allocations in",
    "BufferAssignment OOM Debugging",
    "Total hbm usage >=",
    "Unpadded size: ",
    "XLA label: ",
    "XLA Label: ",
];

impl fmt::Display for HloTextKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HloTextKind::Dump => "HLO text",
            HloTextKind::OutOfMemory => "an out-of-memory message",
            HloTextKind::BufferAssignment => "a buffer assignment",
            HloTextKind::MemoryUsage => "a memory usage report",
            HloTextKind::Mlir => "an MLIR module",
            HloTextKind::AssignmentValues => "the values of a buffer assignment",
            HloTextKind::LiveRange => "the live ranges of a module",
            HloTextKind::DebugOptions => "a list of debug options",
            HloTextKind::Llvm => "LLVM IR",
            HloTextKind::Binary => "a binary file",
        })
    }
}
