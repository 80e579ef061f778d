//! The values that a message names.

use std::borrow::Cow;
use std::fmt;

use itertools::Itertools;

use super::Site;
use crate::level::Level;
use crate::location::{Found, Location, assigned};
use crate::number::to_u64;

/// A value that the message of a [`LayoutError`](crate::LayoutError) names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fact {
    /// A number.
    Number(u64),
    /// An index, a shape or another list.
    Numbers(Vec<u64>),
    /// A level.
    Level(Level),
    /// A place.
    Place(Location),
    /// The content of a place.
    Found(Found),
    /// A part of the layout.
    Site(Site),
    /// Words.
    Text(Cow<'static, str>),
}

/// A fact with its name in the message.
pub(super) type Named = (&'static str, Fact);

/// Lists are cut, so that a message stays short; `{name:?}` writes all of one.
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 16;
        match self {
            Fact::Number(number) => number.fmt(f),
            Fact::Numbers(numbers) => {
                let cut = if numbers.len() > MOST { ", .." } else { "" };
                write!(f, "{}{cut}", numbers.iter().take(MOST).format(", "))
            }
            Fact::Level(level) => level.fmt(f),
            Fact::Place(place) => place.fmt(f),
            Fact::Found(Found::Element(index)) => {
                write!(f, "element ({})", index.iter().format(", "))
            }
            Fact::Found(Found::Padding | Found::Hole) => f.write_str("padding"),
            Fact::Found(Found::Outside) => f.write_str("nothing (it is beyond the end)"),
            Fact::Site(site) => site.fmt(f),
            Fact::Text(text) => f.write_str(text),
        }
    }
}

macro_rules! from {
    ($($of:ty: $value:ident => $fact:expr),* $(,)?) => {
        $(impl From<$of> for Fact {
            fn from($value: $of) -> Fact {
                $fact
            }
        })*
    };
}

from! {
    u64: n => Fact::Number(n),
    u32: n => Fact::Number(n.into()),
    usize: n => Fact::Number(to_u64(n)),
    Vec<u64>: list => Fact::Numbers(list),
    &[u64]: list => Fact::Numbers(list.to_vec()),
    Level: level => Fact::Level(level),
    Found: found => Fact::Found(found),
    Site: site => Fact::Site(site),
    Location: place => Fact::Place(place),
    &'static str: text => Fact::Text(text.into()),
    String: text => Fact::Text(text.into()),
    Cow<'static, str>: text => Fact::Text(text),
    Vec<(Level, u64)>: sizes => Fact::Text(assigned(sizes).into()),
    char: letter => Fact::Text(letter.to_string().into()),
    i64: n => Fact::Text(n.to_string().into()),
}

/// `none` for a side that lacks it.
impl<T: Into<Fact>> From<Option<T>> for Fact {
    fn from(value: Option<T>) -> Fact {
        value.map_or_else(|| "none".into(), Into::into)
    }
}

/// Writes a text with the facts in place of their names, as `format!` would.
pub(super) fn write_with(f: &mut impl fmt::Write, text: &str, facts: &[Named]) -> fmt::Result {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(['{', '}']) {
        f.write_str(before)?;
        if let Some(after) = after.strip_prefix(['{', '}']) {
            f.write_str(&rest[before.len()..=before.len()])?;
            rest = after;
            continue;
        }
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let (name, is_debug) = name.strip_suffix(":?").map_or((name, false), |name| (name, true));
        match facts.iter().find(|fact| fact.0 == name) {
            Some((_, Fact::Numbers(numbers))) if is_debug => write!(f, "{numbers:?}")?,
            Some((_, fact)) => write!(f, "{fact}")?,
            None => f.write_str(name)?,
        }
        rest = after;
    }
    f.write_str(rest)
}
