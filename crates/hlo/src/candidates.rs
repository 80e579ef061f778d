//! Candidates for shapes in the bytes of a dump, outside quotes.

use tensor_layout::xla::XlaDtype;

/// Something that begins like a shape: the name of a type, then `[`.
pub(super) enum ShapeCandidate<'t> {
    /// The text from the type to the end of the dimensions or the layout.
    Shape(&'t [u8]),
    /// The text of one that is not closed, or whose dimensions are not all numbers.
    Broken(&'t [u8]),
}

/// The candidates of a line, or of a piece of one, left to right.
pub(super) struct ShapeCandidates<'t, 'q> {
    piece: &'t [u8],
    at: usize,
    quoted: &'q mut bool,
    ends_line: bool,
    behind: usize,
}

impl<'t, 'q> ShapeCandidates<'t, 'q> {
    /// The candidates of a piece; `quoted` is set if the piece begins, and afterwards if it ends, inside
    /// quotes.
    pub(super) fn new(
        piece: &'t [u8],
        quoted: &'q mut bool,
        ends_line: bool,
    ) -> ShapeCandidates<'t, 'q> {
        ShapeCandidates { piece, at: 0, quoted, ends_line, behind: piece.len() }
    }

    /// The position, once there are no more candidates, at which the next piece of the line has to begin: a shape,
    /// its type or an escape may continue after the end of this one.
    pub(super) fn behind(&self) -> usize {
        let is_open = |b: &u8| !*self.quoted && (is_type_name(b) || *b == b'%');
        let tail = self.piece.iter().rev().take(LONGEST_NAME + 2).take_while(|b| is_open(b));
        match self.ends_line {
            true => self.piece.len(),
            false => self.behind.min(self.piece.len() - tail.count()),
        }
    }

    /// The candidate whose dimensions begin at a bracket; `None` for one that ends in the next piece.
    fn candidate(&mut self, start: usize, bracket: usize) -> Option<ShapeCandidate<'t>> {
        let piece = self.piece;
        let (end, closed) = shape_end(piece, bracket);
        self.at = end;
        if !self.ends_line && end + NEAR >= piece.len() {
            (self.at, self.behind) = (piece.len(), start);
            // One that fills a whole piece has no end in sight.
            return (start == 0).then(|| {
                self.behind = piece.len();
                ShapeCandidate::Broken(piece)
            });
        }
        Some(match closed {
            true => ShapeCandidate::Shape(&piece[start..end]),
            false => ShapeCandidate::Broken(&piece[start..behind_bracket(piece, end)]),
        })
    }
}

impl<'t> Iterator for ShapeCandidates<'t, '_> {
    type Item = ShapeCandidate<'t>;

    fn next(&mut self) -> Option<ShapeCandidate<'t>> {
        let piece = self.piece;
        while let Some(byte) = piece.get(self.at) {
            let at = self.at;
            self.at += 1;
            match byte {
                b'\\' if *self.quoted => {
                    self.behind = if self.at == piece.len() { at } else { self.behind };
                    self.at += 1;
                }
                b'"' => *self.quoted = !*self.quoted,
                b'[' if !*self.quoted => {
                    if let Some(start) = type_before(piece, at) {
                        return self.candidate(start, at);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// The greatest length of the name of a type, and more.
const LONGEST_NAME: usize = 16;

/// The distance after the end of an unclosed shape within which its bracket is sought; longer than the
/// look-ahead for a layout after the dimensions.
const NEAR: usize = 32;

fn is_type_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

/// Returns the start of the type that ends at the bracket, if there is one.
pub(crate) fn type_before(piece: &[u8], bracket: usize) -> Option<usize> {
    let name = piece[..bracket].iter().rev().take(LONGEST_NAME + 1).take_while(|b| is_type_name(b));
    let start = bracket - name.count();
    let mut room = [0; LONGEST_NAME + 1];
    let name = room.get_mut(..bracket - start)?;
    name.copy_from_slice(&piece[start..bracket]);
    name.make_ascii_lowercase();
    let name = std::str::from_utf8(name).ok()?;
    let is_type = XlaDtype::from_name(name).is_some() || matches!(name, "token" | "opaque");
    let is_instruction = start > 0 && piece[start - 1] == b'%';
    (is_type && !is_instruction).then_some(start)
}

/// The position after the bracket that closes the dimensions near `end`, or else `end`.
pub(crate) fn behind_bracket(piece: &[u8], end: usize) -> usize {
    let rest = piece.get(end..).unwrap_or_default().iter().take(NEAR);
    let close = rest.take_while(|byte| !matches!(byte, b'"' | b'\n' | b' ' | b'['));
    close.enumerate().find(|(_, byte)| **byte == b']').map_or(end, |(at, _)| end + at + 1)
}

/// The reason a candidate cannot be a shape.
pub(crate) fn broken(text: &[u8]) -> &'static str {
    match text.ends_with(b"]") {
        true => "a dimension of this shape is not a number",
        false => "this shape is not closed",
    }
}

/// Returns the end of the shape whose dimensions begin at `bracket`, and whether its brackets close.
pub(crate) fn shape_end(piece: &[u8], bracket: usize) -> (usize, bool) {
    let is_dim = |b: &u8| b.is_ascii_digit() || matches!(b, b',' | b'<' | b'=' | b'?' | b' ');
    let dims = piece[bracket + 1..].iter().take_while(|b| is_dim(b)).count();
    let close = bracket + 1 + dims;
    if piece.get(close) != Some(&b']') {
        return (close.min(piece.len()), false);
    }
    let end = close + 1;
    let is_layout = piece.get(end) == Some(&b'{')
        && piece
            .get(end + 1)
            .is_some_and(|b| b.is_ascii_digit() || matches!(b, b':' | b'-' | b' '));
    if !is_layout {
        return (end, true);
    }
    let close = close_of_layout(&piece[end..]);
    (end + close.unwrap_or_else(|cut| cut), close.is_ok())
}

/// The greatest depth of braces in a layout: one with a physical shape, as in older dumps, has some inside.
///
/// At any place of a text, at most as many layouts are open as this, so that looking for their ends takes linear time.
const DEEPEST: usize = 4;

/// Returns the position after the brace that closes the layout at the start of `text`, or as an error
/// that of a quote, a line end or a brace too deep before it, or the end of the text.
fn close_of_layout(text: &[u8]) -> Result<usize, usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'{' if depth == DEEPEST => return Err(at),
            b'{' => depth += 1,
            b'}' if depth == 1 => return Ok(at + 1),
            b'}' => depth -= 1,
            b'"' | b'\n' => return Err(at),
            _ => {}
        }
    }
    Err(text.len())
}
