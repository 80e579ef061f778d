//! The tokens of HLO text: blanks and comments, words, strings, brackets that nest.
//!
//! ```text
//! %f.3 = (f32[2]{0}, /*index=1*/s32[]) fusion(%a), config={a="x}\"{", b={}}, calls=%c
//! word   blanks, nest, comment         word  nest  word    string    nest
//! ```
//!
//! Line ends are blanks. Brackets close by kind, outside strings and comments. A reader that reaches the
//! end of the held part returns [`LexError::More`] if the text continues, so that no answer depends on
//! where the text was cut.

use memchr::{memchr, memchr2, memchr3, memmem};

use tensor_layout::error::Span;

use crate::candidates::shape_end;

/// The reason that a stretch of text does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LexError {
    /// The held part of the text ends here, but the text continues.
    More,
    /// It is something else, or broken.
    Not(&'static str),
}

pub(crate) type Lexed<T> = Result<T, LexError>;

/// Turns [`LexError::Not`] into `None`.
pub(crate) fn is<T>(found: Lexed<T>) -> Lexed<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(LexError::More) => Err(LexError::More),
        Err(LexError::Not(_)) => Ok(None),
    }
}

/// The part of a text that is held in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens<'t> {
    pub(crate) bytes: &'t [u8],
    /// Set if the text ends with this part.
    pub(crate) is_last: bool,
}

pub(crate) const UNCLOSED: &str = "the brackets of this instruction do not close";
pub(crate) const CUT: &str = "the text ends inside this instruction";
const UNCLOSED_STRING: &str = "a string of this instruction does not close";

/// The greatest depth of brackets: no text of XLA nests deeper.
const DEEPEST: usize = 1 << 12;

/// The bytes at which a walk stops to look.
type Marks = [bool; 256];

/// Marks quotes, brackets, slashes and `=`, and on request commas and blanks.
const fn marks(is_comma: bool, is_gap: bool) -> Marks {
    let (mut table, mut byte, mut at) = ([false; 256], 0_u8, 0);
    while at < table.len() {
        table[at] =
            matches!(byte, b'"' | b'\'' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'/' | b'=')
                || is_comma && byte == b','
                || is_gap && is_blank(byte);
        (byte, at) = (byte.wrapping_add(1), at + 1);
    }
    table
}

const PLAIN: Marks = marks(false, false);
const OPERANDS: Marks = marks(true, false);
const VALUE: Marks = marks(true, true);

/// The bytes that end a walk outside all brackets, besides a bracket that closes more than was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    Bracket,
    /// A bracket, in shapes: they have neither strings nor an equals sign other than that of `<=`.
    ShapeBracket,
    Comma,
    /// A comma or a blank.
    Gap,
}

pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Returns whether a byte may be in names, opcodes and keys; bytes that are not ASCII, and control characters
/// other than blanks, may be, too.
pub(crate) fn is_name(byte: u8) -> bool {
    NAME[usize::from(byte)]
}

const NAME: Marks = {
    let (mut table, mut byte, mut at) = ([false; 256], 0_u8, 0);
    while at < table.len() {
        let is_word = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'%');
        let is_other = !byte.is_ascii() || byte.is_ascii_control() && !is_blank(byte);
        table[at] = is_word || is_other;
        (byte, at) = (byte.wrapping_add(1), at + 1);
    }
    table
};

fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

impl<'t> Tokens<'t> {
    /// The byte at a place; `None` after the end of the text.
    #[inline]
    pub(crate) fn peek(self, at: usize) -> Lexed<Option<u8>> {
        match self.bytes.get(at) {
            Some(byte) => Ok(Some(*byte)),
            None if self.is_last => Ok(None),
            None => Err(LexError::More),
        }
    }

    /// Returns the error at the end of the held part: `why` if the text ends, else [`LexError::More`].
    fn ended(self, why: &'static str) -> LexError {
        if self.is_last { LexError::Not(why) } else { LexError::More }
    }

    pub(crate) fn rest(self, at: usize) -> &'t [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    /// Returns the position after blanks and comments.
    #[inline]
    pub(crate) fn blanks(self, from: usize) -> Lexed<usize> {
        match self.bytes.get(from) {
            Some(byte) if !is_blank(*byte) && *byte != b'/' => Ok(from),
            _ => self.some_blanks(from),
        }
    }

