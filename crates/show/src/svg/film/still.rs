//! One moment of a film, as SVG without animation.

use super::Scene;
use crate::{Film, Flyer};

impl Film {
    /// The film at a second, as SVG without animation: a figure for a page, or a frame of a GIF.
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
