//! The operations of MLIR: their names, attributes and types, in the form of their dialect and in the generic one.
//!
//! ```text
//! %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}]> : tensor<64xf32>
//! %3 = "sdy.sharding_constraint"(%2) <{sharding = #sdy.sharding<@mesh, [{"x"}]>}> : (tensor<64xf32>) -> tensor<64xf32>
//! results     name            operands  properties                                   types
//! ```

use std::borrow::Cow;

use crate::attributes::unquoted;
use tensor_layout_words::mlir::{bracketed, outside_strings, parts};

/// The operation that begins a line.
pub(crate) struct Operation<'t> {
    /// The names of its results, such as `%3`; empty if it has none.
    pub(crate) results: &'t str,
    /// Its name, such as `func.func`.
    pub(crate) name: &'t str,
    /// The text after the name.
    pub(crate) rest: &'t str,
    /// Set for the generic form.
    pub(crate) is_generic: bool,
}

/// The names of operations that are read where they begin a line, and so must not be elsewhere in it.
const READ: [&str; 4] =
    ["func.func ", "sdy.mesh @", "sdy.sharding_constraint ", "sdy.manual_computation("];

impl<'t> Operation<'t> {
    pub(crate) fn of(line: &'t str) -> Operation<'t> {
        let named = line.split_once('=').filter(|_| line.starts_with('%'));
        let (results, operation) = named.unwrap_or(("", line));
        let (results, operation) = (results.trim_end(), operation.trim_start());
        let generic = operation.strip_prefix('"').and_then(|quoted| quoted.split_once('"'));
        if let Some((name, rest)) = generic.filter(|(_, rest)| rest.starts_with('(')) {
            return Operation { results, name, rest, is_generic: true };
        }
        let is_other = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_');
        let end = operation.find(is_other).unwrap_or(operation.len());
        let (name, rest) = operation.split_at(end);
        Operation { results, name, rest, is_generic: false }
    }

    pub(crate) fn is_module(&self) -> bool {
        matches!(self.name, "module" | "builtin.module")
    }

    /// Returns whether it specifies the sharding of its operand, in Shardy or GSPMD.
    pub(crate) fn is_constraint(&self) -> bool {
        let is_target = || match self.is_generic.then(|| self.generic()) {
            None => self.rest.trim_start().starts_with("@Sharding("),
            // Its target may be on another line.
            Some(None) => self.rest.contains("\"Sharding\""),
            Some(Some((attributes, _))) => {
                attribute(&attributes, "call_target_name").is_some_and(|name| name == "Sharding")
            }
        };
        self.name == "sdy.sharding_constraint" || self.name.ends_with(".custom_call") && is_target()
    }

    /// The properties and attributes of the generic form, `key = value, key = value`, and the types after them;
    /// no types where a region begins on the line.
    pub(crate) fn generic(&self) -> Option<(String, &'t str)> {
        let (_, mut rest) = bracketed(self.rest)?;
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start();
            let is_region = rest.starts_with('(');
            if let Some(properties) = rest.strip_prefix('<') {
                let (inner, behind) = bracketed(properties)?;
                attributes.push(inner);
                rest = behind.strip_prefix('>')?;
            } else if is_region && bracketed(rest).is_none() {
                return Some((attributes.join(", "), ""));
            } else if is_region || rest.starts_with(['{', '[']) {
                let (inner, behind) = bracketed(rest)?;
                attributes.extend(rest.starts_with('{').then_some(inner));
                rest = behind;
            } else {
                return Some((attributes.join(", "), rest.strip_prefix(':').unwrap_or_default()));
            }
        }
    }

    /// Returns whether the line holds another operation of the kinds that are read at the beginning of a
    /// line; the name of a source location, `#loc3 = loc("name"(#loc2))`, is not an operation.
    pub(crate) fn holds_another(&self) -> bool {
        let is_here = |name: &&str| {
            let own = name.trim_end_matches([' ', '@', '(']);
            let starts = |at: usize| self.rest.get(at..).is_some_and(|rest| rest.starts_with(name));
            self.rest.contains(own)
                && (self.rest.contains(&format!("\"{own}\"("))
                    || outside_strings(self.rest).any(|(at, _)| starts(at)))
        };
        !self.rest.starts_with('#') && READ.iter().any(is_here)
    }
}

/// The arguments and results of `(..) -> (..)`, with the text after a single result.
pub(crate) fn signature(text: &str) -> Option<(&str, &str)> {
    let (arguments, behind) = text.starts_with('(').then(|| bracketed(text))??;
    let Some(results) = behind.trim_start().strip_prefix("->") else {
        return Some((arguments, ""));
    };
    let results = results.trim();
    Some(match results.starts_with('(') {
        true => (arguments, bracketed(results)?.0),
        false => (arguments, results.strip_suffix('{').unwrap_or(results)),
    })
}

/// The value of an attribute, or of one of the `mhlo.frontend_attributes`; for a string, its content.
pub(crate) fn attribute<'t>(attributes: &'t str, key: &str) -> Option<Cow<'t, str>> {
    let pairs = |text: &'t str| {
        let pairs = parts(text).filter_map(|part| part.split_once('='));
        pairs.map(|(name, value)| (name.trim_end(), value.trim_start()))
    };
    let others = pairs(attributes).filter(|(name, _)| *name == "mhlo.frontend_attributes");
    let others = others.flat_map(|(_, value)| pairs(value.strip_prefix('{').unwrap_or(value)));
    let (_, value) = pairs(attributes).chain(others).find(|(name, _)| *name == key)?;
    // MLIR prints a quote within a string by its code.
    let plain = value.replace("\\22", "\\\"");
    match unquoted(&plain) {
        Some(string) => Some(string.into_owned().into()),
        None => Some(value.into()),
    }
}

/// A line up to its comment.
pub(crate) fn without_comment(line: &str) -> &str {
    let mut slashes = outside_strings(line).filter(|(_, byte)| *byte == b'/');
    let comment = slashes.find(|(at, _)| line.as_bytes().get(at + 1) == Some(&b'/'));
    comment.and_then(|(at, _)| line.get(..at)).unwrap_or(line).trim_end()
}

/// The number of braces that a line opens, less those that it closes.
pub(crate) fn braces_left_open(line: &str) -> i64 {
    let step = |(_, byte)| i64::from(byte == b'{') - i64::from(byte == b'}');
    outside_strings(line).map(step).sum()
}

/// A symbol without its quotes: `@"a-b"` and `@a` are written with and without.
pub(crate) fn symbol(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name)
}