    fn some_blanks(self, from: usize) -> Lexed<usize> {
        let mut at = from;
        loop {
            at += self.rest(at).iter().take_while(|byte| is_blank(**byte)).count();
            match self.peek(at)? {
                Some(b'/') => match self.comment(at)? {
                    Some(end) => at = end,
                    None => return Ok(at),
                },
                _ => return Ok(at),
            }
        }
    }

    /// Returns the position after the comment at a slash, if it is one: a comment ends within 64 KiB.
    pub(crate) fn comment(self, at: usize) -> Lexed<Option<usize>> {
        const LONGEST: usize = 1 << 16;
        let rest = self.rest(at + 2);
        let near = rest.get(..LONGEST).unwrap_or(rest);
        let end = match self.peek(at + 1)? {
            Some(b'*') => memmem::find(near, b"*/").map(|end| end + 2),
            Some(b'/') => memchr(b'\n', near).or(self.is_last.then_some(near.len())),
            _ => return Ok(None),
        };
        if end.is_none() && near.len() < LONGEST && !self.is_last {
            return Err(LexError::More);
        }
        Ok(end.map(|end| at + 2 + end))
    }

    /// Returns the rest of the line, at most 4 KiB of it.
    pub(crate) fn line(self, from: usize) -> Lexed<&'t [u8]> {
        const NEAR: usize = 1 << 12;
        let rest = self.rest(from);
        let near = rest.get(..NEAR).unwrap_or(rest);
        match memchr(b'\n', near) {
            Some(length) => Ok(near.get(..length).unwrap_or(near)),
            None if near.len() == NEAR || self.is_last => Ok(near),
            None => Err(LexError::More),
        }
    }

    /// Returns the position after a word; `from` if there is none.
    pub(crate) fn word(self, from: usize) -> Lexed<usize> {
        let length = self.rest(from).iter().take_while(|b| is_name(**b)).count();
        self.peek(from + length)?;
        Ok(from + length)
    }

    /// Returns the position after the string whose opening quote is at `from`.
    pub(crate) fn string(self, from: usize) -> Lexed<usize> {
        let quote = self.bytes.get(from).copied().unwrap_or(b'"');
        let mut at = from + 1;
        loop {
            let found = memchr2(quote, b'\\', self.rest(at));
            let Some(found) = found else { return Err(self.ended(CUT)) };
            at += found + 1;
            if self.bytes.get(at - 1) == Some(&quote) {
                return Ok(at);
            }
            at += 1;
        }
    }

    /// Returns the next position, outside the brackets that open on the way, of a closing bracket or of a
    /// byte of `until`. An instruction that begins inside brackets shows that they are broken.
    pub(crate) fn walk(self, from: usize, until: Until) -> Lexed<usize> {
        let marks = match until {
            Until::Bracket | Until::ShapeBracket => &PLAIN,
            Until::Comma => &OPERANDS,
            Until::Gap => &VALUE,
        };
        // Most brackets nest a few deep: two bits each in a number, and a list beyond.
        let mut open = Nest::default();
        let is_shape = until == Until::ShapeBracket;
        let mut at = from;
        loop {
            let rest = self.rest(at);
            let found = rest.iter().position(|byte| marks[usize::from(*byte)]);
            at += found.unwrap_or(rest.len());
            let Some(&byte) = self.bytes.get(at) else {
                let is_value = until == Until::Gap && open.is_empty() && self.is_last;
                return if is_value { Ok(at) } else { Err(self.ended(CUT)) };
            };
            match byte {
                b'=' if is_shape && self.bytes.get(..at).is_some_and(|b| b.ends_with(b"<")) => {}
                b'"' | b'\'' | b'=' if is_shape => return Err(LexError::Not(UNCLOSED)),
                b'"' | b'\'' => {
                    at = self.checked_string(at)?;
                    continue;
                }
                b'(' | b'[' | b'{' => open.push(byte)?,
                b')' | b']' | b'}' => match open.pop() {
                    None => return Ok(at),
                    Some(of) if closing(of) == byte => {}
                    Some(_) => return Err(LexError::Not(UNCLOSED)),
                },
                b'/' => {
                    if let Some(end) = self.comment(at)? {
                        at = end;
                        continue;
                    }
                }
                b'=' if until == Until::Gap && open.is_empty() => {}
                b'=' if self.is_instruction(from, at)? => return Err(LexError::Not(UNCLOSED)),
                b'=' => {}
                _ if open.is_empty() => return Ok(at),
                _ => {}
            }
            at += 1;
        }
    }

    /// Returns the end of the line, if attributes `, key=value, key=value` fill the rest of it and do not
    /// continue on the next one, as most do, and the value of `metadata`, which is empty without one. `None` where that takes
    /// a closer look.
    pub(crate) fn plain_attributes(self, from: usize) -> Option<(usize, Span)> {
        let (mut at, mut depth) = (from, 0_usize);
        let (mut metadata, mut open) = (Span::new(from, from), None);
        loop {
            let marks = if depth == 0 { &VALUE } else { &PLAIN };
            let rest = self.bytes.get(at..)?;
            at += rest.iter().position(|byte| marks[usize::from(*byte)] && *byte != b',')?;
            let before = self.bytes.get(at.wrapping_sub(1)).copied();
            match self.bytes.get(at)? {
                b'"' => at = self.plain_string(at)?,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0
                        && let Some(start) = open.take()
                    {
                        metadata = Span::new(start, self.ended_value(at + 1)?);
                    }
                }
                b'=' if before.is_some_and(|byte| !is_blank(byte)) => {
                    if depth == 0 && self.bytes.get(from..at)?.ends_with(b" metadata") {
                        let is_braced = self.bytes.get(at + 1)? == &b'{';
                        let is_first = metadata.start == metadata.end;
                        open = Some((is_braced && is_first).then_some(at + 1)?);
                    }
                }
                b'\n' if depth == 0 => {
                    return self.is_line_of_attributes(at).then_some((at, metadata));
                }
                b' ' if depth == 0 && before == Some(b',') => {}
                b'/' if !matches!(self.bytes.get(at + 1)?, b'/' | b'*') => {}
                _ => return None,
            }
            at += 1;
        }
    }

    /// Returns a position again, if a comma or the end of the line is there.
    fn ended_value(self, at: usize) -> Option<usize> {
        matches!(self.bytes.get(at)?, b',' | b'\n').then_some(at)
    }

    /// Returns the position of the quote that closes a string on the same line.
    fn plain_string(self, from: usize) -> Option<usize> {
        let mut at = from + 1;
        loop {
            at += memchr3(b'"', b'\\', b'\n', self.bytes.get(at..)?)?;
            match self.bytes.get(at)? {
                b'"' => return Some(at),
                b'\\' => at += 2,
                _ => return None,
            }
        }
    }

    /// Returns whether the text after a line cannot belong to the attributes on it.
    fn is_line_of_attributes(self, end: usize) -> bool {
        let is_open = |byte: &u8| is_blank(*byte) || matches!(byte, b',' | b'{' | b'/');
        let next = self.rest(end + 1).iter().find(|byte| **byte != b' ');
        let is_whole = self.bytes.get(end.wrapping_sub(1)).is_some_and(|byte| *byte != b',');
        is_whole && next.is_some_and(|byte| !is_open(byte))
    }

    /// Returns the position after a string, or an error if the string runs over the beginning of another
    /// instruction into a string of that one: its content would then follow the closing quote.
    fn checked_string(self, from: usize) -> Lexed<usize> {
        let end = self.string(from)?;
        let inside = self.bytes.get(from..end).unwrap_or_default();
        if memchr(b'\n', inside).is_none() || self.instructions_within(from, end) == 0 {
            return Ok(end);
        }
        match self.peek(end)? {
            None | Some(b',' | b'}' | b')' | b']' | b':') => Ok(end),
            Some(byte) if is_blank(byte) => Ok(end),
            Some(_) => Err(LexError::Not(UNCLOSED_STRING)),
        }
    }

    /// The number of lines of a stretch that look like instructions.
    pub(crate) fn instructions_within(self, from: usize, end: usize) -> u64 {
        let part = Tokens { bytes: self.bytes.get(..end).unwrap_or_default(), is_last: true };
        let lines = memchr::memchr_iter(b'\n', part.rest(from)).map(|line| from + line + 1);
        let is_head = |line: &usize| {
            let start = part.blanks(*line).unwrap_or(*line);
            part.head(start, ShapeIs::Written).is_ok()
        };
        tensor_layout_words::to_u64(lines.filter(is_head).count())
    }

    /// Returns whether the equals sign is that of `name = shape opcode(`, which never occurs inside the value
    /// of an attribute or inside an operand.
    fn is_instruction(self, from: usize, sign: usize) -> Lexed<bool> {
        let before = self.bytes.get(from..sign).unwrap_or_default();
        let gap = before.iter().rev().take_while(|b| is_blank(**b)).count();
        if gap == 0 {
            return Ok(false);
        }
        let name = before.iter().rev().skip(gap).take_while(|b| is_name(**b)).count();
        Ok(is(self.head(sign - gap - name, ShapeIs::Written))?.is_some())
    }

    /// Returns the position after a shape: a tuple, a buffer, or a type with its dimensions and its layout.
    pub(crate) fn shape(self, from: usize) -> Lexed<usize> {
        const NONE: LexError = LexError::Not("there is no shape");
        let open = match (self.peek(from)?, self.peek(from + 1)) {
            (Some(b'('), _) => Some(from),
            (Some(b'b'), Ok(Some(b'('))) => Some(from + 1),
            (Some(_), Err(fault)) => return Err(fault),
            _ => None,
        };
        if let Some(open) = open {
            let close = self.walk(open + 1, Until::ShapeBracket)?;
            let is_closed = self.bytes.get(close) == Some(&b')');
            return if is_closed { Ok(close + 1) } else { Err(NONE) };
        }
        let rest = self.rest(from);
        let dtype = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        if dtype == 0 || self.peek(from + dtype)? != Some(b'[') {
            return Err(NONE);
        }
        let (end, is_closed) = shape_end(self.bytes, from + dtype);
        if !is_closed && self.bytes.get(end).is_some_and(|b| is_blank(*b)) {
            return self.wrapped_shape(from + dtype);
        }
        // A layout may follow dimensions at the end of the held part.
        if end + 1 >= self.bytes.len() && !self.is_last {
            return Err(LexError::More);
        }
        if is_closed { Ok(end) } else { Err(NONE) }
    }

    /// Returns the position after an array whose dimensions or layout are broken over lines.
    fn wrapped_shape(self, bracket: usize) -> Lexed<usize> {
        let end = self.walk(bracket + 1, Until::ShapeBracket)? + 1;
        match self.peek(end)? {
            Some(b'{') => Ok(self.walk(end + 1, Until::ShapeBracket)? + 1),
            _ => Ok(end),
        }
    }

    /// Reads the name of an instruction, up to its equals sign: whether it is the root, the span of the
    /// name, and the position of the sign.
    #[inline]
    pub(crate) fn named(self, from: usize) -> Lexed<(bool, (usize, usize), usize)> {
        let mut start = from;
        let mut end = self.word(start)?;
        let mut gap = self.blanks(end)?;
        let is_root = self.bytes.get(start..end) == Some(b"ROOT");
        if is_root {
            start = gap;
            end = self.word(start)?;
            gap = self.blanks(end)?;
        }
        if end == start || gap == end || self.peek(gap)? != Some(b'=') {
            return Err(LexError::Not(NO_INSTRUCTION));
        }
        Ok((is_root, (start, end), gap))
    }

    /// Reads the head of an instruction, up to the bracket before its operands.
    pub(crate) fn head(self, from: usize, shape_is: ShapeIs) -> Lexed<HeadSpans> {
        let (is_root, name, sign) = self.named(from)?;
        let shape_start = self.blanks(sign + 1)?;
        let (shape, opcode) = match self.shape(shape_start) {
            Ok(shape_end) => ((shape_start, shape_end), self.blanks(shape_end)?),
            Err(LexError::Not(_)) if shape_is == ShapeIs::Optional => {
                ((shape_start, shape_start), shape_start)
            }
            Err(fault) => return Err(fault),
        };
        let opcode_end = self.word(opcode)?;
        let open = self.blanks(opcode_end)?;
        let is_opcode = opcode_end > opcode && self.bytes[opcode].is_ascii_alphabetic();
        if !is_opcode || self.peek(open)? != Some(b'(') {
            return Err(LexError::Not(NO_INSTRUCTION));
        }
        Ok(HeadSpans { is_root, name, shape, opcode: (opcode, opcode_end), open })
    }
}

