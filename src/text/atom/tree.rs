//! Matrix instructions by name, `SM80_16x8x16_F32F16F16F32_TN:A`, and tiles of them: `..(2,2,1):A`.

use std::fmt;
use std::str::FromStr;

use super::copies::is_copy;
use crate::error::{LayoutError, ParseError, ParseErrorKind, Span};
use crate::text::written::NotCompared;

/// An operand or the result of a matrix instruction, by its name in CuTe or in an instruction set.
///
/// ```
/// use tensor_layout::notation::Atom;
/// let atom: Atom = "SM80_16x8x16_F32F16F16F32_TN:A".parse()?;
/// let layout = atom.lower()?;
/// assert_eq!(layout.locate(&[9, 3])?.to_string(), "LANE=5,Addr=3"); // row 9, column 3 of 16 x 16
/// // Two atoms along M and two along N: 32 x 16, and 16 along K. Warps go along M first.
/// let tiled: Atom = "SM80_16x8x16_F32F16F16F32_TN(2,2,1):A".parse()?;
/// let rows: Vec<String> = tiled.lower()?.locate_all(&[25, 3])?.map(|at| at.to_string()).collect();
/// assert_eq!(rows, ["WARP=1,LANE=5,Addr=3", "WARP=3,LANE=5,Addr=3"]); // both warps along N have A
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    pub(super) name: Box<str>,
    pub(super) operand: Operand,
    /// The number of instructions beside each other along M, N and K.
    pub(super) atoms: [u64; 3],
    source: NotCompared<Box<str>>,
}

/// A matrix of a product: C (M x N) = A (M x K) times B, which is N x K as in CuTe; or a side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operand {
    /// The left factor, M x K.
    A,
    /// The right factor, N x K.
    B,
    /// The result, M x N.
    C,
    /// The source of a copy.
    S,
    /// The destination of such a copy.
    D,
}

impl Atom {
    /// The matrices A, B and C of an instruction, from its name without a letter; `None` if the text has a letter
    /// or does not look like the name of an instruction.
    ///
    /// ```
    /// use tensor_layout::notation::Atom;
    /// let [a, _, c] = Atom::matrices("SM80_16x8x16_F32F16F16F32_TN").unwrap()?;
    /// assert_eq!((a.lower()?.shape(), c.lower()?.shape()), (vec![16, 16], vec![16, 8]));
    /// assert!(Atom::matrices("SM80_16x8x16_F32F16F16F32_TN:C").is_none());
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    #[must_use]
    pub fn matrices(text: &str) -> Option<Result<[Atom; 3], ParseError>> {
        let of = |letter| format!("{}:{letter}", text.trim_end()).parse();
        let all = || Ok([of('A')?, of('B')?, of('C')?]);
        (Atom::looks_likely(text) && letter(text).1.is_empty()).then(all)
    }

    /// Returns whether a text looks like an instruction: it begins like `SM80_` or with the name of one in an instruction
    /// set.
    pub(crate) fn looks_likely(text: &str) -> bool {
        const NAMES: &str = "v_mfma_ v_wmma_ gfx11_ gfx12_ rdna3_ rdna4_ tdp amx_ xe_ simdgroup_ mma.sync \
                             mma.sp ldmatrix. stmatrix. movmatrix. tcgen05.ld tcgen05.st mma_64x gmma_64x \
                             universalcopy universalfma autovectorizingcopy defaultcopy";
        // Namespaces are in front of names, and inside those of PTX.
        let path = text.trim_start().split(['<', '(']).next().unwrap_or_default();
        let name = match path.rsplit_once("::") {
            Some((_, name)) if !path.contains('.') => name,
            _ => path,
        };
        let number = name.strip_prefix("SM").and_then(|rest| rest.split_once('_'));
        let is_number = |(number, _): (&str, &str)| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        let first = name.split(':').next().unwrap_or(name).to_ascii_lowercase();
        number.is_some_and(is_number)
            || NAMES.split_whitespace().any(|name| first.starts_with(name))
    }

