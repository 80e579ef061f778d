//! The film of a route: from memory to memory, hop by hop.

use itertools::Itertools;

use super::Film;
use crate::drawing::Drawing;
use tensor_layout::route::Route;
use tensor_layout::{LayoutError, Placement};

impl Film {
    /// The film of a route: a stage for the tensor, and one for each memory that it enters.
    ///
    /// # Errors
    /// As [`Drawing::film`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout::route::Route;
    /// use tensor_layout::{Layout, Machine, Placement};
    /// use tensor_layout_show::Film;
    /// let machine: Machine = "mn-core-2".parse()?;
    /// let at = |layout: &str, memory: &str| -> Result<Placement, Box<dyn std::error::Error>> {
    ///     Ok(Placement::of(layout.parse::<Layout>()?).on(&machine).memory(memory).build()?)
    /// };
    /// let (source, target) = (at("((8_L2B, 8:1))", "L2BM")?, at("((8_L2B, 8:1))", "L1BM")?);
    /// let film = Film::of_route(&Route::new(&source, &target)?)?;
    /// assert_eq!(film.stages.len(), 3); // the tensor, L2BM, L1BM
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_route(route: &Route) -> Result<Film, LayoutError> {
        let source = (route.source(), stop(route.source()));
        let hops = route.hops().iter().map(|hop| {
            let movement = hop.movement.as_ref().map(|movement| format!(", by {}", movement.name));
            (&hop.target, stop(&hop.target) + &movement.unwrap_or_default())
        });
        let stops: Vec<(&Placement, String)> = [source].into_iter().chain(hops).collect();
        let drawings: Vec<Drawing<'_>> =
            stops.iter().map(|(placement, title)| Drawing::new(placement).title(title)).collect();
        let [first, rest @ ..] = &drawings[..] else { return Ok(Film::default()) };
        let film = first.film(&rest.iter().collect::<Vec<_>>())?;
        Ok(Film {
            title: stops.iter().map(|(placement, _)| memory(placement)).join("  ->  "),
            ..film
        })
    }
}

/// A memory and the layout in it.
fn stop(placement: &Placement) -> String {
    format!("{} {}", memory(placement), Route::text(placement)).trim_start().to_owned()
}

fn memory(placement: &Placement) -> &str {
    placement.memory().map_or("", |(name, _)| name)
}