pub(crate) const NO_INSTRUCTION: &str =
    "this is not an instruction: `name = shape opcode(operands)`";

/// The rule for the shape of an instruction: it must be written, or may be left out, as XLA allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShapeIs {
    Written,
    Optional,
}

/// The spans of the parts of the head of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadSpans {
    pub(crate) is_root: bool,
    pub(crate) name: (usize, usize),
    pub(crate) shape: (usize, usize),
    pub(crate) opcode: (usize, usize),
    /// The position of the bracket before the operands.
    pub(crate) open: usize,
}

/// The brackets that are open.
#[derive(Debug, Default)]
struct Nest {
    /// Two bits for each of the innermost brackets, at most 64, and the number of all that are open.
    kinds: u128,
    depth: usize,
    /// The bits of the brackets further out, 64 brackets to a number.
    outer: Vec<u128>,
}

impl Nest {
    const ROOM: usize = 64;

    fn is_empty(&self) -> bool {
        self.depth == 0
    }

    fn push(&mut self, open: u8) -> Lexed<()> {
        if self.depth >= DEEPEST {
            return Err(LexError::Not("brackets nest deeper than 4096"));
        }
        if self.depth > 0 && self.depth.is_multiple_of(Nest::ROOM) {
            self.outer.push(self.kinds);
        }
        let kind = match open {
            b'(' => 0,
            b'[' => 1,
            _ => 2,
        };
        self.kinds = self.kinds << 2 | kind;
        self.depth += 1;
        Ok(())
    }

