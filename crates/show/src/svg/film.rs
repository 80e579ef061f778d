//! A film as SVG, animated only by style sheets, so that it plays wherever a picture is shown; or one moment of it.
//!
//! Every flyer is drawn where it ends, so that viewers without animation show the last frame. Its spots in
//! all stages are variables of its style, and one animation for each group of flyers goes through them.

#[cfg(feature = "gif")]
mod cast;
mod html;
mod still;
mod timing;

use std::fmt::Write;

use itertools::Itertools;

use super::marks::{
    BORDERS, LINE, border, escaped, number, rows_of_key, swatch, text, text_width, wrapped,
    write_row,
};
use super::panel::{DrawnBox, as_float, cell_size};
use super::{GAP, MARGIN, NARROWEST, STYLE, cell_signs, write_legend};
use crate::label::{grouped, indexed};
use crate::palette::tint;
use crate::{Film, Flyer, Spot, Stage};
#[cfg(feature = "gif")]
pub(crate) use cast::Cast;
use tensor_layout::relayout::Distance;
use timing::{GROUPS, Timing};

/// The width within which the tensor is beside the memories.
const WIDEST: f64 = 1000.0;

/// Text of flyers is smaller than that of pictures, by this factor.
const SMALLER: f64 = 0.82;

/// The length of the bar of a hop.
const BAR: f64 = 300.0;

/// The fills of elements that do not leave their unit: in place, and to another address or memory.
const NEAR: [&str; 2] = ["#dcdcd8", "#b4b4ae"];

/// A film with the places of its parts.
struct Scene<'a> {
    film: &'a Film,
    /// The panels of each stage, with their upper left corners.
    stages: Vec<Vec<(DrawnBox<'a>, (f64, f64))>>,
    /// The caption of each stage in lines, with its corner.
    captions: Vec<(Vec<String>, (f64, f64))>,
    right: f64,
    bottom: f64,
    /// The second that is drawn; all of them without one.
    moment: Option<f64>,
}

/// The bar of a hop, and its upper left corner.
struct Bar<'a> {
    hop: usize,
    counts: &'a [(Distance, u64)],
    corner: (f64, f64),
}

impl Film {
    /// The film as SVG, without a script: it plays inside an `<img>`, and shows its last frame where reduced
    /// motion is requested or nothing moves.
    ///
    /// Law: equal films produce equal text.
    #[must_use]
    pub fn to_svg(&self) -> String {
        Scene::new(self).svg(&self.flyers)
    }
}

