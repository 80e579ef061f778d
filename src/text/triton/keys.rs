//! The keys of an encoding: their values are read and checked, and errors point at the key.

use std::sync::Arc;

use itertools::Itertools;

use super::tile::Basis;
use super::tree::{Attribute, ENCODINGS, TritonEntry, Value};
use crate::error::{ParseError, Span, did_you_mean};
use crate::number::to_index;
use crate::words::counted;

/// The greatest number of registers, lanes or warps along one dimension.
const MOST: u64 = 1 << 16;

/// An encoding in its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys<'a> {
    pub(super) attribute: &'a Attribute,
    pub(super) text: &'a str,
}

impl<'a> Keys<'a> {
    /// The error for the whole encoding.
    pub(super) fn refuse(&self, message: impl Into<String>) -> ParseError {
        self.refuse_at(self.attribute.span.0, message)
    }

    /// The error for an encoding that is not supported.
    pub(super) fn unknown(&self) -> ParseError {
        let name = &*self.attribute.name;
        let refusal = self.refuse(format!("the encoding `{name}` is not supported"));
        let all = || format!("supported encodings: {}", ENCODINGS.replace(' ', ", "));
        refusal.with_help(did_you_mean(name, ENCODINGS.split(' ')).unwrap_or_else(all))
    }

    /// The error for the value of a key, or for the encoding if it lacks the key.
    pub(super) fn refuse_key(&self, key: &str, message: impl Into<String>) -> ParseError {
        let entry = self.entry(key);
        self.refuse_at(entry.map_or(self.attribute.span.0, |entry| entry.span.0), message)
    }

    /// The error for the value of a key, unless `is` holds.
    pub(super) fn check(
        &self,
        key: &str,
        is: bool,
        message: impl FnOnce() -> String,
    ) -> Result<(), ParseError> {
        if is { Ok(()) } else { Err(self.refuse_key(key, message())) }
    }

    fn refuse_at(&self, span: Span, message: impl Into<String>) -> ParseError {
        ParseError::invalid(message, span, self.text)
    }