    fn pop(&mut self) -> Option<u8> {
        self.depth = self.depth.checked_sub(1)?;
        let open = [b'(', b'[', b'{', b'{'][usize::from(self.kinds.to_le_bytes()[0] & 3)];
        self.kinds >>= 2;
        if self.depth > 0 && self.depth.is_multiple_of(Nest::ROOM) {
            self.kinds = self.outer.pop().unwrap_or_default();
        }
        Some(open)
    }
}

#[cfg(test)]
mod tests {
    use super::{LexError, Tokens, Until};

    fn all(text: &str) -> Tokens<'_> {
        Tokens { bytes: text.as_bytes(), is_last: true }
    }

    #[test]
    fn brackets_close_by_kind_outside_strings_and_comments() {
        let text = "a=\"x}\\\"{\",b={\"k\":\"}\"} /*)*/, [(')')]}, rest";
        assert_eq!(all(text).walk(0, Until::Bracket), Ok(text.find("}, rest").unwrap()));
        assert!(matches!(all("(]").walk(0, Until::Bracket), Err(LexError::Not(_))));
        let deep = "{".repeat(200) + &"[".repeat(100) + &"]".repeat(100) + &"}".repeat(201);
        assert_eq!(all(&deep).walk(0, Until::Bracket), Ok(600));
        assert!(all(&"(".repeat(5000)).walk(0, Until::Bracket).is_err());
    }

    #[test]
    fn no_answer_depends_on_how_much_of_the_text_is_held() {
        let text =
            "  ROOT %a.1 = (f32[2]{0}, /*index=1*/ s32[] )\n fusion (b, c), k={\"}\"}, l=m\n}";
        let whole = all(text).head(2, super::ShapeIs::Written).unwrap();
        for cut in 0..text.len() {
            let part = Tokens { bytes: &text.as_bytes()[..cut], is_last: false };
            match part.head(2, super::ShapeIs::Written) {
                Ok(head) => assert_eq!((head.name, head.open), (whole.name, whole.open)),
                Err(fault) => assert_eq!(fault, LexError::More, "{cut}"),
            }
        }
    }

    #[test]
    fn an_instruction_inside_brackets_shows_that_they_are_broken() {
        let broken = "a, {x={\n  %b = f32[2]{0} add(c, c)\n}";
        assert_eq!(all(broken).walk(0, Until::Bracket), Err(LexError::Not(super::UNCLOSED)));
        assert!(all("mode = fast, x={a = b}}").walk(0, Until::Bracket).is_ok());
    }
}
