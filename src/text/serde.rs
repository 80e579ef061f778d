//! `Serialize` and `Deserialize`: values that have a text form are stored as that text, and a layout that a PadLayout
//! cannot express as its axes.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::algebra::{Axis, Combine, DerivedAxis, Layout, Replica, Subaxis, Target};
use crate::level::Level;
use crate::location::Location;
use crate::text::PadLayout;

macro_rules! as_text {
    ($($value:ty),*) => {$(
        impl serde::Serialize for $value {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $value {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$value, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

pub(crate) use as_text;

as_text!(PadLayout, Location);

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Level, D::Error> {
        Level::of_node(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// The version of the form that is written, and the only one that is read.
const VERSION: u32 = 1;

/// A layout as it is written where it has no text.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLayout {
    version: u32,
    axes: Vec<WrittenAxis>,
    derived: Vec<WrittenDerived>,
    /// Sizes, levels and strides.
    replicas: Vec<(u64, Level, u64)>,
    offsets: Vec<(Level, u64)>,
    used: Vec<Level>,
    spans: Vec<(Level, u64)>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenAxis {
    extent: u64,
    digits: Vec<WrittenDigit>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDerived {
    xor: bool,
    start: u64,
    axis: WrittenAxis,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenDigit {
    /// Size, level and stride.
    Land(u64, Level, u64),
    /// Size, derived axis and weight.
    Feed(u64, usize, u64),
}

impl From<&Axis> for WrittenAxis {
    fn from(axis: &Axis) -> WrittenAxis {
        let digit = |digit: &Subaxis| match digit.target {
            Target::Land { level, stride } => WrittenDigit::Land(digit.size, level, stride),
            Target::Feed { derived, weight } => WrittenDigit::Feed(digit.size, derived, weight),
        };
        WrittenAxis { extent: axis.extent, digits: axis.subaxes.iter().map(digit).collect() }
    }
}

impl From<WrittenAxis> for Axis {
    fn from(axis: WrittenAxis) -> Axis {
        let digit = |digit| match digit {
            WrittenDigit::Land(size, level, stride) => Subaxis::land(size, level, stride),
            WrittenDigit::Feed(size, derived, weight) => Subaxis::feed(size, derived, weight),
        };
        Axis { extent: axis.extent, subaxes: axis.digits.into_iter().map(digit).collect() }
    }
}

impl From<&Layout> for WrittenLayout {
    fn from(layout: &Layout) -> WrittenLayout {
        let derived = |derived: &DerivedAxis| WrittenDerived {
            xor: derived.is_xor(),
            start: derived.start,
            axis: (&derived.axis).into(),
        };
        let replica = |replica: &Replica| (replica.size, replica.level, replica.stride);
        WrittenLayout {
            version: VERSION,
            axes: layout.axes().iter().map(WrittenAxis::from).collect(),
            derived: layout.derived_axes().iter().map(derived).collect(),
            replicas: layout.replicas().iter().map(replica).collect(),
            offsets: layout.offsets().to_vec(),
            used: layout.used_levels().to_vec(),
            spans: layout.spans().to_vec(),
        }
    }
}

impl WrittenLayout {
    /// The layout, checked as any that is built.
    fn layout<E: serde::de::Error>(self) -> Result<Layout, E> {
        crate::words::check_version("a layout", self.version, VERSION)?;
        let mut layout = Layout::builder();
        for axis in self.axes {
            layout = layout.with_axis(axis.into());
        }
        for WrittenDerived { xor, start, axis } in self.derived {
            let combine = if xor { Combine::Xor } else { Combine::Sum };
            layout = layout.derived_axis(DerivedAxis { combine, start, axis: axis.into() });
        }
        for (size, level, stride) in self.replicas {
            layout = layout.replica(size, level, stride);
        }
        for (level, offset) in self.offsets {
            layout = layout.offset(level, offset);
        }
        layout = self.used.into_iter().fold(layout, crate::algebra::LayoutBuilder::used);
        for (level, span) in self.spans {
            layout = layout.span(level, span);
        }
        layout.build().map_err(E::custom)
    }
}

impl Serialize for Layout {
    /// The text of a PadLayout if it expresses the layout and the format is human-readable, else the axes.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match PadLayout::of(self) {
            Ok(text) if serializer.is_human_readable() => serializer.collect_str(&text),
            _ => WrittenLayout::from(self).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Layout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Layout, D::Error> {
        match deserializer.is_human_readable() {
            true => deserializer.deserialize_any(TextOrAxes),
            false => WrittenLayout::deserialize(deserializer)?.layout(),
        }
    }
}

/// Reads either form.
struct TextOrAxes;

impl<'de> Visitor<'de> for TextOrAxes {
    type Value = Layout;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text of a PadLayout, or the axes of a layout")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Layout, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Layout, A::Error> {
        WrittenLayout::deserialize(MapAccessDeserializer::new(map))?.layout()
    }
}