impl<'a> Scene<'a> {
    fn new(film: &'a Film) -> Scene<'a> {
        let panels = || film.stages.iter().flat_map(|stage| &stage.panels);
        let label = film.flyers.iter().map(|flyer| text_width(&film.label(flyer)) * SMALLER);
        let sizes = panels().map(cell_size).chain(label.map(|wide| (wide + 7.0, 0.0)));
        let cell = sizes.fold((0.0_f64, 0.0_f64), |a, b| (a.0.max(b.0), a.1.max(b.1)));
        let cell = (cell.0.ceil(), cell.1.ceil());
        let boxed = |stage: &'a Stage| -> Vec<DrawnBox<'a>> {
            stage.panels.iter().map(|panel| DrawnBox::new(panel, cell, false)).collect()
        };
        let (stages, captions) = (Vec::new(), Vec::new());
        let mut scene = Scene { film, stages, captions, right: 0.0, bottom: 0.0, moment: None };
        scene.place(film.stages.iter().map(boxed).collect());
        scene
    }

    /// The tensor first; the memories in a column, beside it where there is room.
    fn place(&mut self, stages: Vec<Vec<DrawnBox<'a>>>) {
        let widest = |boxes: &[DrawnBox<'a>]| boxes.iter().map(|b| b.width).fold(0.0, f64::max);
        let memories = stages.iter().skip(1).map(|stage| widest(stage)).fold(0.0, f64::max);
        let tensor = stages.first().map_or(0.0, |stage| widest(stage));
        let beside = tensor + GAP + memories <= WIDEST;
        let top = MARGIN + 8.0 + LINE * number(self.title().len());
        self.right = MARGIN + (1.15 * text_width(&self.film.title)).clamp(NARROWEST, WIDEST);
        let (mut left, mut y) = (MARGIN, top);
        for (at, stage) in stages.into_iter().enumerate() {
            if at == 1 && beside {
                (left, y) = (MARGIN + tensor + GAP, top);
            }
            y = self.place_stage(at, stage, (left, y));
            self.bottom = self.bottom.max(y);
        }
    }

    /// A stage with its caption above and the bar of its hop below; the new bottom.
    fn place_stage(&mut self, at: usize, stage: Vec<DrawnBox<'a>>, (left, top): (f64, f64)) -> f64 {
        let width = stage.iter().map(|b| b.width).fold(NARROWEST, f64::max);
        let caption = self.film.stages.get(at).map_or("", |stage| &stage.caption);
        let caption = wrapped(&format!("{}. {caption}", at + 1), width);
        let mut y = top + LINE * number(caption.len()) + 6.0;
        self.captions.push((caption, (left, top)));
        let ticks = stage.iter().map(|b| b.ticks.0).fold(0.0, f64::max);
        let mut placed = Vec::new();
        for panel in stage {
            // Cells begin at whole pixels.
            let corner = ((left + ticks).round() - panel.ticks.0, y.round());
            self.right = self.right.max(corner.0 + panel.width);
            y += panel.height + 8.0;
            placed.push((panel, corner));
        }
        self.stages.push(placed);
        let hop = at.checked_sub(2).and_then(|hop| self.film.hops.get(hop));
        let names = hop.map_or_else(Vec::new, |hop| self.parts(hop));
        let names: Vec<(String, &str)> =
            names.iter().map(|(sign, name)| (sign.clone(), &**name)).collect();
        y + if names.is_empty() {
            6.0
        } else {
            24.0 + (LINE + 3.0) * number(rows_of_key(&names, width).len())
        }
    }
}

impl Scene<'_> {
    fn svg(&self, flyers: &[Flyer]) -> String {
        let (film, right) = (self.film, self.right);
        let mut body =
            "<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#ffffff\"/>\n".to_owned();
        for (at, line) in self.title().iter().enumerate() {
            text(&mut body, MARGIN, MARGIN + LINE * number(at + 1), "t", line);
        }
        self.write_stages(&mut body);
        body.push_str("<g class=\"all\">\n");
        flyers.iter().for_each(|flyer| self.write_flyer(&mut body, flyer));
        body.push_str("</g>\n");
        let bottom = self.write_key(&mut body, right - MARGIN) + MARGIN;
        let (title, description) = (escaped(&film.title), escaped(&film.description));
        let words = format!(
            "<title id=\"title\">{title}</title>\n<desc id=\"desc\">{description}</desc>\n"
        );
        self.page((right + MARGIN, bottom), &words, &body)
    }

    /// An SVG of a size with the styles and shapes of all films.
    fn page(&self, (width, height): (f64, f64), words: &str, body: &str) -> String {
        let labelled =
            if words.is_empty() { "" } else { " role=\"img\" aria-labelledby=\"title desc\"" };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\"{labelled}>\n\
             {words}{STYLE}<style>{}{}</style>\n{}{body}</svg>\n",
            self.looks(),
            self.moment.map_or_else(|| self.film.timing().style(), |_| String::new()),
            self.shape(),
        )
    }

    fn title(&self) -> Vec<String> {
        wrapped(&self.film.title, WIDEST / 1.15)
    }

    /// The size of every cell.
    fn cell(&self) -> (f64, f64) {
        self.stages.iter().flatten().next().map_or((0.0, 0.0), |(panel, _)| panel.cell)
    }

    /// The looks of flyers, those of pale cells among them.
    fn looks(&self) -> String {
        let mut style =
            ".none{fill:#f0f0ee}.w{fill-opacity:0.4}.w text{font-size:9px;fill-opacity:0.6}.e text{font-size:9px;text-anchor:middle}\
                         .e use{stroke:#ffffff;stroke-width:0.8}"
                .to_owned();
        let colors = self.film.flyers.iter().filter_map(|flyer| flyer.color);
        for color in colors.unique().sorted() {
            let _ = write!(style, ".c{color}{{fill:{}}}", tint(color));
        }
        for (depth, (color, _)) in BORDERS.iter().enumerate() {
            let _ = write!(style, ".e .x{depth}{{stroke:{color};stroke-width:1.2}}");
        }
        style
    }

