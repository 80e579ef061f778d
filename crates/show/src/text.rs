//! A picture as text, for the terminal.

use itertools::{EitherOrBoth, Itertools};

use super::label::UNIT;
use super::palette::background;
use super::{Cell, CellKind, Panel, Picture};
use tensor_layout::Level;

/// The blanks between two panels side by side.
const GUTTER: usize = 3;

impl Picture {
    /// The picture as text of at most `width` characters per line, unless a cell is wider: wider grids are
    /// printed in bands of columns. Without colours, every cell begins with its unit and a colon. Padding is
    /// `//`, a hole `..`; a partly padded block is followed by a slash and its share of padding, `0-3/98.4%`.
    #[must_use]
    pub fn to_text(&self, width: usize, color: bool) -> String {
        let mut text = if self.hides_title { String::new() } else { format!("{}\n", self.title) };
        let mut at = 0;
        while at < self.panels.len() {
            if !text.is_empty() {
                text.push('\n');
            }
            let half = width.saturating_sub(GUTTER) / 2;
            let two = (self.one_scale && at + 1 < self.panels.len())
                .then(|| [at, at + 1].map(|at| self.panel_text(at, half, color)));
            match two.filter(|two| two.iter().flatten().all(|part| widest(part) <= half)) {
                Some([left, right]) if !self.is_in_bands(at, half, color) => {
                    text.push_str(&beside(left, right));
                    at += 2;
                }
                _ => {
                    text.push_str(&self.panel_text(at, width, color).concat());
                    at += 1;
                }
            }
        }
        let key = self.text_key();
        if !key.is_empty() {
            text.push_str(&format!("\n{}\n", key.join("  ")));
        }
        for line in self.notes.iter().flat_map(|note| wrapped(note, width)) {
            text.push_str(&format!("{line}\n"));
        }
        text
    }

    /// The caption of a panel, and its grid with its key.
    fn panel_text(&self, at: usize, width: usize, color: bool) -> [String; 2] {
        let panel = &self.panels[at];
        let before = at.checked_sub(1).map(|at| &self.panels[at]);
        let zoom = before.and_then(|panel| panel.cells.get(panel.zoom?));
        let mut text = String::new();
        let caption = format!("{}{}", zoomed(zoom), panel.caption);
        for line in wrapped(&caption, width).iter().filter(|line| !line.is_empty()) {
            text.push_str(&format!("{line}\n"));
        }
        let grid = TextGrid::new(panel, color);
        let levels = panel.levels.iter().join(".");
        let units = match &*panel.text {
            UNIT => Some(levels),
            _ => grid.shows_units.then(|| format!("{levels}:{}", text_name(panel))),
        };
        if let Some(names) = names(panel).or(units) {
            text.push_str(&format!("in each cell: {names}\n"));
        }
        let mut body = String::new();
        grid.print(width, &mut body);
        body.push_str(&panel_key(panel, width, color));
        [text, body]
    }

    /// Returns whether one of two panels is wider than a width, and printed in bands.
    fn is_in_bands(&self, at: usize, width: usize, color: bool) -> bool {
        let is_wide = |panel| TextGrid::new(panel, color).per_band(width) < panel.columns;
        self.panels[at..at + 2].iter().any(is_wide)
    }

    /// The meanings of the signs.
    fn text_key(&self) -> Vec<&'static str> {
        let cells = || self.panels.iter().flat_map(|panel| &panel.cells);
        let any = |kind| cells().any(|cell| cell.kind == kind);
        let says = |what: &str| cells().any(|cell| cell.label.contains(what));
        let mut key = Vec::new();
        key.extend(any(CellKind::Padding).then_some("// padding"));
        key.extend(any(CellKind::Hole).then_some(".. hole"));
        key.extend(cells().any(Cell::is_partly_padded).then_some("/98.4% of a block is padding"));
        key.extend(cells().any(|cell| cell.is_copy).then_some("' another copy"));
        key.extend(says("~").then_some("~ with gaps"));
        key.extend(says("?").then_some("? at most"));
        key
    }
}

/// The number of characters of a line that are seen: colours are not.
fn visible(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().map_or(0, |text| text.chars().count());
    let rest = parts.filter_map(|part| part.split_once('m'));
    first + rest.map(|(_, text)| text.chars().count()).sum::<usize>()
}

fn widest(text: &str) -> usize {
    text.lines().map(visible).max().unwrap_or(0)
}

/// Two panels side by side: their grids begin on the same line.
fn beside(left: [String; 2], right: [String; 2]) -> String {
    let wide = left.iter().map(|text| widest(text)).max().unwrap_or(0) + GUTTER;
    let beside = |(left, right): (String, String)| -> String {
        let line = |both: EitherOrBoth<&str>| {
            let (left, right) = both.or("", "");
            let gap = " ".repeat(wide - visible(left));
            format!("{left}{gap}{right}").trim_end().to_owned() + "\n"
        };
        left.lines().zip_longest(right.lines()).map(line).collect()
    };
    left.into_iter().zip(right).map(beside).collect()
}

/// The caption of the block that a panel shows, if it shows one.
fn zoomed(block: Option<&Cell>) -> &'static str {
    block.map_or("", |block| match block.is_partly_padded() {
        true => "in detail, a block that is partly padded: ",
        false => "in detail: ",
    })
}

