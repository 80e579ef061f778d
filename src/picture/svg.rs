//! A picture as SVG that stands on its own.

use std::fmt::Write;

use super::{Cell, CellKind, Panel, Picture};

/// Tints of the colours of Okabe and Ito, which colour-blind readers can tell apart; all are light
/// enough for dark text, also in print.
const TINTS: [&str; 8] =
    ["#a6d5f0", "#f3cb7a", "#8ed3bd", "#f6ef9a", "#9cc1dd", "#eeb38c", "#e4bdd4", "#d3d3d3"];

/// Border colours and widths by depth, outermost first.
const BORDERS: [(&str, f64); 5] =
    [("#1a1a1a", 2.4), ("#b3261e", 1.8), ("#2f4b7c", 1.5), ("#555555", 1.2), ("#777777", 1.0)];

const CHARACTER: f64 = 6.7;
const LINE: f64 = 14.0;
const GAP: f64 = 26.0;
const MARGIN: f64 = 14.0;
/// Panels go side by side as long as they fit in this width.
const WIDEST: f64 = 880.0;
/// The legend has at least this width.
const NARROWEST: f64 = 280.0;

impl Picture {
    /// The picture as SVG: a white page of its own, so that it is legible on dark ground too, with
    /// title and description for readers who do not see it.
    ///
    /// Law: the same picture gives the same text.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let boxes: Vec<Boxed<'_>> = self.panels.iter().map(Boxed::new).collect();
        let title_width = text_width(&self.title) * 1.15;
        let inner =
            boxes.iter().map(|b| b.width).fold(NARROWEST, f64::max).max(title_width.min(WIDEST));
        let mut body = String::new();
        let mut y = MARGIN + 4.0;
        for line in wrapped(&self.title, inner / 1.15) {
            y += LINE + 2.0;
            text(&mut body, MARGIN, y, "t", &line);
        }
        y += 10.0;
        let (mut x, mut tallest, mut right) = (MARGIN, 0.0_f64, MARGIN + inner);
        for panel in &boxes {
            if x > MARGIN && x + panel.width > MARGIN + WIDEST {
                (x, y, tallest) = (MARGIN, y + tallest + GAP, 0.0);
            }
            panel.draw(&mut body, x, y);
            x += panel.width;
            right = right.max(x);
            x += GAP;
            tallest = tallest.max(panel.height);
        }
        y += tallest + 8.0;
        y = self.key(&mut body, y, right - MARGIN);
        let (width, height) = (right + MARGIN, y + MARGIN);
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-labelledby=\"title desc\">\n\
             <title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n{STYLE}\
             <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#ffffff\"/>",
            escaped(&self.title),
            escaped(&self.description)
        );
        svg.push_str(&body);
        svg.push_str("</svg>\n");
        svg
    }

    /// Colours, borders, padding and notes; the new bottom.
    fn key(&self, body: &mut String, top: f64, width: f64) -> f64 {
        let kinds = |kind| self.panels.iter().flat_map(|p| &p.cells).any(|cell| cell.kind == kind);
        let mut items: Vec<(String, &str)> = Vec::new();
        for (color, name) in &self.legend {
            items.push((swatch(TINTS[color % TINTS.len()], "#777777"), name));
        }
        if kinds(CellKind::Padding) {
            items.push((swatch("url(#pad)", "#777777"), "padding"));
        }
        if kinds(CellKind::Hole) {
            items.push((swatch("#ffffff", "#bbbbbb"), "hole"));
        }
        for (depth, name) in self.borders.iter().enumerate() {
            let (color, stroke) = border(depth);
            let line = format!(
                "<path d=\"M0 -4h14\" stroke=\"{color}\" stroke-width=\"{stroke}\" fill=\"none\"/>"
            );
            items.push((line, name));
        }
        let (mut x, mut y) = (MARGIN, top + LINE);
        for (sign, name) in &items {
            let wide = 20.0 + text_width(name) + 14.0;
            if x > MARGIN && x + wide > MARGIN + width {
                (x, y) = (MARGIN, y + LINE + 3.0);
            }
            let _ = writeln!(body, "<g transform=\"translate({x:.1} {y:.1})\">{sign}</g>");
            text(body, x + 20.0, y, "k", name);
            x += wide;
        }
        if items.is_empty() {
            y -= LINE;
        }
        for line in self.notes.iter().flat_map(|note| wrapped(note, width)) {
            y += LINE + 1.0;
            text(body, MARGIN, y, "n", &line);
        }
        y
    }
}

const STYLE: &str = "<defs><pattern id=\"pad\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#ffffff\"/>\
<path d=\"M0 0v6\" stroke=\"#9a9a9a\" stroke-width=\"2\"/></pattern></defs>\n\
<style>text{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:11px;\
fill:#1a1a1a}.c{text-anchor:middle}.r{text-anchor:end;fill:#555555;font-size:10px}\
.x{text-anchor:middle;fill:#555555;font-size:10px}.t{font-size:12.5px;font-weight:600}\
.k{font-size:11px}.n,.p{fill:#444444;font-size:10.5px}</style>\n";

fn swatch(fill: &str, stroke: &str) -> String {
    format!("<rect y=\"-10\" width=\"14\" height=\"11\" fill=\"{fill}\" stroke=\"{stroke}\"/>")
}