    /// Wraps `error` in a [`ParseError`] that points at this text.
    pub(crate) fn refuse(&self, error: impl Into<LayoutError>) -> ParseError {
        ParseError::whole(error, &self.source.text(self))
    }

    /// The error for the name.
    pub(crate) fn refuse_name(&self, message: String) -> ParseError {
        let text = self.source.text(self);
        let start = text.find(&*self.name).unwrap_or(0);
        let span = Span::new(start, start + self.name.len());
        ParseError::invalid(message, span, &text)
    }
}

/// The operand of a letter, or what was expected and why.
fn operand(letter: &str, is_copy: bool) -> Result<Operand, (Vec<&'static str>, &'static str)> {
    let matrices = vec!["`:A`", "`:B`", "`:C`"];
    match (letter, is_copy) {
        ("A", false) => Ok(Operand::A),
        ("B", false) => Ok(Operand::B),
        ("C", false) => Ok(Operand::C),
        ("S", true) => Ok(Operand::S),
        ("D", true) => Ok(Operand::D),
        (_, true) => Err((vec!["`:S`", "`:D`"], "a copy has a source and a destination")),
        ("E", false) => Err((
            matrices,
            "the metadata of a sparse instruction has no layout of elements: a selector chooses the lanes whose \
             register is read",
        )),
        (_, false) => Err((matrices, "an instruction has three matrices; C is the result")),
    }
}

impl FromStr for Atom {
    type Err = ParseError;

    /// Parses a name, the numbers of atoms if there are several, and the letter of a matrix.
    fn from_str(text: &str) -> Result<Atom, ParseError> {
        let (name, letter) = letter(text);
        let operand = operand(letter.trim(), is_copy(name)).map_err(|(expected, help)| {
            let at = Span::new(name.trim_end().len(), text.len());
            ParseError::new(ParseErrorKind::Expected(expected), at, text).with_help(help)
        })?;
        // A template has brackets of its own.
        let closed = name.rfind('>').map_or(0, |end| end + 1);
        let (name, atoms) = match name.get(closed..).and_then(|rest| rest.find('(')) {
            Some(at) => {
                let (name, rest) = name.split_at(closed + at);
                (name, counts(rest.get(1..).unwrap_or_default(), name.len() + 1, text)?)
            }
            None => (name, [1; 3]),
        };
        let is_ptx = name.trim().starts_with(|c: char| c.is_ascii_lowercase());
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_:".contains(c) || is_ptx && c == '.';
        let path = name.trim().split('<').next().unwrap_or_default();
        if let Some(at) = path.find(|c| !is_word(c)) {
            let at = at + name.len() - name.trim_start().len();
            let span = Span::new(at, at + 1);
            return Err(ParseError::expected("the name of an instruction", span, text));
        }
        let source = NotCompared(text.into());
        Ok(Atom { name: name.trim().into(), operand, atoms, source })
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.atoms != [1; 3] {
            let [m, n, k] = self.atoms;
            write!(f, "({m},{n},{k})")?;
        }
        write!(f, ":{:?}", self.operand)
    }
}

/// The name of an instruction, which may have `::` in it, and the letter of a matrix behind it.
fn letter(text: &str) -> (&str, &str) {
    match text.rsplit_once(':') {
        Some((name, letter)) if !name.ends_with(':') => (name, letter),
        _ => (text, ""),
    }
}

/// `2,2,1)`: the numbers of atoms along M, N and K.
fn counts(rest: &str, start: usize, text: &str) -> Result<[u64; 3], ParseError> {
    let numbers = rest.trim_end().strip_suffix(')').unwrap_or_default().split(',');
    let numbers: Result<Vec<u64>, _> = numbers.map(|number| number.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[m, n, k]) if ![m, n, k].contains(&0) => Ok([m, n, k]),
        _ => {
            let span = Span::new(start, start + rest.trim_end().len());
            let refusal = ParseError::expected("the numbers of atoms along M, N and K", span, text);
            Err(refusal.with_help("as in `(2,2,1)`"))
        }
    }
}