    fn shape(&self) -> String {
        let (wide, high) = self.cell();
        format!(
            "<defs><path id=\"cell\" d=\"M1.5 1.5h{:.0}v{:.0}h-{:.0}z\"/></defs>\n",
            wide - 3.0,
            high - 3.0,
            wide - 3.0
        )
    }

    fn write_stages(&self, body: &mut String) {
        for ((lines, (x, y)), panels) in self.captions.iter().zip(&self.stages) {
            for (row, line) in lines.iter().enumerate() {
                text(body, *x, y + LINE * number(row + 1), "k", line);
            }
            for (panel, corner) in panels {
                panel.draw_empty(body, *corner);
            }
        }
        for bar in self.bars() {
            self.write_bar(body, &bar);
            self.write_names(body, &bar);
        }
    }

    /// The bars of all hops, with their corners.
    fn bars(&self) -> impl Iterator<Item = Bar<'_>> {
        let hops = (1..).zip(self.film.hops.iter().zip(self.stages.iter().skip(2)));
        hops.filter_map(|(hop, (counts, panels))| {
            let (panel, (x, y)) = panels.last()?;
            Some(Bar { hop, counts, corner: (x + panel.ticks.0, y + panel.height + 4.0) })
        })
    }

    /// The bar of a hop: the length of each part is proportional to the number of copies that go that far.
    fn write_bar(&self, body: &mut String, Bar { hop, counts, corner: (x, y) }: &Bar<'_>) {
        let all: f64 = counts.iter().map(|(_, count)| as_float(*count)).sum();
        let grown = self.grown(*hop);
        let _ = writeln!(body, "<g transform=\"translate({x:.1} {y:.1})\"><g {grown}>");
        let mut from = 0.0;
        for (distance, count) in counts.iter().filter(|(_, count)| *count > 0) {
            let (long, fill) = (BAR * as_float(*count) / all, self.fill(*distance));
            let _ = writeln!(
                body,
                "<rect x=\"{from:.1}\" width=\"{long:.1}\" height=\"8\" fill=\"{fill}\"/>"
            );
            from += long;
        }
        body.push_str("</g></g>\n");
    }

    /// The names of the parts of a bar, below it.
    fn write_names(&self, body: &mut String, Bar { counts, corner: (x, y), .. }: &Bar<'_>) {
        let parts = self.parts(counts);
        let parts: Vec<(String, &str)> =
            parts.iter().map(|(sign, name)| (sign.clone(), &**name)).collect();
        for (row, items) in rows_of_key(&parts, self.right - x).iter().enumerate() {
            write_row(body, *x, y + 22.0 + (LINE + 3.0) * number(row), items);
        }
    }

    /// The parts of the bar of a hop, each with its sign, in words.
    fn parts(&self, counts: &[(Distance, u64)]) -> Vec<(String, String)> {
        let outlined = |level| self.film.flyers.iter().any(|flyer| flyer.crosses == Some(level));
        let part = |(distance, count): &(Distance, u64)| {
            let count = grouped(*count);
            let name = match distance {
                Distance::InPlace => format!("{count} stay in place"),
                Distance::Address => format!("{count} change their address"),
                Distance::Memory => format!("{count} change their memory"),
                Distance::Level(level) if outlined(*level) => {
                    format!("{count} move to another {level} (outlined)")
                }
                Distance::Level(level) => format!("{count} move to another {level}"),
            };
            (swatch(self.fill(*distance), "#777777"), name)
        };
        counts.iter().filter(|(_, count)| *count > 0).map(part).collect()
    }

    /// The fill of a part of a bar; for elements that cross a level, the colour of their edge.
    fn fill(&self, distance: Distance) -> &'static str {
        match distance {
            Distance::InPlace => NEAR[0],
            Distance::Address | Distance::Memory => NEAR[1],
            Distance::Level(level) => border(self.depth(level)).0,
        }
    }

    /// The depth of the border of a level.
    fn depth(&self, level: tensor_layout::Level) -> usize {
        let named = self.film.borders.iter().position(|name| name == level.as_str());
        let depth = named.or_else(|| self.film.levels.iter().position(|of| *of == level));
        depth.unwrap_or(0).min(BORDERS.len() - 1)
    }

    /// A flyer where it ends, with its spots in all stages; or where it is at the moment that is drawn.
    fn write_flyer(&self, body: &mut String, flyer: &Flyer) {
        let Some(last) = flyer.path.len().checked_sub(1) else { return };
        let place = match self.moment {
            None => self.flight(flyer),
            Some(second) => {
                let (x, y) = self.place_at(flyer, second);
                format!("class=\"e\" transform=\"translate({x:.0} {y:.0})\"")
            }
        };
        let ends_early = last + 1 < self.stages.len();
        if ends_early {
            let _ = write!(body, "<g {}>", self.fading(last));
        }
        let _ = write!(body, "<g {place}>");
        self.write_looks(body, flyer);
        body.push_str(if ends_early { "</g></g>\n" } else { "</g>\n" });
    }

    /// The cell of a flyer, and the text on it.
    fn write_looks(&self, body: &mut String, flyer: &Flyer) {
        let outline =
            flyer.crosses.map_or(String::new(), |level| format!(" x{}", self.depth(level)));
        let color = flyer.color.map_or("none".into(), |color| format!("c{color}"));
        let _ = write!(body, "<use href=\"#cell\" class=\"{color}{outline}\"/>");
        let (wide, high) = self.cell();
        let label = self.film.label(flyer);
        if !label.is_empty() {
            let _ = write!(
                body,
                "<text x=\"{:.0}\" y=\"{:.0}\">{label}</text>",
                wide / 2.0,
                high / 2.0 + 3.0
            );
        }
    }

    /// The attributes of a flyer that moves: its group, its spots, and where it ends.
    fn flight(&self, flyer: &Flyer) -> String {
        let spots: Vec<(f64, f64)> =
            (0..self.stages.len()).map(|stage| self.corner(flyer, stage)).collect();
        let (x, y) = spots.last().copied().unwrap_or_default();
        let names = (0..).map(timing::name);
        let vars = names
            .zip(&spots)
            .map(|(name, (x, y))| format!("--{name}:translate({x:.0}px,{y:.0}px)"));
        format!(
            "class=\"e f{}\" style=\"{}\" transform=\"translate({x:.0} {y:.0})\"",
            self.group(flyer),
            vars.format(";"),
        )
    }

    /// The upper left corner of the cell of a flyer in a stage, or in its last one.
    fn corner(&self, flyer: &Flyer, stage: usize) -> (f64, f64) {
        let stage = stage.min(flyer.path.len().saturating_sub(1));
        let Some(Spot { panel, cell }) = flyer.path.get(stage) else { return (0.0, 0.0) };
        let Some((drawn, (left, top))) = self.stages[stage].get(*panel) else { return (0.0, 0.0) };
        let (x, y) = drawn.corner(*cell);
        (left + x, top + y)
    }

    /// The group with which a flyer leaves: the first units first.
    fn group(&self, flyer: &Flyer) -> usize {
        let (Some(spot), Some(stage)) = (flyer.path.get(1), self.film.stages.get(1)) else {
            return 0;
        };
        let cells = stage.panels.get(spot.panel).map_or(1, |panel| panel.cells.len().max(1));
        (spot.cell * GROUPS / cells).min(GROUPS - 1)
    }

    /// Writes signs and notes below; returns the new bottom.
    fn write_key(&self, body: &mut String, width: f64) -> f64 {
        let film = self.film;
        let signs = cell_signs(film.stages.iter().flat_map(|stage| &stage.panels));
        write_legend(body, (self.bottom, width), &signs, &film.notes)
    }
}

impl Film {
    fn timing(&self) -> Timing {
        Timing { hops: self.stages.len().saturating_sub(1) }
    }

    /// The text on a flyer: the index of an element, the number of elements of a part.
    fn label(&self, flyer: &Flyer) -> String {
        let is_element = flyer.indexes.iter().all(|range| range.end - range.start == 1);
        match is_element {
            true => indexed(flyer.indexes.iter().map(|range| range.start)),
            false => grouped(flyer.elements),
        }
    }
}
