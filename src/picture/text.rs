//! A picture as text, for the terminal.

use super::{Cell, CellKind, Panel, Picture};

/// 256-colour backgrounds near the tints of the SVG.
const BACKGROUNDS: [u8; 8] = [153, 222, 115, 229, 110, 216, 182, 252];

impl Picture {
    /// The picture as text of at most `width` characters per line, as far as cells are not wider:
    /// grids that are wider are printed in bands of columns. Without colours every cell says its
    /// unit in front of a colon. Padding is `//`, a hole `..`.
    #[must_use]
    pub fn to_text(&self, width: usize, color: bool) -> String {
        let mut text = format!("{}\n", self.title);
        for panel in &self.panels {
            text.push_str(&format!("\n{}\n", panel.caption));
            let grid = Grid::new(panel, color);
            let units = grid.shows_units.then(|| format!("{}:Addr", self.borders.join(".")));
            if let Some(names) = names(panel).or(units) {
                text.push_str(&format!("in each cell: {names}\n"));
            }
            grid.print(width, &mut text);
        }
        let mut key: Vec<String> = Vec::new();
        if color {
            key.extend(
                self.legend.iter().map(|(number, name)| painted(*number, &format!(" {name} "))),
            );
        }
        let kinds = |kind| self.panels.iter().flat_map(|p| &p.cells).any(|cell| cell.kind == kind);
        key.extend(kinds(CellKind::Padding).then(|| "// padding".into()));
        key.extend(kinds(CellKind::Hole).then(|| ".. hole".into()));
        if !key.is_empty() {
            text.push_str(&format!("\n{}\n", key.join("  ")));
        }
        for note in &self.notes {
            // Without colours there is nothing that repeats.
            if color || !note.starts_with("coloured") {
                text.push_str(&format!("{note}\n"));
            }
        }
        text
    }
}

fn painted(color: usize, text: &str) -> String {
    let background = BACKGROUNDS[color % BACKGROUNDS.len()];
    format!("\u{1b}[48;5;{background};38;5;16m{text}\u{1b}[0m")
}

/// A panel with its cells as words of one width.
struct Grid<'a> {
    panel: &'a Panel,
    color: bool,
    words: Vec<String>,
    /// Whether some words begin with a unit.
    shows_units: bool,
    cell: usize,
    left: usize,
}

impl<'a> Grid<'a> {
    fn new(panel: &'a Panel, color: bool) -> Grid<'a> {
        let mut rows = panel.cells.chunks(panel.columns.max(1)).zip(&panel.row_ticks);
        let row_is_unit = rows.all(|(row, tick)| row.iter().all(|cell| cell.unit == *tick));
        let word = |cell: &Cell| word(cell, color || row_is_unit);
        let words: Vec<String> = panel.cells.iter().map(word).collect();
        let widest = |words: &[String]| words.iter().map(|w| w.chars().count()).max().unwrap_or(0);
        let cell = widest(&words).max(widest(&panel.column_ticks));
        let shows_units = words.iter().any(|word| word.contains(':'));
        Grid { panel, color, words, shows_units, cell, left: widest(&panel.row_ticks) }
    }

    /// Bands of columns, each with its ticks.
    fn print(&self, width: usize, text: &mut String) {
        let columns = self.panel.columns;
        let per_band = width.saturating_sub(self.left + 1) / (self.cell + 1);
        for from in (0..columns).step_by(per_band.max(1)) {
            let band = from..columns.min(from + per_band.max(1));
            if from > 0 {
                text.push('\n');
            }
            self.line(text, "", band.clone().map(|at| self.padded(&self.panel.column_ticks[at])));
            for row in 0..self.panel.rows() {
                let cells = band.clone().map(|column| self.printed(row * columns + column));
                self.line(text, &self.panel.row_ticks[row], cells);
            }
        }
    }

    fn line(&self, text: &mut String, tick: &str, cells: impl Iterator<Item = String>) {
        let mut line = format!("{tick:>width$}", width = self.left);
        for cell in cells {
            line.push(' ');
            line.push_str(&cell);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }

    fn padded(&self, word: &str) -> String {
        format!("{word:>width$}", width = self.cell)
    }

    fn printed(&self, at: usize) -> String {
        let word = self.padded(&self.words[at]);
        match self.panel.cells[at].color.filter(|_| self.color) {
            Some(color) => painted(color, &word),
            None => word,
        }
    }
}

/// The names in front of the numbers of a cell with several lines.
fn names(panel: &Panel) -> Option<String> {
    let named = |cell: &&Cell| cell.label.lines().all(|line| line.contains(' '));
    let first = panel.cells.iter().find(|cell| !cell.label.is_empty()).filter(named)?;
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    Some(first.label.lines().map(name).collect::<Vec<_>>().join("."))
}

/// What a cell says in a word; the unit in front, unless colour or row tell it.
fn word(cell: &Cell, unit_is_told: bool) -> String {
    // Of `L2B 3` the number: the names stand above the grid.
    let number = |line: &str| line.rsplit(' ').next().unwrap_or_default().to_owned();
    let label = cell.label.lines().map(number).collect::<Vec<_>>().join(".");
    let mark = cell.mark.iter().map(|mark| format!("\u{2190}{mark}")).collect::<String>();
    let told = unit_is_told || cell.unit.is_empty() || cell.label.contains([' ', '\n']);
    match cell.kind {
        CellKind::Padding => "//".into(),
        CellKind::Hole => "..".into(),
        CellKind::Blank => String::new(),
        CellKind::Element if told => format!("{label}{mark}"),
        CellKind::Element => format!("{}:{label}{mark}", cell.unit),
    }
}