    fn entries(&self) -> impl Iterator<Item = &'a TritonEntry> {
        self.attribute.entries.iter().chain(&self.attribute.outside)
    }

    fn entry(&self, key: &str) -> Option<&'a TritonEntry> {
        self.entries().find(|entry| &*entry.key == key)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// Rejects keys that are not of this encoding, so that none is ignored.
    pub(super) fn check_known(&self, known: &[&str]) -> Result<(), ParseError> {
        let is_known = |entry: &&TritonEntry| known.contains(&&*entry.key);
        if let Some(entry) = self.entries().find(|entry| !is_known(entry)) {
            let message = format!("`{}` has no key `{}`", self.attribute.name, entry.key);
            let refusal = self.refuse_at(entry.span.0, message);
            let all = || format!("its keys are {}", known.join(", "));
            let near = did_you_mean(&entry.key, known.iter().copied());
            return Err(refusal.with_help(near.unwrap_or_else(all)));
        }
        match self.attribute.intervals.is_empty() || &*self.attribute.name == "padded_shared" {
            true => Ok(()),
            false => Err(self.refuse(format!("`{}` takes no intervals", self.attribute.name))),
        }
    }

    fn value(&self, key: &str) -> Result<&'a Value, ParseError> {
        let missing = || self.refuse(format!("`{}` needs `{key}`", self.attribute.name));
        self.entry(key).map(|entry| &entry.value).ok_or_else(missing)
    }

    pub(super) fn number(&self, key: &str) -> Result<u64, ParseError> {
        match self.value(key)? {
            Value::Number(number) => Ok(*number),
            _ => Err(self.refuse_key(key, format!("`{key}` is a number"))),
        }
    }

    /// The number of the operand, and the dimension that the product sums over.
    pub(super) fn operand(&self, rank: usize) -> Result<(u64, usize), ParseError> {
        let number = self.number("opIdx")?;
        match number {
            0 | 1 if rank < 2 => {
                Err(self.refuse(format!("an operand is a matrix, not of rank {rank}")))
            }
            0 => Ok((0, rank - 1)),
            1 => Ok((1, rank - 2)),
            _ => Err(self.refuse_key("opIdx", format!("`opIdx` is {number}, not 0 or 1"))),
        }
    }

    /// A power of two.
    pub(super) fn power(&self, key: &str) -> Result<u64, ParseError> {
        let number = self.number(key)?;
        self.check_power(key, number)?;
        Ok(number)
    }

    /// A word.
    pub(super) fn word(&self, key: &str) -> Result<&'a str, ParseError> {
        match self.value(key)? {
            Value::Word(word) => Ok(word),
            _ => Err(self.refuse_key(key, format!("`{key}` is a word"))),
        }
    }

    /// Yes or no; no where the key is left out.
    pub(super) fn flag(&self, key: &str) -> Result<bool, ParseError> {
        match self.entry(key).map(|entry| &entry.value) {
            None => Ok(false),
            Some(Value::Boolean(is)) => Ok(*is),
            Some(_) => Err(self.refuse_key(key, format!("`{key}` is true or false"))),
        }
    }

    fn list(&self, key: &str) -> Result<&'a [Value], ParseError> {
        match self.value(key)? {
            Value::List(values) => Ok(values),
            _ => Err(self.refuse_key(key, format!("`{key}` is a list"))),
        }
    }

    pub(super) fn numbers(&self, key: &str) -> Result<Vec<u64>, ParseError> {
        let number = |value: &Value| match value {
            Value::Number(number) => Ok(*number),
            _ => Err(self.refuse_key(key, format!("`{key}` is a list of numbers"))),
        };
        self.list(key)?.iter().map(number).collect()
    }

    /// A power of two per dimension.
    pub(super) fn powers(&self, key: &str, rank: usize) -> Result<Vec<u64>, ParseError> {
        let numbers = self.numbers(key)?;
        self.check_rank(key, numbers.len(), rank)?;
        numbers.iter().try_for_each(|number| self.check_power(key, *number))?;
        Ok(numbers)
    }

    /// Powers of two.
    pub(super) fn powers_of(&self, key: &str) -> Result<Vec<u64>, ParseError> {
        self.powers(key, self.numbers(key)?.len())
    }

    fn check_power(&self, key: &str, number: u64) -> Result<(), ParseError> {
        self.check(key, number.is_power_of_two() && number <= MOST, || {
            format!("`{key}` is {number}, not a power of two up to {MOST}")
        })
    }

    pub(super) fn check_rank(&self, key: &str, of: usize, rank: usize) -> Result<(), ParseError> {
        self.check(key, of == rank, || {
            format!("`{key}` has {}, but the tensor has rank {rank}", counted(of, "entry"))
        })
    }

    /// The dimensions, the fastest first.
    pub(super) fn order(&self, key: &str, rank: usize) -> Result<Vec<usize>, ParseError> {
        let order = self.numbers(key)?;
        self.check_rank(key, order.len(), rank)?;
        let order = order.into_iter().map(to_index).collect_vec();
        self.check(key, order.iter().copied().sorted().eq(0..rank), || {
            format!("`{key}` is not a permutation of the {rank} dimensions")
        })?;
        Ok(order)
    }

    /// The indexes that the bits of an input map to.
    pub(super) fn bases(&self, key: &str, rank: usize) -> Result<Vec<Basis>, ParseError> {
        self.bases_in(key, self.list(key)?, rank)
    }

    /// The number of entries of the first basis under a key; `None` where there is no basis.
    pub(super) fn rank_of_bases(&self, key: &str) -> Result<Option<usize>, ParseError> {
        Ok(match self.list(key)?.first() {
            Some(Value::List(entries)) => Some(entries.len()),
            _ => None,
        })
    }

    fn bases_in(&self, key: &str, list: &[Value], rank: usize) -> Result<Vec<Basis>, ParseError> {
        let not = || self.refuse_key(key, format!("`{key}` is a list of indexes such as [0, 1]"));
        let basis = |value: &Value| {
            let Value::List(entries) = value else { return Err(not()) };
            let entry = |value: &Value| match value {
                Value::Number(number) => Ok(*number),
                _ => Err(not()),
            };
            let basis: Basis = entries.iter().map(entry).try_collect()?;
            self.check(key, basis.len() == rank, || {
                let found = counted(basis.len(), "entry");
                format!("a basis of `{key}` has {found}, but the tensor has rank {rank}")
            })?;
            Ok(basis)
        };
        list.iter().map(basis).collect()
    }

    /// The indexes under one of the `known` keys of a dictionary, `ctaLayout = {warp = [[0, 1]]}`; none where it is left
    /// out.
    pub(super) fn bases_under(
        &self,
        key: &str,
        inner: &str,
        known: &[&str],
        rank: usize,
    ) -> Result<Vec<Basis>, ParseError> {
        let keys = known.join("` and `");
        let refuse = || self.refuse_key(key, format!("`{key}` has the keys `{keys}`, with bases"));
        let Value::Dict(entries) = self.value(key)? else { return Err(refuse()) };
        if entries.iter().any(|entry| !known.contains(&&*entry.key)) {
            return Err(refuse());
        }
        match entries.iter().find(|entry| *entry.key == *inner).map(|entry| &entry.value) {
            None => Ok(Vec::new()),
            Some(Value::List(list)) => self.bases_in(key, list, rank),
            Some(_) => Err(refuse()),
        }
    }

    /// The encoding under a key.
    pub(super) fn inner(&self, key: &str) -> Result<Keys<'a>, ParseError> {
        match self.value(key)? {
            Value::Attribute(inner) => Ok(Keys { attribute: Arc::as_ref(inner), ..*self }),
            _ => Err(self.refuse_key(key, format!("`{key}` is an encoding"))),
        }
    }

    /// The dimension that a key gives; an error if the tensor lacks it.
    pub(super) fn dimension(&self, key: &str, rank: usize) -> Result<usize, ParseError> {
        let dim = self.number(key)?;
        usize::try_from(dim).ok().filter(|dim| *dim < rank).ok_or_else(|| {
            self.refuse_key(key, format!("`{key}` is {dim}, but there are {rank} dimensions"))
        })
    }
}
