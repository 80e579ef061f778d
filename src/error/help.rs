//! The help texts and the sites of errors.

use super::{Diagnostic, LayoutError, LevelNameError, RelayoutFault, Site, did_you_mean};
use crate::words::cut;

impl Diagnostic for LayoutError {
    fn help(&self) -> Option<String> {
        use LayoutError as E;
        let help = match self {
            E::LevelName(error) => error.help(),
            E::ExtentTooLarge { axis, extent, .. } => {
                format!(
                    "enlarge a size of axis {axis} so that the product of its sizes is at least {extent}"
                )
            }
            E::Ambiguous { level, site: Site::Replica(_), .. }
            | E::Ambiguous { level, other: Site::Replica(_), .. } => format!(
                "`B@[{level}]` is for a level that no subaxis uses; remove it, or write how many \
                 copies there are and how far apart, as in `B@[2_{level}:1]`"
            ),
            E::Ambiguous { level, .. } => format!(
                "give every `{level}` its stride, such as `2_{level}:2` here and `2_{level}:1` there"
            ),
            E::Incomplete { row_major: Some(text), .. } => {
                format!("with row-major strides: {}", cut(text, 200))
            }
            E::Incomplete { row_major: None, .. } => {
                "give every subaxis and copy in `Addr` a stride, as in `8:1` and `B@[2_Addr:8]`"
                    .into()
            }
            E::Collision { .. } => {
                "change a stride so that no two elements get the same address".into()
            }
            E::ReplicaOverlap { .. } => {
                "choose a size and a stride that keep the copies clear of the elements".into()
            }
            E::ReplicaOfUsed { level, .. } => format!(
                "a level used in part has holes, not copies; partial replication has a size, as in `B@[2_{level}:1]`"
            ),
            E::ReplicaLevel { .. } => {
                "name each level once; copies at other addresses need a size and a stride, as in \
                 `B@[2_Addr:8]`"
                    .into()
            }
            E::LevelTooSmall { size, level, .. } => {
                format!("1 + the sum of (size - 1) x stride over `{level}` must be at most {size}")
            }
            E::BelowMemory { level, .. } => format!("address the elements without `{level}`"),
            E::LevelUnknown { level, known, .. } => {
                did_you_mean(level.as_str(), known.split(", "))?
            }
            E::MemoryUnknown { memory, known, .. } => did_you_mean(memory, known.split(", "))?,
            E::DtypeUnknown { help, .. } => help.clone(),
            E::Relayout(RelayoutFault::UnevenCopies { group, .. }) => {
                format!("choose copies that are a multiple of {group} units apart")
            }
            E::Relayout(RelayoutFault::UnevenDigits { group, level }) => {
                format!("choose strides in `{level}` that are multiples of {group}")
            }
            E::Relayout(RelayoutFault::TimeAside) => {
                "ask with `TimeOrder::Outermost` or `TimeOrder::Innermost`".into()
            }
            E::Relayout(RelayoutFault::SeveralSenders { .. }) => {
                "transfers choose one of them, the nearest".into()
            }
            E::Relayout(RelayoutFault::NoBandwidth { level }) => {
                format!("give it under `[bandwidth]` in the machine's file, as in `{level} = 8`")
            }
            E::Relayout(RelayoutFault::OtherMachine { .. }) => {
                "price it with a cost model of its own".into()
            }
            E::TooManyLevels { .. } => {
                "leave out levels of size 1: a level that a layout does not name has copies".into()
            }
            E::LevelMissing { level } => format!("add `{level}=0` or another coordinate"),
            _ => return None,
        };
        Some(help)
    }
    fn site(&self) -> Site {
        use LayoutError as E;
        match self {
            E::ZeroSize { site }
            | E::TooLarge { site, .. }
            | E::FeedOrder { site, .. }
            | E::Ambiguous { site, .. }
            | E::Incomplete { site, .. }
            | E::ReplicaOfUsed { site, .. }
            | E::ReplicaLevel { site, .. }
            | E::LevelUnknown { site, .. }
            | E::LevelTooSmall { site, .. }
            | E::CapacityExceeded { site, .. }
            | E::LaneOutOfRange { site, .. }
            | E::BelowMemory { site, .. } => *site,
            E::ExtentTooLarge { axis, .. } => Site::Axis(*axis),
            E::RankMismatch { .. } | E::ShapeConflict { .. } => Site::Shape,
            E::MemoryUnknown { .. } => Site::Memory,
            _ => Site::Layout,
        }
    }

    fn related(&self) -> Option<Site> {
        match self {
            LayoutError::Ambiguous { other, .. } => Some(*other),
            _ => None,
        }
    }
}

impl Diagnostic for LevelNameError {
    fn help(&self) -> Option<String> {
        Some(LevelNameError::help(self))
    }
}