fn border(depth: usize) -> (&'static str, f64) {
    BORDERS[depth.min(BORDERS.len() - 1)]
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn text(body: &mut String, x: f64, y: f64, class: &str, text: &str) {
    let _ = writeln!(
        body,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>",
        escaped(text)
    );
}

fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

fn text_width(text: &str) -> f64 {
    number(text.chars().count()) * CHARACTER
}

/// Lines that fit a width, broken at blanks where there are some.
fn wrapped(text: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let full = lines.last().is_some_and(|line| {
            !line.is_empty() && text_width(line) + text_width(word) + CHARACTER > width
        });
        if full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// A panel with the sizes of its parts.
struct Boxed<'a> {
    panel: &'a Panel,
    caption: Vec<String>,
    cell: (f64, f64),
    /// Left of the cells, and above them.
    ticks: (f64, f64),
    width: f64,
    height: f64,
}

/// The lines in a cell: its label, and how far it comes from.
fn lines(cell: &Cell) -> Vec<String> {
    let label = cell.label.lines().map(String::from);
    label.chain(cell.mark.iter().map(|mark| format!("\u{2190}{mark}"))).collect()
}

impl<'a> Boxed<'a> {
    fn new(panel: &'a Panel) -> Boxed<'a> {
        let all = || panel.cells.iter().map(lines);
        let widest = all().flatten().map(|line| text_width(&line)).fold(0.0, f64::max);
        let tick = panel.column_ticks.iter().map(|t| text_width(t)).fold(0.0, f64::max);
        let most = number(all().map(|lines| lines.len()).max().unwrap_or(1).max(1));
        let cell = ((widest.max(tick) + 9.0).max(25.0), (most * (LINE - 1.0) + 9.0).max(22.0));
        let left = panel.row_ticks.iter().map(|t| text_width(t)).fold(0.0, f64::max) + 7.0;
        let cells = number(panel.columns) * cell.0;
        let caption = wrapped(&panel.caption, (left + cells).max(260.0));
        let above = number(caption.len()) * LINE + 16.0;
        let caption_width = caption.iter().map(|line| text_width(line)).fold(0.0, f64::max);
        let height = above + number(panel.rows()) * cell.1 + 3.0;
        Boxed {
            panel,
            width: (left + cells + 3.0).max(caption_width),
            caption,
            cell,
            ticks: (left, above),
            height,
        }
    }

    fn draw(&self, body: &mut String, x: f64, y: f64) {
        for (at, line) in self.caption.iter().enumerate() {
            text(body, x, y + number(at + 1) * LINE - 3.0, "p", line);
        }
        let _ = writeln!(
            body,
            "<g transform=\"translate({:.1} {:.1})\">",
            x + self.ticks.0,
            y + self.ticks.1
        );
        let (wide, high) = self.cell;
        for (row, tick) in self.panel.row_ticks.iter().enumerate() {
            text(body, -5.0, (number(row) + 0.5) * high + 4.0, "r", tick);
        }
        for (column, tick) in self.panel.column_ticks.iter().enumerate() {
            text(body, (number(column) + 0.5) * wide, -5.0, "x", tick);
        }
        for row in 0..self.panel.rows() {
            for column in 0..self.panel.columns {
                if let Some(cell) = self.panel.cell(row, column) {
                    self.draw_cell(body, cell, number(column) * wide, number(row) * high);
                }
            }
        }
        self.draw_borders(body);
        body.push_str("</g>\n");
    }

    fn draw_cell(&self, body: &mut String, cell: &Cell, x: f64, y: f64) {
        let (wide, high) = self.cell;
        let (fill, stroke) = match (cell.kind, cell.color) {
            (CellKind::Blank, _) => return,
            (CellKind::Padding, _) => ("url(#pad)", "#bbbbbb"),
            (CellKind::Element, Some(color)) => (TINTS[color % TINTS.len()], "#ffffff"),
            _ => ("#ffffff", "#dddddd"),
        };
        let _ = writeln!(
            body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" \
             fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"0.8\"/>"
        );
        if cell.kind == CellKind::Padding {
            return;
        }
        let lines = lines(cell);
        let first = y + high / 2.0 - (number(lines.len()) - 1.0) * (LINE - 1.0) / 2.0 + 4.0;
        for (at, line) in lines.iter().enumerate() {
            text(body, x + wide / 2.0, first + number(at) * (LINE - 1.0), "c", line);
        }
    }

    /// Innermost borders first, so that outer ones lie over them; one path per depth.
    fn draw_borders(&self, body: &mut String) {
        let (wide, high) = self.cell;
        let panel = self.panel;
        let depths = panel.cells.iter().map(|cell| cell.path.len()).max().unwrap_or(0);
        for depth in (0..depths).rev() {
            let mut path = String::new();
            for row in 0..panel.rows() {
                for column in 0..panel.columns {
                    let (x, y) = (number(column) * wide, number(row) * high);
                    if panel.border((row, column), (row, column + 1)) == Some(depth) {
                        let _ = write!(path, "M{:.1} {y:.1}v{high:.1}", x + wide);
                    }
                    if panel.border((row, column), (row + 1, column)) == Some(depth) {
                        let _ = write!(path, "M{x:.1} {:.1}h{wide:.1}", y + high);
                    }
                }
            }
            if !path.is_empty() {
                let (color, stroke) = border(depth);
                let _ = writeln!(
                    body,
                    "<path d=\"{path}\" stroke=\"{color}\" stroke-width=\"{stroke}\" fill=\"none\" \
                     stroke-linecap=\"square\"/>"
                );
            }
        }
        if panel.cells.iter().all(|cell| cell.kind != CellKind::Blank) {
            let (width, height) = (number(panel.columns) * wide, number(panel.rows()) * high);
            let _ = writeln!(
                body,
                "<rect width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" \
                 stroke=\"#1a1a1a\" stroke-width=\"1.6\"/>"
            );
        }
    }
}