/// The colours, if there are any, in lines of at most `width` characters.
fn panel_key(panel: &Panel, width: usize, color: bool) -> String {
    if !color {
        return String::new();
    }
    let entry = |(number, name): &(usize, String)| {
        (name.chars().count() + 2, painted(*number, &format!(" {name} ")))
    };
    let sentence = panel.coloring.clone().map(|text| (text.chars().count(), text));
    let (mut key, mut column) = (String::new(), 0);
    for (length, text) in panel.key.iter().map(entry).chain(sentence) {
        let fits = column + 1 + length <= width;
        key.push_str(if column == 0 {
            ""
        } else if fits {
            " "
        } else {
            "\n"
        });
        key.push_str(&text);
        column = if fits && column > 0 { column + 1 + length } else { length };
    }
    if key.is_empty() { key } else { key + "\n" }
}

/// Lines of at most `width` characters, broken at blanks.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    broken(text, |line, word| line.chars().count() + 1 + word.chars().count() <= width)
}

/// Breaks a text into lines at blanks, wherever the next word does not fit on the current line.
pub(super) fn broken(text: &str, fits: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if fits(line, word) => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

fn painted(color: usize, text: &str) -> String {
    let background = background(color);
    format!("\u{1b}[48;5;{background};38;5;16m{text}\u{1b}[0m")
}

/// A panel with its cells as words of one width.
struct TextGrid<'a> {
    panel: &'a Panel,
    color: bool,
    words: Vec<String>,
    /// True if some words begin with a unit.
    shows_units: bool,
    cell: usize,
    left: usize,
}

impl<'a> TextGrid<'a> {
    fn new(panel: &'a Panel, color: bool) -> TextGrid<'a> {
        let mut rows = panel.cells.chunks(panel.columns.max(1)).zip(&panel.row_ticks);
        // The ticks of a tensor are indexes, which may look like the units in their rows.
        let is_memory = panel.cells.iter().all(|cell| cell.indexes.is_empty());
        let row_is_unit =
            is_memory && rows.all(|(row, tick)| row.iter().all(|cell| cell.unit == *tick));
        let is_told = color || row_is_unit || panel.text == UNIT;
        let word = |cell: &Cell| word(cell, is_told);
        let words: Vec<String> = panel.cells.iter().map(word).collect();
        let widest = |words: &[String]| words.iter().map(|w| w.chars().count()).max().unwrap_or(0);
        let cell = widest(&words).max(widest(&panel.column_ticks));
        let shows_units = words.iter().any(|word| word.contains(':'));
        TextGrid { panel, color, words, shows_units, cell, left: widest(&panel.row_ticks) }
    }

    /// The number of columns that fit a width.
    fn per_band(&self, width: usize) -> usize {
        width.saturating_sub(self.left + 1) / (self.cell + 1)
    }

    /// Bands of columns, each with its ticks.
    fn print(&self, width: usize, text: &mut String) {
        let columns = self.panel.columns;
        let per_band = self.per_band(width);
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

/// The name of the text in the cells, after the name of the unit.
fn text_name(panel: &Panel) -> &str {
    let has_lane = |cell: &Cell| cell.places.iter().any(|(level, _)| *level == Level::W);
    match &*panel.text {
        "" if panel.cells.iter().any(has_lane) => "Addr.W",
        "" => "Addr",
        name => name,
    }
}

/// The names in front of the numbers of a cell with several lines.
fn names(panel: &Panel) -> Option<String> {
    let named = |cell: &&Cell| cell.label.lines().all(|line| line.contains(' ') && is_name(line));
    let first = panel.cells.iter().find(|cell| !cell.label.is_empty()).filter(named)?;
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    Some(first.label.lines().map(name).collect::<Vec<_>>().join("."))
}

fn is_name(line: &str) -> bool {
    line.starts_with(|c: char| c.is_alphabetic())
}

/// The coordinates `0-3` of `L2B 0..3`: names are above the grid, and points separate the levels.
fn coordinates(line: &str) -> String {
    let line = if is_name(line) { line.split_once(' ').map_or(line, |(_, at)| at) } else { line };
    line.replace("..", "-").replace(' ', "")
}

/// The text of a cell in one word; the unit in front, unless the colour or the row shows it.
fn word(cell: &Cell, unit_is_told: bool) -> String {
    // The share already shows the padding.
    let lines = cell.label.lines().filter(|line| !line.ends_with(" pad"));
    let label = lines.map(coordinates).collect::<Vec<_>>().join(".");
    let label = match label.strip_suffix("holes") {
        Some(counts) => format!("{}holes", counts.replace('.', "+")),
        None => label,
    };
    let mark = cell.mark.iter().map(|mark| format!("\u{2190}{}", mark.replace(' ', "")));
    let share =
        cell.is_partly_padded().then(|| format!("/{}", cell.padding_share().replace(' ', "")));
    let copy = cell.is_copy.then(|| "'".to_owned());
    let added: String = copy.into_iter().chain(share).chain(mark).collect();
    let told = unit_is_told || cell.unit.is_empty() || cell.label.contains([' ', '\n']);
    match cell.kind {
        CellKind::Padding => "//".into(),
        CellKind::Hole => "..".into(),
        CellKind::Blank => String::new(),
        CellKind::Element if told => format!("{label}{added}"),
        CellKind::Element => format!("{}:{label}{added}", cell.unit),
    }
}
