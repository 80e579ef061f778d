//! One moment of a film, as SVG without animation.

#[cfg(feature = "gif")]
use itertools::Itertools;

use super::Scene;
#[cfg(feature = "gif")]
use super::timing::seconds;
use crate::{Film, Flyer};

impl Film {
    /// The film at a second, as SVG without animation: a figure for a page, or a frame of [`to_gif`](Film::to_gif).
    ///
    /// Flyers are at whole units of the SVG. The fade at both ends of the loop is left out.
    /// Law: each flyer is within 4 units of where a browser shows it at that second of [`to_svg`](Film::to_svg).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// use tensor_layout_show::Drawing;
    /// let placement = Placement::of("(10,7)/((3:7, 4_PE), (7:1))".parse()?).build()?;
    /// let film = Drawing::new(&placement).film(&[])?;
    /// let middle = film.still(film.seconds() / 2.0);
    /// assert!(middle.starts_with("<svg") && !middle.contains("@keyframes"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn still(&self, second: f64) -> String {
        Scene { moment: Some(second), ..Scene::new(self) }.svg(&self.flyers)
    }

    /// The length of the film in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.timing().seconds()
    }
}

impl Scene<'_> {
    /// The upper left corner of a flyer at a second, in whole units.
    pub(super) fn place_at(&self, flyer: &Flyer, second: f64) -> (f64, f64) {
        let (from, to, share) = self.film.timing().between(self.group(flyer), second);
        let (from, to) = (self.corner(flyer, from), self.corner(flyer, to));
        let between = |from: f64, to: f64| (from + (to - from) * share).round();
        (between(from.0, to.0), between(from.1, to.1))
    }

    /// The attributes of the bar of a hop.
    pub(super) fn grown(&self, hop: usize) -> String {
        match self.moment {
            None => format!("class=\"b b{hop}\""),
            Some(second) => {
                format!("transform=\"scale({:.3} 1)\"", self.film.timing().done(hop, second))
            }
        }
    }

    /// The attributes of a flyer that no stage after `last` has.
    pub(super) fn fading(&self, last: usize) -> String {
        match self.moment {
            None => format!("class=\"q q{last}\" opacity=\"0\""),
            Some(second) => {
                format!("opacity=\"{:.2}\"", 1.0 - self.film.timing().done(last, second))
            }
        }
    }
}

/// The parts of all stills of a film, each drawn once and then put where it is at a second.
#[cfg(feature = "gif")]
pub(crate) struct Cast<'a>(Scene<'a>);

#[cfg(feature = "gif")]
impl<'a> Cast<'a> {
    pub(crate) fn new(film: &'a Film) -> Cast<'a> {
        Cast(Scene { moment: Some(0.0), ..Scene::new(film) })
    }

    /// The seconds at which stills begin, and the hundredths of a second for which each is shown.
    pub(crate) fn moments(&self) -> Vec<(f64, usize)> {
        let timing = self.0.film.timing();
        let moments = timing.moments().into_iter().chain([timing.hundredths()]);
        moments.tuple_windows().map(|(from, to)| (seconds(from), to - from)).collect()
    }

    /// A still without flyers and bars, as SVG.
    pub(crate) fn stage(&self) -> String {
        self.0.svg(&[])
    }

    /// The bars at a second, as SVG.
    pub(crate) fn bars(&mut self, second: f64) -> String {
        self.0.moment = Some(second);
        let mut body = String::new();
        self.0.bars().for_each(|bar| self.0.write_bar(&mut body, &bar));
        self.0.page((self.0.right, self.0.bottom), "", &body)
    }

    /// The flyers of a film, each as SVG.
    pub(crate) fn flyers(&self) -> impl Iterator<Item = String> {
        self.0.film.flyers.iter().map(|flyer| {
            let mut body = "<g class=\"e\">".to_owned();
            self.0.write_looks(&mut body, flyer);
            self.0.page(self.0.cell(), "", &(body + "</g>"))
        })
    }

    /// The upper left corner of each flyer at a second, and how opaque it is.
    pub(crate) fn places(&self, second: f64) -> impl Iterator<Item = ((f64, f64), f64)> {
        let Scene { film, stages, .. } = &self.0;
        film.flyers.iter().map(move |flyer| {
            let last = flyer.path.len().saturating_sub(1);
            let faded = (last + 1 < stages.len()).then(|| film.timing().done(last, second));
            (self.0.place_at(flyer, second), 1.0 - faded.unwrap_or(0.0))
        })
    }
}
