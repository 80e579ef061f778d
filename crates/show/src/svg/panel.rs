//! A grid of cells, its ticks and its key.

use std::fmt::Write;

use indexmap::IndexMap;

use super::marks::{
    CHARACTER, LINE, border, border_signs, lines, number, rows_of_key, swatch, text, text_width,
    widest_row, wrapped, write_row,
};
use crate::palette::tint;
use crate::{Cell, CellKind, Panel};

/// A panel with the sizes of its parts.
pub(super) struct DrawnBox<'a> {
    pub(super) panel: &'a Panel,
    caption: Vec<String>,
    pub(super) cell: (f64, f64),
    /// The room for ticks: left of the cells, and above them.
    pub(super) ticks: (f64, f64),
    pub(super) width: f64,
    pub(super) height: f64,
    key: Vec<Vec<(String, &'a str)>>,
}

/// The size of a cell that holds all labels.
pub(super) fn cell_size(panel: &Panel) -> (f64, f64) {
    let all = || panel.cells.iter().map(lines);
    let widest = all().flatten().map(|line| text_width(&line)).fold(0.0, f64::max);
    let tick = panel.column_ticks.iter().map(|t| text_width(t)).fold(0.0, f64::max);
    let most = number(all().map(|lines| lines.len()).max().unwrap_or(1).max(1));
    ((widest.max(tick) + 9.0).max(25.0), (most * (LINE - 1.0) + 9.0).max(22.0))
}

