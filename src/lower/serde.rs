//! `Serialize` and `Deserialize` of syntax trees and layouts: the form is the text.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};

use crate::algebra::Layout;
use crate::notation::PadLayout;

fn from_text<'de, D: Deserializer<'de>, T>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
{
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

impl Serialize for PadLayout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PadLayout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PadLayout, D::Error> {
        from_text(deserializer)
    }
}

impl Serialize for Layout {
    /// Fails for a layout that a PadLayout cannot express.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.to_pad_layout().map_err(S::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Layout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Layout, D::Error> {
        from_text(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use crate::Layout;
    use crate::notation::PadLayout;

    #[test]
    fn the_serde_form_is_the_text() {
        let json = r#""((4_PE, 3:8), (8:1); B@[L2B])""#;
        let tree: PadLayout = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&tree).unwrap(), json);
        let layout: Layout = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&layout).unwrap(), r#""((4_PE:1, 3:8), (8:1))""#);
        assert!(serde_json::from_str::<Layout>(r#""(2:2, 3:1)""#).is_err());
    }
}
