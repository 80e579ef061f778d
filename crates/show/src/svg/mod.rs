//! A picture as self-contained SVG.

mod film;
mod marks;
mod panel;

use std::fmt::Write;

use itertools::Itertools;

use super::{Background, Cell, CellKind, Panel, PanelArrangement, Picture};
#[cfg(feature = "gif")]
pub(crate) use film::Cast;
pub(crate) use marks::escaped;
use marks::{LINE, border_signs, rows_of_key, swatch, text, text_width, wrapped, write_row};
use panel::DrawnBox;

const GAP: f64 = 30.0;
const MARGIN: f64 = 14.0;
/// The distance of a leader line from the panel that it leads to.
const LEADER: f64 = 8.0;
/// Panels go side by side as long as they fit in this width.
const WIDEST: f64 = 960.0;
/// The legend has at least this width.
const NARROWEST: f64 = 280.0;

impl Picture {
    /// The picture as SVG: on a white page, so that it is also legible on a dark background, with title and
    /// description for people who cannot see it. Blocks are hatched in proportion to their padding, and lines
    /// lead from a block to the panel that shows it in detail.
    ///
    /// Law: equal pictures produce equal text.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let boxes = self.boxes();
        let title_width = text_width(self.shown_title()) * 1.15;
        let inner =
            boxes.iter().map(|b| b.width).fold(NARROWEST, f64::max).max(title_width.min(WIDEST));
        let mut body = String::new();
        let mut y = MARGIN + 4.0;
        for line in wrapped(self.shown_title(), inner / 1.15) {
            y += LINE + 2.0;
            text(&mut body, MARGIN, y, "t", &line);
        }
        let places = match (self.arrangement, &*boxes) {
            (PanelArrangement::Product, [a, b, c]) => around(a, b, c, y + 10.0).to_vec(),
            _ => places(&boxes, y + 10.0),
        };
        for (panel, (x, y)) in boxes.iter().zip(&places) {
            panel.draw(&mut body, *x, *y);
        }
        zoom_lines(&mut body, &boxes, &places);
        let ends = boxes.iter().zip(&places).map(|(b, (x, y))| (x + b.width, y + b.height));
        let (right, bottom) =
            ends.fold((MARGIN + inner, y + 10.0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
        let y = self.key(&mut body, bottom + 8.0, right - MARGIN);
        self.page(&body, right + MARGIN, y + MARGIN)
    }

    fn shown_title(&self) -> &str {
        if self.hides_title { "" } else { &self.title }
    }

    fn page(&self, body: &str, width: f64, height: f64) -> String {
        let (title, description) = (escaped(&self.title), escaped(&self.description));
        let page =
            |fill| format!("<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{fill}\"/>\n");
        let page = match self.background {
            Background::White => page("#ffffff"),
            Background::Dark => format!("{DARK}{}", page("#15171a")),
            Background::Clear => String::new(),
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-labelledby=\"title desc\">\n\
             <title id=\"title\">{title}</title>\n<desc id=\"desc\">{description}</desc>\n{STYLE}\
             {page}{body}</svg>\n"
        )
    }

    /// The panels with their sizes; if they are compared, with cells of one size, on one line.
    fn boxes(&self) -> Vec<DrawnBox<'_>> {
        let first = self.panels.first().map(|panel| (panel.columns, panel.cells.len()));
        let is_compared =
            |panel: &Panel| self.one_scale && Some((panel.columns, panel.cells.len())) == first;
        let widest = |a: (f64, f64), b: (f64, f64)| (a.0.max(b.0), a.1.max(b.1));
        let compared = || self.panels.iter().filter(|panel| is_compared(panel));
        let common = compared().map(panel::cell_size).fold((0.0, 0.0), widest);
        let scale = |panel| if is_compared(panel) { common } else { panel::cell_size(panel) };
        let names_borders = !self.has_common_borders();
        let boxed = |panel| DrawnBox::new(panel, scale(panel), names_borders);
        let mut boxes: Vec<DrawnBox<'_>> = self.panels.iter().map(boxed).collect();
        let highest = boxes.iter().filter(|one| is_compared(one.panel));
        let above = highest.map(|one| one.ticks.1).fold(0.0, f64::max);
        boxes.iter_mut().filter(|one| is_compared(one.panel)).for_each(|one| one.begin_at(above));
        boxes
    }

    /// Returns whether the borders of each depth have one meaning in all panels; otherwise every panel has its own.
    fn has_common_borders(&self) -> bool {
        let all = || self.panels.iter().map(|panel| panel.borders().collect::<Vec<_>>());
        let most = all().max_by_key(Vec::len).unwrap_or_default();
        all().all(|names| most.starts_with(&names))
    }

    /// Borders, padding and notes; the new bottom.
    fn key(&self, body: &mut String, top: f64, width: f64) -> f64 {
        let mut items = cell_signs(self.panels.iter());
        if self.panels.iter().any(|panel| !panel.order.is_empty()) {
            let arrow = "<path d=\"M0 -4h13\" class=\"o\" marker-end=\"url(#tip)\"/>";
            items.push((arrow.into(), "order of addresses"));
        }
        let borders = self.panels.iter().filter(|_| self.has_common_borders());
        items.extend(border_signs(borders.flat_map(Panel::drawn_borders).unique().sorted()));
        write_legend(body, (top, width), &items, &self.notes)
    }
}

