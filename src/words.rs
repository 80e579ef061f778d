//! Words of messages, and of serialized forms.

pub(crate) use tensor_layout_words::{counted, cut};

/// Refuses a value in another version of its serialized form.
#[cfg(feature = "serde")]
pub(crate) fn check_version<E: serde::de::Error>(
    what: &str,
    version: u32,
    known: u32,
) -> Result<(), E> {
    let other =
        || format!("{what} in version {version} of its form; this library reads version {known}");
    if version == known { Ok(()) } else { Err(E::custom(other())) }
}
