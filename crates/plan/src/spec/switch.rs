//! The movements between different layouts of one tensor.

use serde::Serialize;
use tensor_layout::Placement;
use tensor_layout::route::Route;

/// A switch from one layout to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Switch {
    /// The tensor that has the first layout: the number of its entry, and in a product its name.
    pub from: (usize, Option<&'static str>),
    /// The tensor that has the other one.
    pub to: (usize, Option<&'static str>),
    /// The route between them, in the local memories.
    pub route: Option<SwitchRoute>,
    /// The reason that there is none.
    pub refused: Option<String>,
}

/// The movements of a switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SwitchRoute {
    /// Their names; none where nothing has to move.
    pub movements: Vec<String>,
    /// The least cycles.
    pub cycles: u64,
    /// True if some movements have no figure: the cycles are a lower bound.
    pub at_least: bool,
}

impl Switch {
    pub(crate) fn of(
        from: (usize, Option<&'static str>),
        to: (usize, Option<&'static str>),
        source: &Placement,
        target: &Placement,
    ) -> Switch {
        let (route, refused) = match Route::new(source, target) {
            Ok(route) => {
                let movements = route.names().into_iter().map(str::to_owned).collect();
                let (cycles, all) = route.cycles();
                (Some(SwitchRoute { movements, cycles, at_least: !all }), None)
            }
            Err(error) => (None, Some(error.to_string())),
        };
        Switch { from, to, route, refused }
    }

    /// `1 -> 5   320 cycles: mvp, l2bmd`.
    pub(crate) fn line(&self) -> String {
        let name = |(entry, tensor): (usize, Option<&str>)| {
            tensor.map_or(entry.to_string(), |tensor| format!("{entry} {tensor}"))
        };
        let ends = format!("{} -> {}", name(self.from), name(self.to));
        let what = match (&self.route, &self.refused) {
            (Some(route), _) if route.movements.is_empty() => "nothing moves".into(),
            (Some(SwitchRoute { movements, cycles, at_least }), _) => {
                let at_least = if *at_least { "at least " } else { "" };
                format!("{at_least}{cycles} cycles by {}", movements.join(", "))
            }
            (None, refused) => refused.clone().unwrap_or_default(),
        };
        format!("{ends:<14} {what}")
    }
}
