//! The parts of a film that the frames of a GIF are put together from.

use itertools::Itertools;

use super::Scene;
use super::timing::{FLIGHT, SPREAD, leaves, seconds};
use crate::Film;

/// The time between two frames of a GIF, in hundredths of a second.
const FRAME: usize = 8;

/// The parts of all stills of a film, each drawn once and then put where it is at a second.
pub(crate) struct Cast<'a>(Scene<'a>);

impl<'a> Cast<'a> {
    pub(crate) fn new(film: &'a Film) -> Cast<'a> {
        Cast(Scene { moment: Some(0.0), ..Scene::new(film) })
    }

    /// The seconds at which stills begin, and the hundredths of a second for which each is shown.
    pub(crate) fn moments(&self) -> Vec<(f64, usize)> {
        let timing = self.0.film.timing();
        let of = |hop| (leaves(hop)..leaves(hop) + SPREAD + FLIGHT).step_by(FRAME);
        let flying = (0..timing.hops).flat_map(of).map(|at| at + FRAME);
        let moments = [0].into_iter().chain(flying).chain([timing.hundredths()]);
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
