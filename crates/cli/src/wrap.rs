//! Wraps pages to the width of the terminal.

use std::borrow::Cow;
use std::io::{self, IsTerminal};

use tensor_layout_words::printable;

use super::output::width;

/// The page as printed, without control characters: on a terminal, wider lines are wrapped at blanks. For a file
/// or a pipe the lines are unchanged, since programs read them.
pub(super) fn fitted(page: &str) -> Cow<'_, str> {
    let page = printable(page);
    match io::stdout().is_terminal() {
        true => broken(&page, width()).into(),
        false => page,
    }
}

/// Wraps lines at blanks; continuation lines align with the text after the number columns, or are
/// indented a little more. Words are not split: a split shape could not be copied.
fn broken(page: &str, width: usize) -> String {
    let mut text = String::with_capacity(page.len());
    for line in page.split_inclusive('\n') {
        let indent = indent(line, width);
        let mut rest = line.trim_end_matches('\n');
        let mut room = width;
        while let Some(at) = cut(rest, room) {
            let (head, tail) = rest.split_at(at);
            text += &format!("{}\n{:indent$}", head.trim_end(), "");
            rest = tail.trim_start();
            room = width - indent;
        }
        text += rest;
        text += if line.ends_with('\n') { "\n" } else { "" };
    }
    text
}

/// The column at which continuation lines begin: after the last two blanks in the left half, or two
/// columns after the indentation of the line.
fn indent(line: &str, width: usize) -> usize {
    let start = line.len() - line.trim_start_matches(' ').len();
    let left = line.char_indices().nth(width / 2).map_or(line, |(at, _)| &line[..at]);
    let columns = left.rfind("  ").filter(|at| *at > start).map(|at| left[..at].chars().count());
    columns.map_or((start + 2).min(width / 3), |columns| columns + 2)
}

/// The byte at which to wrap a line that is wider than `room`: the last blank within `room` that follows
/// a word, or else the first blank.
fn cut(line: &str, room: usize) -> Option<usize> {
    if line.chars().count() <= room {
        return None;
    }
    let start = line.len() - line.trim_start().len();
    let blanks = line.char_indices().enumerate().filter(|(_, (at, c))| *c == ' ' && *at > start);
    let mut blanks = blanks.map(|(column, (at, _))| (column, at)).peekable();
    let first = blanks.peek().map(|(_, at)| *at);
    blanks.take_while(|(column, _)| *column <= room).last().map(|(_, at)| at).or(first)
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn lines_are_broken_at_the_last_blank_that_fits() {
        assert_eq!(broken("  ab cd ef\ngh\n", 8), "  ab cd\n  ef\ngh\n");
        assert_eq!(broken("abc de", 6), "abc de");
        assert_eq!(broken("    a b c d e f g", 9), "    a b c\n   d e f\n   g");
        assert_eq!(broken("  0 B  4 B  some words", 24), "  0 B  4 B  some words");
        assert_eq!(
            broken(" 0 B  4 B  some words here", 22),
            " 0 B  4 B  some words\n           here"
        );
    }

    #[test]
    fn words_stay_whole_and_nothing_is_lost() {
        assert_eq!(broken("abcdefgh ij klmnopqrs", 5), "abcdefgh\n ij\n klmnopqrs");
        for width in 3..30 {
            let page = "a bb  ccc, dddd\n\n   eeeee ff g\n";
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&broken(page, width)), words(page));
        }
    }
}
