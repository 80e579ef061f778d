//! Texts, borders and keys of a picture.

use std::fmt::Write;

use crate::Cell;
use crate::text::broken;

/// Border colours and widths by depth, outermost first.
pub(super) const BORDERS: [(&str, f64); 5] =
    [("#1a1a1a", 2.4), ("#2f4b7c", 1.9), ("#6b7f9e", 1.5), ("#777777", 1.2), ("#999999", 1.0)];

pub(super) const CHARACTER: f64 = 6.7;
pub(super) const LINE: f64 = 14.0;

/// Signs with their meanings, broken into rows of a width.
pub(super) fn rows_of_key<'a>(
    items: &[(String, &'a str)],
    width: f64,
) -> Vec<Vec<(String, &'a str)>> {
    let mut rows: Vec<Vec<(String, &str)>> = Vec::new();
    let mut used = width;
    for (sign, name) in items {
        let wide = key_width(name);
        if used + wide > width {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += wide;
        if let Some(row) = rows.last_mut() {
            row.push((sign.clone(), name));
        }
    }
    rows
}

/// The width of the widest row.
pub(super) fn widest_row(rows: &[Vec<(String, &str)>]) -> f64 {
    let width =
        |row: &Vec<(String, &str)>| row.iter().map(|(_, name)| key_width(name)).sum::<f64>();
    rows.iter().map(width).fold(0.0, f64::max)
}

fn key_width(name: &str) -> f64 {
    20.0 + text_width(name) + 14.0
}

pub(super) fn write_row(body: &mut String, left: f64, y: f64, row: &[(String, &str)]) {
    let mut x = left;
    for (sign, name) in row {
        let _ = writeln!(body, "<g transform=\"translate({x:.1} {y:.1})\">{sign}</g>");
        text(body, x + 20.0, y, "k", name);
        x += key_width(name);
    }
}

pub(super) fn swatch(fill: &str, stroke: &str) -> String {
    format!("<rect y=\"-10\" width=\"14\" height=\"11\" fill=\"{fill}\" stroke=\"{stroke}\"/>")
}

/// Lines that look like borders, with their meanings by depth.
pub(super) fn border_signs<'a>(
    names: impl IntoIterator<Item = (usize, &'a str)>,
) -> impl Iterator<Item = (String, &'a str)> {
    names.into_iter().map(|(depth, name)| {
        let (color, stroke) = border(depth);
        let line = format!(
            "<path d=\"M0 -4h14\" stroke=\"{color}\" stroke-width=\"{stroke}\" fill=\"none\" class=\"s\"/>"
        );
        (line, name)
    })
}

pub(super) fn border(depth: usize) -> (&'static str, f64) {
    BORDERS[depth.min(BORDERS.len() - 1)]
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(super) fn text(body: &mut String, x: f64, y: f64, class: &str, text: &str) {
    let _ = writeln!(
        body,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>",
        escaped(text)
    );
}

pub(super) fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

pub(super) fn text_width(text: &str) -> f64 {
    number(text.chars().count()) * CHARACTER
}

/// Lines that fit a width, broken at blanks if there are any; none of an empty text.
pub(super) fn wrapped(text: &str, width: f64) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    broken(text, |line, word| text_width(line) + text_width(word) + CHARACTER <= width)
}

/// The lines in a cell: its label, its padding, and its source.
pub(super) fn lines(cell: &Cell) -> Vec<String> {
    let label = cell.label.lines().map(str::to_owned);
    let padding = (cell.is_partly_padded() && !cell.indexes.is_empty())
        .then(|| format!("{} pad", cell.padding_share()));
    label.chain(padding).chain(cell.mark.iter().map(|mark| format!("\u{2190}{mark}"))).collect()
}