/// Returns the signs of the kinds of cells that some panels have, with their meanings.
fn cell_signs<'p>(panels: impl Iterator<Item = &'p Panel> + Clone) -> Vec<(String, &'p str)> {
    let has = |is: fn(&Cell) -> bool| panels.clone().flat_map(|panel| &panel.cells).any(is);
    let mut signs = Vec::new();
    if panels.clone().any(Panel::has_padding) {
        signs.push((swatch("url(#pad)", "#777777"), "padding"));
    }
    if has(|cell| cell.kind == CellKind::Hole) {
        signs.push((swatch("#ffffff", "#bbbbbb"), "hole"));
    }
    let says =
        |sign: char| panels.clone().flat_map(|panel| &panel.cells).any(|c| c.label.contains(sign));
    for (sign, meaning) in [('~', "with gaps"), ('?', "at most")] {
        if says(sign) {
            signs.push((format!("<text>{sign}</text>"), meaning));
        }
    }
    if has(|cell| cell.is_copy) {
        signs.push((COPY.into(), "another copy of an element"));
    }
    signs
}

/// Writes signs and notes below a picture, from `top` on and no wider than `width`; returns the new bottom.
fn write_legend(
    body: &mut String,
    (top, width): (f64, f64),
    signs: &[(String, &str)],
    notes: &[String],
) -> f64 {
    let mut y = top;
    for row in rows_of_key(signs, width) {
        y += LINE + 3.0;
        write_row(body, MARGIN, y, &row);
    }
    for line in notes.iter().flat_map(|note| wrapped(note, width)) {
        y += LINE + 1.0;
        text(body, MARGIN, y, "n", &line);
    }
    y
}

const STYLE: &str = "<defs><pattern id=\"pad\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#ffffff\"/>\
<path d=\"M0 0v6\" stroke=\"#9a9a9a\" stroke-width=\"2\"/></pattern>\
<marker id=\"tip\" viewBox=\"0 0 6 6\" refX=\"5\" refY=\"3\" markerWidth=\"5\" markerHeight=\"5\" \
orient=\"auto\"><path d=\"M0 0L6 3L0 6z\" fill=\"#2f4b7c\"/></marker></defs>\n\
<style>text{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:11px;\
fill:#1a1a1a}.c{text-anchor:middle}.h{text-anchor:middle;paint-order:stroke;stroke:#ffffff;\
stroke-width:3px;stroke-linejoin:round}.r{text-anchor:end;fill:#555555;font-size:10px}\
.x{text-anchor:middle;fill:#555555;font-size:10px}.t{font-size:12.5px;font-weight:600}\
.k{font-size:11px}.n,.p{fill:#444444;font-size:10.5px}\
.o{stroke:#2f4b7c;stroke-width:1.1;stroke-opacity:0.55;fill:none}\
.z,.l{stroke:#1a1a1a;fill:none;stroke-dasharray:4 3}.z{stroke-width:2}.l{stroke-width:0.8;stroke-opacity:0.6}</style>\n";

/// The colours around the panels on a dark page.
const DARK: &str = "<style>.t,.k,.n,.p,.r,.x{fill:#ececea}.s,.l{stroke:#ececea}</style>\n";

/// The sign of another copy.
const COPY: &str = "<rect y=\"-10\" width=\"14\" height=\"11\" fill=\"#ffffff\" stroke=\"#bbbbbb\"/>\
<path d=\"M14 -10h-6v6z\" fill=\"#444444\"/>";

/// The upper left corners of the panels: side by side as long as there is room, then in a new row.
fn places(boxes: &[DrawnBox<'_>], top: f64) -> Vec<(f64, f64)> {
    let (mut x, mut y, mut tallest) = (MARGIN, top, 0.0_f64);
    let mut places = Vec::new();
    for panel in boxes {
        if x > MARGIN && x + panel.width > MARGIN + WIDEST {
            (x, y, tallest) = (MARGIN, y + tallest + GAP, 0.0);
        }
        places.push((x, y));
        x += panel.width + GAP;
        tallest = tallest.max(panel.height);
    }
    places
}

/// The upper left corners of A, B and C, such that the cells of C continue the rows of A and the columns of B.
fn around(a: &DrawnBox<'_>, b: &DrawnBox<'_>, c: &DrawnBox<'_>, top: f64) -> [(f64, f64); 3] {
    let left = MARGIN + a.width + GAP + b.ticks.0.max(c.ticks.0);
    let below = top + b.height + GAP + a.ticks.1.max(c.ticks.1);
    [(MARGIN, below - a.ticks.1), (left - b.ticks.0, top), (left - c.ticks.0, below - c.ticks.1)]
}

/// Draws the lines from the row of a block to the panel that shows it in detail, in the gutters.
fn zoom_lines(body: &mut String, boxes: &[DrawnBox<'_>], places: &[(f64, f64)]) {
    for (at, pair) in boxes.windows(2).enumerate() {
        let [from, to] = pair else { continue };
        let Some(zoom) = from.panel.zoom else { continue };
        let (fx, fy) = places[at];
        let (tx, ty) = places[at + 1];
        let (x, y) = from.corner(zoom);
        let (x, y) = (fx + x, fy + y);
        let (wide, high) = from.cell;
        let _ = writeln!(
            body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" class=\"z\"/>"
        );
        let (row, above, top) = (y + high / 2.0, ty - GAP / 2.0, ty + to.ticks.1 + 8.0);
        let (out, into) = (fx - LEADER, tx - LEADER);
        let path = match ty > fy {
            true => format!(
                "M{:.1} {row:.1}H{out:.1}V{above:.1}H{into:.1}V{top:.1}H{:.1}",
                fx - 2.0,
                tx - 2.0
            ),
            // The panel beside it, from the right end of the row.
            false => format!(
                "M{:.1} {row:.1}H{into:.1}V{top:.1}H{:.1}",
                fx + from.ticks.0 + from.grid().0 + 3.0,
                tx - 2.0
            ),
        };
        let _ = writeln!(body, "<path d=\"{path}\" class=\"l\"/>");
    }
}