impl<'a> DrawnBox<'a> {
    /// A panel with cells of a size, and with the meaning of its borders in its key if `names_borders`.
    pub(super) fn new(panel: &'a Panel, cell: (f64, f64), names_borders: bool) -> DrawnBox<'a> {
        let left = panel.row_ticks.iter().map(|t| text_width(t)).fold(0.0, f64::max) + CHARACTER;
        let cells = number(panel.columns) * cell.0;
        let room = (left + cells).max(260.0);
        let caption = wrapped(&panel.caption, room);
        let above = number(caption.len()) * LINE + 16.0;
        let caption_width = caption.iter().map(|line| text_width(line)).fold(0.0, f64::max);
        let sign = |color: usize| swatch(tint(color), "#777777");
        let mut items: Vec<(String, &str)> =
            panel.key.iter().map(|(color, name)| (sign(*color), name.as_str())).collect();
        items.extend(panel.coloring.iter().map(|what| (String::new(), what.as_str())));
        items.extend(border_signs(panel.drawn_borders().filter(|_| names_borders)));
        let key = rows_of_key(&items, room);
        let height = above + number(panel.rows()) * cell.1 + 6.0 + number(key.len()) * (LINE + 3.0);
        let width = (left + cells + 3.0).max(caption_width).max(widest_row(&key));
        DrawnBox { panel, width, caption, cell, ticks: (left, above), height, key }
    }

    /// Moves the cells down, to begin at a distance from the top.
    pub(super) fn begin_at(&mut self, above: f64) {
        self.height += above - self.ticks.1;
        self.ticks.1 = above;
    }

    /// Width and height of the cells together.
    pub(super) fn grid(&self) -> (f64, f64) {
        (number(self.panel.columns) * self.cell.0, number(self.panel.rows()) * self.cell.1)
    }

    /// The upper left corner of a cell, from that of the panel.
    pub(super) fn corner(&self, at: usize) -> (f64, f64) {
        let (x, y) = self.inner_corner(at);
        (self.ticks.0 + x, self.ticks.1 + y)
    }

    fn inner_corner(&self, at: usize) -> (f64, f64) {
        let columns = self.panel.columns.max(1);
        (number(at % columns) * self.cell.0, number(at / columns) * self.cell.1)
    }

    pub(super) fn draw(&self, body: &mut String, x: f64, y: f64) {
        self.draw_with(body, (x, y), |body| {
            self.draw_cells(body);
            self.draw_order(body);
            self.draw_labels(body);
        });
    }

    /// Draws a panel that others move into, pale.
    pub(super) fn draw_empty(&self, body: &mut String, at: (f64, f64)) {
        self.draw_with(body, at, |body| {
            body.push_str("<g class=\"w\">\n");
            self.draw_cells(body);
            self.draw_labels(body);
            body.push_str("</g>\n");
        });
    }

    /// Draws caption, ticks, the contents of the cells by `inside`, borders and key.
    fn draw_with(&self, body: &mut String, (x, y): (f64, f64), inside: impl Fn(&mut String)) {
        for (at, line) in self.caption.iter().enumerate() {
            text(body, x, y + number(at + 1) * LINE - 3.0, "p", line);
        }
        let (left, top) = (x + self.ticks.0, y + self.ticks.1);
        let _ = writeln!(body, "<g transform=\"translate({left:.1} {top:.1})\">");
        let (wide, high) = self.cell;
        for (row, tick) in self.panel.row_ticks.iter().enumerate() {
            text(body, -5.0, (number(row) + 0.5) * high + 4.0, "r", tick);
        }
        for (column, tick) in self.panel.column_ticks.iter().enumerate() {
            text(body, (number(column) + 0.5) * wide, -5.0, "x", tick);
        }
        inside(body);
        self.draw_borders(body);
        body.push_str("</g>\n");
        let mut y = y + self.ticks.1 + self.grid().1 + 3.0;
        for row in &self.key {
            y += LINE + 3.0;
            write_row(body, x, y, row);
        }
    }

    /// The cells, one path for those that look alike, and the padding of blocks.
    fn draw_cells(&self, body: &mut String) {
        let (wide, high) = self.cell;
        let mut alike: IndexMap<(&str, &str), String> = IndexMap::new();
        for (at, cell) in self.panel.cells.iter().enumerate() {
            let (Some(look), (x, y)) = (look(cell), self.inner_corner(at)) else { continue };
            let path = alike.entry(look).or_default();
            let _ = write!(path, "M{x:.1} {y:.1}h{wide:.1}v{high:.1}h-{wide:.1}z");
        }
        for ((fill, stroke), path) in alike {
            let _ = writeln!(
                body,
                "<path d=\"{path}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"0.8\"/>"
            );
        }
        for (at, cell) in self.panel.cells.iter().enumerate().filter(|(_, c)| c.is_partly_padded())
        {
            let (x, y) = self.inner_corner(at);
            self.hatch(body, cell, x, y);
        }
        self.mark_copies(body);
    }

    /// A corner of every cell with another copy than the first.
    fn mark_copies(&self, body: &mut String) {
        let copies = self.panel.cells.iter().enumerate().filter(|(_, cell)| cell.is_copy);
        let corner = |(at, _)| {
            let (x, y) = self.inner_corner(at);
            format!("M{:.1} {y:.1}h-6v6z", x + self.cell.0)
        };
        let path: String = copies.map(corner).collect();
        if !path.is_empty() {
            let _ = writeln!(body, "<path d=\"{path}\" fill=\"#444444\"/>");
        }
    }

    /// Hatches the padded part of a block, to scale: below its last row and right of its last column,
    /// or, of units, the share of their slots.
    fn hatch(&self, body: &mut String, cell: &Cell, x: f64, y: f64) {
        let (wide, high) = self.cell;
        let share = |part: u64, whole: u64| (as_float(part) / as_float(whole.max(1))).min(1.0);
        let sides = cell.indexes.len().min(2);
        let side = |back: usize| {
            let range = cell.indexes.iter().rev().nth(back).filter(|_| back < sides);
            range.map_or(1.0, |r| share(cell.filled[1 - back], r.end - r.start))
        };
        let (columns, rows) = match cell.indexes.is_empty() {
            true => (share(cell.elements, cell.slots), 1.0),
            false => (side(0), side(1)),
        };
        let (inner_x, inner_y) = (wide * columns, high * rows);
        let mut path = String::new();
        if inner_y < high {
            let _ = write!(
                path,
                "M{x:.1} {:.1}h{wide:.1}v{:.1}h-{wide:.1}z",
                y + inner_y,
                high - inner_y
            );
        }
        if inner_x < wide {
            let (left, right) = (x + inner_x, wide - inner_x);
            let _ = write!(path, "M{left:.1} {y:.1}h{right:.1}v{inner_y:.1}h-{right:.1}z");
        }
        let _ = writeln!(body, "<path d=\"{path}\" fill=\"url(#pad)\"/>");
    }

    /// Texts go over hatches and arrows.
    fn draw_labels(&self, body: &mut String) {
        let (wide, high) = self.cell;
        let shown = |cell: &Cell| !matches!(cell.kind, CellKind::Padding | CellKind::Blank);
        for (at, cell) in self.panel.cells.iter().enumerate().filter(|(_, cell)| shown(cell)) {
            let (x, y) = self.inner_corner(at);
            let lines = lines(cell);
            let over = cell.is_partly_padded() || !self.panel.order.is_empty();
            let class = if over { "h" } else { "c" };
            let first = y + high / 2.0 - (number(lines.len()) - 1.0) * (LINE - 1.0) / 2.0 + 4.0;
            for (at, line) in lines.iter().enumerate() {
                text(body, x + wide / 2.0, first + number(at) * (LINE - 1.0), class, line);
            }
        }
    }

    /// An arrow through the cells in the order of their addresses.
    fn draw_order(&self, body: &mut String) {
        let (wide, high) = self.cell;
        for chain in &self.panel.order {
            let mut path = String::new();
            for (step, at) in chain.iter().enumerate() {
                let (x, y) = self.inner_corner(*at);
                let sign = if step == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{sign}{:.1} {:.1}", x + wide / 2.0, y + high * 0.72);
            }
            let _ = writeln!(body, "<path d=\"{path}\" class=\"o\" marker-end=\"url(#tip)\"/>");
        }
    }

    /// Draws the borders, innermost first so that outer ones cover them; one path per depth.
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

/// The fill and the line of a cell; nothing where there is none.
fn look(cell: &Cell) -> Option<(&'static str, &'static str)> {
    match (cell.kind, cell.color) {
        (CellKind::Blank, _) => None,
        (CellKind::Padding, _) => Some(("url(#pad)", "#bbbbbb")),
        (CellKind::Element, Some(color)) => Some((tint(color), "#ffffff")),
        (CellKind::Element, None) => Some(("#f0f0ee", "#dddddd")),
        (CellKind::Hole, _) => Some(("#ffffff", "#dddddd")),
    }
}

/// Converts a count to a float, which is exact enough for a picture.
pub(super) fn as_float(count: u64) -> f64 {
    let high = u32::try_from(count >> 32).map_or(f64::MAX, f64::from);
    let low = u32::try_from(count & u64::from(u32::MAX)).map_or(0.0, f64::from);
    high * 4_294_967_296.0 + low
}
